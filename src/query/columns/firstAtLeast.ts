/** Binary search: the first index from `start` on whose number is at least `least`; the length where there is none. */
export function firstAtLeast(numbers: Uint32Array, least: number, start = 0): number {
  let [low, high] = [start, numbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] ?? 0) >= least) high = middle;
    else low = middle + 1;
  }
  return low;
}
