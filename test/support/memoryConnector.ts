import { Emitter } from '../../src/core/event.js';
import {
  isPostError,
  type ConnectorState,
  type IncomingMessage,
  type ChatConnector,
} from '../../src/core/ports/chatConnector.js';

type Answer = Error | undefined | Promise<Error | undefined>;

/** A chat platform in memory: `say` is what people do, `posts` is what they see, `answer` is how posting goes. */
export class MemoryConnector implements ChatConnector {
  readonly name = 'test';
  readonly maxMessageLength: number = 100;
  repeatableMs = 0;
  state: ConnectorState = { kind: 'off' };
  readonly onDidChangeState = new Emitter<ConnectorState>(() => undefined).event;
  /** Everything that arrived, as `chat> text`. */
  readonly posts: string[] = [];
  readonly keys: (string | undefined)[] = [];
  answer: (chat: string, text: string) => Answer = () => undefined;
  starts = 0;
  stops = 0;
  #deliver: ((message: IncomingMessage) => Promise<void>) | undefined;
  #said = 0;

  start(onMessage: (message: IncomingMessage) => Promise<void>): Promise<void> {
    this.starts++;
    this.#deliver = onMessage;
    return Promise.resolve();
  }

  async post(chat: string, text: string, key?: string): Promise<void> {
    this.keys.push(key);
    const error = await this.answer(chat, text);
    const arrived = !error || (isPostError(error) && error.failure === 'unknown');
    if (arrived) this.posts.push(`${chat}> ${text}`);
    if (error) throw error;
  }

  stop(): Promise<void> {
    this.stops++;
    this.#deliver = undefined;
    return Promise.resolve();
  }

  /** Somebody says something; resolves when it counts as delivered. */
  async say(chat: string, text: string, more: Partial<IncomingMessage> = {}): Promise<void> {
    const id = `${chat}/${++this.#said}`;
    const sender = { id: 'test:ada', name: 'Ada' };
    await this.#deliver?.({ id, chat, sender, text, time: 0, ...more });
  }
}
