import { readFile } from 'node:fs/promises';
import type { TokenCounter } from '../ports/tokenCounter.js';
import { BytePairEncoder } from './bytePairEncoder.js';
import { CountCache } from './countCache.js';
import type { Encoding } from './encodingForModel.js';

/** Where the build puts the ranks, seen from a bundle, from a worker's bundle, and from this source file. */
const folders = ['./tokens/', '../tokens/', '../../out/tokens/'];

/**
 * A counter with the ranks of an encoding, which are read from disk at each call: keep the counter. Counts of the same
 * content are remembered, up to a bound. It counts on the calling thread; see `TokenService` for another one. Rejects
 * where the ranks are missing.
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
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    });
    // A copy of its own: the views need an aligned buffer, and a Buffer may lie anywhere in a shared one.
    if (content) return new Uint8Array(content).buffer;
  }
  throw new Error(`The token ranks of ${encoding} are missing: build the project first.`);
}
