import type { Frontend } from './frontend.js';

/** One prompt for an agent. */
export interface ConversationRequest {
  /** The conversation to go on with; absent: a new one. */
  readonly conversation?: string;
  /** The entry agent of a new conversation; absent: the default. */
  readonly agent?: string;
  readonly prompt: string;
  /** Where dispatches are shown, besides the frontends that the runner has itself. */
  readonly frontend: Frontend;
  /** Aborting it cancels the run; the promise then settles soon. */
  readonly signal: AbortSignal;
  /** Told the conversation's id as soon as it is known, so that a crash does not lose it. */
  readonly onConversation?: (conversation: string) => void;
}

/** The final answer, or why there is none, in words for the person who asked. */
export type ConversationOutcome =
  | { readonly conversation: string; readonly answer: string }
  | { readonly conversation?: string; readonly failure: string };

/** Runs agents for people who are not in front of the editor. */
export interface ConversationRunner {
  /** The names of the agents that a person may talk to, the default first. */
  agents(): Promise<readonly string[]>;
  /** Runs one prompt to its end. Never rejects. */
  run(request: ConversationRequest): Promise<ConversationOutcome>;
}
