import { pipeline, type Readable, type Transform } from 'node:stream';
import { errorCode } from '../../core/errorCode.js';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

const unpackers: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** How Node's codes for packed bytes that are wrong begin, of zlib and of Brotli. */
const UNPACKING = /^(?:Z_|ERR__ERROR|ERR_BROTLI)/;

/**
 * The bytes of a body as they were before they were packed. Nothing packed is asked for, but some servers and proxies
 * pack all the same. `failed` hears why unpacking failed; undefined where the encoding is not known.
 */
export function unpacked(
  packed: Readable,
  encoding: string | undefined,
  failed: (error: Error) => void,
): Readable | undefined {
  const name = (encoding ?? '').trim().toLowerCase();
  if (name === '' || name === 'identity') return packed;
  if (!Object.hasOwn(unpackers, name)) return undefined;
  const unpacker = unpackers[name]?.();
  if (!unpacker) return undefined;
  // An error of the connection comes through here too, but whoever made the connection hears it first.
  unpacker.once('error', (error) => {
    if (UNPACKING.test(errorCode(error))) failed(error);
  });
  return pipeline(packed, unpacker, () => undefined);
}
