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

/** What people wait for on one thread: whoever reads for all of a transcript lets it pass. */
export class PriorityGate {
  #running = 0;
  #waiting: (() => void)[] = [];

  /** Runs something that a person waits for; it must not wait for what lets it pass. */
  async run<T>(errand: () => Promise<T>): Promise<T> {
    const leave = this.hold();
    try {
      return await errand();
    } finally {
      leave();
    }
  }

  /** Begins something that a person waits for; gives what is to be called, once, when it ends. */
  hold(): () => void {
    this.#running++;
    return () => {
      if (--this.#running === 0) for (const go of this.#waiting.splice(0)) go();
    };
  }

  /** Resolves when nobody waits for anything. */
  async done(): Promise<void> {
    while (this.#running > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}

/** The records at positions, as far as they exist; read at once where the transcript can. */
export async function recordsAt(
  transcript: Pick<Transcript, 'read' | 'readAt'>,
  positions: Iterable<number>,
): Promise<ReadonlyMap<number, ReadRecord>> {
  const wanted = [...new Set(positions)].sort((a, b) => a - b);
  if (transcript.readAt) return await transcript.readAt(wanted);
  const records = new Map<number, ReadRecord>();
  for (const position of wanted) {
    const [record] = await transcript.read(position, position + 1);
    if (record) records.set(position, record);
  }
  return records;
}
