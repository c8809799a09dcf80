/** A 64-bit hash of an id. Among a million ids, the chance of any collision is 1 in 30 million. */
export interface IdHash {
  readonly low: number;
  readonly high: number;
}

const LOW = 0x811c9dc5;
const HIGH = 0x9e3779b9;

/** The hash of an id, given as the UTF-8 bytes from `from` up to, not including, `to`. */
export function hashOfBytes(bytes: Uint8Array, from: number, to: number): IdHash {
  let low = LOW;
  let high = HIGH;
  for (let at = from; at < to; at++) {
    const byte = bytes[at] ?? 0;
    low = Math.imul(low ^ byte, 0x01000193);
    high = Math.imul(high ^ (byte + at - from), 0x85ebca6b);
    high ^= high >>> 13;
  }
  return { low: mixed(low ^ (high >>> 7)), high: mixed(high) };
}

/** The hash of an id, given as text: the same as that of its UTF-8 bytes. */
export function hashOfText(id: string): IdHash {
  let low = LOW;
  let high = HIGH;
  for (let at = 0; at < id.length; at++) {
    const unit = id.charCodeAt(at);
    if (unit > 0x7f) return hashOfBytes(Buffer.from(id), 0, Buffer.byteLength(id));
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ (unit + at), 0x85ebca6b);
    high ^= high >>> 13;
  }
  return { low: mixed(low ^ (high >>> 7)), high: mixed(high) };
}

/** Spreads every bit over all 32, so that the low bits can select a slot. */
function mixed(value: number): number {
  let bits = value;
  bits = Math.imul(bits ^ (bits >>> 16), 0x21f0aaad);
  bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97);
  return (bits ^ (bits >>> 15)) >>> 0;
}
