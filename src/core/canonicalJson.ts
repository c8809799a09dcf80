/**
 * A value as JSON with the keys of every object sorted, so that equal values give equal texts.
 * For plain data of limited depth; what JSON cannot express is left out, as `JSON.stringify` does.
 * `change` replaces a value under its key before it is written; undefined leaves it out.
 */
export function canonicalJson(
  value: unknown,
  change: (key: string, value: unknown) => unknown = (_key, same) => same,
): string {
  return JSON.stringify(value, (key, found: unknown) => {
    const inner = change(key, found);
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    const sorted = Object.create(null) as Record<string, unknown>;
    for (const key of Object.keys(inner).sort()) sorted[key] = (inner as Record<string, unknown>)[key];
    return sorted;
  });
}
