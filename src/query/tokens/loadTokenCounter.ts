import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { checkValue } from '../../core/checkOptions.js';
import { codedError, errorCode } from '../../core/errorCode.js';
import type { TokenCounter } from '../../core/ports/tokenCounter.js';
import { BytePairEncoder } from './bytePairEncoder.js';
import { ENCODINGS, type Encoding } from './encodingForModel.js';

/** Texts shorter than this many UTF-16 code units are counted faster than they are looked up. */
const SHORTEST = 128;

/** The total length of the texts kept, in UTF-16 code units. */
const CAPACITY = 4 * 1024 * 1024;

/** Where the build puts the ranks, relative to a bundle, to a worker's bundle, to one that tests build, and to this source file. */
const folders = ['./tokens/', './', '../../out/tokens/', '../../../out/tokens/'];

/**
 * A counter for an encoding. Each call reads the ranks from disk, so keep the counter; it caches counts by content, up to
 * a bound. It counts on the calling thread; see `TokenService` for a thread of its own. Rejects where the ranks are
 * missing, and for an encoding that is not known.
 */
export async function loadTokenCounter(encoding: Encoding): Promise<TokenCounter> {
  checkValue(encoding, ENCODINGS, 'The encoding');
  for (const file of filesOf(encoding)) {
    const content = await readFile(file).catch(unlessMissing);
    if (content) return counterOf(encoding, content);
  }
  throw missing(encoding);
}

/**
 * The same, but the ranks are read when something is counted first; all that count by an encoding share one counter. Counting
 * throws where the ranks are missing.
 */
export function lazyTokenCounter(encoding: Encoding): TokenCounter {
  return {
    count: (text) => {
      const counter = shared.get(encoding) ?? readTokenCounter(encoding);
      shared.set(encoding, counter);
      return counter.count(text);
    },
  };
}

/** What was read for those that count when they are asked. */
const shared = new Map<Encoding, TokenCounter>();

function readTokenCounter(encoding: Encoding): TokenCounter {
  for (const file of filesOf(encoding)) {
    try {
      return counterOf(encoding, readFileSync(file));
    } catch (error) {
      unlessMissing(error);
    }
  }
  throw missing(encoding);
}

const filesOf = (encoding: Encoding): readonly URL[] =>
  folders.map((folder) => new URL(`${folder}${encoding}.ranks`, import.meta.url));

function counterOf(encoding: Encoding, ranks: Buffer): TokenCounter {
  // Copied, because the views need an aligned buffer, and a Buffer may start anywhere in a shared one.
  const encoder = new BytePairEncoder(encoding, new Uint8Array(ranks).buffer);
  const cache = new CountCache((text) => encoder.count(text));
  return { count: (text) => cache.count(text) };
}

function unlessMissing(error: unknown): undefined {
  if (errorCode(error) !== 'ENOENT') throw error;
}

function missing(encoding: Encoding) {
  const message = `The token ranks of ${encoding} are missing: build the project first.`;
  return codedError(Error, message, 'MISSING_RANKS');
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
