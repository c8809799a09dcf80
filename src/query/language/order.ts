import type { Within } from './syntax.js';

/** One message or call that may stand on a side of an order: its positions, its times, and what it must share. */
export interface OrderOperand {
  readonly begin: number;
  readonly end: number;
  /** In milliseconds since 1970; undefined where it is unknown. */
  readonly beganAt: number | undefined;
  readonly endedAt: number | undefined;
  /** It pairs with what has one of the same keys; with nothing where there are none. */
  readonly keys: readonly string[];
}

/** What has ended so far under one key. */
interface Ended {
  /** The end that is nearest. */
  nearest: number;
  /** The known times at which they ended, ascending. */
  readonly times: number[];
}

/**
 * Those of the left side (by their index) that come after, or before, one of the right side: what comes first has ended
 * before the other begins. `begins`: the ascending positions at which the rows begin that `within` counts.
 */
export function inOrder(
  order: 'after' | 'before',
  left: readonly OrderOperand[],
  right: readonly OrderOperand[],
  narrowed: { readonly within: Within | undefined; readonly begins: readonly number[] },
): number[] {
  // Seen in a mirror, what comes before comes after.
  const isMirrored = order === 'before';
  const seen = isMirrored ? mirrored : (each: OrderOperand) => each;
  const lefts = left.map(seen);
  const rights = right.map(seen).sort((a, b) => a.end - b.end);
  const byBegin = [...lefts.keys()].sort((a, b) => (lefts[a]?.begin ?? 0) - (lefts[b]?.begin ?? 0));
  const ended = new Map<string, Ended>();
  const found: number[] = [];
  let next = 0;
  for (const index of byBegin) {
    const later = lefts[index];
    if (!later) continue;
    for (let each = rights[next]; each && each.end < later.begin; each = rights[++next]) note(ended, each);
    const isFound = later.keys.some((key) => {
      const before = ended.get(key);
      return before !== undefined && isNear(later, before, isMirrored, narrowed);
    });
    if (isFound) found.push(index);
  }
  return found.sort((a, b) => a - b);
}

function mirrored({ begin, end, beganAt, endedAt, keys }: OrderOperand): OrderOperand {
  const minus = (time: number | undefined) => (time === undefined ? undefined : -time);
  return { begin: -end, end: -begin, beganAt: minus(endedAt), endedAt: minus(beganAt), keys };
}

function note(ended: Map<string, Ended>, { end, endedAt, keys }: OrderOperand): void {
  for (const key of keys) {
    const before = ended.get(key) ?? { nearest: end, times: [] };
    ended.set(key, before);
    before.nearest = Math.max(before.nearest, end);
    if (endedAt !== undefined) before.times.splice(firstFrom(before.times, endedAt), 0, endedAt);
  }
}

function isNear(
  later: OrderOperand,
  { nearest, times }: Ended,
  isMirrored: boolean,
  { within, begins }: { readonly within: Within | undefined; readonly begins: readonly number[] },
): boolean {
  if (!within) return true;
  if (within.unit === 'ms') {
    if (later.beganAt === undefined) return false;
    const at = firstFrom(times, later.beganAt - within.most);
    return (times[at] ?? Infinity) <= later.beganAt;
  }
  const [from, to] = isMirrored ? [-later.begin, -nearest] : [nearest, later.begin];
  return firstFrom(begins, to) - firstFrom(begins, from + 1) <= within.most;
}

/** Binary search: the index of the first number that is at least `least`. */
function firstFrom(numbers: readonly number[], least: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] ?? 0) >= least) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** How many combinations of what one unit may share are looked at; a hostile call may name any number of files. */
const MAX_KEYS = 1_000;

/** Every combination of one value of each list, as a key. */
export function combinedKeys(lists: readonly (readonly (string | number)[])[]): string[] {
  let keys: (string | number)[][] = [[]];
  for (const list of lists)
    keys = keys.flatMap((key) => list.map((value) => [...key, value])).slice(0, MAX_KEYS);
  return keys.map((key) => JSON.stringify(key));
}
