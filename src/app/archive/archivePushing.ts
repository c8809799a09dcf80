import type { ArchiveThreads } from '../../archive/archiveThreads.js';
import { locationOf, toPush, type PushAnswer, type PushRequest } from '../../archive/archiveCalls.js';
import { modeNamed, USUAL_MODE } from '../../archive/archiveMode.js';
import { backoffMs } from '../../core/backoff.js';
import type { Disposable, Event } from '../../core/event.js';
import { errorCode } from '../../core/errorCode.js';
import { messageOf } from '../../core/text.js';
import type { Log } from '../../core/ports/log.js';
import type { Dialogs } from '../ports/dialogs.js';
import type { Settings, Secrets } from '../ports/settings.js';
import { sharingPolicyOf } from '../sharing/sharingSettings.js';
import type { StoredConversation } from '../stores/storedConversation.js';
import { plain } from '../text/plainText.js';
import { ArchiveLogins } from './archiveLogin.js';

/** How long after the last change a conversation is pushed, in milliseconds, where that is wanted. */
const QUIET_MS = 10_000;
/** So many times as long it waits at most where changes do not end. */
const MAX_WAITS = 6;
/** After how long it is tried again where the archive is away. */
const AWAY = { firstMs: 60_000, maxMs: 15 * 60_000, jitter: 0 };

/** What pushing needs of the application. */
export interface ArchivePushingOptions {
  readonly settings: Settings;
  readonly secrets: Secrets;
  readonly dialogs: Pick<Dialogs, 'showWarning'>;
  /** The stores of the window. */
  readonly stores: {
    conversations(): Promise<readonly StoredConversation[]>;
    readonly onDidChange: Event<void>;
  };
  readonly log: Log;
  /** What pushes. Disposed of with this. */
  readonly threads: Pick<ArchiveThreads, 'push' | 'dispose'>;
  readonly quietMs?: number;
}

/** Pushes the conversations of a window to the archive: when a person says so, and as they grow where that is wanted. */
export class ArchivePushing implements Disposable {
  readonly #options: ArchivePushingOptions;
  readonly #logins: ArchiveLogins;
  readonly #following: Disposable;
  /** What was known of each conversation, by its place, when it was last pushed. */
  readonly #pushed = new Map<string, string>();
  /** One push after the other. */
  #last: Promise<unknown> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  /** Since when something may have to be pushed, and before when it is not tried; in milliseconds of `performance.now`. */
  #waitsSince: number | undefined;
  #notBefore = 0;
  /** How often in a row it was away. */
  #failures = 0;
  #told = '';
  #isDisposed = false;

  constructor(options: ArchivePushingOptions) {
    this.#options = options;
    this.#logins = new ArchiveLogins(options.settings, options.secrets);
    this.#following = options.stores.onDidChange(() => this.#schedule());
    this.#schedule();
  }

  /** Where the password of the archive in the settings is kept. Throws a UserError where no address is set, or a wrong one. */
  passwordKey(): string {
    return this.#logins.passwordKey();
  }

  /** Pushes all conversations of the window; gives what came of each. Rejects with a UserError. */
  async pushAll(
    signal: AbortSignal,
    onProgress: (done: number, all: number) => void,
  ): Promise<readonly PushAnswer[]> {
    const conversations = await this.#options.stores.conversations();
    return await this.#push(conversations, signal, (done) => onProgress(done, conversations.length));
  }

  dispose(): void {
    this.#isDisposed = true;
    clearTimeout(this.#timer);
    this.#following.dispose();
    this.#options.threads.dispose();
  }

  async #push(
    conversations: readonly StoredConversation[],
    signal: AbortSignal,
    onProgress: (done: number) => void,
  ): Promise<readonly PushAnswer[]> {
    const request = await this.#requestFor(conversations);
    const answers: PushAnswer[] = [];
    const work = this.#last
      .catch(() => undefined)
      .then(async () => {
        signal.throwIfAborted();
        await this.#options.threads.push(request, signal, (answer) => onProgress(answers.push(answer)));
      });
    this.#last = work;
    await work.catch((error: unknown) => {
      signal.throwIfAborted();
      throw error;
    });
    const failed = new Set(answers.filter(({ problem }) => problem !== undefined).map(locationOf));
    for (const { root, entry } of conversations) {
      const place = locationOf({ root, id: entry.conversation });
      if (!failed.has(place)) this.#pushed.set(place, markOf(entry));
    }
    return answers;
  }

  async #requestFor(conversations: readonly StoredConversation[]): Promise<PushRequest> {
    const { settings } = this.#options;
    const { address, password } = await this.#logins.now();
    return {
      address,
      password,
      mode: modeNamed(settings.get('archive.mode')) ?? USUAL_MODE,
      policy: sharingPolicyOf(settings),
      ownPrices: settings.get('prices.file'),
      conversations: conversations.map(({ root, entry }) => toPush(root, entry)),
    };
  }

  #schedule(): void {
    const { settings, quietMs = QUIET_MS } = this.#options;
    if (this.#isDisposed || settings.get('archive.push') !== 'live' || settings.get('archive.address') === '')
      return;
    // Each change puts it off for a while; nothing that is recorded waits for it.
    clearTimeout(this.#timer);
    const now = performance.now();
    this.#waitsSince ??= now;
    const due = Math.min(now + quietMs, this.#waitsSince + MAX_WAITS * quietMs);
    this.#timer = setTimeout(() => void this.#pushChanged(), Math.max(this.#notBefore, due) - now).unref();
  }

  async #pushChanged(): Promise<void> {
    this.#waitsSince = undefined;
    try {
      const all = await this.#options.stores.conversations();
      const changed = all.filter(
        ({ root, entry }) => this.#pushed.get(locationOf({ root, id: entry.conversation })) !== markOf(entry),
      );
      if (changed.length === 0) return;
      const answers = await this.#push(changed, new AbortController().signal, () => undefined);
      this.#failures = this.#notBefore = 0;
      this.#told = '';
      for (const { id, problem } of answers)
        if (problem !== undefined) this.#options.log.warn(`${id} was not pushed to the archive: ${problem}`);
    } catch (error) {
      this.#failed(error);
    }
  }

  /** What is away is asked again later; what refuses is told, once for each reason, and asked again when something changes. */
  #failed(error: unknown): void {
    const { log, dialogs } = this.#options;
    const words = messageOf(error);
    log.warn(`Nothing is pushed to the archive: ${words}`);
    if (errorCode(error) === 'away') {
      this.#notBefore = performance.now() + backoffMs(++this.#failures, AWAY, Math.random);
      this.#schedule();
      return;
    }
    if (this.#told === words || this.#isDisposed) return;
    this.#told = words;
    void dialogs.showWarning(plain(words));
  }
}

/** Is another when the conversation may have grown. */
function markOf({ messages, endedAt, bytes, title }: StoredConversation['entry']): string {
  return JSON.stringify([messages, endedAt, bytes, title]);
}
