import type { ChatMessage } from '../core/message.js';
import type { Failure } from '../core/record.js';
import type { Usage } from '../core/usage.js';

/** A JSON Schema object as tools declare it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A tool as the model sees it. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
}

export interface ModelRequest {
  /** The whole history, system prompt first, every tool call answered exactly once. */
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolSpec[];
  readonly signal: AbortSignal;
  /** Who asks: the scripted model chooses its script by it, a log line names it. */
  readonly agent: string;
  readonly effort?: string;
}

/** Why a model stopped; `unknown` where the provider does not say. */
export type FinishReason = 'stop' | 'tool_calls' | 'length' | 'content_filter' | 'unknown';

export interface ModelFailure extends Failure {
  /** Whether the same request may be tried again. */
  readonly retryable: boolean;
  /** How long the provider asks to wait, in milliseconds. */
  readonly retryAfterMs?: number;
}

/**
 * What a model says, piece by piece. A stream ends with exactly one `end` or `error`.
 * Tool calls come in fragments: the first of an `index` carries id and name.
 */
export type ModelEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | {
      readonly type: 'toolCall';
      readonly index: number;
      readonly id?: string;
      readonly name?: string;
      readonly arguments?: string;
      /** What the provider wants back with the call, as `extra_content` of the `ToolCall`. */
      readonly extra?: unknown;
    }
  /** What the provider wants back with a whole answer, as `reasoning_details` of the message. */
  | { readonly type: 'reasoningDetails'; readonly details: readonly unknown[] }
  | { readonly type: 'usage'; readonly usage: Usage }
  | { readonly type: 'end'; readonly finishReason: FinishReason }
  | { readonly type: 'error'; readonly error: ModelFailure };

/** A model that can be asked. The only place that knows its provider's wire format is behind this port. */
export interface Model {
  /** Unique and stable, like `endpoint/model`; what records and settings name. */
  readonly id: string;
  /** As shown to a person. */
  readonly label: string;
  readonly kind: 'http' | 'vscode' | 'scripted';
  /** The name of the endpoint or vendor it comes from. */
  readonly endpoint: string;
  /** Never throws and never rejects: failures are `error` events. Aborting `signal` ends the stream at once. */
  stream(request: ModelRequest): AsyncIterable<ModelEvent>;
}
