import { gunzipSync } from 'node:zlib';
import { unpackZstd } from './zstd.js';

/** What bytes are once they are unpacked and in UTF-8. */
export interface PlainBytes {
  /** Undefined where they unpack to more than was allowed. */
  readonly bytes: Uint8Array | undefined;
  /** How they were packed or encoded, for a person; undefined where they were plain. */
  readonly was: string | undefined;
}

/**
 * Unpacks gzip and Zstandard and converts UTF-16 to UTF-8, whatever a file is called. Throws where packed bytes are
 * damaged.
 */
export function plainBytes(bytes: Uint8Array, maxBytes: number): PlainBytes {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
    const unpacked = gunzip(bytes, maxBytes);
    return { bytes: unpacked && asUtf8(unpacked), was: 'gzip' };
  }
  if (isZstd(bytes)) {
    const unpacked = unpackZstd(bytes, maxBytes);
    return { bytes: unpacked && asUtf8(unpacked), was: 'Zstandard' };
  }
  return { bytes: asUtf8(bytes), was: undefined };
}

/** Whether bytes begin with a frame of Zstandard, or with one that is to be skipped (RFC 8878, section 3.1). */
function isZstd([first = 0, second, third, fourth]: Uint8Array): boolean {
  const isFrame = first === 0x28 && second === 0xb5 && third === 0x2f && fourth === 0xfd;
  return isFrame || (first >> 4 === 5 && second === 0x2a && third === 0x4d && fourth === 0x18);
}

function gunzip(bytes: Uint8Array, maxBytes: number): Uint8Array | undefined {
  try {
    return gunzipSync(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return undefined;
    throw error;
  }
}

/** UTF-8 without a byte order mark; Windows shells write UTF-16, with a mark or without one. */
function asUtf8(bytes: Uint8Array): Uint8Array {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return bytes.subarray(3);
  const encoding = utf16In(bytes);
  return encoding === undefined ? bytes : Buffer.from(new TextDecoder(encoding).decode(bytes));
}

/** The order of the bytes where they are UTF-16: JSON begins with two characters of ASCII, which leave every other byte 0. */
function utf16In(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const [first = 0, second = 0, third = 0, fourth = 0] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first !== 0 && second === 0 && third !== 0 && fourth === 0) return 'utf-16le';
  return first === 0 && second !== 0 && third === 0 && fourth !== 0 ? 'utf-16be' : undefined;
}
