/** The last code point that may have a different lower case. */
const LAST = 0x1ffff;
/** Characters whose lower case depends on their neighbours. */
const CONTEXTUAL = /[\u0307\u03c2\u03c3]/;

let known: ReadonlyMap<string, readonly string[]> | undefined;

/** The other code points whose lower case is the given one. */
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
 * A pattern over UTF-8 bytes, one character each, that finds exactly the texts whose lower case contains `lower`, which
 * must itself be in lower case and not empty; except for `folding` texts, see TEXT. Undefined where only a look at whole
 * texts can decide.
 */
export function caselessBytes(lower: string): RegExp | undefined {
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
