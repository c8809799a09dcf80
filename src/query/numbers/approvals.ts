import type { EventFacts, Facts } from './facts.js';
import type { MadeCall } from './toolCalls.js';
import type { Reading } from './transcriptReader.js';

/**
 * What came of a tool call that was decided on. `done`, `failed`: it ran, and so its result says. `notRun`: it was denied, if
 * not by this decision then by a later one. `unknown`: it was approved, and no result of it is recorded.
 */
export type ApprovalOutcome = 'done' | 'failed' | 'notRun' | 'unknown';

/** One decision about a tool call: one record of an approval. Its subject and reason are texts, and stand in that record. */
export interface Approval {
  /** The position of its record. */
  readonly position: number;
  /** In milliseconds since 1970; 0 where it is unknown. */
  readonly time: number;
  /** The agent and the call of it that wanted to call the tool; '' where that is not said. */
  readonly agent: string;
  readonly call: string;
  /** The tool: the one that the record names, else that of the call; '' for neither. */
  readonly tool: string;
  readonly toolCallId: string;
  readonly isApproved: boolean;
  /** `user`, `policy`, `remembered`, `cancel`, or what else a source says; '' where it says nothing. */
  readonly decidedBy: string;
  /** The policy or rule that decided; '' where none is named. */
  readonly rule: string;
  /** From the question to the decision, in milliseconds. */
  readonly waitedMs: number;
  /** The positions of the message that makes the call and of its result; undefined where that is not recorded. */
  readonly askedAt: number | undefined;
  readonly answeredAt: number | undefined;
  readonly outcome: ApprovalOutcome;
  /** How long the tool took, in milliseconds, see `toolDuration`; undefined where that is unknown, and where it did not run. */
  readonly tookMs: number | undefined;
}

/** What all approvals of a transcript come to. */
export interface ApprovalTotals {
  readonly approved: number;
  readonly denied: number;
  /** How long decisions were waited for, in milliseconds. */
  readonly waitedMs: number;
  readonly byDecider: readonly {
    readonly decidedBy: string;
    readonly approved: number;
    readonly denied: number;
  }[];
}

/** A call that was decided on: what the latest decision was, and what its result says. */
interface DecidedCall {
  readonly isApproved: boolean;
  hasFailed: boolean;
  tookMs: number | undefined;
}

interface Decided {
  readonly position: number;
  readonly facts: Facts;
  readonly event: EventFacts;
  readonly made: MadeCall | undefined;
}

/**
 * Every decision about a tool call, item by item and in the order of their records: each record of an approval is one, also
 * where several are of the same call. What came of a call is known once its result is read, and is asked of it then.
 */
export class Approvals {
  readonly #decided: Decided[] = [];
  readonly #calls = new Map<MadeCall, DecidedCall>();
  readonly #deciders = new Map<string, { approved: number; denied: number }>();
  #waitedMs = 0;

  /** The number of decisions. */
  get length(): number {
    return this.#decided.length;
  }

  /** Adds the next item of the transcript. */
  add({ facts, position, about, result }: Reading): void {
    const answered = result?.made && this.#calls.get(result.made);
    if (answered) {
      answered.hasFailed = facts.isFailure;
      answered.tookMs = result.tookMs;
    }
    const { event } = facts;
    if (facts.type !== 'approval' || !event) return;
    this.#decided.push({ position, facts, event, made: about });
    if (about) this.#calls.set(about, { isApproved: event.isApproved, hasFailed: false, tookMs: undefined });
    this.#waitedMs += event.waitedMs;
    const counts = this.#deciders.get(event.decidedBy) ?? { approved: 0, denied: 0 };
    counts[event.isApproved ? 'approved' : 'denied']++;
    this.#deciders.set(event.decidedBy, counts);
  }

  /** The decisions from `start` up to, not including, `end`, as far as there are any. */
  slice(start: number, end: number): Approval[] {
    return this.#decided.slice(start, end).map(({ facts, event, position, made }) => {
      const outcome = this.#outcomeOf(event, made);
      const { isApproved, decidedBy, rule, waitedMs } = event;
      return {
        position,
        time: facts.time,
        agent: facts.place.agent ?? '',
        call: facts.place.call ?? '',
        tool: facts.toolName === '' ? (made?.tool ?? '') : facts.toolName,
        toolCallId: facts.answers,
        isApproved,
        decidedBy,
        rule,
        waitedMs,
        outcome,
        askedAt: made?.askedAt,
        answeredAt: made?.answeredAt,
        tookMs: outcome === 'notRun' || !made ? undefined : this.#calls.get(made)?.tookMs,
      };
    });
  }

  totals(): ApprovalTotals {
    const byDecider = [...this.#deciders].map(([decidedBy, counts]) => ({ decidedBy, ...counts }));
    const [approved, denied] = byDecider.reduce(
      ([yes, no], each) => [yes + each.approved, no + each.denied],
      [0, 0],
    );
    return { approved, denied, waitedMs: this.#waitedMs, byDecider };
  }

  #outcomeOf({ isApproved }: EventFacts, made: MadeCall | undefined): ApprovalOutcome {
    const call = made && this.#calls.get(made);
    if (!isApproved || call?.isApproved === false) return 'notRun';
    if (made?.answeredAt === undefined) return 'unknown';
    return call?.hasFailed ? 'failed' : 'done';
  }
}
