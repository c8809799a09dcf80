import type { Cost } from '../../core/cost.js';
import type { LocatedNote } from '../../core/note.js';
import type { QuotaReading } from '../numbers/quotas.js';
import type { Spent } from '../numbers/spentByRecord.js';
import type { TokenCount } from '../numbers/tokens.js';
import type { APPROVAL_VALUES } from './fields.js';

/** What is known of a session besides its records. */
export interface SessionInfo {
  readonly session: string;
  /** Absent: the last title that a person gave, or the beginning of the first prompt. */
  readonly title?: string | undefined;
  /** The tool that recorded it, as its importer names it; absent where it was recorded here. */
  readonly source?: string | undefined;
  /** What that tool calls the session; absent where it has no other id. */
  readonly toolSession?: string | undefined;
  readonly project?: string | undefined;
  /** How much of its tool's limits was used, where its records tell it. */
  readonly quotas?: readonly QuotaReading[] | undefined;
  /** Whether an agent is at work in it now. */
  readonly live?: boolean | undefined;
  /** What people have noted about its messages and tool calls. */
  readonly notes?: readonly LocatedNote[] | undefined;
}

/** What is known of a session, with what is known besides; a title that nobody gives leaves the one that is there. */
export function withKnown(known: SessionFacts['info'], info: Partial<SessionInfo>): SessionFacts['info'] {
  return { ...known, ...info, title: info.title ?? known.title };
}

/** How a tool call was decided on, by whom or what, and what became of it, as questions name it. */
export type Decision = (typeof APPROVAL_VALUES)[number] | 'failed' | 'cancelled' | 'timeout' | 'open';

/** What is known without its texts of a record or a tool call, the two things that a term may hold for. */
interface UnitBase {
  /** The positions of its first record and, once it has ended, of its last; never ended: Infinity. */
  readonly begin: number;
  readonly end: number;
  /** When it began and ended, in milliseconds since 1970; undefined where it is unknown. */
  readonly beganAt: number | undefined;
  readonly endedAt: number | undefined;
  readonly agent: string | undefined;
  readonly depth: number | undefined;
  readonly model: string | undefined;
  /** The ids of its run and call, as its records have them. */
  readonly runId: string | undefined;
  readonly callId: string | undefined;
  readonly tools: readonly string[];
  readonly isError: boolean;
  readonly durationMs: number | undefined;
  readonly decisions: readonly Decision[];
  /** The indexes of the call of an agent and of the run that it belongs to. */
  readonly agentCall: number;
  readonly run: number;
}

/** See `UnitBase`. */
export interface RecordFacts extends UnitBase {
  readonly kind: 'record';
  readonly seq: number | undefined;
  readonly isMessage: boolean;
  readonly role: string | undefined;
  readonly isPartial: boolean;
  /** Whether it tells of a compaction, once for each. */
  readonly isCompaction: boolean;
  /** Whether a tool put there all or some of what it says in a person's name. */
  readonly isInjected: boolean;
  readonly hasImage: boolean;
  readonly hasReasoning: boolean;
  readonly hasCalls: boolean;
  readonly tokens: TokenCount | undefined;
  /** Whether these are the tokens of several requests. */
  readonly isOfSeveral: boolean;
  /** What the request cost that it tells of. */
  readonly cost: Cost | undefined;
  /** What it adds to a sum of costs, in which each request counts once. */
  readonly spent: Spent | undefined;
  /** The indexes of the tool calls that it makes, answers, approves or dispatches. */
  readonly toolCalls: readonly number[];
}

/** See `UnitBase`. */
export interface ToolCallFacts extends UnitBase {
  readonly kind: 'toolCall';
  readonly id: string;
  readonly tool: string;
  /** The position of the message that makes it; undefined where only its result is recorded. */
  readonly askedAt: number | undefined;
  /** Which of that message's calls it is, from 0. */
  readonly order: number;
  readonly answeredAt: number | undefined;
}

/** What a term may hold for. */
export type UnitFacts = RecordFacts | ToolCallFacts;

/** A row that is larger than a record: a call of an agent, a run, the session. */
export interface SpanFacts {
  readonly id: string;
  readonly agent: string;
  readonly depth: number;
  /** The index of the call that dispatched it; undefined where none did. */
  readonly parent: number | undefined;
  readonly firstPosition: number;
  readonly lastPosition: number;
  readonly beganAt: number | undefined;
  readonly tokens: TokenCount | undefined;
  /** What it cost itself; undefined where nothing was asked of a model. */
  readonly cost: Cost | undefined;
  /** With all calls below it. */
  readonly totalCost: Cost | undefined;
  readonly durationMs: number | undefined;
}

/** A list whose entries may be made only when they are asked for. */
export interface Listed<T> {
  readonly length: number;
  /** The entry at an index from 0; undefined where there is none. */
  at(index: number): T | undefined;
}

/**
 * Which records and tool calls are alike: those of one shape differ in nothing but their ids, times, numbers, the calls that
 * they belong to and their texts.
 */
export interface UnitShapes {
  /** The number of the shape of each record, then of each tool call. */
  readonly of: Uint16Array;
  /** What tells each shape from those of the other sessions that a question is asked of; absent where nobody compares them. */
  readonly keys?: { readonly table: object; readonly of: readonly number[] } | undefined;
  /** One of each shape; of a record, `decisions` are those of its tool calls too. */
  readonly examples: readonly UnitFacts[];
  /** Whether arguments of tool calls belong to those of a shape, by its number. */
  readonly hasArguments: readonly boolean[];
  /** When a unit began, by its index, as `beganAt` has it. */
  beganAt(index: number): number | undefined;
  /** What a unit adds to a sum of costs, by its index, as `spent` has it; asked only where the example of its shape has any. */
  spent(index: number): Spent | undefined;
  /** When the first began of which that is known, and the last; undefined where it is known of none. */
  readonly span: { readonly from: number; readonly to: number } | undefined;
  /** Whether `mayHave` tells of some items more than of all. */
  readonly knowsParts: boolean;
  /** Whether there may be a text with all of these grams in the items at some positions; without these, anywhere. */
  mayHave(grams: readonly number[], positions?: readonly number[]): boolean;
}

/** What one pass over a session gathers: whatever a question may ask but for texts and arguments. */
export interface SessionFacts {
  readonly info: SessionInfo & { readonly title: string };
  readonly records: Listed<RecordFacts>;
  readonly toolCalls: Listed<ToolCallFacts>;
  /** Absent where nobody has compared them, as in a session that was just read. */
  readonly recordKinds?: UnitShapes;
  readonly agentCalls: readonly SpanFacts[];
  readonly runs: Listed<SpanFacts>;
  readonly whole: SpanFacts;
}

/** A list that can be gone through, too. */
export interface Gathered<T> extends Listed<T>, Iterable<T> {}

/** The same where all records and tool calls are at hand. */
export interface GatheredFacts extends SessionFacts {
  readonly records: Gathered<RecordFacts>;
  readonly toolCalls: Gathered<ToolCallFacts>;
  readonly runs: Gathered<SpanFacts>;
}
