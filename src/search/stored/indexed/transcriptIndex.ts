import { StructureColumns, type StructureTests } from '../../../query/columns/structureColumns.js';
import type { ScanQuestion } from '../../../query/columns/scanQuestion.js';
import type { Facts } from '../../../query/numbers/facts.js';
import { restOfText } from '../../../query/restOfText.js';
import { contentTextOf } from '../../../query/textTest.js';
import { ChunkHits } from './chunkHits.js';
import { TextChunks } from './textChunks.js';
import { allTextsSearch } from './textSearch.js';

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
 * An in-memory index of a transcript's items: columns of numbers, and the texts. Its answers to criteria are those of
 * MessageQuery over the same items. Facts and texts are added in the order of the items, which are not kept;
 * texts may lag behind, and what asks for text is answered as far as they go.
 */
export class TranscriptIndex {
  readonly #structure = new StructureColumns();
  readonly #texts = new TextChunks();

  /** Of how many items the facts are added. */
  get size(): number {
    return this.#structure.length;
  }

  /** Of how many items the texts are added. */
  get texts(): number {
    return this.#texts.length;
  }

  /** The rough size of the index in memory, in bytes. */
  get bytes(): number {
    return this.#structure.bytes + this.#texts.bytes;
  }

  /** The positions of a range at which what is asked of columns holds, ascending; valid until the next call. */
  select(structure: StructureTests, from: number, to: number): Uint32Array {
    return this.#structure.select(structure)(from, to);
  }

  /** Adds the facts of the next item. */
  addFacts(facts: Facts): void {
    this.#structure.add(facts);
  }

  /** Adds the text of the next item; `hasText` is false where it is elsewhere. */
  addText(item: unknown, hasText = true): void {
    if (hasText) this.#texts.add(contentTextOf(item) ?? '', restOfText(item));
    else this.#texts.add(undefined);
  }

  /**
   * Finds where a question holds from a position on, a few milliseconds per step. Throws an error that starts with
   * `Invalid regex pattern:` for an invalid pattern, and one for a person where a pattern does not terminate.
   */
  *find({ structure, texts }: ScanQuestion, from = 0): Generator<IndexStep, void, undefined> {
    const search = allTextsSearch(texts);
    const select = this.#structure.select(structure);
    const size = search ? Math.min(this.size, this.texts) : this.size;
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
      const end = Math.min(size, chunk.first + chunk.ends.length);
      if (end <= from) continue;
      const hits = new ChunkHits(chunk, search, select(Math.max(from, chunk.first), end));
      while (hits.goOn()) yield { ...hits.take(), scanned: hits.scanned };
      yield { ...hits.take(), scanned: end };
    }
  }
}
