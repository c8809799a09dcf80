/** The text after a replacement and the first lines that changed; or the rest of a sentence saying why not. */
export type Replacement =
  | { readonly ok: true; readonly text: string; readonly lines: readonly number[] }
  | { readonly ok: false; readonly problem: string };

const MAX_LINES_NAMED = 20;

/**
 * Replaces `oldText` where it occurs exactly once, or everywhere. In a file with Windows line ends, the line ends of both
 * texts are converted, because models write `\n`.
 */
export function replaceText(text: string, oldText: string, given: string, everywhere: boolean): Replacement {
  const newText = hasOnlyWindowsEnds(text) ? withWindowsEnds(given) : given;
  if (oldText === '') return { ok: false, problem: 'nothing can be replaced: old_text is empty.' };
  if (oldText === newText) return { ok: false, problem: 'nothing would change: both texts are the same.' };
  const positions = placesOf(text, oldText);
  if (positions.length === 0 && text.includes('\r\n') && oldText.includes('\n') && !oldText.includes('\r')) {
    return replaceText(text, withWindowsEnds(oldText), withWindowsEnds(newText), everywhere);
  }
  if (positions.length === 0) return { ok: false, problem: 'old_text does not stand. Read the file again.' };
  const lines = linesOf(text, positions.slice(0, MAX_LINES_NAMED));
  if (positions.length > 1 && !everywhere) {
    const where = `${positions.length} times (line ${lines.join(', ')})`;
    return { ok: false, problem: `old_text stands ${where}. Give more around it.` };
  }
  return { ok: true, text: text.split(oldText).join(newText), lines };
}

/** The places of `part`, including overlapping ones: `aa` occurs in `aaa` twice, so choosing one would be a guess. */
function placesOf(text: string, part: string): number[] {
  const positions: number[] = [];
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) positions.push(at);
  return positions;
}

/** The line numbers of places in order, each line once. */
function linesOf(text: string, positions: readonly number[]): number[] {
  const lines = new Set<number>();
  let line = 1;
  let next = text.indexOf('\n');
  for (const position of positions) {
    for (; next >= 0 && next < position; next = text.indexOf('\n', next + 1)) line++;
    lines.add(line);
  }
  return [...lines];
}

const hasOnlyWindowsEnds = (text: string) => text.includes('\r\n') && !/(?<!\r)\n/.test(text);
const withWindowsEnds = (text: string) => text.replace(/\r?\n/g, '\r\n');
