/** What stands for half of a character: Unicode's own sign for what could not be read. */
const REPLACEMENT = '\ufffd';

/** Half of a character outside of the basic plane without its other half: no UTF-8 can hold it, and strict readers refuse it. */
const LONE = /\p{Surrogate}/gu;
const HAS_LONE = /\p{Surrogate}/u;

/** An escape of JSON: a pair of halves, one half alone, any other one. */
const ESCAPE =
  /\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u(?<lone>[dD][89a-fA-F][0-9a-fA-F]{2})|[^])/g;

/** Called for each half that is replaced. */
export type Mended = () => void;

/** A text with the sign for what could not be read in place of each half of a character; of the same length. */
export function wellFormed(text: string, mended?: Mended): string {
  if (!HAS_LONE.test(text)) return text;
  return text.replace(LONE, () => {
    mended?.();
    return REPLACEMENT;
  });
}

/** The same for JSON as text, where halves may stand as escapes, too. */
export function wellFormedJson(json: string, mended?: Mended): string {
  const text = wellFormed(json, mended);
  if (!/\\u[dD][89a-fA-F]/.test(text)) return text;
  return text.replace(ESCAPE, (escape: string, lone?: string) => {
    if (lone === undefined) return escape;
    mended?.();
    return REPLACEMENT;
  });
}

/** How deep a value is looked into: as deep as it is written as JSON. */
const MAX_DEPTH = 1000;

/** The key below which JSON stands as text: arguments of a call. */
const JSON_TEXT = 'arguments';

/** A value without halves of characters in its texts, keys included; the same one where it has none. */
export function wellFormedIn<Value>(value: Value, mended?: Mended): Value {
  return formedIn(value, '', 0, mended) as Value;
}

function formedIn(value: unknown, key: string, depth: number, mended: Mended | undefined): unknown {
  if (typeof value === 'string')
    return key === JSON_TEXT ? wellFormedJson(value, mended) : wellFormed(value, mended);
  if (typeof value !== 'object' || value === null || depth >= MAX_DEPTH) return value;
  if (Array.isArray(value)) {
    const formed = value.map((each: unknown) => formedIn(each, '', depth + 1, mended));
    return formed.every((each, index) => each === value[index]) ? value : formed;
  }
  const entries = Object.entries(value);
  const formed = entries.map(([name, each]): [string, unknown] => [
    wellFormed(name, mended),
    formedIn(each, name, depth + 1, mended),
  ]);
  const isSame = entries.every(([name, each], at) => formed[at]?.[0] === name && formed[at][1] === each);
  return isSame ? value : Object.fromEntries(formed);
}
