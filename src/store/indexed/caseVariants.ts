/** The last code point that could have a lower case of its own. */
const LAST = 0x1ffff;
/** Their lower case depends on what stands beside them. */
const CONTEXTUAL = /[\u0307\u03c2\u03c3]/;

let known: ReadonlyMap<string, readonly string[]> | undefined;

/** The other code points of which a code point is the lower case. */
function variantsOf(lower: string): readonly string[] {
  known ??= allVariants();
  return known.get(lower) ?? [];
}

function allVariants(): ReadonlyMap<string, readonly string[]> {
  const variants = new Map<string, string[]>();
  for (let code = 0; code <= LAST; code++) {
    const char = String.fromCodePoint(code);
    const lower = char.toLowerCase();
    if (lower !== char) variants.set(lower, [...(variants.get(lower) ?? []), char]);
  }
  return variants;
}

/**
 * A pattern over bytes of UTF-8, each a character, that finds exactly the texts whose lower case contains `lower`, a text
 * in lower case itself that is not empty; `folding` texts excepted, see TEXT. Undefined where it takes a look at whole
 * texts to tell.
 */
export function caselessBytes(lower: string): RegExp | undefined {
  if (/^[\0-\x7f]*$/.test(lower)) return new RegExp(lower.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'gi');
  if (CONTEXTUAL.test(lower) || /\p{Surrogate}/u.test(lower)) return undefined;
  const sources = Array.from(lower, (char) => {
    const variants = [char, ...variantsOf(char)];
    return `(?:${variants.map(bytesSource).join('|')})`;
  });
  return new RegExp(sources.join(''), 'g');
}

function bytesSource(char: string): string {
  return Array.from(Buffer.from(char), (byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
}
