import { firstAtLeast } from '../../query/columns/firstAtLeast.js';
import { STUCK, STUCK_MS } from './stuckPattern.js';
import { TEXT, textAt, type TextChunk } from './textChunks.js';
import type { TextSearch } from './textSearch.js';
import { endsWithin } from './timeGuard.js';

/** Tests run for so many milliseconds, then there is a chance to stop them. */
const SLICE_MS = 15;
/** How many texts are passed without a test between two looks at the clock. */
const BITE = 16;

/** Which of some candidates in a chunk have a text that is asked for. */
export class ChunkHits {
  readonly #chunk: TextChunk;
  readonly #search: TextSearch;
  readonly #candidates: Uint32Array;
  /** The first candidate that is not decided, as its place in the list. */
  #next = 0;
  /** Where the next text stands that may be asked for, as far as that was looked for. */
  #hit = -1;
  #positions: Uint32Array;
  #found = 0;
  #undecided: number[] = [];
  /** How many of them belong to looks that came to their end. */
  #decidedLater = 0;

  /** `candidates`: positions in the chunk, ascending, to be left as they are until the end. */
  constructor(chunk: TextChunk, search: TextSearch, candidates: Uint32Array) {
    this.#chunk = chunk;
    this.#search = search;
    this.#candidates = candidates;
    this.#positions = new Uint32Array(candidates.length);
  }

  /** Every position before this one is decided. */
  get scanned(): number {
    return this.#candidates[this.#next] ?? this.#chunk.first + this.#chunk.ends.length;
  }

  /** Looks on for some milliseconds; true where that was not enough. Throws words for a person where a test is stuck. */
  goOn(): boolean {
    if (!this.#search.isRisky) this.#look(Infinity);
    else if (!endsWithin(STUCK_MS, () => this.#look(performance.now() + SLICE_MS))) throw new Error(STUCK);
    return this.#next < this.#candidates.length;
  }

  /** What was found since this was asked last. */
  take(): { positions: Uint32Array; undecided: Uint32Array } {
    const positions = this.#positions.slice(0, this.#found);
    const undecided = Uint32Array.from(this.#undecided);
    this.#found = 0;
    this.#undecided = [];
    this.#decidedLater = 0;
    return { positions, undecided };
  }

  /** With all that changes in variables, because this is where the time goes. */
  #look(until: number): void {
    const { first, ends, kinds, bytes, isPlain } = this.#chunk;
    const { find, isExact, test } = this.#search;
    const candidates = this.#candidates;
    const positions = this.#positions;
    let [next, found, hit] = [this.#next, this.#found, this.#hit];
    // A look that was ended in the middle is done anew.
    this.#undecided.length = this.#decidedLater;
    for (let count = 1; next < candidates.length; count++) {
      const position = candidates[next++] ?? 0;
      const at = position - first;
      const kind = kinds[at] ?? 0;
      const start = at === 0 ? 0 : (ends[at - 1] ?? 0);
      if (find && hit < start) {
        hit = find(bytes, start);
        if (hit < 0) hit = bytes.length;
      }
      const isFound = !find || kind === TEXT.folding || hit < (ends[at] ?? 0);
      if (kind === TEXT.elsewhere) this.#undecided.push(position);
      else if (!isFound) {
        if (isPlain) next = firstAtLeast(candidates, first + firstAtLeast(ends, hit + 1, at), next);
      } else if ((isExact && kind !== TEXT.folding) || test(textAt(this.#chunk, at))) {
        positions[found++] = position;
      }
      // A few tests that take a while each are not one that never ends.
      if (until < Infinity && (isFound || count % BITE === 0) && performance.now() > until) break;
    }
    [this.#next, this.#found, this.#hit] = [next, found, hit];
    this.#decidedLater = this.#undecided.length;
  }
}
