/** How deep a value may nest before its text is cut; JSON.stringify itself overflows the stack at a few thousand. */
export const MAX_JSON_DEPTH = 1000;

/** A value as JSON on one line; what nests deeper than MAX_JSON_DEPTH is replaced by a note. Never throws. */
export function compactJson(value: unknown): string {
  return jsonText(value, undefined);
}

/** The same with `indent` spaces per level; undefined for one line. */
export function jsonText(value: unknown, indent: number | undefined): string {
  return tryText(value, indent) ?? tryText(prune(value, 0, []), indent) ?? 'null';
}

function tryText(value: unknown, indent: number | undefined): string | undefined {
  try {
    return JSON.stringify(value, undefined, indent);
  } catch {
    // Too deep, a cycle or a BigInt: the caller retries with a pruned value.
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

/** Whether a value nests deeper than `depth` levels, as one that contains itself does. Never throws. */
export function isDeeperThan(value: unknown, depth: number): boolean {
  let level = new Set<object>(isContainer(value) ? [value] : []);
  for (let reached = 0; level.size > 0; reached++) {
    if (reached >= depth) return true;
    const below = new Set<object>();
    for (const container of level) {
      for (const entry of Object.values(container)) if (isContainer(entry)) below.add(entry);
    }
    level = below;
  }
  return false;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
