import type { Disposable } from '../../core/event.js';
import { messageOf } from '../../core/text.js';
import type { Criteria } from '../../protocol/criteria.js';
import type { MatchState } from '../../protocol/protocol.js';
import { FilteredList } from './filteredList.js';
import type { Scan } from '../ports.js';
import type { RowIndex } from '../rows/rowIndex.js';

/** How long a grown transcript waits before its new records are looked through, in milliseconds. */
const GROWTH_DELAY = 250;

export interface FilterRunOptions {
  readonly conversation: string;
  readonly question: number;
  readonly criteria: Criteria;
  readonly index: RowIndex;
  readonly scan: Scan;
  /** How many records the transcript has now. */
  length(): number;
  /** Called when there are more matches, or the scan came further. */
  onAdvance(): void;
}

/** One filter at work on one conversation: finds the matching records and the rows that show them. */
export class FilterRun implements Disposable {
  readonly list = new FilteredList();
  readonly #options: FilterRunOptions;
  readonly #stop = new AbortController();
  /** Resolves when all that was there at first is looked through, or the filter is disposed of. */
  readonly looked: Promise<void>;
  /** Matches whose rows are not known yet. */
  #pending: number[] = [];
  readonly positions: number[] = [];
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

  /** The words of why this filter cannot be used. */
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
      done: !this.#working && this.#pending.length === 0,
      ...(this.#problem !== undefined && { problem: this.#problem }),
    };
  }

  /** Looks at what has come to the transcript since. */
  grow(): void {
    const length = this.#options.length();
    if (this.#problem !== undefined || this.#working || this.#scanned >= length) return;
    if (this.#exhaustedAt === length) return;
    this.#working = true;
    setTimeout(() => void this.#work(), GROWTH_DELAY);
  }

  /** Finds the rows of the matches that the index has reached meanwhile. */
  place(): void {
    const { index, criteria } = this.#options;
    const ready = this.#pending.filter((position) => position < index.records);
    if (ready.length === 0) return;
    this.#pending = this.#pending.filter((position) => position >= index.records);
    for (const position of ready) this.list.add(rowsFor(index, position, criteria));
  }

  dispose(): void {
    this.#stop.abort();
  }

  async #work(): Promise<void> {
    this.#working = true;
    const { signal } = this.#stop;
    const { conversation, criteria } = this.#options;
    const from = this.#scanned;
    const length = this.#options.length();
    try {
      for await (const batch of this.#options.scan(conversation, criteria, signal, from)) {
        const { positions, scanned } = batch;
        if (signal.aborted) return;
        const fresh = positions.filter((position) => position >= from);
        for (const position of fresh) {
          this.positions.push(position);
          this.#pending.push(position);
        }
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

/** The rows that show a match. Where tools are asked for, a message that calls several shows only those. */
function rowsFor(index: RowIndex, position: number, { tools }: Criteria): number[] {
  const rows = index.rowsOfRecord(position);
  if (tools.length === 0) return rows;
  const calls = rows.filter((row) => tools.includes(index.tool(row) ?? ''));
  return calls.length > 0 ? calls : rows;
}
