import type { Api } from 'grammy';
import type { UserFromGetMe } from 'grammy/types';
import { checkOptions, type KnownOptions } from '../../../core/checkOptions.js';
import type { Event } from '../../../core/event.js';
import { delay, systemTimers, type Timers } from '../../../core/timers.js';
import type { Log } from '../../../core/ports/log.js';
import {
  PostError,
  type ConnectorState,
  type IncomingMessage,
  type ChatConnector,
} from '../../../core/ports/chatConnector.js';
import { ConnectorLink, type ConnectorRun } from '../connectorLink.js';
import { problemWithRoot } from '../networkFailure.js';
import { connectorRetryDelay } from '../connectorRetryDelay.js';
import { connectApi, failureOf, postErrorOf, type TelegramFailure } from './telegramApi.js';
import { chatOfName, incomingFrom } from './telegramMessages.js';
import { redactToken } from '../redactToken.js';

/** How a bot connects to Telegram. */
export interface TelegramConnectorOptions {
  /** The bot's token; it is never logged. */
  readonly token: string;
  readonly log: Log;
  /** The root of the Bot API; https, or http on this machine. */
  readonly apiRoot?: string;
  /** The long-polling time, in seconds. */
  readonly waitSeconds?: number;
  readonly timers?: Timers;
  readonly random?: () => number;
}

const telegramOptionKinds: KnownOptions<TelegramConnectorOptions> = {
  token: 'text',
  log: 'object',
  apiRoot: 'text',
  waitSeconds: 'count',
  timers: 'object',
  random: 'function',
};

type Deliver = (message: IncomingMessage) => Promise<void>;

/** After this many consecutive conflicts with another program that polls for the same bot, the connector gives up. */
const MAX_CONFLICTS = 5;

/** Telegram, by long polling. Messages that arrived while the connector was away are delivered too. */
export class TelegramConnector implements ChatConnector {
  readonly name = 'telegram';
  /** https://core.telegram.org/bots/api#sendmessage */
  readonly maxMessageLength = 4096;
  readonly repeatableMs = 0;
  readonly #options: TelegramConnectorOptions;
  readonly #timers: Timers;
  readonly #link: ConnectorLink;
  #api: Api | undefined;
  #polling: Promise<void> = Promise.resolve();

  constructor(options: TelegramConnectorOptions) {
    checkOptions(options, telegramOptionKinds, 'TelegramConnector');
    this.#options = options;
    this.#timers = options.timers ?? systemTimers;
    this.#link = new ConnectorLink((error) =>
      options.log.error('A listener to the state of Telegram failed', error),
    );
  }

  get state(): ConnectorState {
    return this.#link.state;
  }

  get onDidChangeState(): Event<ConnectorState> {
    return this.#link.onDidChange;
  }

  start(onMessage: Deliver, signal: AbortSignal): Promise<void> {
    return this.#link.start(signal, (run) => this.#begin(onMessage, run));
  }

  async post(chat: string, text: string): Promise<void> {
    const target = chatOfName(chat);
    if (!target) throw new PostError('refused', `${chat} is no chat of Telegram`);
    if (!this.#api) throw new PostError('later', 'Telegram is not connected');
    const { chat_id, ...topic } = target;
    try {
      const other = { ...topic, link_preview_options: { is_disabled: true } };
      await this.#api.sendMessage(chat_id, text, other);
    } catch (error) {
      throw postErrorOf(this.#failure(error));
    }
  }

  stop(): Promise<void> {
    return this.#link.stop(async () => {
      await this.#polling;
      this.#api = undefined;
    });
  }

  async #begin(onMessage: Deliver, run: ConnectorRun): Promise<void> {
    const { token, apiRoot = 'https://api.telegram.org', waitSeconds = 30 } = this.#options;
    const problem = problemWithRoot(apiRoot);
    if (problem !== undefined) throw new Error(problem);
    run.become({ kind: 'connecting' });
    const api = await connectApi(token, apiRoot, waitSeconds, run.signal);
    const me = await this.#introduce(api, run);
    this.#api = api;
    run.become({ kind: 'on', account: `@${me.username}` });
    this.#polling = this.#poll(api, me, onMessage, run);
  }

  /** Asks for the bot's account until Telegram answers; removes a webhook, which would prevent polling. */
  async #introduce(api: Api, run: ConnectorRun): Promise<UserFromGetMe> {
    for (let failures = 1; ; failures++) {
      run.signal.throwIfAborted();
      try {
        const me = await api.getMe();
        await api.deleteWebhook({ drop_pending_updates: false });
        return me;
      } catch (error) {
        const problem = await this.#recover(this.#failure(error), failures, run);
        if (problem !== undefined) throw new Error(problem);
      }
    }
  }

  async #poll(api: Api, me: UserFromGetMe, deliver: Deliver, run: ConnectorRun): Promise<void> {
    const { waitSeconds = 30 } = this.#options;
    let offset = 0;
    let failures = 0;
    while (!run.signal.aborted) {
      try {
        // After a failure, ask for an immediate answer, so that the state is soon `on` again.
        const timeout = failures > 0 ? 0 : waitSeconds;
        const updates = await api.getUpdates({ offset, timeout, allowed_updates: ['message'] });
        failures = 0;
        run.become({ kind: 'on', account: `@${me.username}` });
        for (const { update_id, message } of updates) {
          const incoming = message && incomingFrom(message, me);
          if (incoming) await deliver(incoming);
          // Only now: a message that was not accepted is delivered again.
          offset = update_id + 1;
        }
      } catch (error) {
        const problem = await this.#recover(this.#failure(error), ++failures, run);
        if (problem !== undefined) return;
      }
    }
  }

  /** Waits before the next attempt, or gives the problem, for a person, where another attempt is of no use. */
  async #recover(
    failure: TelegramFailure,
    failures: number,
    { signal, become }: ConnectorRun,
  ): Promise<string | undefined> {
    const { code, words, retryAfterMs } = failure;
    const hopeless = fatalReason(code, failures);
    if (hopeless !== undefined) {
      become({ kind: 'failed', problem: hopeless });
      return hopeless;
    }
    become({ kind: 'waiting', problem: `Telegram cannot be reached: ${words}` });
    await delay(
      this.#timers,
      connectorRetryDelay(failures, retryAfterMs, this.#options.random ?? Math.random),
      signal,
    );
    return undefined;
  }

  #failure(error: unknown): TelegramFailure {
    const failure = failureOf(error);
    return { ...failure, words: redactToken(failure.words, this.#options.token) };
  }
}

function fatalReason(code: number | undefined, failures: number): string | undefined {
  if (code === 401 || code === 404) return 'Telegram does not accept the token of the bot.';
  if (code !== 409 || failures < MAX_CONFLICTS) return undefined;
  return 'Another program receives the messages of this bot, perhaps another window.';
}
