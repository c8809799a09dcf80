/** The first place in ascending numbers, from `start` on, of one that is not less; their length where there is none. */
export function firstAtLeast(numbers: Uint32Array, least: number, start = 0): number {
  let [low, high] = [start, numbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] ?? 0) >= least) high = middle;
    else low = middle + 1;
  }
  return low;
}
