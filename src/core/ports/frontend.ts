import type { CallSite } from '../record.js';

/**
 * Where in a conversation something happened: for a dispatch, in the call of the agent that asks.
 * `depth` determines a line's indentation; the rest makes links to the transcript possible.
 */
export interface FrontendLocation extends CallSite {
  readonly conversation: string;
  /** The tool call behind it, which distinguishes the dispatches of one call. */
  readonly toolCallId?: string;
}

/**
 * Where dispatch events are shown. Methods may be slow, throw or reject, so they are called through `FrontendHub`,
 * which keeps that from the run. Agents are given by name.
 */
export interface Frontend {
  /** `callingAgent` asks `targetAgent` to do `task`. */
  showDispatchStart(
    callingAgent: string,
    targetAgent: string,
    task: string,
    location?: FrontendLocation,
  ): void | Promise<void>;
  /** `targetAgent` answered; frontends show a short preview of `result`. */
  showDispatchResult(
    callingAgent: string,
    targetAgent: string,
    result: string,
    location?: FrontendLocation,
  ): void | Promise<void>;
  /** `targetAgent` could not answer. */
  showDispatchFailure(
    callingAgent: string,
    targetAgent: string,
    reason: string,
    location?: FrontendLocation,
  ): void | Promise<void>;
  /** An agent gave its final answer. */
  showText(agent: string, text: string, location?: FrontendLocation): void | Promise<void>;
  /** A tool call started, ended or failed; `detail` is one line. */
  showToolActivity(
    agent: string,
    toolName: string,
    phase: 'start' | 'end' | 'error',
    detail: string,
    location?: FrontendLocation,
  ): void | Promise<void>;
  /** An agent waits for an approval. */
  showApproval(agent: string, title: string, location?: FrontendLocation): void | Promise<void>;
}
