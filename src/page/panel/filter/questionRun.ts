import type { Disposable } from '../../../core/event.js';
import { messageOf } from '../../../core/text.js';
import type { ListChange } from '../../protocol/events.js';
import type { MatchState } from '../../protocol/panelState.js';
import { scanQuestionOfPlan } from '../../../query/language/lower.js';
import { markedTexts } from '../../../query/language/markedTexts.js';
import { planQuery, type QueryPlan } from '../../../query/language/plan.js';
import type { Question } from '../../../query/language/question.js';
import { recordsOf } from '../../../query/language/recordsOf.js';
import type { QueryProblem } from '../../../query/language/syntax.js';
import type { ScanQuestion } from '../../../query/columns/scanQuestion.js';
import type { Scan } from '../ports.js';
import type { RowIndex } from '../rows/rowIndex.js';
import { FilteredList, MatchingRows } from './filteredList.js';
import type { PatternValue } from './patternMarks.js';
import type { SessionAnswer, SessionAnswers } from './sessionAnswers.js';

/** How long new records wait before they are looked at, in milliseconds. */
const GROWTH_DELAY_MS = 250;
/** A whole transcript is looked at anew when this many times as long has passed as that took. */
const TIMES_AS_LONG = 4;

/** What one run of a question needs. */
export interface QuestionRunOptions {
  /** The number of the request, for news of it. */
  readonly number: number;
  readonly question: Question;
  readonly index: RowIndex;
  readonly scan: Scan;
  readonly answers: Pick<SessionAnswers, 'answer'>;
  /** Resolves when the rows of so many records are known. */
  readonly reached: (records: number) => Promise<void>;
  /** The current number of records in the transcript. */
  readonly length: () => number;
  /** Called when there are more matches, or the search has advanced. */
  readonly onAdvance: () => void;
}

/** Answers one question about one transcript, and goes on as it grows: what is found, and the rows that show it. */
export class QuestionRun implements Disposable {
  /** Undefined for a question with problems. */
  readonly plan: QueryPlan | undefined;
  readonly #options: QuestionRunOptions;
  readonly #stop = new AbortController();
  /** Resolves when everything present at the start has been looked at, or the run is disposed. */
  readonly looked: Promise<void>;
  readonly #rows: MatchingRows | undefined;
  readonly #asked: ScanQuestion | undefined;
  readonly #patterns: readonly PatternValue[] = [];
  #list = new FilteredList();
  /** The rows in the list, where it is made anew when the transcript has grown. */
  #shown: ReadonlySet<number> = new Set();
  /** What was found: positions of records, or indexes of what else was asked for. */
  #found: readonly number[] = [];
  readonly #positions: number[] = [];
  #answer: SessionAnswer | undefined;
  /** The number of matches whose rows are in the list; the rows of the others are not known yet. */
  #placed = 0;
  #scanned = 0;
  #working = false;
  #isReplaced = false;
  #restMs = GROWTH_DELAY_MS;
  /** The transcript's length at which a search last found nothing new to look at. */
  #exhaustedAt = -1;
  #problems: readonly QueryProblem[] = [];

  constructor(options: QuestionRunOptions) {
    this.#options = options;
    const { text, rows } = options.question;
    const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
    const planned = planQuery(text, { rows, now: Date.now(), timeZone });
    if (planned.ok) {
      this.plan = planned.plan;
      this.#rows = new MatchingRows(planned.plan, options.index);
      this.#asked = scanQuestionOfPlan(planned.plan);
      this.#patterns = markedTexts(planned.plan.query).flatMap(({ value }) =>
        value.kind === 'pattern' ? [value] : [],
      );
    } else this.#problems = planned.problems;
    this.looked = this.plan ? this.#work() : Promise.resolve();
  }

  /** The patterns whose matches are marked in the rows. */
  get patterns(): readonly PatternValue[] {
    return this.#patterns;
  }

  /** See `QuestionRunOptions`. */
  get number(): number {
    return this.#options.number;
  }

  get question(): Question {
    return this.#options.question;
  }

  /** The rows that show what was found so far. */
  get list(): FilteredList {
    return this.#list;
  }

  /** Why this question cannot be answered. */
  get problems(): readonly QueryProblem[] {
    return this.#problems;
  }

  /** How far it is; `all` is the number of rows of the list that is not asked anything. */
  state(all: number): MatchState {
    const { number, question, length, index } = this.#options;
    const { rows } = question;
    const isOfRows = rows === 'records';
    return {
      number,
      rows,
      matches: this.#list.length,
      scanned: this.#scanned,
      problems: this.#problems,
      found: isOfRows ? this.#list.length : this.#found.length,
      total: isOfRows ? all : this.#totalOf(rows, index.messages),
      of: Math.max(length(), this.#scanned),
      done: !this.#working && (this.#asked === undefined || this.#placed === this.#positions.length),
    };
  }

  /** The positions of the records that were found, or that belong to what was found; ascending. */
  recordPositions(): readonly number[] {
    const { rows } = this.#options.question;
    const facts = this.#answer?.facts;
    if (rows === 'records' || rows === 'messages') return this.#found;
    return facts ? recordsOf(facts, rows, this.#found) : [];
  }

  /** Looks at the records added since. */
  grow(): void {
    const length = this.#options.length();
    if (!this.plan || this.#problems.length > 0 || this.#working || this.#scanned >= length) return;
    if (this.#exhaustedAt === length) return;
    this.#working = true;
    setTimeout(() => void this.#work(), this.#restMs);
  }

  /** The changes of the list since the last call, in the order to be applied; undefined where it is a new one. */
  growList(): readonly ListChange[] | undefined {
    this.#place();
    const changes = this.#list.grow();
    const isReplaced = this.#isReplaced;
    this.#isReplaced = false;
    return isReplaced ? undefined : changes;
  }

  dispose(): void {
    this.#stop.abort();
  }

  /** Finds the rows of matches that the index has reached by now. */
  #place(): void {
    const { index } = this.#options;
    for (; this.#placed < this.#positions.length; this.#placed++) {
      const position = this.#positions[this.#placed] ?? 0;
      if (position >= index.records) return;
      for (const row of this.#rows?.ofRecord(position) ?? []) this.#list.add(row);
    }
  }

  async #work(): Promise<void> {
    this.#working = true;
    const { signal } = this.#stop;
    const from = this.#scanned;
    const length = this.#options.length();
    try {
      if (this.#asked) await this.#scan(this.#asked, from);
      else await this.#evaluate(length);
    } catch (error) {
      if (!signal.aborted) this.#problems = [{ ...this.#patternRange(), message: messageOf(error) }];
    }
    this.#working = false;
    if (this.#scanned === from) this.#exhaustedAt = length;
    if (!signal.aborted) this.#options.onAdvance();
  }

  async #scan(asked: ScanQuestion, from: number): Promise<void> {
    const { signal } = this.#stop;
    for await (const { positions, scanned } of this.#options.scan(asked, signal, from)) {
      if (signal.aborted) return;
      for (const position of positions) if (position >= from) this.#positions.push(position);
      this.#found = this.#positions;
      this.#scanned = Math.max(this.#scanned, scanned);
      this.#options.onAdvance();
    }
  }

  /** Looks at all of the transcript: what comes later may change what was found before. */
  async #evaluate(length: number): Promise<void> {
    const { signal } = this.#stop;
    const { answers, reached } = this.#options;
    if (!this.plan || !this.#rows) return;
    await reached(length);
    const began = performance.now();
    const answer = await answers.answer(this.plan, signal);
    if (!answer || signal.aborted) return;
    this.#restMs = Math.max(GROWTH_DELAY_MS, TIMES_AS_LONG * (performance.now() - began));
    if (!answer.found.ok) {
      this.#problems = [answer.found.problem];
      return;
    }
    await reached(answer.length);
    const { rows } = this.plan;
    const found = answer.found.indexes;
    const ofRows = this.#rows;
    const list = found.flatMap((at) =>
      rows === 'toolCalls' || rows === 'agentCalls' || rows === 'runs'
        ? ofRows.ofUnit(answer.facts, rows, at)
        : ofRows.ofRecord(at),
    );
    this.#take(list);
    this.#answer = answer;
    this.#found = found;
    this.#scanned = answer.length;
  }

  /** Shows exactly these rows; the list is a new one where rows of the old one are not among them. */
  #take(rows: readonly number[]): void {
    const shown = new Set(rows);
    if ([...this.#shown].some((row) => !shown.has(row))) {
      this.#list = new FilteredList();
      this.#isReplaced = true;
    }
    for (const row of shown) this.#list.add(row);
    this.#shown = shown;
  }

  #totalOf(rows: Question['rows'], messages: number): number {
    const facts = this.#answer?.facts;
    if (rows === 'messages') return messages;
    if (rows === 'toolCalls') return facts?.toolCalls.length ?? 0;
    if (rows === 'agentCalls') return facts?.agentCalls.length ?? 0;
    return rows === 'runs' ? (facts?.runs.length ?? 0) : 1;
  }

  /** Where the only pattern of the question stands; else all of it. */
  #patternRange(): Pick<QueryProblem, 'start' | 'end'> {
    const patterns = [...(this.plan?.terms.keys() ?? [])].flatMap(({ values }) =>
      values.filter(({ kind }) => kind === 'pattern'),
    );
    const [first, ...more] = patterns;
    const { start, end } =
      first && more.length === 0 ? first.range : { start: 0, end: this.#options.question.text.length };
    return { start, end };
  }
}
