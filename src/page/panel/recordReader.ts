import { BoundedMap } from '../../core/boundedMap.js';
import type { ReadRecord, Transcript } from '../../core/ports/transcript.js';

const PAGE = 64;
const MAX_PAGES = 16;

/** Reads records by position, and caches the most recent pages. */
export class RecordReader {
  readonly #transcript: Transcript;
  readonly #pages = new BoundedMap<number, readonly ReadRecord[]>(MAX_PAGES);

  constructor(transcript: Transcript) {
    this.#transcript = transcript;
  }

  /** The records at these positions, as far as they exist. */
  async read(positions: Iterable<number>): Promise<ReadonlyMap<number, ReadRecord>> {
    const wanted = [...new Set(positions)];
    const numbers = [...new Set(wanted.map((position) => Math.floor(position / PAGE)))];
    const pages = new Map<number, readonly ReadRecord[]>();
    for (const number of numbers) pages.set(number, await this.#page(number));
    const found = new Map<number, ReadRecord>();
    for (const position of wanted) {
      const record = pages.get(Math.floor(position / PAGE))?.[position % PAGE];
      if (record) found.set(position, record);
    }
    return found;
  }

  /** Empties the cache. */
  clear(): void {
    this.#pages.clear();
  }

  async #page(number: number): Promise<readonly ReadRecord[]> {
    const known = this.#pages.get(number);
    this.#pages.delete(number);
    const page = known ?? (await this.#transcript.read(number * PAGE, (number + 1) * PAGE));
    // The last page may still grow.
    if (page.length === PAGE) this.#pages.set(number, page);
    return page;
  }
}
