import { diffArrays, diffWordsWithSpace } from 'diff';

/** A stretch of a line; `changed` where the words differ from those of the line on the other side. */
export interface DiffPart {
  readonly text: string;
  readonly changed: boolean;
}

/** A line of a diff, without its mark and its end; `skipped` stands for `count` lines that are the same. */
export type DiffLine =
  | { readonly kind: 'same' | 'removed' | 'added'; readonly parts: readonly DiffPart[] }
  | { readonly kind: 'skipped'; readonly count: number };

/** How many lines of context are shown around a change. */
const CONTEXT_LINES = 2;

/** From so many differing lines or words on, texts have so little in common that it is not looked for. */
const MAX_EDITS = { lines: 1_000, words: 200 } as const;

/** The longest texts whose words are compared, in UTF-16 code units. */
const MAX_WORDS_LENGTH = 20_000;

/** Where less than this share of the longer text stays, marked words say nothing that the whole lines do not. */
const MIN_SHARE = 0.3;

/** How many lines a change adds and removes. */
export function changedLines(
  before: string,
  after: string,
): { readonly added: number; readonly removed: number } {
  const [old, now] = linesOfBoth(before, after);
  let begin = 0;
  while (begin < Math.min(old.length, now.length) && old[begin] === now[begin]) begin++;
  let end = 0;
  while (end < Math.min(old.length, now.length) - begin && old.at(-1 - end) === now.at(-1 - end)) end++;
  const [left, right] = [old.slice(begin, old.length - end), now.slice(begin, now.length - end)];
  if (left.length === 0 || right.length === 0) return { added: right.length, removed: left.length };
  const changes = diffArrays(left, right, { maxEditLength: MAX_EDITS.lines });
  if (!changes) return { added: right.length, removed: left.length };
  const sum = (of: 'added' | 'removed') =>
    changes.reduce((lines, change) => (change[of] ? lines + change.value.length : lines), 0);
  return { added: sum('added'), removed: sum('removed') };
}

/** The lines that were removed and added, with the words that differ, and so many of the lines around them. */
export function lineDiff(before: string, after: string): DiffLine[] {
  return diffOfLines(linesOf(before), linesOf(after));
}

/** The same of lists of lines. */
export function diffOfLines(old: string[], now: string[], around = CONTEXT_LINES): DiffLine[] {
  const changes = diffArrays(old, now, { maxEditLength: MAX_EDITS.lines }) ?? [
    { value: old, removed: true, added: false },
    { value: now, removed: false, added: true },
  ];
  return changes.flatMap((change, at) => {
    const [last, next] = [changes[at - 1], changes[at + 1]];
    if (!change.removed && !change.added) return context(change.value, at > 0, next !== undefined, around);
    if (change.removed && next?.added) return replaced(change.value, next.value);
    // These came with what they replace.
    if (change.added && last?.removed) return [];
    return change.value.map((text) => whole(change.removed ? 'removed' : 'added', text));
  });
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.split('\n');
}

/** The lines of two texts; where both end as files do, no empty line stands behind the last end. */
export function linesOfBoth(before: string, after: string): readonly [before: string[], after: string[]] {
  const [old, now] = [linesOf(before), linesOf(after)];
  const areFiles = [before, after].every((text) => text === '' || text.endsWith('\n'));
  return areFiles ? [old.slice(0, -1), now.slice(0, -1)] : [old, now];
}

function whole(kind: 'same' | 'removed' | 'added', text: string): DiffLine {
  return { kind, parts: [{ text, changed: false }] };
}

/** Of lines that are the same, those beside a change, and how many lie between them. */
function context(
  same: readonly string[],
  afterChange: boolean,
  beforeChange: boolean,
  around: number,
): DiffLine[] {
  if (around >= same.length) return same.map((text) => whole('same', text));
  const head = afterChange ? same.slice(0, around) : [];
  const rest = same.slice(head.length);
  const tail = beforeChange ? rest.slice(-around) : [];
  const between = rest.length - tail.length;
  // A single line takes no more room than the words that it was left out.
  const middle = between === 1 ? rest.slice(0, 1) : [];
  return [
    ...[...head, ...middle].map((text) => whole('same', text)),
    ...(between > 1 ? [{ kind: 'skipped' as const, count: between }] : []),
    ...tail.map((text) => whole('same', text)),
  ];
}

/** Lines that stand in place of others, with the words that differ. */
function replaced(old: readonly string[], now: readonly string[]): DiffLine[] {
  const before = old.join('\n');
  const after = now.join('\n');
  const words = wordDiff(before, after);
  if (!words)
    return [...old.map((text) => whole('removed', text)), ...now.map((text) => whole('added', text))];
  return [
    ...linesFrom(
      words.filter((each) => !each.added).map((each) => ({ text: each.value, changed: each.removed })),
    ).map((parts) => ({ kind: 'removed' as const, parts })),
    ...linesFrom(
      words.filter((each) => !each.removed).map((each) => ({ text: each.value, changed: each.added })),
    ).map((parts) => ({ kind: 'added' as const, parts })),
  ];
}

/** The words that two texts share and differ in; undefined where that would say nothing or take long. */
function wordDiff(before: string, after: string) {
  const longer = Math.max(before.length, after.length);
  if (longer > MAX_WORDS_LENGTH) return undefined;
  const words = diffWordsWithSpace(before, after, { maxEditLength: MAX_EDITS.words });
  let shared = 0;
  for (const { value, added, removed } of words ?? []) if (!added && !removed) shared += value.length;
  return shared < longer * MIN_SHARE ? undefined : words;
}

/** The same stretches, line by line. */
function linesFrom(parts: readonly DiffPart[]): DiffPart[][] {
  const lines: DiffPart[][] = [[]];
  for (const { text, changed } of parts) {
    for (const [at, piece] of text.split('\n').entries()) {
      if (at > 0) lines.push([]);
      if (piece !== '') lines.at(-1)?.push({ text: piece, changed });
    }
  }
  return lines;
}

/** Of pairs whose first numbers grow, as many as possible whose second numbers grow as well. */
export function longestRow(
  pairs: readonly (readonly [number, number])[],
): readonly (readonly [number, number])[] {
  const ends: number[] = [];
  const previous = new Int32Array(pairs.length).fill(-1);
  for (const [index, [, of]] of pairs.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[ends[middle] ?? 0]?.[1] ?? 0) < of) low = middle + 1;
      else high = middle;
    }
    previous[index] = low === 0 ? -1 : (ends[low - 1] ?? -1);
    ends[low] = index;
  }
  const row: (readonly [number, number])[] = [];
  for (let index = ends.at(-1) ?? -1; index >= 0; index = previous[index] ?? -1) {
    const pair = pairs[index];
    if (pair) row.push(pair);
  }
  return row.reverse();
}
