import { randomUUID } from 'node:crypto';
import { systemClock, type Clock } from '../../core/clock.js';
import { Emitter, type Event, type ListenerFailure } from '../../core/event.js';
import {
  PostError,
  type ConnectorState,
  type IncomingMessage,
  type ChatConnector,
} from '../../core/ports/chatConnector.js';
import { ConnectorLink } from './connectorLink.js';

/** A text for a chat in the editor. */
export interface EmbeddedPost {
  readonly chat: string;
  readonly text: string;
}

/** The connector within the editor: the user's messages come in through `say`, replies go out through `onDidPost`. */
export class EmbeddedConnector implements ChatConnector {
  readonly name = 'editor';
  readonly maxMessageLength = Number.MAX_SAFE_INTEGER;
  readonly repeatableMs = 0;
  readonly #clock: Clock;
  readonly #posted: Emitter<EmbeddedPost>;
  readonly #link: ConnectorLink;
  #deliver: ((message: IncomingMessage) => Promise<void>) | undefined;

  constructor(onListenerFailure: ListenerFailure, clock: Clock = systemClock) {
    this.#clock = clock;
    this.#posted = new Emitter(onListenerFailure);
    this.#link = new ConnectorLink(onListenerFailure);
  }

  get state(): ConnectorState {
    return this.#link.state;
  }

  get onDidChangeState(): Event<ConnectorState> {
    return this.#link.onDidChange;
  }

  get onDidPost(): Event<EmbeddedPost> {
    return this.#posted.event;
  }

  start(onMessage: (message: IncomingMessage) => Promise<void>, signal: AbortSignal): Promise<void> {
    return this.#link.start(signal, ({ become }) => {
      this.#deliver = onMessage;
      become({ kind: 'on', account: 'you' });
      return Promise.resolve();
    });
  }

  /** Delivers the user's text; each conversation is a chat of its own. Rejects when the connector is off. */
  async say(conversation: string, text: string): Promise<void> {
    if (!this.#deliver) throw new Error('The chat of the editor is not running.');
    await this.#deliver({
      id: `editor:${randomUUID()}`,
      chat: `editor:${conversation}`,
      conversation,
      sender: { id: 'editor:user', name: 'You' },
      text,
      time: this.#clock.now(),
    });
  }

  post(chat: string, text: string): Promise<void> {
    if (!this.#deliver)
      return Promise.reject(new PostError('later', 'the chat of the editor is not running'));
    this.#posted.fire({ chat, text });
    return Promise.resolve();
  }

  stop(): Promise<void> {
    return this.#link.stop(() => {
      this.#deliver = undefined;
      return Promise.resolve();
    });
  }
}
