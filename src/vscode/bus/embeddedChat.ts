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

/** What one message asks for. */
export interface EmbeddedTurn {
  readonly conversation: string;
  readonly prompt: string;
  readonly signal: AbortSignal;
}

/** How the chat box starts runs and learns of them. */
export interface EmbeddedChatOptions {
  /** Whether an agent runs in a conversation now, whoever began it. */
  readonly isBusy: (conversation: string) => boolean;
  /** Resolves when no agent runs in a conversation any more; never rejects. */
  readonly idle: (conversation: string) => Promise<void>;
  /** Begins a run; rejects with words for a person. */
  readonly begin: (turn: EmbeddedTurn) => Promise<{ readonly done: Promise<ConversationOutcome> }>;
  /** Keeps, for another window, what waits in a conversation now; never rejects. */
  readonly keepWaiting: (conversation: string, prompts: readonly string[]) => Promise<void>;
  /** Told, in words for a person, why a message that had waited could not be begun. */
  readonly onUnsaid: (turn: Omit<EmbeddedTurn, 'signal'>, problem: string) => void;
  readonly log: Log;
}

/** A message that waits for its turn. */
interface Waiting {
  readonly conversation: string;
  readonly prompt: string;
  readonly began: () => void;
  readonly failed: (error: unknown) => void;
}

/** More than a person types while an agent works. */
const MOST_WAITING = 10;

/**
 * The chat of the editor, over the bus that needs no set-up: what is typed in a conversation while an agent runs there
 * waits its turn, and no conversation waits for another. What is answered is in the transcript, so nothing is posted.
 */
export class EmbeddedChat {
  readonly #options: EmbeddedChatOptions;
  readonly #bus: EmbeddedBus;
  readonly #executor: BusExecutor;
  readonly #changed: Emitter<string>;
  /** What is not begun yet, in order. */
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
      // The one that is answered counts too, and what is too many is refused before it comes here.
      maxWaiting: MOST_WAITING + 2,
      log,
    });
  }

  /** Fired with the conversation in which more or fewer messages wait. */
  get onDidChange() {
    return this.#changed.event;
  }

  /** How many messages wait in a conversation for their turn; one that is being begun does not. */
  waiting(conversation: string): number {
    return this.#notBegun(conversation).filter((each) => !this.#beginning.has(each)).length;
  }

  /** Resolves when the message's run has begun, or it waits; rejects with words for a person. */
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
      begun.catch((error: unknown) => this.#options.onUnsaid({ conversation, prompt }, messageOf(error)));
      await kept;
    }
    await this.#executor.start();
    await this.#bus.say(conversation, prompt);
    if (!waits) await begun;
  }

  /** Forgets what waits in a conversation, as when it is stopped. */
  forget(conversation: string): void {
    const kept = this.#waiting.filter((waiting) => waiting.conversation !== conversation);
    const forgotten = this.#notBegun(conversation);
    if (forgotten.length > 0) void this.#become(kept, conversation);
    for (const { began } of forgotten) began();
  }

  /** Begins nothing more: what waits is kept for the next window. */
  close(): void {
    this.#closed = true;
  }

  /** Ends what runs for it; never rejects. */
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

  /** Only now: until it is begun, a window that goes away must not take it along. */
  #remove(turn: Waiting): void {
    turn.began();
    void this.#become(
      this.#waiting.filter((each) => each !== turn),
      turn.conversation,
    );
  }

  /** Resolves when what waits now is kept. */
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
