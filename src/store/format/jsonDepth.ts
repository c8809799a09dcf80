/** Deeper JSON is kept as text, because `JSON.stringify` and `structuredClone` overflow at about 10,000 levels. */
export const MAX_DEPTH = 200;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The depth of JSON in UTF-8, counting brackets outside of strings. */
export function depthOf(json: Uint8Array): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === QUOTE) {
      at = endOfString(json, at + 1);
    } else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > deepest) deepest = depth;
    } else if (byte === 0x7d || byte === 0x5d) {
      depth--;
    }
  }
  return deepest;
}

function endOfString(json: Uint8Array, from: number): number {
  for (let at = from; at < json.length; at++) {
    const byte = json[at];
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) at++;
  }
  return json.length;
}

/** Whether a parsed JSON value nests deeper than `levels`, counted as by `depthOf`, but ten times as fast. */
export function nestsDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((entry) => nestsDeeper(entry, levels - 1));
  for (const key in value) {
    if (nestsDeeper((value as Readonly<Record<string, unknown>>)[key], levels - 1)) return true;
  }
  return false;
}
