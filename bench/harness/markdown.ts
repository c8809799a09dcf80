/** A Markdown table; the first column to the left, the others to the right. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = head.map((_, column) => (column === 0 ? '---' : '---:'));
  return [head, rule, ...rows].map(line).join('\n');
}

/** A number with three figures that count, and thousands apart. */
export function figures(value: number): string {
  if (!Number.isFinite(value)) return '–';
  return Number(value.toPrecision(3)).toLocaleString('en-US', { maximumSignificantDigits: 3 });
}

/** Milliseconds for a person: as microseconds below one, as seconds from ten thousand on. */
export function duration(milliseconds: number): string {
  if (!Number.isFinite(milliseconds)) return '–';
  if (milliseconds < 1) return `${figures(milliseconds * 1000)} µs`;
  return milliseconds < 10_000 ? `${figures(milliseconds)} ms` : `${figures(milliseconds / 1000)} s`;
}
