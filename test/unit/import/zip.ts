import { deflateRawSync } from 'node:zlib';

/** How the files of an archive are packed. */
interface Packing {
  method?: number;
  pack?: (text: string) => Buffer;
  flags?: number;
  /** Whether sizes and offsets stand in the fields of 64 bits. */
  isLarge?: boolean;
}

/** A ZIP archive of these files. */
export function zip(
  files: Record<string, string>,
  { method = 8, pack = (text) => deflateRawSync(text), flags = 0, isLarge = false }: Packing = {},
): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(files)) {
    const data = pack(text);
    const header = Buffer.alloc(30);
    header.writeUInt32LE(0x04034b50, 0);
    header.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    const extra = Buffer.alloc(isLarge ? 28 : 0);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(flags, 8);
    entry.writeUInt16LE(method, 10);
    entry.writeUInt32LE(isLarge ? 0xffffffff : data.length, 20);
    entry.writeUInt32LE(isLarge ? 0xffffffff : text.length, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt16LE(extra.length, 30);
    entry.writeUInt32LE(isLarge ? 0xffffffff : offset, 42);
    if (isLarge) {
      extra.writeUInt16LE(1, 0);
      extra.writeUInt16LE(24, 2);
      [text.length, data.length, offset].forEach((value, index) => {
        extra.writeBigUInt64LE(BigInt(value), 4 + 8 * index);
      });
    }
    parts.push(header, Buffer.from(name), data);
    directory.push(entry, Buffer.from(name), extra);
    offset += 30 + name.length + data.length;
  }
  const length = directory.reduce((sum, part) => sum + part.length, 0);
  const count = Object.keys(files).length;
  const ends = isLarge ? largeEnd(offset, length, count) : [];
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(isLarge ? 0xffff : count, 10);
  end.writeUInt32LE(isLarge ? 0xffffffff : offset, 16);
  return Buffer.concat([...parts, ...directory, ...ends, end]);
}

/** The end of a directory in 64 bits, and where to find it. */
function largeEnd(start: number, length: number, count: number): Buffer[] {
  const end = Buffer.alloc(56);
  end.writeUInt32LE(0x06064b50, 0);
  end.writeBigUInt64LE(BigInt(count), 32);
  end.writeBigUInt64LE(BigInt(start), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(start + length), 8);
  return [end, locator];
}

/** A frame of Zstandard with this text in one block, unpacked; `window` is how much memory it wants. */
export function frame(text: string, window = 0x50): Buffer {
  const data = Buffer.from(text);
  return Buffer.concat([header(window), block(true, 0, data.length), data]);
}

/** A frame of so many blocks of 100,000 times the same byte each. */
export function repeated(blocks: number): Buffer {
  const each = (isLast: boolean) => Buffer.concat([block(isLast, 1, 100_000), Buffer.from(' ')]);
  return Buffer.concat([
    header(0x50),
    ...Array.from({ length: blocks }, (_, index) => each(index === blocks - 1)),
  ]);
}

const header = (window: number) => Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, window]);

function block(isLast: boolean, kind: number, size: number): Buffer {
  const bytes = Buffer.alloc(3);
  bytes.writeUIntLE((isLast ? 1 : 0) | (kind << 1) | (size << 3), 0, 3);
  return bytes;
}
