/** A message that came in from a chat platform. */
export interface IncomingMessage {
  /** Unique on its platform; the same id twice is one message. */
  readonly id: string;
  /** The chat it was said in, like `telegram:4711`; one conversation per chat. */
  readonly chat: string;
  readonly sender: { readonly id: string; readonly name: string };
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly time: number;
}

/** A chat platform that delivers prompts and takes replies. */
export interface MessageBus {
  readonly name: string;
  /** The most a message may hold, in the platform's own measure: UTF-16 code units. */
  readonly maxMessageLength: number;
  /** Begins to deliver messages; rejects with words for a person when it cannot. */
  start(onMessage: (message: IncomingMessage) => void, signal: AbortSignal): Promise<void>;
  /** Posts a text to a chat; rejects when the platform refused it for good. */
  post(chat: string, text: string): Promise<void>;
  /** Stops delivering; idempotent. */
  stop(): Promise<void>;
}
