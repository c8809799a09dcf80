import { appendAll } from '../../core/lists.js';
import type { Disposable } from '../../core/event.js';
import { isUnasked } from '../protocol/question.js';
import type { ListChange, ListEvent } from '../protocol/events.js';
import type { ListState, MatchState } from '../protocol/panelState.js';
import type { Params } from '../protocol/requests.js';
import type { Question } from '../../query/language/question.js';
import { QuestionRun, type QuestionRunOptions } from './filter/questionRun.js';
import { ROW } from './rows/rowIndex.js';
import type { QueryPlan } from '../../query/language/plan.js';
import { RowList } from './rows/rowList.js';
import type { TranscriptProjection } from './projection/transcriptProjection.js';

/** With more changes than this, the list is sent as a new one. */
const MAX_CHANGES = 200;
/** How long a page that becomes visible again waits for the answer to its question, in milliseconds. */
const MAX_ANSWER_WAIT_MS = 2_000;

/** Rows at the end of the list, from the index `start` on. */
export interface Tail<R = number> {
  readonly start: number;
  readonly rows: readonly R[];
}

/** What the view of a panel needs. */
export interface PanelViewOptions extends Pick<
  QuestionRunOptions,
  'scan' | 'answers' | 'reached' | 'length' | 'onAdvance'
> {
  readonly projection: TranscriptProjection;
}

/**
 * The list as one page sees it: all rows, or those that show what a question finds. It changes only in `takeListEvent` and in methods
 * that return such an event, so that page and host agree on it as long as events arrive in order.
 */
export class PanelView implements Disposable {
  readonly #options: PanelViewOptions;
  #list: RowList;
  #asked: QuestionRun | undefined;
  /** What was answered before `#asked`, and is again while that cannot be. */
  #before: Question | undefined;
  #instead: QuestionRun | undefined;
  #isInstead = false;
  #generation = 0;
  #changes: ListChange[] = [];
  #replaced = false;
  #toggled = new Set<number>();
  #told = '';
  /** How many rows the list had when the page was last told of it. */
  #toldRows = 0;

  constructor(options: PanelViewOptions) {
    this.#options = options;
    this.#list = new RowList(options.projection.index);
  }

  /** The question that is answered, if there is one. */
  get run(): QuestionRun | undefined {
    return this.#isRefused ? this.#instead : this.#asked;
  }

  /** How far the question is answered that was asked last; undefined where none was. */
  get matches(): MatchState | undefined {
    const { allRows } = this.state;
    const asked = this.#asked?.state(allRows);
    if (!asked || !this.#isRefused) return asked;
    const { number, problems } = asked;
    return { ...(this.#instead?.state(allRows) ?? asked), number, problems };
  }

  get #isRefused(): boolean {
    return this.#asked !== undefined && this.#asked.problems.length > 0;
  }

  get expandedAll(): boolean {
    return this.#list.expandedAll;
  }

  isExpanded(row: number): boolean {
    return this.#list.isExpanded(row);
  }

  /** Starts over for a new page; with a question, waits a little for the row that the page had at its top. */
  async begin({ question, expanded, expandedAll, showsRaw, top }: Params<'ready'>): Promise<void> {
    const list = new RowList(this.#options.projection.index, expanded, expandedAll, showsRaw);
    this.#list = list;
    this.ask(0, question);
    if (top !== undefined && this.#asked) {
      await Promise.race([
        this.#asked.looked,
        new Promise((resolve) => setTimeout(resolve, MAX_ANSWER_WAIT_MS)),
      ]);
    }
    // Another page may have started meanwhile.
    if (this.#list !== list) return;
    this.#grow();
    this.#changes = [];
    this.#replaced = false;
    this.#told = this.#stateText();
    this.#toldRows = this.#shown.length;
  }

  /** The rows in the list from `start` up to, not including, `end`. */
  rows(start: number, end: number): readonly number[] {
    return this.#shown.slice(start, end);
  }

  indexOf(row: number): number {
    return this.#shown.indexOf(row);
  }

  get state(): ListState {
    const { index } = this.#options.projection;
    return {
      generation: this.#generation,
      rows: this.#shown.length,
      allRows: index.length - (this.#list.showsRaw ? 0 : index.rawRows),
      rawRows: index.rawRows,
      showsRaw: this.#list.showsRaw,
      messages: index.messages,
      read: index.records,
      records: Math.max(this.#options.length(), index.records),
    };
  }

  /** Shows what a question finds, or everything. */
  ask(number: number, question: Question | undefined): void {
    if (!this.#isRefused) this.#before = this.#asked?.question;
    this.#asked?.dispose();
    this.#instead?.dispose();
    this.#instead = undefined;
    this.#isInstead = false;
    this.#asked = question && !isUnasked(question) ? this.#newRun(number, question) : undefined;
    this.#replaced = true;
  }

  /** Looks for an answer anew where a question is asked that something other than records has changed the answer of. */
  askAgain(isConcerned: (plan: QueryPlan) => boolean): void {
    const { plan, question, number } = this.run ?? {};
    if (plan && question && number !== undefined && isConcerned(plan)) this.ask(number, question);
  }

  #newRun(number: number, question: Question): QuestionRun {
    const { projection, ...options } = this.#options;
    return new QuestionRun({ ...options, number, question, index: projection.index });
  }

  expand(row: number, expanded: boolean): void {
    this.#grow();
    this.#toggled.add(row);
    const changes = this.#list.setExpanded(row, expanded);
    if (!this.#isFiltered) appendAll(this.#changes, changes);
  }

  expandAll(expanded: boolean): void {
    this.#grow();
    this.#list.setExpandedAll(expanded);
    if (!this.#isFiltered) this.#replaced = true;
  }

  /** Shows the rows of raw events, or hides them. */
  showRaw(shown: boolean): void {
    this.#grow();
    this.#list.setShowsRaw(shown);
    if (!this.#isFiltered) this.#replaced = true;
  }

  /** Makes a row part of the list, unless a question hides it; gives its index, or -1. */
  reveal(row: number): number {
    this.#grow();
    if (this.#isFiltered) return this.indexOf(row);
    if (this.#options.projection.index.kind(row) === ROW.raw && !this.#list.showsRaw) this.showRaw(true);
    const { changes, index, opened } = this.#list.reveal(row);
    for (const dispatch of opened) this.#toggled.add(dispatch);
    appendAll(this.#changes, changes);
    return index;
  }

  /** The dispatches expanded or collapsed since the last call. */
  takeToggled(): ReadonlySet<number> {
    const toggled = this.#toggled;
    this.#toggled = new Set();
    return toggled;
  }

  /** The rows that came at the end of the list since the page was told of it, the last `limit` of them. */
  newTail(limit: number): Tail | undefined {
    this.#grow();
    const isAppended = this.#changes.every(({ at, removed }) => at >= this.#toldRows && removed === 0);
    const { length } = this.#shown;
    if (this.#replaced || !isAppended || length <= this.#toldRows) return undefined;
    const start = Math.max(this.#toldRows, length - limit);
    return { start, rows: this.rows(start, length) };
  }

  /** The changes of the list to send to the page, if there are any. */
  takeListEvent(): ListEvent | undefined {
    this.#grow();
    const replaced = this.#replaced || this.#changes.length > MAX_CHANGES;
    const changes = replaced ? [] : this.#changes;
    const told = this.#stateText();
    if (!replaced && changes.length === 0 && told === this.#told) return undefined;
    this.#generation++;
    this.#told = told;
    this.#toldRows = this.#shown.length;
    this.#changes = [];
    this.#replaced = false;
    return { ...this.state, changes, replaced };
  }

  #stateText(): string {
    return JSON.stringify({ ...this.state, generation: 0 });
  }

  dispose(): void {
    this.#asked?.dispose();
    this.#instead?.dispose();
  }

  get #isFiltered(): boolean {
    return this.run !== undefined;
  }

  get #shown() {
    return this.run?.list ?? this.#list;
  }

  #grow(): void {
    const all = this.#list.grow();
    this.#answerInstead();
    const found = this.run?.growList();
    if (!this.run) appendAll(this.#changes, all);
    else if (found) appendAll(this.#changes, found);
    else this.#replaced = true;
    this.run?.grow();
  }

  /** A question that cannot be answered leaves the answer to the one before it. */
  #answerInstead(): void {
    if (!this.#isRefused || this.#isInstead) return;
    this.#isInstead = true;
    this.#instead = this.#before && this.#newRun(0, this.#before);
    this.#replaced = true;
  }
}
