/** A line of the newer text is a new one. */
export const NEW = -1;
/** A line of the newer text is a new one or one of several: two equal lines cannot be told apart. */
export const UNSURE = -2;

/** Lines between two changes that have together fewer letters and digits may have gone in one and come in the other. */
const TELLING = 16;
/** A line with so many letters and digits may say by itself which line it is. */
const STRONG = 3;

/**
 * For each line of a text the place of the same line in the text before; `NEW` or `UNSURE` where there is none that is
 * certain. Blanks say nothing of who wrote a line, so that lines that differ in these alone are the same. Where a change
 * may have been another one with the same outcome (one of two equal lines beside it came or went), none of them is told.
 * `isOneEdit`: whether it is known that one edit made the one text of the other; else a line without words beside a change
 * may have gone and come again.
 */
export function carry(before: readonly string[], after: readonly string[], isOneEdit = false): Int32Array {
  const [old, now] = [before.map(withoutBlanks), after.map(withoutBlanks)];
  const found = new Int32Array(now.length).fill(NEW);
  let begin = 0;
  for (; begin < Math.min(old.length, now.length) && old[begin] === now[begin]; begin++) found[begin] = begin;
  let [oldEnd, nowEnd] = [old.length, now.length];
  for (; oldEnd > begin && nowEnd > begin && old[oldEnd - 1] === now[nowEnd - 1]; oldEnd--, nowEnd--)
    found[nowEnd - 1] = oldEnd - 1;
  const anchors = anchorsOf(old, now, { begin, oldEnd, nowEnd });
  for (const [at, of] of anchors) found[at] = of;
  spread(old, now, found);
  markLonely(now, found, old.length);
  markUnsure(old, now, found, isOneEdit);
  return found;
}

function withoutBlanks(line: string): string {
  return line.replaceAll(/\s+/g, '');
}

/** Lines between some places that stand there exactly once in both texts, in the same order: the longest such row. */
function anchorsOf(
  old: readonly string[],
  now: readonly string[],
  { begin, oldEnd, nowEnd }: { readonly begin: number; readonly oldEnd: number; readonly nowEnd: number },
): readonly (readonly [at: number, of: number])[] {
  const [inOld, inNow] = [onceIn(old, begin, oldEnd), onceIn(now, begin, nowEnd)];
  const pairs: (readonly [number, number])[] = [];
  for (const [line, at] of inNow) {
    const of = inOld.get(line);
    if (at >= 0 && of !== undefined && of >= 0 && isStrong(line)) pairs.push([at, of]);
  }
  return longestRow(pairs.sort(([one], [two]) => one - two));
}

/** Where each line stands; -1 where it stands more than once. */
function onceIn(lines: readonly string[], begin: number, end: number): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (let at = begin; at < end; at++) {
    const line = lines[at] ?? '';
    found.set(line, found.has(line) ? -1 : at);
  }
  return found;
}

function isStrong(line: string): boolean {
  return lettersIn(line) >= STRONG;
}

function lettersIn(line: string): number {
  return line.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
}

/** Of pairs whose first numbers grow, as many as possible whose second numbers grow as well. */
function longestRow(pairs: readonly (readonly [number, number])[]): readonly (readonly [number, number])[] {
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

/** Lines beside those that are found are the same where they are equal, as far as there are no others between. */
function spread(old: readonly string[], now: readonly string[], found: Int32Array): void {
  const taken = new Uint8Array(old.length);
  for (const of of found) if (of >= 0) taken[of] = 1;
  const take = (at: number, of: number): boolean => {
    if (at < 0 || at >= now.length || of < 0 || of >= old.length) return false;
    if (found[at] !== NEW || taken[of] === 1 || old[of] !== now[at]) return false;
    found[at] = of;
    taken[of] = 1;
    return true;
  };
  for (let at = 0; at < now.length; at++) {
    const of = found[at] ?? NEW;
    if (of >= 0) take(at + 1, of + 1);
  }
  for (let at = now.length - 1; at >= 0; at--) {
    const of = found[at] ?? NEW;
    if (of >= 0) take(at - 1, of - 1);
  }
}

/** Takes back what stands alone between two changes and says little: it may be gone from there and have come here. */
function markLonely(now: readonly string[], found: Int32Array, oldLength: number): void {
  for (let at = 0; at < now.length;) {
    if ((found[at] ?? NEW) < 0) {
      at++;
      continue;
    }
    let end = at + 1;
    while (end < now.length && found[end] === (found[end - 1] ?? 0) + 1) end++;
    const isFirst = at === 0 && found[0] === 0;
    const isLast = end === now.length && found[end - 1] === oldLength - 1;
    const letters = now
      .slice(at, Math.min(end, at + TELLING))
      .reduce((sum, line) => sum + lettersIn(line), 0);
    if (!isFirst && !isLast && letters < TELLING) found.fill(UNSURE, at, end);
    at = end;
  }
}

/** Takes back what another change could explain as well: see `carry`. */
function markUnsure(
  old: readonly string[],
  now: readonly string[],
  found: Int32Array,
  isOneEdit: boolean,
): void {
  const kept = Int32Array.from(found);
  for (let at = 0, of = 0; at <= now.length;) {
    const next = at < now.length ? (kept[at] ?? NEW) : old.length;
    if (next === of) {
      at++;
      of++;
      if (at > now.length) break;
      continue;
    }
    // A gap: lines from `at` on are new, those of the old text from `of` on are gone.
    let end = at;
    while (end < now.length && (kept[end] ?? NEW) < 0) end++;
    const ofEnd = end < now.length ? (kept[end] ?? NEW) : old.length;
    const gone = new Set(old.slice(of, ofEnd));
    const come = new Set(now.slice(at, end));
    const beside = new Set<string>();
    const walk = (from: number, step: 1 | -1) => {
      for (let line = from; line >= 0 && line < now.length; line += step) {
        const text = now[line] ?? '';
        const mayBeOther = gone.has(text) || come.has(text) || (!isOneEdit && !isStrong(text));
        if ((kept[line] ?? NEW) < 0 || !mayBeOther) return;
        found[line] = UNSURE;
        beside.add(text);
      }
    };
    walk(at - 1, -1);
    walk(end, 1);
    for (let line = at; line < end; line++) {
      const text = now[line] ?? '';
      if (gone.has(text) || beside.has(text)) found[line] = UNSURE;
    }
    [at, of] = [end, ofEnd];
    if (at >= now.length) break;
  }
}
