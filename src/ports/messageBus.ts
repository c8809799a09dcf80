import type { Event } from '../core/event.js';

/** A message that came in from a chat platform. */
export interface IncomingMessage {
  /** Unique on its platform; the same id twice is one message. */
  readonly id: string;
  /** The chat it was said in, like `telegram:4711`; one conversation per chat. */
  readonly chat: string;
  /** The conversation it is said in, where whoever sends it knows. */
  readonly conversation?: string;
  /** `id` is what the list of allowed senders names, like `telegram:4711`. */
  readonly sender: { readonly id: string; readonly name: string };
  /** Empty where somebody sent something that is not text. */
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly time: number;
}

/**
 * Whether a text that could not be posted can be posted again: `later`: it was not posted and may be tried again;
 * `unknown`: the platform did not answer, so it may have been posted; `refused`: it was not and never will be.
 */
export type PostFailure = 'later' | 'unknown' | 'refused';

/** Why a text was not posted, in words without secrets. */
export class PostError extends Error {
  constructor(
    readonly failure: PostFailure,
    message: string,
    /** How long the platform asks to wait, in milliseconds. */
    readonly retryAfterMs?: number,
  ) {
    super(message);
    this.name = 'PostError';
  }
}

/** Whether an error is a `PostError`, also one of another copy of this file. */
export function isPostError(error: unknown): error is PostError {
  return error instanceof Error && error.name === 'PostError' && 'failure' in error;
}

/** How a bus is connected; `problem` is for a person and says what is wrong. */
export type BusState =
  | { readonly kind: 'off' }
  | { readonly kind: 'connecting' }
  | { readonly kind: 'on'; readonly account: string }
  | { readonly kind: 'waiting'; readonly problem: string }
  | { readonly kind: 'failed'; readonly problem: string };

/** A chat platform that delivers prompts and takes replies. */
export interface MessageBus {
  readonly name: string;
  /** The most a message may hold, in the platform's own measure: UTF-16 code units. */
  readonly maxMessageLength: number;
  /** How long, in milliseconds, the same `key` posts a text only once; 0 where the platform cannot tell. */
  readonly repeatableMs: number;
  readonly state: BusState;
  readonly onDidChangeState: Event<BusState>;
  /**
   * Begins to deliver messages, each chat's in order, and resolves when connected. While the platform cannot be
   * reached it waits and tries again; it rejects with words for a person when that is of no use.
   * Aborting `signal` ends a start that waits; once connected it is `stop` that ends it, which lets posts end before.
   * A message counts as delivered when the promise of `onMessage` resolves; until then it may be delivered again.
   * `lastIds` names each chat's last delivered message, for a platform that has to be asked for what came after it.
   */
  start(
    onMessage: (message: IncomingMessage) => Promise<void>,
    signal: AbortSignal,
    lastIds?: ReadonlyMap<string, string>,
  ): Promise<void>;
  /** Tries once to post a text to a chat; rejects with a `PostError`. */
  post(chat: string, text: string, key?: string): Promise<void>;
  /** Stops delivering; idempotent, never rejects. */
  stop(): Promise<void>;
}
