import { brotliDecompress, constants, gunzip, inflate, inflateRaw } from 'node:zlib';
import { promisify } from 'node:util';
import { errorCode } from '../../core/errorCode.js';
import type { SentBody } from './exchanges.js';

/** What of a body is worth keeping. */
export interface ReadBody {
  /** JSON, or the text as it is; undefined where nothing of it can be read. */
  readonly value: unknown;
  /** Why it is not whole; '' where it is. */
  readonly problem: string;
}

/** Reads a body that went past, of at most so many bytes when it is unpacked. Never rejects. */
export async function readSent({ bytes, length, encoding }: SentBody, max: number): Promise<ReadBody> {
  if (!bytes) return { value: undefined, problem: `${length} bytes are more than is kept at once.` };
  try {
    const packed = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    const { bytes: plain, isCut } = await unpacked(packed, encoding, max);
    const problem = isCut ? `What is packed as ${encoding ?? ''} was cut; it is kept as far as it came.` : '';
    return { value: parsed(plain.toString('utf8')), problem };
  } catch {
    return { value: undefined, problem: `${length} bytes that are no ${encoding ?? 'text'} were not kept.` };
  }
}

/** Bytes without their packing, and whether that ended before its end. */
interface Unpacked {
  readonly bytes: Buffer;
  readonly isCut: boolean;
}

/** How many packings in each other are undone. */
const MAX_PACKINGS = 4;

/** Undoes the packings that a header names, the last one first. Rejects for what is not packed so. */
async function unpacked(packed: Buffer, encoding: string | undefined, max: number): Promise<Unpacked> {
  const names = (encoding ?? '').split(',').map((name) => name.trim().toLowerCase());
  const packings = names.filter((name) => name !== '' && name !== 'identity').reverse();
  if (packings.length > MAX_PACKINGS) throw new Error('more packings than are undone');
  let [bytes, isCut] = [packed, false];
  for (const name of packings) {
    const outer = await withoutPacking(bytes, name, max);
    [bytes, isCut] = [outer.bytes, isCut || outer.isCut];
  }
  return { bytes, isCut };
}

async function withoutPacking(bytes: Buffer, name: string, maxOutputLength: number): Promise<Unpacked> {
  // Where an answer has no bytes, there is nothing to undo.
  if (bytes.length === 0) return { bytes, isCut: false };
  const [unpack, finishFlush] = unpackerOf(name, bytes);
  try {
    return { bytes: await unpack(bytes, { maxOutputLength }), isCut: false };
  } catch (error) {
    if (errorCode(error) !== 'Z_BUF_ERROR') throw error;
    // It ended too early.
    return { bytes: await unpack(bytes, { maxOutputLength, finishFlush }), isCut: true };
  }
}

function unpackerOf(name: string, bytes: Buffer) {
  switch (name) {
    case 'gzip':
    case 'x-gzip':
      return [promisify(gunzip), constants.Z_SYNC_FLUSH] as const;
    case 'deflate':
      // Some servers leave out the header of zlib, which tells itself by RFC 1950.
      return [promisify(isZlib(bytes) ? inflate : inflateRaw), constants.Z_SYNC_FLUSH] as const;
    case 'br':
      return [promisify(brotliDecompress), constants.BROTLI_OPERATION_FLUSH] as const;
    default:
      throw new Error('unknown');
  }
}

function isZlib(bytes: Buffer): boolean {
  const [method = 0, flags = 0] = bytes;
  return (method & 0x0f) === 8 && (method * 256 + flags) % 31 === 0;
}

/** JSON where the text is that, else the text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
