/** The next place at or behind `from`, which must ascend from call to call; -1 where there is none. */
export type NextPlace = (from: number) => number;

/** Something that is looked for in bytes. */
export interface ByteSearch {
  over(bytes: Buffer): NextPlace;
}

/** How many bytes are looked at to learn how rare a letter is in them; fewer tell nothing. */
const SAMPLE_BYTES = 16 * 1024;
const LEAST_SAMPLE = 2 * 1024;

/**
 * Looks for an ASCII text, with `ignoresCase` for its letters in either case. The letter of it that is rarest in the first
 * bytes is what is searched for, because a search for one byte passes over memory some ten times as fast as one for several.
 */
export function literalSearch(text: string, ignoresCase: boolean): ByteSearch {
  const wanted = Buffer.from(ignoresCase ? text.toLowerCase() : text, 'latin1');
  const accepted = [...wanted].map((byte) => (ignoresCase ? formsOf(byte) : [byte]));
  let rarest: number | undefined;
  return {
    over: (bytes) => {
      rarest ??= bytes.length < LEAST_SAMPLE ? undefined : rarestOf(accepted, bytes);
      const offset = rarest ?? 0;
      const next = anyByte(bytes, accepted[offset] ?? []);
      const stands = (at: number): boolean => {
        if (at + wanted.length > bytes.length) return false;
        for (let index = 0; index < wanted.length; index++) {
          const byte = bytes[at + index] ?? 0;
          if ((ignoresCase && byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte) !== wanted[index])
            return false;
        }
        return true;
      };
      return (from) => {
        for (let at = next(from + offset); at >= 0; at = next(at + 1))
          if (stands(at - offset)) return at - offset;
        return -1;
      };
    },
  };
}

/** Looks for some bytes at which `isThere` holds. */
export function sequenceSearch(
  sequence: Buffer,
  isThere: (bytes: Buffer, at: number) => boolean = () => true,
): ByteSearch {
  return {
    over: (bytes) => (from) => {
      for (let at = bytes.indexOf(sequence, from); at >= 0; at = bytes.indexOf(sequence, at + 1))
        if (isThere(bytes, at)) return at;
      return -1;
    },
  };
}

/** The bytes of a lower-case letter in either case; of anything else, it alone. */
function formsOf(byte: number): readonly number[] {
  return byte >= 0x61 && byte <= 0x7a ? [byte, byte - 0x20] : [byte];
}

function rarestOf(accepted: readonly (readonly number[])[], bytes: Buffer): number {
  const counts = new Uint32Array(256);
  const sampled = Math.min(bytes.length, SAMPLE_BYTES);
  for (let at = 0; at < sampled; at++) {
    const byte = bytes[at] ?? 0;
    counts[byte] = (counts[byte] ?? 0) + 1;
  }
  let [best, least] = [0, Infinity];
  for (const [offset, forms] of accepted.entries()) {
    const count = forms.reduce((sum, byte) => sum + (counts[byte] ?? 0), 0);
    if (count < least) [best, least] = [offset, count];
  }
  return best;
}

/** The places of either of one or two bytes. */
function anyByte(bytes: Buffer, [one, other]: readonly number[]): NextPlace {
  const nextOf = (byte: number): NextPlace => {
    let known = -1;
    return (from) => {
      if (known >= from) return known;
      const at = bytes.indexOf(byte, from);
      known = at < 0 ? Infinity : at;
      return known;
    };
  };
  if (one === undefined) return () => -1;
  const [first, second] = [nextOf(one), other === undefined ? undefined : nextOf(other)];
  return (from) => {
    const at = Math.min(first(from), second?.(from) ?? Infinity);
    return at === Infinity ? -1 : at;
  };
}
