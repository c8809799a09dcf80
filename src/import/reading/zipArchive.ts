import { inflateRawSync } from 'node:zlib';

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

/** The files of a ZIP archive in the order of its directory; throws an error for a person where it has none. */
export function zipMembers(bytes: Uint8Array): ArchiveMember[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = findEnd(view);
  if (end === undefined) throw new Error('The archive has no directory; it is cut.');
  const members: ArchiveMember[] = [];
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left--) {
    if (at + ENTRY_LENGTH > view.byteLength || view.getUint32(at, true) !== DIRECTORY_ENTRY) {
      throw new Error('The directory of the archive is damaged.');
    }
    const nameLength = view.getUint16(at + 28, true);
    const name = new TextDecoder().decode(bytes.subarray(at + ENTRY_LENGTH, at + ENTRY_LENGTH + nameLength));
    const entry = at;
    members.push({ name, read: (maxBytes) => unpack(bytes, view, entry, maxBytes) });
    at += ENTRY_LENGTH + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return members;
}

/** Finds the end record, which is followed only by a comment of at most 64 KiB. */
function findEnd(view: DataView): number | undefined {
  for (let at = view.byteLength - 22; at >= Math.max(0, view.byteLength - 22 - 0xffff); at--) {
    if (view.getUint32(at, true) === END_OF_DIRECTORY) return at;
  }
  return undefined;
}

function unpack(bytes: Uint8Array, view: DataView, entry: number, maxBytes: number): Uint8Array | undefined {
  const method = view.getUint16(entry + 10, true);
  const packed = view.getUint32(entry + 20, true);
  const local = view.getUint32(entry + 42, true);
  if (local + LOCAL_LENGTH > view.byteLength) throw new Error('The archive is damaged.');
  const start = local + LOCAL_LENGTH + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
  const content = bytes.subarray(start, start + packed);
  if (method === 0) return content.length > maxBytes ? undefined : content;
  if (method === 8) return inflated(content, maxBytes);
  throw new Error(`The archive is packed by a method that is not known here (${method}).`);
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
