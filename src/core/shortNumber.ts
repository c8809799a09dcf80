/** A number in short form, which every view uses, so that they agree: `950`, `1.2k`, `41k`, `3.4M`. */
export function shortNumber(value: number): string {
  if (value < 999.5) return String(Math.round(value));
  const [size, unit] =
    value < 999_500 ? [1_000, 'k'] : value < 999_500_000 ? [1_000_000, 'M'] : [1_000_000_000, 'G'];
  const scaled = value / size;
  return `${scaled < 9.95 ? scaled.toFixed(1).replace(/\.0$/, '') : Math.round(scaled)}${unit}`;
}
