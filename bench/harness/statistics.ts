/** The middle of the samples; of an even number, the mean of the two in the middle. */
export function median(samples: readonly number[]): number {
  return quantile(samples, 0.5);
}

/** The sample below which a share of the samples lies, interpolated. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((left, right) => left - right);
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)]!;
  const above = sorted[Math.ceil(position)]!;
  return below + (above - below) * (position % 1);
}

/** How many times larger the first is, round by round, so that what slows a whole round down falls out. */
export function medianRatio(first: readonly number[], second: readonly number[]): number {
  return median(first.map((sample, round) => sample / second[round]!));
}
