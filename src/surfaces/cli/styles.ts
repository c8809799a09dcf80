/** How a stretch of text may look. */
export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan' | 'magenta';

const CODES: Readonly<Record<Style, readonly [on: number, off: number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
  magenta: [35, 39],
};

/** A text that a terminal shows in a style. */
export function styled(style: Style, text: string): string {
  const [on, off] = CODES[style];
  return text === '' ? '' : `\u001b[${on}m${text}\u001b[${off}m`;
}

/** Characters that a terminal draws over the one before, or not at all. */
const NARROW = /[\p{M}\u200d\ufe0f]/u;

/** Characters that take two columns: East Asian wide ones and pictures. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;

function columnsOf(character: string): number {
  if (character < '\u0300') return 1;
  return NARROW.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
}

/** Texts of which each character takes one column, as nearly all do: dashes, quotes and … are among them. */
const PLAIN = /^[ -\u02ff\u2010-\u2027]*$/;

/** How many columns of a terminal a text on one line takes. */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += columnsOf(character);
  return width;
}

/** The beginning of a text that fits into so many columns, with … where something was cut off. */
export function cutTo(text: string, columns: number): string {
  if (text.length <= columns && PLAIN.test(text)) return text;
  let width = 0;
  let end = 0;
  let whole = 0;
  for (const character of text) {
    width += columnsOf(character);
    if (width > columns) return `${text.slice(0, whole)}…`;
    end += character.length;
    if (width < columns) whole = end;
  }
  return text;
}

/** The end of a text that fits into so many columns, with … where something was cut off. */
export function cutToEnd(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  const kept: string[] = [];
  let width = 1;
  for (const character of Array.from(text).reverse()) {
    width += columnsOf(character);
    if (width > columns) break;
    kept.push(character);
  }
  return `…${kept.reverse().join('')}`;
}

/** A text with blanks up to a width, behind it or, for numbers, before it. */
export function padTo(text: string, columns: number, side: 'left' | 'right'): string {
  const blanks = ' '.repeat(Math.max(0, columns - widthOf(text)));
  return side === 'left' ? text + blanks : blanks + text;
}

/** A style being switched on or off, a run of blanks, or a character. */
const PIECE = /\u001b\[[0-9;]*m| +|[^]/gu;

/** A line as lines of at most so many columns: broken behind a word where one ends, else within it. */
export function foldTo(line: string, columns: number): string {
  if (line.length <= columns && PLAIN.test(line)) return line;
  const lines: string[] = [];
  let [text, width] = ['', 0];
  /** What stands behind the last blank, and how wide that is. */
  let [word, wordWidth] = ['', 0];
  const end = (next: string, nextWidth: number) => {
    lines.push(text.trimEnd());
    [text, width] = [next, nextWidth];
  };
  for (const [piece] of line.matchAll(PIECE)) {
    const own = piece.startsWith('\u001b') ? 0 : widthOf(piece);
    if (piece.startsWith(' ')) {
      [text, width] = [text + word, width + wordWidth];
      [word, wordWidth] = ['', 0];
      if (width + own > columns) end('', 0);
      else [text, width] = [text + piece, width + own];
      continue;
    }
    if (width > 0 && width + wordWidth + own > columns && text.trim() !== '') end('', 0);
    if (width + wordWidth + own > columns) {
      [text, width] = [text + word, width + wordWidth];
      [word, wordWidth] = ['', 0];
      end('', 0);
    }
    [word, wordWidth] = [word + piece, wordWidth + own];
  }
  lines.push(text + word);
  return lines.join('\n');
}

/** A text of several lines of which none is wider than so many columns; as it is where nobody says how many there are. */
export function foldLines(text: string, columns: number | undefined): string {
  if (columns === undefined) return text;
  return text
    .split('\n')
    .map((line) => foldTo(line, columns))
    .join('\n');
}
