import { Cancelled } from '../../core/cancelled.js';
import { Emitter } from '../../core/event.js';
import { messageOf } from '../../core/text.js';
import { SilentFrontend } from '../../frontends/silentFrontend.js';
import type {
  ConversationOutcome,
  ConversationRequest,
  ConversationRunner,
} from '../../ports/conversationRunner.js';
import type { Log } from '../../ports/log.js';
import { BusExecutor } from '../../bus/executor/busExecutor.js';
import { EmbeddedBus } from '../../bus/embeddedBus.js';

/** A message to be run in a conversation. */
export interface EmbeddedTurn {
  readonly conversation: string;
  readonly prompt: string;
  readonly signal: AbortSignal;
}

/** How the chat box starts runs and learns of them. */
export interface EmbeddedChatOptions {
  /** Whether an agent is running in a conversation, whoever started it. */
  readonly isBusy: (conversation: string) => boolean;
  /** Resolves when no agent is running in a conversation; never rejects. */
  readonly idle: (conversation: string) => Promise<void>;
  /** Starts a run; rejects with an error for a person. */
  readonly begin: (turn: EmbeddedTurn) => Promise<{ readonly done: Promise<ConversationOutcome> }>;
  /** Saves, for another window, the messages queued in a conversation; never rejects. */
  readonly keepWaiting: (conversation: string, prompts: readonly string[]) => Promise<void>;
  /**
   * Called when a queued message was not run, with the reason for a person; without one where the person called it off
   * themselves.
   */
  readonly onUnsaid: (turn: Omit<EmbeddedTurn, 'signal'>, problem: string | undefined) => void;
  readonly log: Log;
}

/** A queued message. */
interface Waiting {
  readonly conversation: string;
  readonly prompt: string;
  readonly began: () => void;
  readonly failed: (error: unknown) => void;
}

/** How many messages may be queued; more than a person types while an agent works. */
const MOST_WAITING = 10;

/**
 * The chat within the editor, over the bus that needs no setup: messages to a conversation in which an agent is running
 * are queued, and no conversation waits for another. Answers are in the transcript, so nothing is posted.
 */
export class EmbeddedChat {
  readonly #options: EmbeddedChatOptions;
  readonly #bus: EmbeddedBus;
  readonly #executor: BusExecutor;
  readonly #changed: Emitter<string>;
  /** The messages that have not started, in order. */
  #waiting: readonly Waiting[] = [];
  /** Those of them whose turn has come. */
  readonly #beginning = new WeakSet<Waiting>();
  #closed = false;

  constructor(options: EmbeddedChatOptions) {
    const { log } = options;
    const onFailure = (error: unknown) => log.error('A view could not follow the chat', error);
    const runner: ConversationRunner = {
      agents: () => Promise.resolve([]),
      run: (request) => this.#run(request),
    };
    this.#options = options;
    this.#changed = new Emitter(onFailure);
    this.#bus = new EmbeddedBus(onFailure);
    this.#executor = new BusExecutor({
      bus: this.#bus,
      runner,
      makeFrontend: () => Object.assign(new SilentFrontend(), { idle: () => Promise.resolve() }),
      allowedSenders: () => 'everyone',
      // Includes the message being answered; excess messages are refused before they get here.
      maxWaiting: MOST_WAITING + 2,
      log,
    });
  }

  /** Fires with the conversation whose number of queued messages changed. */
  get onDidChange() {
    return this.#changed.event;
  }

  /** The number of messages queued in a conversation, without one that is starting. */
  waiting(conversation: string): number {
    return this.#notBegun(conversation).filter((each) => !this.#beginning.has(each)).length;
  }

  /** Sends a message; resolves when its run has started or it is queued; rejects with an error for a person. */
  async say(conversation: string, prompt: string): Promise<void> {
    const ahead = this.waiting(conversation);
    if (ahead >= MOST_WAITING) throw new Error(`${ahead} messages wait here already.`);
    const waits = this.#notBegun(conversation).length > 0 || this.#options.isBusy(conversation);
    let kept = Promise.resolve();
    const begun = new Promise<void>((began, failed) => {
      const turn = { conversation, prompt, began, failed };
      if (!waits) this.#beginning.add(turn);
      kept = this.#become([...this.#waiting, turn], conversation);
    });
    if (waits) {
      begun.catch((error: unknown) =>
        this.#options.onUnsaid(
          { conversation, prompt },
          error instanceof Cancelled ? undefined : messageOf(error),
        ),
      );
      await kept;
    }
    await this.#executor.start();
    await this.#bus.say(conversation, prompt);
    if (!waits) await begun;
  }

  /** Drops the messages queued in a conversation, as when it is stopped. */
  forget(conversation: string): void {
    const kept = this.#waiting.filter((waiting) => waiting.conversation !== conversation);
    const forgotten = this.#notBegun(conversation);
    if (forgotten.length > 0) void this.#become(kept, conversation);
    for (const { began } of forgotten) began();
  }

  /** Starts nothing more; queued messages are kept for the next window. */
  close(): void {
    this.#closed = true;
  }

  /** Ends its runs; never rejects. */
  async stop(): Promise<void> {
    this.close();
    await this.#executor.stop();
    this.#changed.dispose();
  }

  #notBegun(conversation: string): Waiting[] {
    return this.#waiting.filter((waiting) => waiting.conversation === conversation);
  }

  async #run({ conversation = '', prompt, signal }: ConversationRequest): Promise<ConversationOutcome> {
    await this.#options.idle(conversation);
    const turn = this.#waiting.find((each) => each.conversation === conversation && each.prompt === prompt);
    if (!turn || signal.aborted || this.#closed) return { conversation, failure: 'It was forgotten.' };
    this.#beginning.add(turn);
    this.#changed.fire(conversation);
    try {
      const { done } = await this.#options.begin({ conversation, prompt, signal });
      this.#remove(turn);
      return await done;
    } catch (error) {
      turn.failed(error);
      this.#remove(turn);
      return { conversation, failure: messageOf(error) };
    }
  }

  /** Removes a message once it has started; until then, it must survive the closing of the window. */
  #remove(turn: Waiting): void {
    turn.began();
    void this.#become(
      this.#waiting.filter((each) => each !== turn),
      turn.conversation,
    );
  }

  /** Sets the queue; resolves when it is saved. */
  #become(waiting: readonly Waiting[], changed: string): Promise<void> {
    const before = this.waiting(changed);
    this.#waiting = waiting;
    if (this.waiting(changed) !== before) this.#changed.fire(changed);
    return this.#options.keepWaiting(
      changed,
      this.#notBegun(changed).map(({ prompt }) => prompt),
    );
  }
}
