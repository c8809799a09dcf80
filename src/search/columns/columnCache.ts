import { oldestBeyond } from '../../core/boundedMap.js';
import type { ColumnFacts } from './columnFacts.js';
import { ShapeTable } from './shapes.js';

/** The most memory that the columns of all sessions take together, in bytes; beyond it the first that were used go. */
const MAX_BYTES = 384 * 1024 * 1024;

/** The columns that are in memory, of the sessions of all stores. */
export class ColumnCache {
  readonly shapes = new ShapeTable();
  readonly #maxBytes: number;
  readonly #entries = new Map<object, { readonly facts: ColumnFacts; readonly bytes: number }>();
  #bytes = 0;

  constructor(maxBytes = MAX_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** The columns of a session, by whatever stands for it. */
  get(session: object): ColumnFacts | undefined {
    return this.#entries.get(session)?.facts;
  }

  set(session: object, facts: ColumnFacts, bytes: number): void {
    this.delete(session);
    this.#entries.set(session, { facts, bytes });
    this.#bytes += bytes;
    while (this.#bytes > this.#maxBytes && this.#entries.size > 1)
      for (const oldest of oldestBeyond(this.#entries, this.#entries.size - 1)) this.delete(oldest);
  }

  delete(session: object): void {
    this.#bytes -= this.#entries.get(session)?.bytes ?? 0;
    this.#entries.delete(session);
  }
}
