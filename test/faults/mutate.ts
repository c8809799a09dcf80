/** Bytes changed at one place: flipped, zeroed, inserted or deleted. */
export interface Mutation {
  readonly bytes: Buffer;
  /** The bytes of the original that are not there any more, or not the same: from, and up to but not including to. */
  readonly from: number;
  readonly to: number;
  readonly kind: string;
}

/** Harms a copy of some bytes at a random place. */
export function mutate(original: Buffer, random: () => number): Mutation {
  const at = Math.floor(random() * original.length);
  const length = 1 + Math.floor(random() ** 4 * 4096);
  const to = Math.min(original.length, at + length);
  const before = original.subarray(0, at);
  const noise = Buffer.from(Array.from({ length }, () => Math.floor(random() * 256)));
  switch (Math.floor(random() * 5)) {
    case 0: {
      const bytes = Buffer.from(original);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8));
      return { bytes, from: at, to: at + 1, kind: 'flip' };
    }
    case 1:
      return {
        bytes: Buffer.concat([before, Buffer.alloc(to - at), original.subarray(to)]),
        from: at,
        to,
        kind: 'zero',
      };
    case 2:
      return {
        bytes: Buffer.concat([before, noise, original.subarray(at)]),
        from: at,
        to: at,
        kind: 'insert',
      };
    case 3:
      return { bytes: Buffer.concat([before, original.subarray(to)]), from: at, to, kind: 'delete' };
    default:
      return { bytes: Buffer.from(before), from: at, to: original.length, kind: 'cut' };
  }
}
