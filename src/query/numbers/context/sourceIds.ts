import { GrowingColumn } from '../growingColumn.js';

const CAPACITY = 16;

/**
 * The positions of messages by the ids of their source, see `Facts#sourceId`; of an id that comes again, the last. Every
 * message has one and only compactions ask, so they are put in order once somebody does.
 */
export class SourceIds {
  readonly #ids = new GrowingColumn(CAPACITY);
  readonly #positions = new GrowingColumn(CAPACITY);
  #length = 0;
  /** As many of them as somebody has asked for. */
  readonly #found = new Map<number, number>();
  #ordered = 0;

  add(id: number, position: number): void {
    this.#ids.set(this.#length, id);
    this.#positions.set(this.#length, position);
    this.#length++;
  }

  positionOf(id: number): number | undefined {
    for (; this.#ordered < this.#length; this.#ordered++)
      this.#found.set(this.#ids.get(this.#ordered), this.#positions.get(this.#ordered));
    return this.#found.get(id);
  }
}
