import type { Event } from '../event.js';

/** A message received from a chat platform. */
export interface IncomingMessage {
  /** Unique on its platform; a repeated id is the same message delivered again. */
  readonly id: string;
  /** The chat it was sent in, like `telegram:4711`. */
  readonly chat: string;
  /** The conversation it belongs to, where the sender knows; else the chat's current one. */
  readonly conversation?: string;
  /** `id` is matched against the list of allowed senders, like `telegram:4711`. */
  readonly sender: { readonly id: string; readonly name: string };
  /** Empty for a message that is not text. */
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly time: number;
}

/**
 * What a failed post means for the text. `later`: not posted, may be retried. `unknown`: the platform did not answer,
 * so it may have been posted. `refused`: not posted, and retrying is of no use.
 */
export type PostFailure = 'later' | 'unknown' | 'refused';

/** Why a text was not posted; its message contains no secrets. */
export class PostError extends Error {
  constructor(
    readonly failure: PostFailure,
    message: string,
    /** How long the platform asks to wait before a retry, in milliseconds. */
    readonly retryAfterMs?: number,
  ) {
    super(message);
    this.name = 'PostError';
  }
}

/** Whether an error is a `PostError`, even one from another copy of this module. */
export function isPostError(error: unknown): error is PostError {
  return error instanceof Error && error.name === 'PostError' && 'failure' in error;
}

/** The connection of a connector; `problem` tells a person what is wrong. */
export type ConnectorState =
  | { readonly kind: 'off' }
  | { readonly kind: 'connecting' }
  | { readonly kind: 'on'; readonly account: string }
  | { readonly kind: 'waiting'; readonly problem: string }
  | { readonly kind: 'failed'; readonly problem: string };

/** A chat platform that delivers prompts and takes replies. */
export interface ChatConnector {
  readonly name: string;
  /** The longest message the platform takes, in UTF-16 code units. */
  readonly maxMessageLength: number;
  /** For how many milliseconds the platform recognises a repeated `key` and posts the text only once; 0: it does not. */
  readonly repeatableMs: number;
  readonly state: ConnectorState;
  readonly onDidChangeState: Event<ConnectorState>;
  /**
   * Starts delivering messages, in order within each chat, and resolves when connected. While the platform cannot be
   * reached it waits and retries; where that is of no use, it rejects with a message for a person.
   * Aborting `signal` ends a start that is still waiting; once connected, `stop` ends it, after posts in progress.
   * A message counts as delivered when the promise of `onMessage` resolves; until then it may be delivered again.
   * `lastIds` maps each chat to its last delivered message, for a platform that must be asked for what came after it.
   */
  start(
    onMessage: (message: IncomingMessage) => Promise<void>,
    signal: AbortSignal,
    lastIds?: ReadonlyMap<string, string>,
  ): Promise<void>;
  /** Tries once to post a text to a chat; rejects with a `PostError`. For `key` see `repeatableMs`. */
  post(chat: string, text: string, key?: string): Promise<void>;
  /** Stops delivering. Idempotent; never rejects. */
  stop(): Promise<void>;
}
