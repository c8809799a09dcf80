import { StructureColumns } from '../../query/columns/structureColumns.js';
import type { FilterCriteria } from '../../query/criteria.js';
import { searchedTextOf } from '../../query/textTest.js';
import { ChunkHits } from './chunkHits.js';
import { TextChunks } from './textChunks.js';
import { textSearch } from './textSearch.js';

/** Without a text to look for, so many items are judged at once. */
const STEP = 1 << 18;

/** What some items gave; to be read before the next step, and left as it is. */
export interface IndexStep {
  /** Where the criteria hold, ascending. */
  readonly positions: Uint32Array;
  /** Where they hold if the text does, which has to be read with the record; ascending, none of them in `positions`. */
  readonly undecided: Uint32Array;
  /** Every position before this one is decided. */
  readonly scanned: number;
}

/**
 * What criteria ask of a transcript's items, in memory: columns of numbers, and the texts. The answers are those of
 * MessageQuery over the same items. Items are added in order; they are not kept.
 */
export class TranscriptIndex {
  readonly #structure = new StructureColumns();
  readonly #texts = new TextChunks();

  /** How many items were added. */
  get size(): number {
    return this.#structure.length;
  }

  /** What it takes in memory, roughly. */
  get bytes(): number {
    return this.#structure.bytes + this.#texts.bytes;
  }

  /** Adds the next item; `hasText` is false where its text lies elsewhere. */
  add(item: unknown, hasText = true): void {
    this.#structure.add(item);
    this.#texts.add(hasText ? searchedTextOf(item) : undefined);
  }

  /**
   * Looks where criteria hold from a position on, a few milliseconds a step. Throws an error that starts with
   * `Invalid regex pattern:` for such a one, and with words for a person where a pattern does not come to an end.
   */
  *find(criteria: FilterCriteria, from = 0): Generator<IndexStep, void, undefined> {
    const search = textSearch(criteria);
    const select = this.#structure.select(criteria);
    const { size } = this;
    if (!search) {
      for (let at = from; at < size; at += STEP) {
        const scanned = Math.min(at + STEP, size);
        yield { positions: select(at, scanned), undecided: new Uint32Array(0), scanned };
      }
      return;
    }
    for (const chunk of this.#texts.all()) {
      const end = chunk.first + chunk.ends.length;
      if (end <= from) continue;
      const hits = new ChunkHits(chunk, search, select(Math.max(from, chunk.first), end));
      while (hits.goOn()) yield { ...hits.take(), scanned: hits.scanned };
      yield { ...hits.take(), scanned: end };
    }
  }
}
