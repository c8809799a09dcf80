/** How much a block of a frame holds at most (RFC 8878, section 3.1.1.2.4), in bytes. */
const BLOCK = 128 * 1024;

/** A text as a frame of Zstandard of blocks that are stored as they are, for which nobody needs to be able to pack. */
export function storedZstd(text: string): Buffer {
  const data = Buffer.from(text);
  const head = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0]);
  head.writeUInt32LE(data.length, 5);
  const blocks: Buffer[] = [head];
  for (let at = 0; at < data.length || at === 0; at += BLOCK) {
    const part = data.subarray(at, at + BLOCK);
    const about = Buffer.alloc(3);
    about.writeUIntLE((part.length << 3) | (at + BLOCK >= data.length ? 1 : 0), 0, 3);
    blocks.push(about, part);
  }
  return Buffer.concat(blocks);
}
