import type { CallPlace } from '../core/record.js';

/**
 * Where in a conversation the shown thing was said: for a dispatch, the call of the agent that asks.
 * `depth` is how far a line is indented; the rest makes links to the transcript possible.
 */
export interface FrontendPlace extends CallPlace {
  readonly conversation: string;
  /** The tool call behind it: tells the dispatches of one call apart. */
  readonly toolCallId?: string;
}

/**
 * Where dispatch events are shown. Methods may be slow, throw or reject: whoever calls them goes through
 * `FrontendHub`, which delays no run for it. The names of agents are those that people use.
 */
export interface Frontend {
  /** `callingAgent` asks `targetAgent` to do `task`. */
  showDispatchStart(
    callingAgent: string,
    targetAgent: string,
    task: string,
    place?: FrontendPlace,
  ): void | Promise<void>;
  /** `targetAgent` answered; frontends show a short preview of `result`. */
  showDispatchResult(
    callingAgent: string,
    targetAgent: string,
    result: string,
    place?: FrontendPlace,
  ): void | Promise<void>;
  /** `targetAgent` could not answer. */
  showDispatchFailure(
    callingAgent: string,
    targetAgent: string,
    reason: string,
    place?: FrontendPlace,
  ): void | Promise<void>;
  /** An agent says something final. */
  showText(agent: string, text: string, place?: FrontendPlace): void | Promise<void>;
  /** A tool begins or ends; `detail` is one line. */
  showToolActivity(
    agent: string,
    toolName: string,
    phase: 'start' | 'end' | 'error',
    detail: string,
    place?: FrontendPlace,
  ): void | Promise<void>;
  /** An approval is waited for. */
  showApproval(agent: string, title: string, place?: FrontendPlace): void | Promise<void>;
}
