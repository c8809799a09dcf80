import { errorCode } from '../../core/errorCode.js';
import { readFile } from 'node:fs/promises';
import type { TokenCounter } from '../../core/ports/tokenCounter.js';
import { BytePairEncoder } from './bytePairEncoder.js';
import { CountCache } from './countCache.js';
import type { Encoding } from './encodingForModel.js';

/** Where the build puts the ranks, relative to a bundle, to a worker's bundle, and to this source file. */
const folders = ['./tokens/', './', '../../out/tokens/'];

/**
 * A counter for an encoding. Each call reads the ranks from disk, so keep the counter; it caches counts by content, up to
 * a bound. It counts on the calling thread; see `TokenService` for a thread of its own. Rejects where the ranks are
 * missing.
 */
export async function loadTokenCounter(encoding: Encoding): Promise<TokenCounter> {
  const encoder = new BytePairEncoder(encoding, await readRanks(encoding));
  const cache = new CountCache((text) => encoder.count(text));
  return { count: (text) => cache.count(text) };
}

async function readRanks(encoding: Encoding): Promise<ArrayBuffer> {
  for (const folder of folders) {
    const file = new URL(`${folder}${encoding}.ranks`, import.meta.url);
    const content = await readFile(file).catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    });
    // Copied, because the views need an aligned buffer, and a Buffer may start anywhere in a shared one.
    if (content) return new Uint8Array(content).buffer;
  }
  throw new Error(`The token ranks of ${encoding} are missing: build the project first.`);
}
