import { t } from '../../core/l10n.js';
import { Cancelled } from '../../core/cancelled.js';
import { Emitter, type Disposable, type Event } from '../../core/event.js';
import { messageOf } from '../../core/text.js';
import type { Log } from '../../core/ports/log.js';

/** A message to be run in a conversation. */
export interface ChatTurn {
  readonly conversation: string;
  readonly prompt: string;
  readonly signal: AbortSignal;
}

/** How the chat box starts runs and learns of them. */
export interface ChatQueueOptions {
  /** Whether an agent is running in a conversation, whoever started it. */
  readonly isBusy: (conversation: string) => boolean;
  /** Resolves when no agent is running in a conversation; never rejects. */
  readonly idle: (conversation: string) => Promise<void>;
  /** Starts a run; resolves when it has started; rejects with an error for a person. */
  readonly begin: (turn: ChatTurn) => Promise<void>;
  /** Saves, for another window, the messages queued in a conversation; never rejects. */
  readonly saveWaiting: (conversation: string, prompts: readonly string[]) => Promise<void>;
  /**
   * Called when a queued message was not run, with the reason for a person; without one where the person called it off
   * themselves.
   */
  readonly onNotRun: (turn: Omit<ChatTurn, 'signal'>, problem: string | undefined) => void;
  readonly log: Log;
}

/** A message that has not started. */
interface Queued {
  readonly prompt: string;
  /** Whether its turn has come. */
  isBeginning: boolean;
}

/** How many messages may be queued; more than a person types while an agent works. */
const MAX_WAITING = 10;

/**
 * The messages of the chat boxes: those to a conversation in which an agent is running wait their turn, in order, and no
 * conversation waits for another. Until its run has started, a message is saved for the next window.
 */
export class ChatQueue implements Disposable {
  readonly #options: ChatQueueOptions;
  readonly #changed: Emitter<string>;
  /** What has not started, by conversation. */
  readonly #queues = new Map<string, readonly Queued[]>();
  /** The start of the latest message of each conversation; never rejects. */
  readonly #turns = new Map<string, Promise<void>>();
  readonly #stop = new AbortController();
  #closed = false;

  constructor(options: ChatQueueOptions) {
    this.#options = options;
    this.#changed = new Emitter((error) => options.log.error('A view could not follow the chat', error));
  }

  /** Fires with the conversation whose number of waiting messages changed. */
  get onDidChange(): Event<string> {
    return this.#changed.event;
  }

  /** The number of messages that wait in a conversation, without one that is starting. */
  waiting(conversation: string): number {
    return this.#queued(conversation).filter(({ isBeginning }) => !isBeginning).length;
  }

  /** Sends a message; resolves when its run has started or it is queued; rejects with an error for a person. */
  async say(conversation: string, prompt: string): Promise<void> {
    const ahead = this.waiting(conversation);
    if (ahead >= MAX_WAITING) throw new Error(t`${ahead} messages wait here already.`);
    const queue = this.#queued(conversation);
    const waits = queue.length > 0 || this.#options.isBusy(conversation);
    const message = { prompt, isBeginning: !waits };
    const saved = this.#set(conversation, [...queue, message]);
    const begun = this.#inTurn(conversation, message);
    if (!waits) {
      await begun;
      return;
    }
    begun.catch((error: unknown) =>
      this.#options.onNotRun(
        { conversation, prompt },
        error instanceof Cancelled ? undefined : messageOf(error),
      ),
    );
    await saved;
  }

  /** Drops the messages queued in a conversation, as when it is stopped. */
  forget(conversation: string): void {
    if (this.#queued(conversation).length > 0) void this.#set(conversation, []);
  }

  /** Starts nothing more; queued messages are kept for the next window. */
  close(): void {
    this.#closed = true;
  }

  /** Starts nothing more, and ends the runs that it started. */
  dispose(): void {
    this.close();
    this.#stop.abort();
    this.#changed.dispose();
  }

  #queued(conversation: string): readonly Queued[] {
    return this.#queues.get(conversation) ?? [];
  }

  #inTurn(conversation: string, message: Queued): Promise<void> {
    const before = this.#turns.get(conversation) ?? Promise.resolve();
    const begun = before.then(() => this.#begin(conversation, message));
    // Whoever said it is told why it could not begin; the next one has its turn all the same.
    const settled = begun
      .catch(() => undefined)
      .then(() => {
        if (this.#turns.get(conversation) === settled) this.#turns.delete(conversation);
      });
    this.#turns.set(conversation, settled);
    return begun;
  }

  async #begin(conversation: string, message: Queued): Promise<void> {
    await this.#options.idle(conversation);
    const isForgotten = () => !this.#queued(conversation).includes(message);
    if (this.#closed || isForgotten()) return;
    if (!message.isBeginning) {
      message.isBeginning = true;
      this.#changed.fire(conversation);
    }
    try {
      await this.#options.begin({ conversation, prompt: message.prompt, signal: this.#stop.signal });
    } catch (error) {
      // Whoever stopped the conversation need not be told that its message was stopped.
      if (!isForgotten()) throw error;
    } finally {
      const others = this.#queued(conversation).filter((each) => each !== message);
      if (!isForgotten()) void this.#set(conversation, others);
    }
  }

  /** Sets the queue; resolves when it is saved. Until it has started, a message must survive the closing of the window. */
  #set(conversation: string, queue: readonly Queued[]): Promise<void> {
    const before = this.waiting(conversation);
    if (queue.length === 0) this.#queues.delete(conversation);
    else this.#queues.set(conversation, queue);
    if (this.waiting(conversation) !== before) this.#changed.fire(conversation);
    return this.#options.saveWaiting(
      conversation,
      queue.map(({ prompt }) => prompt),
    );
  }
}
