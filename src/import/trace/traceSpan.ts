import type { Decider, Failure } from '../../core/record.js';
import type { Usage } from '../../core/usage.js';
import type { ImportedDecision } from '../building/conversationBuilder.js';
import type { Fields } from '../reading/fields.js';

/** What a span did: an agent's work, a request to a model, a tool's work, or anything else. */
export type SpanKind = 'agent' | 'request' | 'tool' | 'other';

/** Whether a tool call was allowed, and who said so. */
export interface SpanDecision {
  readonly isApproved: boolean;
  readonly decidedBy: Decider;
}

/** A tool's work, as far as a span tells it. */
export interface SpanTool {
  readonly name: string;
  /** The id of the model's call. */
  readonly id?: string | undefined;
  readonly input?: unknown;
  /** Undefined where it was not recorded. */
  readonly output?: unknown;
  readonly decision?: SpanDecision;
}

/** One span of a trace, whatever wrote it: what the formats of traces are converted to before they are read. */
export interface TraceSpan {
  readonly id: string;
  /** The span around this one; '' where there is none. */
  readonly parent: string;
  readonly name: string;
  readonly kind: SpanKind;
  /** Milliseconds since 1970. */
  readonly start: number | undefined;
  /** Undefined where the span did not end, or does not say when. */
  readonly end: number | undefined;
  /** The agent that worked, or that asked. */
  readonly agent?: string | undefined;
  /** What was sent and what came back, as chat messages; the history is repeated in every request. */
  readonly input: readonly Fields[];
  readonly output: readonly Fields[];
  /** The name of what a request goes on with, where its input leaves out what was said before. */
  readonly after?: string | undefined;
  /** The names by which later requests go on with what was said up to its output. */
  readonly names?: readonly string[] | undefined;
  readonly model?: string | undefined;
  /** The provider or address. */
  readonly endpoint?: string | undefined;
  readonly usage?: Usage | undefined;
  readonly firstTokenMs?: number | undefined;
  readonly finishReason?: string | undefined;
  readonly tool?: SpanTool | undefined;
  readonly error?: Failure | undefined;
  /** Whether its output is what came before something broke off. */
  readonly isCut?: boolean;
  /** What was decided about a tool call, and by whom or what. */
  readonly decision?: ImportedDecision | undefined;
  /** Everything else that the span says, as it was written. */
  readonly source: Fields;
}

/** The milliseconds that a span took, if it says so. */
export function durationOf({ start, end }: Pick<TraceSpan, 'start' | 'end'>): number | undefined {
  return start === undefined || end === undefined ? undefined : Math.max(0, end - start);
}
