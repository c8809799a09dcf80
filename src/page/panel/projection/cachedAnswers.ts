import type { Disposable } from '../../../core/event.js';
import { isObject } from '../../../core/message.js';
import type { ToolSummary } from '../../../query/numbers/toolUse.js';
import type { TurnSpan } from '../../../query/numbers/turn.js';
import type { Statistics, Timeline } from '../../protocol/analysis.js';
import type { Facets, TranscriptFacts } from '../../protocol/panelState.js';
import type { TranscriptProjection } from './transcriptProjection.js';

/** What is read to its end sooner than this, in records, needs no answers from before. */
const MIN_KEPT_RECORDS = 20_000;
/** How many of the first turns are kept: as many as a page asks for at once. */
const MAX_KEPT_TURNS = 500;

/** Answers are kept again at once where there are so many times as many records as they are of, else after a rest. */
const WORTH_KEEPING = 1.1;
/** For how long a transcript must not have grown then, in milliseconds: to draw all of it takes longer than to follow it. */
const REST_MS = 30_000;

/** What the views of a transcript show of all of it. */
export interface ViewAnswers {
  /** Of how many records they are: of all that there were. */
  readonly records: number;
  readonly facts: TranscriptFacts;
  readonly facets: Facets;
  readonly statistics: Omit<Statistics, 'counting'>;
  readonly tools: readonly ToolSummary[];
  /** All of it, for the width of a screen. */
  readonly timeline: Timeline;
  /** The first of them, and how many there are. */
  readonly turns: readonly TurnSpan[];
  readonly turnCount: number;
}

/** Where the answers of a transcript's views are kept from one opening to the next. Neither method rejects. */
export interface AnswerKeeper {
  /** The answers of exactly the records that the transcript has now; undefined where there are none. */
  load(): Promise<unknown>;
  save(answers: ViewAnswers): Promise<void>;
}

/** What kept answers need. */
export interface CachedAnswersOptions {
  readonly projection: TranscriptProjection;
  readonly keeper: AnswerKeeper | undefined;
  /** The current number of records in the transcript. */
  readonly length: () => number;
  /** Whether a run goes on in it: then answers are not those of tomorrow. */
  readonly isRunning: () => boolean;
  readonly draw: () => Promise<Timeline>;
  /** The least number of records that are worth it. */
  readonly least?: number;
}

/**
 * The answers that were worked out when a transcript was last read to its end. They are given while it is read again, and as
 * long as it has not grown; once all is read, the projection answers, and its answers are kept.
 */
export class CachedAnswers implements Disposable {
  readonly #options: CachedAnswersOptions;
  #loading: Promise<void> | undefined;
  #kept: ViewAnswers | undefined;
  #keeping = false;
  #resting: ReturnType<typeof setTimeout> | undefined;

  constructor(options: CachedAnswersOptions) {
    this.#options = options;
  }

  /** Resolves once it is known what was kept. */
  async load(): Promise<void> {
    await (this.#loading ??= this.#load());
  }

  /** The answers of all of the transcript, while less of it is read; undefined where the projection has to answer. */
  get current(): ViewAnswers | undefined {
    const kept = this.#kept;
    const { projection, length, isRunning } = this.#options;
    const isNeeded = kept && projection.index.records < kept.records;
    return isNeeded && kept.records === length() && !isRunning() ? kept : undefined;
  }

  /**
   * Keeps the answers if all of the transcript is read, nothing goes on in it, and others are kept of it, or none. To be called
   * whenever it was read to its end.
   */
  async keep(): Promise<void> {
    const { projection, keeper, least = MIN_KEPT_RECORDS } = this.#options;
    await this.load();
    const { records } = projection.index;
    this.dispose();
    if (!keeper || records < least || records === this.#kept?.records) return;
    const isLittle = this.#kept && records < this.#kept.records * WORTH_KEEPING;
    if (!isLittle) await this.#keepNow(keeper);
    else this.#resting = setTimeout(() => void this.#keepNow(keeper), REST_MS);
  }

  /** Forgets what would be kept later. */
  dispose(): void {
    clearTimeout(this.#resting);
    this.#resting = undefined;
  }

  async #keepNow(keeper: AnswerKeeper): Promise<void> {
    const { projection, draw } = this.#options;
    const { records } = projection.index;
    if (this.#keeping || !this.#isWhole(records)) return;
    this.#keeping = true;
    try {
      const timeline = await draw();
      // Answers of different moments would contradict each other.
      if (!this.#isWhole(records)) return;
      this.#kept = answersOf(projection, timeline);
      await keeper.save(this.#kept);
    } finally {
      this.#keeping = false;
    }
  }

  #isWhole(records: number): boolean {
    const { projection, length, isRunning } = this.#options;
    return projection.index.records === records && length() === records && !isRunning();
  }

  async #load(): Promise<void> {
    const found = await this.#options.keeper?.load();
    if (isViewAnswers(found)) this.#kept = found;
  }
}

function answersOf(projection: TranscriptProjection, timeline: Timeline): ViewAnswers {
  const { turns, tools, index } = projection;
  return {
    records: index.records,
    facts: projection.facts(),
    facets: projection.facets(),
    statistics: projection.statistics(),
    tools: tools.summary(index.calls.all),
    timeline,
    turns: turns.slice(0, Math.min(turns.length, MAX_KEPT_TURNS)),
    turnCount: turns.length,
  };
}

/** Whether a value from a file is what views can show: a checksum only says that the file is as somebody wrote it. */
function isViewAnswers(value: unknown): value is ViewAnswers {
  if (!isObject(value)) return false;
  const { records, turnCount, facts, facets, statistics, tools, timeline, turns } = value;
  return (
    Number.isSafeInteger(records) &&
    Number.isSafeInteger(turnCount) &&
    hasLists(facets, 'agents', 'tools') &&
    hasLists(
      statistics,
      'byRole',
      'byAgent',
      'byModel',
      'contextGrowth',
      'slowest',
      'mostExpensive',
      'detours',
      'dispatches',
      'wasted',
    ) &&
    hasLists(timeline, 'lanes', 'spans', 'pauses') &&
    isObject(facts) &&
    [facts, statistics].every((all) => isObject(all) && isObject(all.tokens) && isObject(all.cost)) &&
    isObject(statistics) &&
    isObject(statistics.states) &&
    [tools, turns].every((list) => Array.isArray(list) && list.every(isObject))
  );
}

function hasLists(value: unknown, ...names: readonly string[]): boolean {
  return isObject(value) && names.every((name) => Array.isArray(value[name]));
}
