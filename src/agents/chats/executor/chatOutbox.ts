import type { Clock } from '../../../core/clock.js';
import { messageOf } from '../../../core/text.js';
import { delay, type Timers } from '../../../core/timers.js';
import type { Log } from '../../../core/ports/log.js';
import { isPostError, PostError, type ChatConnector } from '../../../core/ports/chatConnector.js';
import type { OutboxEntry, ConnectorState } from './connectorState.js';
import { chunkText } from './chunkText.js';
import { linesLeftOut, MAYBE_POSTED } from './chatTexts.js';
import { connectorRetryDelay } from '../networkFailure.js';

/** What the parts of a session share. */
export interface OutboxContext {
  readonly connector: ChatConnector;
  readonly memory: ConnectorState;
  readonly log: Log;
  readonly clock: Clock;
  readonly timers: Timers;
  /** A random number from 0 up to, not including, 1. */
  readonly random: () => number;
  /** Aborted when the executor stops. */
  readonly signal: AbortSignal;
}

/** A remembered text by its key, or a line that may be lost. */
type Item = { readonly key: string } | { readonly line: string; readonly since: number };

/** How many lines may wait, how long a line stays worth posting, and how long one attempt may take. */
const LINES_WAITING = 200;
const MAX_LINE_AGE_MS = 10 * 60_000;
const POST_MS = 60_000;

/**
 * Posts the texts of one chat in order, one at a time, waiting while the platform cannot be reached. Remembered texts
 * survive a restart and are posted at most once: the user is asked about a text that may have been posted.
 */
export class ChatOutbox {
  readonly #chat: string;
  readonly #context: OutboxContext;
  readonly #items: Item[] = [];
  #leftOut = 0;
  #working: Promise<void> | undefined;

  constructor(chat: string, context: OutboxContext) {
    this.#chat = chat;
    this.#context = context;
  }

  /** Posts a line that matters only now: it is dropped at a restart, and after ten minutes. */
  addLine(line: string): void {
    const lines = this.#items.filter((item) => 'line' in item);
    const [oldest] = lines;
    if (oldest && lines.length >= LINES_WAITING) {
      this.#items.splice(this.#items.indexOf(oldest), 1);
      this.#leftOut++;
    }
    this.#add({ line, since: this.#context.clock.now() });
  }

  /** Posts an entry of the memory's outbox. */
  addRemembered(key: string): void {
    this.#add({ key });
  }

  /** Resolves when nothing waits, or the rest waits for the next start. Never rejects. */
  async idle(): Promise<void> {
    while (this.#working) await this.#working;
  }

  #add(item: Item): void {
    this.#items.push(item);
    this.#working ??= this.#work();
  }

  async #work(): Promise<void> {
    // Posting starts after the current turn, so that callers are not held up.
    await Promise.resolve();
    for (let item = this.#items.shift(); item; item = this.#items.shift()) {
      if ('key' in item) await this.#postRemembered(item.key);
      else await this.#postLine(item.line, item.since);
    }
    this.#working = undefined;
  }

  async #postLine(line: string, since: number): Promise<void> {
    const { connector, log } = this.#context;
    const notice = this.#leftOut > 0 ? `${linesLeftOut(this.#leftOut)}\n` : '';
    this.#leftOut = 0;
    for (const text of chunkText(notice + line, connector.maxMessageLength)) {
      const error = await this.#tryWhileWorthIt(text, since);
      if (error) log.warn(`A line could not be posted to ${this.#chat}: ${error.message}`);
    }
  }

  async #tryWhileWorthIt(text: string, since: number): Promise<PostError | undefined> {
    const { clock, signal } = this.#context;
    for (let failures = 1; !signal.aborted; failures++) {
      const error = await this.#try(text);
      if (error?.failure !== 'later' || clock.now() - since >= MAX_LINE_AGE_MS) return error;
      await this.#pause(failures, error);
    }
    return undefined;
  }

  async #postRemembered(key: string): Promise<void> {
    const { connector, clock, log, memory, signal } = this.#context;
    for (let failures = 1; !signal.aborted; failures++) {
      const entry = memory.data.outbox.get(key);
      if (!entry) return;
      const triedAt = entry.state === 'sending' ? entry.triedAt : clock.now();
      const age = clock.now() - triedAt;
      const repeatable = age >= 0 && age < connector.repeatableMs;
      if (entry.state === 'sending' && !repeatable) return this.#askAbout(entry);
      await memory.change(({ outbox }) => outbox.set(key, { ...entry, state: 'sending', triedAt }));
      const error = await this.#try(entry.text, key);
      if (!error || error.failure === 'refused') {
        if (error) log.warn(`${this.#chat} did not take an answer: ${error.message}`);
        await memory.change(({ outbox }) => outbox.delete(key));
        return;
      }
      // A text that may have been posted stays so, whatever a later attempt reports.
      if (error.failure === 'later' && entry.state === 'waiting') {
        await memory.change(({ outbox }) => outbox.set(key, entry));
      }
      await this.#pause(failures, error);
    }
  }

  /** Gives up a text that may have been posted and says so in the chat; the notice itself is never followed up. */
  async #askAbout({ key, chat }: OutboxEntry): Promise<void> {
    const asked = `${key}?`;
    await this.#context.memory.change(({ outbox }) => {
      outbox.delete(key);
      if (key.endsWith('?')) return;
      outbox.set(asked, { key: asked, chat, text: MAYBE_POSTED, state: 'waiting', triedAt: 0 });
    });
    await this.#postRemembered(asked);
  }

  #pause(failures: number, error: PostError): Promise<void> {
    const { random, signal, timers } = this.#context;
    return delay(timers, connectorRetryDelay(failures, error.retryAfterMs, random), signal);
  }

  /** Tries once to post; resolves with the error instead of rejecting, even when the platform never answers. */
  #try(text: string, key?: string): Promise<PostError | undefined> {
    const { connector, timers } = this.#context;
    return new Promise((resolve) => {
      const timer = timers.after(POST_MS, () =>
        resolve(new PostError('unknown', 'there was no answer in time')),
      );
      const post = async () => connector.post(this.#chat, text, key);
      post().then(
        () => {
          timer.dispose();
          resolve(undefined);
        },
        (error: unknown) => {
          timer.dispose();
          resolve(isPostError(error) ? error : new PostError('later', messageOf(error)));
        },
      );
    });
  }
}
