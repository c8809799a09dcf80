import { escapeRegExp } from '../../core/escapeRegExp.js';

/** The next place at or behind `from`, which must ascend from call to call; -1 where there is none. */
export type NextPosition = (from: number) => number;

/** Something that is looked for in bytes. */
export interface ByteSearch {
  over(bytes: Buffer): NextPosition;
}

/** How many bytes are looked at to learn how rare a letter is in them; fewer tell nothing. */
const SAMPLE_BYTES = 16 * 1024;
const LEAST_SAMPLE = 2 * 1024;
/** A letter that is more than one of so many bytes is met so often that a pattern passes over them faster. */
const RARE = 150;
/** So many letters of several are searched for at once: where fewer stand, others than those that are wanted mostly follow. */
const LEAST_LETTERS = 5;
/** How many bytes a pattern looks through as one text: as many as the engine keeps at hand without asking for memory. */
const PIECE_BYTES = 96 * 1024;

/**
 * Looks for an ASCII text, with `ignoresCase` for its letters in either case: then the letter of it that is rarest in the
 * first bytes is what is searched for, because a search for one byte passes over memory faster than one for several in any
 * letter case, unless it stops everywhere.
 */
export function literalSearch(text: string, ignoresCase: boolean): ByteSearch {
  if (!ignoresCase) return sequenceSearch(Buffer.from(text, 'latin1'));
  const wanted = Buffer.from(text.toLowerCase(), 'latin1');
  const accepted = [...wanted].map(formsOf);
  const pattern = patternSearch(text);
  let rarest: { readonly offset: number; readonly isRare: boolean } | undefined;
  return {
    over: (bytes) => {
      rarest ??= bytes.length < LEAST_SAMPLE ? undefined : rarestOf(accepted, bytes);
      if (rarest?.isRare === false) return pattern.over(bytes);
      const { offset } = rarest ?? { offset: 0 };
      const next = anyByte(bytes, accepted[offset] ?? []);
      const stands = (at: number): boolean => {
        if (at + wanted.length > bytes.length) return false;
        for (let index = 0; index < wanted.length; index++) {
          const byte = bytes[at + index] ?? 0;
          if ((byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte) !== wanted[index]) return false;
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

/** Looks for an ASCII text in any letter case. */
function patternSearch(text: string): ByteSearch {
  const pattern = new RegExp(escapeRegExp(text), 'gi');
  return {
    over: (bytes) => {
      let [piece, start] = ['', 0];
      return (from) => {
        for (let at = from; at + text.length <= bytes.length;) {
          if (at < start || at + text.length > start + piece.length) {
            start = at;
            piece = bytes.toString('latin1', start, Math.min(bytes.length, start + PIECE_BYTES));
          }
          pattern.lastIndex = at - start;
          const hit = pattern.exec(piece);
          if (hit) return start + hit.index;
          at = start + piece.length - text.length + 1;
        }
        return -1;
      };
    },
  };
}

/**
 * Looks for some bytes at which `isThere` holds. What is searched for is their end from the letter on that is rarest in the
 * first bytes, because a search for several stops wherever the first of them stands.
 */
export function sequenceSearch(
  sequence: Buffer,
  isThere: (bytes: Buffer, at: number) => boolean = () => true,
): ByteSearch {
  const begins = [...sequence.subarray(0, Math.max(1, sequence.length - LEAST_LETTERS + 1))].map((byte) => [
    byte,
  ]);
  let offset: number | undefined;
  return {
    over: (bytes) => {
      offset ??= bytes.length < LEAST_SAMPLE ? undefined : rarestOf(begins, bytes).offset;
      const skipped = offset ?? 0;
      const end = sequence.subarray(skipped);
      const stands = (at: number) =>
        (skipped === 0 || bytes.compare(sequence, 0, skipped, at, at + skipped) === 0) && isThere(bytes, at);
      return (from) => {
        for (let at = bytes.indexOf(end, from + skipped); at >= 0; at = bytes.indexOf(end, at + 1))
          if (stands(at - skipped)) return at - skipped;
        return -1;
      };
    },
  };
}

/** The bytes of a lower-case letter in either case; of anything else, it alone. */
function formsOf(byte: number): readonly number[] {
  return byte >= 0x61 && byte <= 0x7a ? [byte, byte - 0x20] : [byte];
}

/** Which of some letters is the rarest in the first of some bytes, and whether it is so rare that it is worth a stop. */
function rarestOf(accepted: readonly (readonly number[])[], bytes: Buffer) {
  const counts = new Uint32Array(256);
  const sampled = Math.min(bytes.length, SAMPLE_BYTES);
  for (let at = 0; at < sampled; at++) {
    const byte = bytes[at] ?? 0;
    counts[byte] = (counts[byte] ?? 0) + 1;
  }
  let [offset, least] = [0, Infinity];
  for (const [each, forms] of accepted.entries()) {
    const count = forms.reduce((sum, byte) => sum + (counts[byte] ?? 0), 0);
    if (count < least) [offset, least] = [each, count];
  }
  return { offset, isRare: least * RARE <= sampled };
}

/** The places of either of one or two bytes. */
function anyByte(bytes: Buffer, [one, other]: readonly number[]): NextPosition {
  const nextOf = (byte: number): NextPosition => {
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
