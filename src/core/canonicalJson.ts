/** Replaces a value under its key before it is written; undefined leaves it out. */
type Change = (key: string, value: unknown) => unknown;

/**
 * A value as JSON with the keys of every object sorted as RFC 8785 sorts them, so that equal values give equal texts.
 * For plain data of limited depth; what JSON cannot express is left out, as `JSON.stringify` does.
 * `change` replaces a value under its key before it is written; undefined leaves it out.
 */
export function canonicalJson(value: unknown, change: Change = (_key, same) => same): string {
  return written('', value, change) ?? 'null';
}

/** Keys are written one by one: an object that is built anew has keys like `9` and `10` in an order of its own. */
function written(key: string, given: unknown, change: Change): string | undefined {
  const value = change(key, plain(key, given));
  if (typeof value === 'string') return quoted(value);
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) {
    const items = value.map((item: unknown, at) => written(String(at), item, change) ?? 'null');
    return `[${items.join(',')}]`;
  }
  const parts: string[] = [];
  for (const name of Object.keys(value).sort()) {
    const text = written(name, (value as Record<string, unknown>)[name], change);
    if (text !== undefined) parts.push(`${quoted(name)}:${text}`);
  }
  return `{${parts.join(',')}}`;
}

/** What has to be escaped: most texts hold none of it. */
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/;

function quoted(text: string): string {
  return ESCAPED.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** What a value says of itself, as a date does. */
function plain(key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('toJSON' in value)) return value;
  return typeof value.toJSON === 'function' ? (value.toJSON as (key: string) => unknown)(key) : value;
}
