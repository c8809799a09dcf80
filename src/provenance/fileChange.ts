import { isObject } from '../core/message.js';

/** A place in a file that an edit replaces. */
export interface EditedPlace {
  readonly old: string;
  readonly now: string;
  /** Where the old text begins once the places before it are replaced, from 1; else it must stand in the file exactly once. */
  readonly line?: number;
  /** Whether it is replaced wherever it stands. */
  readonly everywhere?: true;
}

/** What an edit makes of a file, as far as a session tells it. `before`: the whole file until then, where that is told. */
export type FileChange =
  | { readonly kind: 'write'; readonly before?: string; readonly after: string }
  | { readonly kind: 'replace'; readonly before?: string; readonly places: readonly EditedPlace[] }
  | { readonly kind: 'delete' }
  /** Nothing: the session only shows what stands in the file. */
  | { readonly kind: 'seen'; readonly after: string };

/** A place of a unified diff: its lines with their marks, and the number of its first line in the new file. */
export interface Hunk {
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
}

const HEAD = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@/;

/** The places of a diff, as its text or as a list of objects; undefined where it is neither. */
export function hunksOf(told: unknown): readonly Hunk[] | undefined {
  if (typeof told === 'string') return hunksOfText(told);
  if (!Array.isArray(told)) return undefined;
  const hunks = told.map((each: unknown) => {
    if (!isObject(each) || !Array.isArray(each.lines)) return undefined;
    const { newStart, newLines } = each;
    if (typeof newStart !== 'number' || typeof newLines !== 'number') return undefined;
    const lines = each.lines.filter((line): line is string => typeof line === 'string');
    return { newStart, newLines, lines };
  });
  return hunks.every((hunk) => hunk !== undefined) ? hunks : undefined;
}

function hunksOfText(diff: string): readonly Hunk[] {
  const hunks: { newStart: number; newLines: number; lines: string[] }[] = [];
  const lines = diff.split('\n');
  if (lines.at(-1) === '') lines.pop();
  for (const line of lines) {
    const [isHead, start, count] = HEAD.exec(line) ?? [];
    if (isHead !== undefined)
      hunks.push({ newStart: Number(start), newLines: count === undefined ? 1 : Number(count), lines: [] });
    else hunks.at(-1)?.lines.push(line);
  }
  return hunks;
}

/** What hunks replace, in their order, with all lines that they show around it. */
export function placesOfHunks(hunks: readonly Hunk[]): readonly EditedPlace[] {
  return hunks.map(({ newStart, newLines, lines }) => {
    const side = (without: string) =>
      lines
        .filter((line) => !line.startsWith(without) && !line.startsWith('\\'))
        .map((line) => `${line.slice(1)}\n`)
        .join('');
    // Where no line stays, the number is that of the line before.
    return { old: side('+'), now: side('-'), line: newLines === 0 ? newStart + 1 : newStart };
  });
}

/** The lines of a file: without the mark at its beginning, and whatever ends them. */
export function linesOf(text: string): string[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Lines that are replaced by others, by their places in the file as it is before. */
export interface Replacement {
  readonly from: number;
  /** Behind the last. */
  readonly to: number;
  readonly now: readonly string[];
}

/** What a place replaces in a file, from the end to its beginning; undefined where it does not fit exactly, or not surely there. */
export function replacementsOf(
  lines: readonly string[],
  { old, now, line, everywhere }: EditedPlace,
): readonly Replacement[] | undefined {
  if (line !== undefined) {
    const [from, there] = [line - 1, linesOf(old)];
    if (from >= 0 && from <= lines.length && there.every((one, at) => one === lines[from + at]))
      return [{ from, to: from + there.length, now: linesOf(now) }];
  }
  const [text, sought, given] = [`${lines.join('\n')}\n`, plainEnds(old), plainEnds(now)];
  if (sought.trim() === '') return undefined;
  const found: number[] = [];
  for (
    let at = text.indexOf(sought);
    at >= 0;
    at = text.indexOf(sought, at + (everywhere ? sought.length : 1))
  )
    found.push(at);
  if (found.length === 0 || (found.length > 1 && everywhere !== true)) return undefined;
  // An empty line that the text begins with is none here, so that this is not the content that was meant.
  if (sought.startsWith('\n') && found.some((at) => at > 0 && text[at - 1] !== '\n')) return undefined;
  // From the end, so that the places before stay where they are.
  return found.length === 1
    ? [replacementAt(text, found[0] ?? 0, sought, given)]
    : wholeLines(text, found, sought, given);
}

/** The replacement of a text that stands at a place; the rest of its first and last line stays. */
function replacementAt(text: string, at: number, old: string, now: string): Replacement {
  const begin = text.lastIndexOf('\n', at - 1) + 1;
  const last = Math.max(at, at + old.length - 1);
  const end = text.indexOf('\n', last);
  const whole = text.slice(begin, at) + now + text.slice(at + old.length, end + 1);
  const from = countLines(text, begin);
  return { from, to: countLines(text, end + 1), now: whole === '' ? [] : linesOf(whole) };
}

/** The same of a text that stands at several places, of which several may be on one line. */
function wholeLines(
  text: string,
  found: readonly number[],
  old: string,
  now: string,
): readonly Replacement[] {
  const groups: { begin: number; end: number; places: number[] }[] = [];
  for (const at of found) {
    const begin = text.lastIndexOf('\n', at - 1) + 1;
    const end = text.indexOf('\n', at + old.length - 1) + 1;
    const last = groups.at(-1);
    if (last && begin < last.end) {
      last.end = Math.max(end, last.end);
      last.places.push(at);
    } else groups.push({ begin, end, places: [at] });
  }
  return groups.toReversed().map(({ begin, end }) => {
    const whole = text.slice(begin, end).split(old).join(now);
    return {
      from: countLines(text, begin),
      to: countLines(text, end),
      now: whole === '' ? [] : linesOf(whole),
    };
  });
}

/** Whether places fit a file, one after the other. */
export function fits(lines: readonly string[], places: readonly EditedPlace[]): boolean {
  let now = [...lines];
  for (const place of places) {
    const replaced = replacementsOf(now, place);
    if (!replaced) return false;
    for (const { from, to, now: put } of replaced) now = [...now.slice(0, from), ...put, ...now.slice(to)];
  }
  return true;
}

function plainEnds(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

function countLines(text: string, end: number): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}
