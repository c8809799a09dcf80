/** How many suggestions are made at most. */
const MAX_SUGGESTIONS = 2;

/** Names longer than this are not compared: no name that is known has this length. */
const MAX_LENGTH = 100;

/** The known names that were probably meant, best first: those that differ by a slip or two of the keyboard. */
export function nearest(name: string, known: readonly string[]): readonly string[] {
  if (name.length > MAX_LENGTH) return [];
  const wanted = simplified(name);
  // A slip in every third letter: more would suggest names that have nothing in common.
  const limit = Math.max(1, Math.floor(wanted.length / 3));
  const ranked = [...new Set(known)]
    .map((each) => ({ each, slips: slipsBetween(wanted, simplified(each)) }))
    .filter(({ slips }) => slips <= limit)
    .sort((a, b) => a.slips - b.slips || (a.each < b.each ? -1 : 1));
  return ranked.slice(0, MAX_SUGGESTIONS).map(({ each }) => each);
}

function simplified(name: string): string {
  return name.toLowerCase().replace(/[\s_-]+/g, '');
}

/** How many letters must be inserted, left out, replaced or swapped with their neighbour to turn one into the other. */
function slipsBetween(a: string, b: string): number {
  let last: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const before = row;
    row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (before[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const changed = Math.min(replaced, (before[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = isSwap ? Math.min(changed, (last[j - 2] ?? 0) + 1) : changed;
    }
    last = before;
  }
  return row[b.length] ?? 0;
}
