import { Decompress } from 'fzstd';

/** The largest window that is accepted, in bytes: what the zstd program itself accepts without being asked to. */
const MAX_WINDOW = 128 * 1024 * 1024;

/** The numbers that frames begin with (RFC 8878, section 3.1). */
const FRAME = 0xfd2fb528;
const SKIPPABLE = 0x184d2a50;

/**
 * Unpacks Zstandard frames; undefined where they unpack to more than `maxBytes`. Throws an error for a person where they
 * are damaged or want more memory than a window may have.
 */
export function unpackZstd(packed: Uint8Array, maxBytes: number): Uint8Array | undefined {
  const chunks: Uint8Array[] = [];
  return takeZstd(packed, maxBytes, (chunk) => chunks.push(chunk)) ? Buffer.concat(chunks) : undefined;
}

/** The same piece by piece, as they come; false where they unpack to more than `maxBytes`. Throws as above, and what `take` throws as damage. */
export function takeZstd(packed: Uint8Array, maxBytes: number, take: (chunk: Uint8Array) => void): boolean {
  let length = 0;
  for (const frame of framesIn(packed)) {
    const decoder = new Decompress((chunk) => {
      length += chunk.length;
      if (length > maxBytes) throw new Error('It unpacks to too much.');
      take(chunk);
    });
    try {
      decoder.push(frame, true);
    } catch {
      if (length > maxBytes) return false;
      throw damaged();
    }
  }
  return true;
}

/**
 * The first bytes that Zstandard frames unpack to, `maxBytes` at most, also where their end is missing; and whether there is more of
 * them. Throws as above.
 */
export function beginningOfZstd(
  packed: Uint8Array,
  maxBytes: number,
): { readonly bytes: Uint8Array; readonly isCut: boolean } {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const take = (chunk: Uint8Array) => {
    chunks.push(chunk.subarray(0, Math.max(0, maxBytes - length)));
    length += chunk.length;
    if (length > maxBytes) throw new Error('It is enough.');
  };
  let whole = 0;
  try {
    for (const frame of framesIn(packed)) {
      new Decompress(take).push(frame, true);
      whole = frame.byteOffset - packed.byteOffset + frame.length;
    }
  } catch {
    if (length <= maxBytes) {
      const rest = packed.subarray(whole);
      const view = new DataView(rest.buffer, rest.byteOffset, rest.byteLength);
      const isFrame = rest.length > 18 && view.getUint32(0, true) === FRAME;
      if (length === 0 && isFrame && headerOf(view, 0).header > 0) unpackedAsFarAs(rest, take);
    }
    if (length === 0) throw damaged();
    return { bytes: Buffer.concat(chunks), isCut: true };
  }
  return { bytes: Buffer.concat(chunks), isCut: false };
}

/** Unpacks as much of a frame as there is. */
function unpackedAsFarAs(frame: Uint8Array, take: (chunk: Uint8Array) => void): void {
  try {
    new Decompress(take).push(frame, false);
  } catch {
    // What was taken until there is what can be read.
  }
}

/** The frames one after another, without those that are to be skipped; checks how much memory each will want. */
function* framesIn(packed: Uint8Array): Generator<Uint8Array> {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  for (let at = 0; at < packed.length;) {
    if (at + 8 > packed.length) throw damaged();
    const magic = view.getUint32(at, true);
    if ((magic & 0xfffffff0) >>> 0 === SKIPPABLE) {
      at += 8 + view.getUint32(at + 4, true);
      continue;
    }
    if (magic !== FRAME) throw damaged();
    const end = endOfFrame(view, at);
    yield packed.subarray(at, end);
    at = end;
  }
}

function endOfFrame(view: DataView, start: number): number {
  const { header, hasChecksum } = headerOf(view, start);
  let at = start + header;
  for (let isLast = false; !isLast;) {
    if (at + 3 > view.byteLength) throw damaged();
    const block = view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
    isLast = (block & 1) === 1;
    const isRepeated = ((block >> 1) & 3) === 1;
    at += 3 + (isRepeated ? 1 : block >> 3);
  }
  at += hasChecksum ? 4 : 0;
  if (at > view.byteLength) throw damaged();
  return at;
}

/** The length of a frame's header, and whether a checksum follows its blocks. */
function headerOf(view: DataView, start: number): { header: number; hasChecksum: boolean } {
  const flags = view.getUint8(start + 4);
  const isSingle = (flags & 0x20) !== 0;
  const dictionary = [0, 1, 2, 4][flags & 3] ?? 0;
  const size = [isSingle ? 1 : 0, 2, 4, 8][flags >> 6] ?? 0;
  const header = 5 + (isSingle ? 0 : 1) + dictionary + size;
  if (start + header > view.byteLength) throw damaged();
  const window = isSingle
    ? contentSize(view, start + header - size, size)
    : windowSize(view.getUint8(start + 5));
  if (window > MAX_WINDOW)
    throw new Error(
      `A file in the archive wants ${window} bytes of memory to be unpacked, which is too much.`,
    );
  return { header, hasChecksum: (flags & 4) !== 0 };
}

function contentSize(view: DataView, at: number, bytes: number): number {
  if (bytes === 1) return view.getUint8(at);
  if (bytes === 2) return view.getUint16(at, true) + 256;
  return bytes === 4 ? view.getUint32(at, true) : Number(view.getBigUint64(at, true));
}

function windowSize(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3));
  return base + (base / 8) * (descriptor & 7);
}

function damaged(): Error {
  return new Error('What Zstandard packed is damaged.');
}
