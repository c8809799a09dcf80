import type { Frontend } from './frontend.js';

/** One prompt for an agent. */
export interface ConversationRequest {
  /** The conversation to continue; absent: a new one. */
  readonly conversation?: string;
  /** The entry agent of a new conversation; absent: the default. */
  readonly agent?: string;
  readonly prompt: string;
  /** Where dispatches are shown, in addition to the runner's own frontends. */
  readonly frontend: Frontend;
  /** Aborting it cancels the run, whose promise then resolves soon. */
  readonly signal: AbortSignal;
  /** Receives the conversation's id as soon as it is known, so that a crash does not lose it. */
  readonly onConversation?: (conversation: string) => void;
}

/** The final answer, or a sentence for the person who asked saying why there is none. */
export type ConversationOutcome =
  | { readonly conversation: string; readonly answer: string }
  | { readonly conversation?: string; readonly failure: string };

/** Runs agents for people who are not at the editor. */
export interface ConversationRunner {
  /** The names of the agents that a person may talk to, the default first. */
  agents(): Promise<readonly string[]>;
  /** Runs one prompt until the entry agent has answered or failed. Never rejects. */
  run(request: ConversationRequest): Promise<ConversationOutcome>;
}
