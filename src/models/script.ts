import type { FinishReason } from '../ports/model.js';

/** What the last message of a request must be like for a step to be the one. */
export interface ScriptExpectation {
  readonly role?: 'user' | 'tool' | 'assistant' | 'system';
  /** A part of its text, exactly. */
  readonly contains?: string;
}

/** A tool call as a script says it; an object of arguments is written as JSON, a text is sent as it is. */
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

/** The answer to one request. What is said comes in this order: reasoning, text, tool calls, error. */
export interface ScriptStep {
  readonly expect?: ScriptExpectation;
  readonly reasoning?: string;
  readonly text?: string;
  readonly toolCalls?: readonly ScriptToolCall[];
  readonly usage?: { readonly input: number; readonly output: number };
  readonly error?: ScriptError;
  /** What it says of its end; by default what the step's content means. */
  readonly finish?: FinishReason;
  /** Between two pieces, in milliseconds; nothing by default. */
  readonly delayMs?: number;
  /** Where the step stands, for messages: `file.yml:12`, or the number of the step. */
  readonly at?: string;
}

/** What a scripted model says, one step a request, for each agent by name. */
export interface Script {
  readonly name: string;
  readonly agents: ReadonlyMap<string, readonly ScriptStep[]>;
}
