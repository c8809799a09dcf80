import type { Cost } from '../../core/cost.js';
import type { Usage } from '../../core/usage.js';

/** Counts over a set of messages. */
export interface MessageCounts {
  readonly totalMessages: number;
  readonly messagesByRole: Readonly<Record<string, number>>;
  readonly totalTokens: number;
  /** Adds up to `totalTokens`; a role of which no message could be counted is absent. */
  readonly tokensByRole: Readonly<Record<string, number>>;
  readonly avgTokensPerMessage: number;
}

/** Statistics of a history. */
export interface MessageStats extends MessageCounts {
  /** The same for each agent that spoke; empty for bare messages. */
  readonly byAgent: Readonly<Record<string, MessageCounts>>;
  /** How many of `totalTokens` the provider reported. */
  readonly exactTokens: number;
  /** How many of `totalTokens` were counted locally. */
  readonly estimatedTokens: number;
  /** The number of messages without a token count, because the counter failed or is missing. */
  readonly uncountedMessages: number;
  /** What the provider reported for all requests, repeated histories included. */
  readonly usage: Usage;
  /** What all requests cost, and how that is known; only where prices were given. */
  readonly cost?: Cost;
  /** The statistics as lines of text. */
  toString(): string;
}

/**
 * How a call and its result relate. A call is `answered` in its turn, `unanswered`, or `answeredLater`, in a later turn.
 * A result without its call in the turn is `late`, for a call of an earlier turn, or an `orphan`, for no known call.
 * `unseen`: only the turns of the dispatched agent are known, neither call nor result.
 */
export type InteractionStatus = 'answered' | 'unanswered' | 'answeredLater' | 'late' | 'orphan' | 'unseen';

/** A tool call with its result, or a result alone. */
export interface ToolInteraction {
  readonly toolName: string;
  readonly toolCallId: string;
  /** `{}` where the model wrote no JSON object, and where there is only a result. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Exactly what the model wrote. */
  readonly rawArguments: string;
  /** '' where this interaction has none, see `status`. */
  readonly result: string;
  readonly status: InteractionStatus;
  readonly isError: boolean;
  readonly durationMs: number | null;
  /** The turns of the agent that this call dispatched. */
  readonly turns: readonly Turn[];
}

/** A prompt, its answer and the tool interactions between them. */
export interface Turn {
  /** From 0 in its list. */
  readonly index: number;
  readonly userContent: string | null;
  readonly assistantContent: string | null;
  readonly toolInteractions: readonly ToolInteraction[];
  readonly systemContext: string | null;
  readonly agent: string | null;
  /** The positions of its messages, including those of dispatched agents: from `start` up to, not including, `end`. */
  readonly range: { readonly start: number; readonly end: number };
  /** The turn as lines of text. */
  toString(): string;
}

/** One call of a tool with its result. */
export interface ToolCallEntry {
  /** '' where there is none. */
  readonly id: string;
  /** `{}` where the model wrote no JSON object; null where only the result is known (see ToolCallInfo). */
  readonly arguments: Readonly<Record<string, unknown>> | null;
  /** Exactly what the model wrote; null where only the result is known. */
  readonly rawArguments: string | null;
  /** Null where the call was never answered. */
  readonly result: string | null;
  readonly isError: boolean;
  readonly durationMs: number | null;
  /** The agent that made the call. */
  readonly agent: string | null;
  /** The position of the message with the call; -1 where only the result is known. */
  readonly index: number;
  /** The position of the result; -1 where the call was never answered. */
  readonly resultIndex: number;
}

/** A result that answers no earlier call, or one that had already been answered. */
export interface OrphanResult {
  readonly id: string;
  readonly result: string;
  readonly isError: boolean;
  readonly durationMs: number | null;
  readonly agent: string | null;
  /** The position of the result. */
  readonly index: number;
}

/**
 * The calls and results of one tool. A result that carries a tool's name but no id cannot be distinguished from one whose
 * call was not recorded, and counts as a call of which only the result is known.
 */
export interface ToolCallInfo {
  /** '' for results whose tool is unknown. */
  readonly toolName: string;
  /** The number of calls; orphan results do not count. */
  readonly callCount: number;
  readonly calls: readonly ToolCallEntry[];
  readonly orphans: readonly OrphanResult[];
  /** The summary as lines of text. */
  toString(): string;
}
