import { PAGE_ROWS, type RowsAnswer } from '../src/page/protocol/requests.js';
import type { State } from './state.js';

/** How many rows around those in sight are fetched before they are needed. */
const AHEAD = 40;

/** Where missing rows come from, and whom the loader notifies. */
export interface RowLoaderOptions {
  readonly stateOf: () => State;
  readonly fetch: (generation: number, start: number, end: number) => Promise<RowsAnswer>;
  readonly onRows: (answer: RowsAnswer, center: number) => void;
  readonly onFailure: (error: unknown) => void;
}

/** Fetches the rows in view that are not loaded: one request at a time, always for the current view. */
export class RowLoader {
  readonly #options: RowLoaderOptions;
  #first = 0;
  #last = 0;
  #isAsking = false;

  constructor(options: RowLoaderOptions) {
    this.#options = options;
  }

  /** Notes what is in sight. */
  look(first: number, last: number): void {
    this.#first = first;
    this.#last = last;
    void this.#ask();
  }

  async #ask(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    try {
      for (let range = this.#missing(); range; range = this.#missing()) {
        const { generation } = this.#options.stateOf().list;
        const answer = await this.#options.fetch(generation, range.start, range.end);
        this.#options.onRows(answer, (this.#first + this.#last) >> 1);
        const known = this.#options.stateOf().list.generation;
        // A list that the page has yet to hear of is drawn then, which asks again. One that it has heard of meanwhile was
        // drawn already: nobody but this loop asks for its rows, whether or not it has those that were asked for.
        const isMissing = answer.rows.length === 0 && generation === known;
        if (answer.generation > known || isMissing) break;
      }
    } catch (error) {
      this.#options.onFailure(error);
    }
    this.#isAsking = false;
  }

  /** The next range of rows to fetch: those in view before those around them. */
  #missing(): { start: number; end: number } | undefined {
    const { rows, list } = this.#options.stateOf();
    return (
      stretch(rows, this.#first, Math.min(this.#last + 1, list.rows)) ??
      stretch(rows, this.#last, Math.min(this.#last + AHEAD, list.rows)) ??
      stretch(rows, Math.max(0, this.#first - AHEAD), this.#first)
    );
  }
}

function stretch(
  rows: ReadonlyMap<number, unknown>,
  from: number,
  to: number,
): { start: number; end: number } | undefined {
  let start = from;
  while (start < to && rows.has(start)) start++;
  if (start >= to) return undefined;
  let end = to;
  while (end > start && rows.has(end - 1)) end--;
  return { start, end: Math.min(end, start + PAGE_ROWS) };
}
