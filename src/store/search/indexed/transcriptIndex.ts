import { StructureColumns } from '../../../query/columns/structureColumns.js';
import type { FilterCriteria } from '../../../query/filterCriteria.js';
import { restOfText } from '../../../query/restOfText.js';
import { contentTextOf } from '../../../query/textTest.js';
import { ChunkHits } from './chunkHits.js';
import { TextChunks } from './textChunks.js';
import { textSearch } from './textSearch.js';

/** How many items are judged at once where no text is searched for. */
const STEP = 1 << 18;

/** The same where each text has to be read. */
const UNDECIDED_STEP = 1 << 12;

/** The result of one step; valid until the next, and not to be modified. */
export interface IndexStep {
  /** The positions at which the criteria hold, ascending. */
  readonly positions: Uint32Array;
  /** The positions at which they hold if the text matches, which has to be read with the record; ascending. */
  readonly undecided: Uint32Array;
  /** All positions before this one are decided. */
  readonly scanned: number;
}

/**
 * An in-memory index of a transcript's items for filter criteria: columns of numbers, and the texts. Its answers are
 * those of MessageQuery over the same items. Items are added in order; they are not kept.
 */
export class TranscriptIndex {
  readonly #structure = new StructureColumns();
  readonly #texts = new TextChunks();

  /** The number of items added. */
  get size(): number {
    return this.#structure.length;
  }

  /** The rough size of the index in memory, in bytes. */
  get bytes(): number {
    return this.#structure.bytes + this.#texts.bytes;
  }

  /** Adds the next item; `hasText` is false where its text is elsewhere. */
  add(item: unknown, hasText = true): void {
    this.#structure.add(item);
    if (hasText) this.#texts.add(contentTextOf(item) ?? '', restOfText(item));
    else this.#texts.add(undefined);
  }

  /**
   * Finds where criteria hold from a position on, a few milliseconds per step. Throws an error that starts with
   * `Invalid regex pattern:` for an invalid pattern, and one for a person where a pattern does not terminate.
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
    if (search.needsItem) {
      for (let at = from; at < size; at += UNDECIDED_STEP) {
        const scanned = Math.min(at + UNDECIDED_STEP, size);
        yield { positions: new Uint32Array(0), undecided: select(at, scanned), scanned };
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
