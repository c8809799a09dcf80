import type { FinishReason } from '../../core/ports/model.js';

/** What the last message of a request must look like for a step to match. */
export interface ScriptExpectation {
  readonly role?: 'user' | 'tool' | 'assistant' | 'system';
  /** A part of its text, compared exactly. */
  readonly contains?: string;
}

/** A tool call in a script; arguments that are an object are sent as JSON, a text is sent as it is. */
export interface ScriptToolCall {
  readonly name: string;
  readonly arguments?: string | Readonly<Record<string, unknown>>;
  readonly id?: string;
}

/** How a step fails, as an endpoint would. */
export interface ScriptError {
  readonly message: string;
  readonly code?: string;
  readonly status?: number;
  readonly retryable?: boolean;
  readonly retryAfterMs?: number;
}

/** The answer to one request, in this order: reasoning, text, tool calls, error. */
export interface ScriptStep {
  readonly expect?: ScriptExpectation;
  readonly reasoning?: string;
  readonly text?: string;
  readonly toolCalls?: readonly ScriptToolCall[];
  readonly usage?: { readonly input: number; readonly output: number };
  readonly error?: ScriptError;
  /** The finish reason; by default the one that follows from the step's content. */
  readonly finish?: FinishReason;
  /** The delay between two pieces, in milliseconds; none by default. */
  readonly delayMs?: number;
  /** The place of the step, for messages: `file.yml:12`, or the number of the step. */
  readonly at?: string;
}

/** What a scripted model answers: for each agent by name, one step per request. */
export interface Script {
  readonly name: string;
  readonly agents: ReadonlyMap<string, readonly ScriptStep[]>;
}
