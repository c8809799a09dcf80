import { StructureColumns, type StructureTests } from '../../../query/columns/structureColumns.js';
import type { ScanQuestion } from '../../../query/columns/scanQuestion.js';
import type { Facts } from '../../../query/numbers/facts.js';
import { restOfText } from '../../../query/restOfText.js';
import { contentTextOf } from '../../../query/textTest.js';
import { TextChunks, TEXT, textAt, type TextChunk } from './textChunks.js';
import { allTextsSearch, type TextSearch } from './textSearch.js';
import { firstAtLeast } from '../../../query/columns/firstAtLeast.js';
import { PATTERN_TOO_SLOW } from '../../../core/ports/patternMatcher.js';
import type { Find } from './caselessFind.js';
import { endsWithin, MAX_TEXT_TEST_MS } from '../../../node/patterns/timeGuard.js';

/** How long tests run before they can be stopped, in milliseconds. */
const MAX_SLICE_MS = 15;
/** How many texts are skipped without a test between two looks at the clock. */
const TEXTS_PER_LOOK = 16;

/** Finds which of some candidates in a chunk have a matching text. */
export class ChunkHits {
  readonly #chunk: TextChunk;
  readonly #search: TextSearch;
  readonly #find: Find | undefined;
  readonly #candidates: Uint32Array;
  /** The index of the first undecided candidate. */
  #next = 0;
  /** The place of the next possible match, as far as the search has come. */
  #hit = -1;
  #positions: Uint32Array;
  #found = 0;
  #undecided: number[] = [];
  /** How many of them belong to completed slices. */
  #decidedLater = 0;

  /** `candidates`: positions in the chunk, ascending, which must not change until the end. */
  constructor(chunk: TextChunk, search: TextSearch, candidates: Uint32Array) {
    this.#chunk = chunk;
    this.#search = search;
    this.#find = search.findIn?.(chunk.bytes);
    this.#candidates = candidates;
    this.#positions = new Uint32Array(candidates.length);
  }

  /** All positions before this one are decided. */
  get scanned(): number {
    return this.#candidates[this.#next] ?? this.#chunk.first + this.#chunk.ends.length;
  }

  /** Continues for some milliseconds; true where that was not enough. Throws an error for a person if a test is stuck. */
  goOn(): boolean {
    if (!this.#search.isRisky) this.#look(Infinity);
    else if (!endsWithin(MAX_TEXT_TEST_MS, () => this.#look(performance.now() + MAX_SLICE_MS)))
      throw new Error(PATTERN_TOO_SLOW);
    return this.#next < this.#candidates.length;
  }

  /** What was found since the last call. */
  take(): { positions: Uint32Array; undecided: Uint32Array } {
    const positions = this.#positions.slice(0, this.#found);
    const undecided = Uint32Array.from(this.#undecided);
    this.#found = 0;
    this.#undecided = [];
    this.#decidedLater = 0;
    return { positions, undecided };
  }

  /** Keeps its state in local variables, because this is the hot loop. */
  #look(until: number): void {
    const { first, ends, contents, kinds, bytes, isPlain } = this.#chunk;
    const { isExact, test, part } = this.#search;
    const borders = part === 'all' ? ends : contents;
    const find = this.#find;
    const candidates = this.#candidates;
    const positions = this.#positions;
    let [next, found, hit] = [this.#next, this.#found, this.#hit];
    // A slice that was cut off is repeated.
    this.#undecided.length = this.#decidedLater;
    for (let count = 1; next < candidates.length; count++) {
      const position = candidates[next++] ?? 0;
      const at = position - first;
      const kind = kinds[at] ?? 0;
      const start = at === 0 ? 0 : (ends[at - 1] ?? 0);
      if (find && hit < start) {
        hit = find(start);
        if (hit < 0) hit = bytes.length;
      }
      const isFound = !find || kind === TEXT.folding || hit < (ends[at] ?? 0);
      if (kind === TEXT.elsewhere) this.#undecided.push(position);
      else if (!isFound) {
        if (isPlain) next = firstAtLeast(candidates, first + firstAtLeast(ends, hit + 1, at), next);
      } else if (
        // What is found behind the content may hide a match within it.
        (isExact && kind !== TEXT.folding && hit < (borders[at] ?? 0)) ||
        test((wanted) => textAt(this.#chunk, at, wanted))
      ) {
        positions[found++] = position;
      }
      // The clock is also read after each match, so that a few slow tests are not mistaken for one that never ends.
      if (until < Infinity && (isFound || count % TEXTS_PER_LOOK === 0) && performance.now() > until) break;
    }
    [this.#next, this.#found, this.#hit] = [next, found, hit];
    this.#decidedLater = this.#undecided.length;
  }
}

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
