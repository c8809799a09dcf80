import type { IncomingMessage } from '../../../core/ports/chatConnector.js';

/** What is remembered of a chat. */
export interface ChatState {
  readonly conversation?: string;
  /** The agent chosen for new conversations; absent: the default. */
  readonly agent?: string;
  /** The last answer, so that it can be repeated. */
  readonly answer?: string;
  /** The id of the last message that was accepted. */
  readonly lastId?: string;
}

/** A message that was accepted and is not answered yet. */
export interface InboxEntry {
  readonly message: IncomingMessage;
  /** How often answering it was started. */
  readonly attempts: number;
}

/** A text that is to be posted once. */
export interface OutboxEntry {
  readonly key: string;
  readonly chat: string;
  readonly text: string;
  /** `sending` while nobody can say whether it was posted. */
  readonly state: 'waiting' | 'sending';
  /** When posting was first attempted, in milliseconds since 1970; 0 before that. */
  readonly triedAt: number;
}

/** What a connector must remember from one start to the next. Maps are in the order of insertion. */
export interface ConnectorStateData {
  readonly chats: Map<string, ChatState>;
  readonly inbox: Map<string, InboxEntry>;
  readonly outbox: Map<string, OutboxEntry>;
  /** The ids of messages that are done with, newest last. */
  readonly handled: Set<string>;
}
