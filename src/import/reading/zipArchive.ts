import { inflateRawSync } from 'node:zlib';
import { unpackZstd } from './zstd.js';

/** A file in an archive. */
export interface ArchiveMember {
  readonly name: string;
  /**
   * Its unpacked bytes; undefined where there are more than `maxBytes`. Throws an error for a person where they cannot be
   * unpacked.
   */
  read(maxBytes: number): Uint8Array | undefined;
}

const END_OF_DIRECTORY = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;

/** The offsets of fields in a directory entry and a local header (PKWARE's APPNOTE, sections 4.3.7 and 4.3.12). */
const ENTRY_LENGTH = 46;
const LOCAL_LENGTH = 30;

/** Whether bytes start like a ZIP archive. */
export function isZip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b && (bytes[2] === 3 || bytes[2] === 5);
}

/** How members are packed (APPNOTE, section 4.4.5). */
const STORED = 0;
const DEFLATED = 8;
const ZSTANDARD = 93;

/** What fields of 32 and 16 bits hold whose value stands in the ZIP64 fields (APPNOTE, sections 4.3.14 and 4.5.3). */
const IN_ZIP64 = 0xffffffff;
const IN_ZIP64_SHORT = 0xffff;
const ZIP64_LOCATOR = 0x07064b50;
const ZIP64_END = 0x06064b50;
const ZIP64_FIELD = 0x0001;

/** Unpacks bytes; undefined where there are more than `maxBytes`. */
type Unpack = (packed: Uint8Array, maxBytes: number) => Uint8Array | undefined;

/** An entry of the directory. */
interface DirectoryEntry {
  readonly name: string;
  readonly isEncrypted: boolean;
  readonly method: number;
  /** In bytes. */
  readonly packed: number;
  /** The offset of its local header. */
  readonly local: number;
}

/**
 * The files of a ZIP archive in the order of its directory. Throws an error for a person where it has none.
 */
export function zipMembers(bytes: Uint8Array): ArchiveMember[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries = directoryOf(bytes, view);
  const unpackers = new Map<number, Unpack>([
    [STORED, (packed, maxBytes) => (packed.length > maxBytes ? undefined : packed)],
    [DEFLATED, inflated],
    [ZSTANDARD, unpackZstd],
  ]);
  return entries.map((entry) => ({
    name: entry.name,
    read: (maxBytes) => {
      if (entry.isEncrypted) throw new Error('It is encrypted; unpack the archive with its password first.');
      const unpack = unpackers.get(entry.method);
      if (!unpack)
        throw new Error(`The archive is packed by a method that is not known here (${entry.method}).`);
      return unpack(contentOf(bytes, view, entry), maxBytes);
    },
  }));
}

function directoryOf(bytes: Uint8Array, view: DataView): DirectoryEntry[] {
  const end = findEnd(view);
  if (end === undefined) throw new Error('The archive has no directory; it is cut.');
  const entries: DirectoryEntry[] = [];
  const { start, count } = directoryAt(view, end);
  let at = start;
  for (let left = count; left > 0; left--) {
    if (at + ENTRY_LENGTH > view.byteLength || view.getUint32(at, true) !== DIRECTORY_ENTRY) {
      throw new Error('The directory of the archive is damaged.');
    }
    const nameEnd = at + ENTRY_LENGTH + view.getUint16(at + 28, true);
    const extraEnd = nameEnd + view.getUint16(at + 30, true);
    const name = new TextDecoder().decode(bytes.subarray(at + ENTRY_LENGTH, nameEnd));
    entries.push({
      name,
      isEncrypted: (view.getUint16(at + 8, true) & 1) === 1,
      method: view.getUint16(at + 10, true),
      ...locationOf(view, at, nameEnd, extraEnd),
    });
    at = extraEnd + view.getUint16(at + 32, true);
  }
  return entries;
}

/** Where the directory begins and how many entries it has. */
function directoryAt(view: DataView, end: number): { start: number; count: number } {
  const start = view.getUint32(end + 16, true);
  const count = view.getUint16(end + 10, true);
  if (start !== IN_ZIP64 && count !== IN_ZIP64_SHORT) return { start, count };
  const locator = end - 20;
  if (locator < 0 || view.getUint32(locator, true) !== ZIP64_LOCATOR) return { start, count };
  const at = Number(view.getBigUint64(locator + 8, true));
  if (at + 56 > view.byteLength || view.getUint32(at, true) !== ZIP64_END)
    throw new Error('The directory of the archive is damaged.');
  return { start: Number(view.getBigUint64(at + 48, true)), count: Number(view.getBigUint64(at + 32, true)) };
}

/** A member's size and offset, from its entry or, where they need 64 bits, from the extra field behind its name. */
function locationOf(
  view: DataView,
  entry: number,
  from: number,
  to: number,
): { packed: number; local: number } {
  let packed = view.getUint32(entry + 20, true);
  const unpacked = view.getUint32(entry + 24, true);
  let local = view.getUint32(entry + 42, true);
  for (let at = from; at + 4 <= to; at += 4 + view.getUint16(at + 2, true)) {
    if (view.getUint16(at, true) !== ZIP64_FIELD) continue;
    let value = at + 4;
    const next = () => {
      value += 8;
      return Number(view.getBigUint64(value - 8, true));
    };
    if (unpacked === IN_ZIP64) next();
    if (packed === IN_ZIP64) packed = next();
    if (local === IN_ZIP64) local = next();
  }
  return { packed, local };
}

/** Finds the end record, which is followed only by a comment of at most 64 KiB. */
function findEnd(view: DataView): number | undefined {
  for (let at = view.byteLength - 22; at >= Math.max(0, view.byteLength - 22 - 0xffff); at--) {
    if (view.getUint32(at, true) === END_OF_DIRECTORY) return at;
  }
  return undefined;
}

function contentOf(bytes: Uint8Array, view: DataView, { local, packed }: DirectoryEntry): Uint8Array {
  if (local + LOCAL_LENGTH > view.byteLength) throw new Error('The archive is damaged.');
  const start = local + LOCAL_LENGTH + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
  return bytes.subarray(start, start + packed);
}

function inflated(content: Uint8Array, maxBytes: number): Uint8Array | undefined {
  if (maxBytes < 1) return undefined;
  try {
    return inflateRawSync(content, { maxOutputLength: maxBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return undefined;
    throw error;
  }
}
