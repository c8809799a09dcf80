import { crc32 } from 'node:zlib';
import { errorCode } from '../../core/errorCode.js';
import { writeAtomically } from '../../node/atomicFile.js';
import { openPlainFile, READ } from '../../node/plainFile.js';

const CRC_BYTES = 4;
/** How many bytes are read at a time. */
const PIECE_BYTES = 2 * 1024 * 1024;
/** The largest file that is read, in bytes. */
const MAX_BYTES = 1_000_000_000;

/** Stores bytes with their CRC-32 behind them, in the machine's byte order. Throws errors of the file system. */
export async function saveChecked(path: string, parts: readonly Buffer[]): Promise<void> {
  let crc = 0;
  for (const part of parts) crc = crcWith(part, crc);
  await writeAtomically(path, Buffer.concat([...parts, Buffer.from(new Uint32Array([crc]).buffer)]));
}

/**
 * The bytes of a file that was stored so, without their checksum; undefined where it is missing, cut, changed or too large.
 * The checksum is computed piece by piece, so as not to block for long. Throws errors of the file system.
 */
export async function loadChecked(path: string): Promise<Buffer<ArrayBuffer> | undefined> {
  const handle = await openPlainFile(path, READ).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (!handle) return undefined;
  try {
    const { size } = await handle.stat();
    if (size < CRC_BYTES || size > MAX_BYTES) return undefined;
    const bytes = Buffer.allocUnsafeSlow(size);
    const end = size - CRC_BYTES;
    let crc = 0;
    for (let at = 0; at < size;) {
      const { bytesRead } = await handle.read(bytes, at, Math.min(PIECE_BYTES, size - at), at);
      if (bytesRead === 0) return undefined;
      crc = crcWith(bytes.subarray(at, Math.min(at + bytesRead, end)), crc);
      at += bytesRead;
    }
    return crc === new Uint32Array(bytes.buffer.slice(end))[0] ? bytes.subarray(0, end) : undefined;
  } finally {
    await handle.close();
  }
}

/** The checksum of what `crc` is of, with these bytes behind it; zlib begins anew where there are none. */
function crcWith(bytes: Buffer, crc: number): number {
  return bytes.length === 0 ? crc : crc32(bytes, crc);
}
