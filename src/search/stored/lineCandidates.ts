import type { LineRun } from '../../store/read/readSpans.js';
import { GLANCE_BYTES, type ContentSearch } from './contentSearch.js';
import type { LineFilter } from './linePrefilter.js';

/** A text that stands in one of so many lines of a run is looked for line by line in the next. */
const COMMON = 4;

/** The lines of a run that may match, in order. */
export interface Candidates {
  readonly lines: readonly number[];
  /** For each of them 1 where it is proved that it matches, else 0: its record has to be looked at. */
  readonly proved: Uint8Array;
}

/**
 * Finds the lines of one run after another that may match: a rare text by a search of all bytes, a common one by a glance at
 * the beginning of each content, where it nearly always stands, so that most bytes of a run are never looked at.
 */
export class CandidateFinder {
  readonly #mayMatch: LineFilter;
  readonly #search: ContentSearch | undefined;
  #isCommon = false;

  /** `search` proves that a line matches; left out, nothing does. */
  constructor(mayMatch: LineFilter, search?: ContentSearch) {
    this.#mayMatch = mayMatch;
    this.#search = search;
  }

  /** `odd`: see `LineFilter`; of such lines nothing is proved. */
  in(run: LineRun, odd?: readonly boolean[]): Candidates {
    const { bytes, spans } = run;
    const search = this.#search;
    const lines = this.#isCommon ? [] : this.#mayMatch(run, odd);
    const proved = new Uint8Array(spans.length);
    if (!search) return { lines, proved };
    let count = 0;
    if (this.#isCommon) {
      const found: number[] = [];
      for (let line = 0; line < spans.length; line++) {
        const { from, to } = spans[line] ?? { from: 0, to: 0 };
        const isOdd = odd?.[line] === true;
        if (!isOdd && search.isIn(bytes, from, to, GLANCE_BYTES)) count += proved[found.length] = 1;
        else if (!this.#mayMatchAt(run, line, odd && [isOdd])) continue;
        else if (!isOdd && search.isIn(bytes, from, to)) count += proved[found.length] = 1;
        found.push(line);
      }
      this.#isCommon = count * COMMON > spans.length;
      return { lines: found, proved };
    }
    for (const [at, line] of lines.entries()) {
      const { from, to } = spans[line] ?? { from: 0, to: 0 };
      if (odd?.[line] !== true && search.isIn(bytes, from, to)) count += proved[at] = 1;
    }
    this.#isCommon = count * COMMON > spans.length;
    return { lines, proved };
  }

  #mayMatchAt({ first, bytes, spans }: LineRun, line: number, odd?: readonly boolean[]): boolean {
    const { from, to } = spans[line] ?? { from: 0, to: 0 };
    const alone = {
      first: first + line,
      bytes: bytes.subarray(from, to),
      spans: [{ from: 0, to: to - from }],
    };
    return this.#mayMatch(alone, odd).length > 0;
  }
}
