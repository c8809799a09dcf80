import type { ChatMessage } from '../message.js';
import type { Failure } from '../record.js';
import type { Usage } from '../usage.js';

/** A JSON Schema object, as tools declare it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A tool as the model sees it. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
}

/** One request to a model. */
export interface ModelRequest {
  /** The whole history, system prompt first, every tool call answered exactly once. */
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolSpec[];
  readonly signal: AbortSignal;
  /** The agent that asks: the scripted model chooses its script by it, log lines name it. */
  readonly agent: string;
  /** The reasoning effort; absent: the model's default. */
  readonly effort?: string;
  /** The call that asks, and the digest of what it asks, see `RequestBody`: by these a replay finds its answers. */
  readonly call?: string;
  readonly digest?: string;
}

/**
 * How long a model may be silent in the middle of an answer where nothing else is said, in milliseconds. Servers whose
 * models think meanwhile send a sign of life every 10 to 15 s, or think before the first byte.
 */
export const DEFAULT_MAX_SILENCE_MS = 60_000;

/** Why a model stopped; `unknown` where the provider does not say. */
export type FinishReason = 'stop' | 'tool_calls' | 'length' | 'content_filter' | 'unknown';

/** Why a request to a model failed. */
export interface ModelFailure extends Failure {
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  /** How long the provider asks to wait before a retry, in milliseconds. */
  readonly retryAfterMs?: number;
}

/**
 * A piece of a model's answer. A stream ends with exactly one `end` or `error`.
 * Tool calls come in fragments; the first fragment of an `index` carries id and name.
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
      /** Opaque data to send back with the call, as `extra_content` of the `ToolCall`. */
      readonly extra?: unknown;
    }
  /** Opaque data to send back with the answer, as `reasoning_details` of the message. */
  | { readonly type: 'reasoningDetails'; readonly details: readonly unknown[] }
  | { readonly type: 'usage'; readonly usage: Usage }
  | { readonly type: 'end'; readonly finishReason: FinishReason }
  | { readonly type: 'error'; readonly error: ModelFailure };

/** A model. Its provider's wire format is known only behind this port. */
export interface Model {
  /** Unique and stable, like `endpoint/model`; records and settings refer to it. */
  readonly id: string;
  /** The name shown to people. */
  readonly label: string;
  readonly kind: 'http' | 'vscode' | 'scripted';
  /** The name of the endpoint or vendor it comes from. */
  readonly endpoint: string;
  /** Never throws and never rejects: failures are `error` events. Aborting `signal` ends the stream at once. */
  stream(request: ModelRequest): AsyncIterable<ModelEvent>;
}
