import { errorCode } from '../../core/errorCode.js';
import { readFile } from 'node:fs/promises';
import type { TokenCounter } from '../../core/ports/tokenCounter.js';
import { BytePairEncoder } from './bytePairEncoder.js';
import type { Encoding } from './encodingForModel.js';

/** Texts shorter than this many UTF-16 code units are counted faster than they are looked up. */
const SHORTEST = 128;

/** The total length of the texts kept, in UTF-16 code units. */
const CAPACITY = 4 * 1024 * 1024;

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

/** The token counts of recent texts, by content; the oldest are dropped when there are too many. */
export class CountCache {
  readonly #counts = new Map<string, number>();
  readonly #count: (text: string) => number;
  #units = 0;

  /** `count` counts texts that are not in the cache. */
  constructor(count: (text: string) => number) {
    this.#count = count;
  }

  count(text: string): number {
    if (text.length < SHORTEST || text.length > CAPACITY) return this.#count(text);
    const known = this.#counts.get(text);
    const tokens = known ?? this.#count(text);
    if (known === undefined) this.#units += text.length;
    else this.#counts.delete(text);
    this.#counts.set(text, tokens);
    for (const [oldest] of this.#counts) {
      if (this.#units <= CAPACITY) break;
      this.#counts.delete(oldest);
      this.#units -= oldest.length;
    }
    return tokens;
  }
}
