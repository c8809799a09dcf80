/** How deep a value may nest before its text is cut; JSON.stringify itself overflows at some thousands. */
export const MAX_JSON_DEPTH = 1000;

/** A JSON value on one line; what nests deeper than MAX_JSON_DEPTH is named, not shown. Never throws. */
export function compactJson(value: unknown): string {
  return jsonText(value, undefined);
}

/** A JSON value with `indent` spaces a level; what nests deeper than MAX_JSON_DEPTH is named, not shown. Never throws. */
export function jsonText(value: unknown, indent: number | undefined): string {
  return tryText(value, indent) ?? tryText(prune(value, 0, []), indent) ?? 'null';
}

function tryText(value: unknown, indent: number | undefined): string | undefined {
  try {
    return JSON.stringify(value, undefined, indent);
  } catch {
    // Too deep, a cycle or a BigInt: the caller tries again with a value that has none.
    return undefined;
  }
}

function prune(value: unknown, depth: number, above: unknown[]): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (above.includes(value)) return '[circular]';
  if (depth >= MAX_JSON_DEPTH) return '[nested too deep]';
  above.push(value);
  const copy = Array.isArray(value)
    ? value.map((entry) => prune(entry, depth + 1, above))
    : Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, prune(entry, depth + 1, above)]));
  above.pop();
  return copy;
}
