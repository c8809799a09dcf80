import type { Disposable } from '../../core/event.js';
import { messageOf } from '../../core/text.js';
import type { Criteria } from '../../protocol/criteria.js';
import type { MatchState } from '../../protocol/panelState.js';
import { FilteredList } from './filteredList.js';
import type { Scan } from '../ports.js';
import type { RowIndex } from '../rows/rowIndex.js';

/** How long new records wait before they are filtered, in milliseconds. */
const GROWTH_DELAY_MS = 250;

/** What one run of a filter needs. */
export interface FilterRunOptions {
  readonly question: number;
  readonly criteria: Criteria;
  readonly index: RowIndex;
  readonly scan: Scan;
  /** The current number of records in the transcript. */
  length(): number;
  /** Called when there are more matches, or the scan has advanced. */
  onAdvance(): void;
}

/** Runs one filter on one conversation: finds the matching records and the rows that show them. */
export class FilterRun implements Disposable {
  readonly list = new FilteredList();
  readonly #options: FilterRunOptions;
  readonly #stop = new AbortController();
  /** Resolves when everything present at the start has been filtered, or the run is disposed. */
  readonly looked: Promise<void>;
  readonly positions: number[] = [];
  /** The number of matches whose rows are in the list; the rows of the others are not known yet. */
  #placed = 0;
  #scanned = 0;
  #working = false;
  /** The transcript's length at which a scan last found nothing new to look at. */
  #exhaustedAt = -1;
  #problem: string | undefined;

  constructor(options: FilterRunOptions) {
    this.#options = options;
    this.looked = this.#work();
  }

  get criteria(): Criteria {
    return this.#options.criteria;
  }

  /** Why this filter cannot be used, for a person. */
  get problem(): string | undefined {
    return this.#problem;
  }

  get state(): MatchState {
    const of = Math.max(this.#options.length(), this.#scanned);
    return {
      question: this.#options.question,
      matches: this.list.length,
      scanned: this.#scanned,
      of,
      done: !this.#working && this.#placed === this.positions.length,
      ...(this.#problem !== undefined && { problem: this.#problem }),
    };
  }

  /** Filters the records added since. */
  grow(): void {
    const length = this.#options.length();
    if (this.#problem !== undefined || this.#working || this.#scanned >= length) return;
    if (this.#exhaustedAt === length) return;
    this.#working = true;
    setTimeout(() => void this.#work(), GROWTH_DELAY_MS);
  }

  /** Finds the rows of matches that the index has reached by now. */
  place(): void {
    const { index, criteria } = this.#options;
    for (; this.#placed < this.positions.length; this.#placed++) {
      const position = this.positions[this.#placed] ?? 0;
      if (position >= index.records) return;
      addRows(this.list, index, position, criteria);
    }
  }

  dispose(): void {
    this.#stop.abort();
  }

  async #work(): Promise<void> {
    this.#working = true;
    const { signal } = this.#stop;
    const { criteria } = this.#options;
    const from = this.#scanned;
    const length = this.#options.length();
    try {
      for await (const batch of this.#options.scan(criteria, signal, from)) {
        const { positions, scanned } = batch;
        if (signal.aborted) return;
        for (const position of positions) if (position >= from) this.positions.push(position);
        this.#scanned = Math.max(this.#scanned, scanned);
        this.place();
        this.#options.onAdvance();
      }
    } catch (error) {
      if (!signal.aborted) this.#problem = messageOf(error);
    }
    this.#working = false;
    if (this.#scanned === from) this.#exhaustedAt = length;
    if (!signal.aborted) this.#options.onAdvance();
  }
}

/**
 * Adds the rows that show a match. Where tools are asked for, a message that calls several shows only those; where
 * failures are, only the row that is counted as one.
 */
function addRows(
  list: FilteredList,
  index: RowIndex,
  position: number,
  { toolName, errorsOnly }: Criteria,
): void {
  const first = errorsOnly ? index.rowOfFailure(position) : index.rowOfRecord(position);
  if (first === undefined) return;
  if (errorsOnly) {
    list.add(first);
    return;
  }
  const end = index.endOfRows(position, first);
  let isCall = false;
  if (toolName) {
    for (let row = first; row < end; row++) {
      if (!toolName.includes(index.tool(row) ?? '')) continue;
      list.add(row);
      isCall = true;
    }
  }
  if (!isCall) for (let row = first; row < end; row++) list.add(row);
}
