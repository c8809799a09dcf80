/** The value if it is a number that can be counted with: finite and not negative; else undefined. */
export function numberOr(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** A moment in milliseconds since 1970; undefined where a record has 0 or no usable number, which means unknown. */
export function knownTime(time: unknown): number | undefined {
  const known = numberOr(time);
  return known === 0 ? undefined : known;
}
