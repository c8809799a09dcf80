import type { Api } from 'grammy';
import type { UserFromGetMe, Message } from 'grammy/types';
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
import {
  problemWithRoot,
  redactToken,
  connectorRetryDelay,
  wasNeverSent,
  wordsOf,
} from '../networkFailure.js';
import { onAbort, type AbortSource } from '../../../core/abort.js';
import { isObject } from '../../../core/message.js';

/** What grammY passes to its `fetch`; its signal is a polyfill that the platform's fetch does not accept. */
interface GrammyRequest {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly signal?: AbortSource;
}

/** How long a request may take beyond the long-polling time, in seconds. */
const MAX_EXTRA_SECONDS = 20;

/** A client of Telegram's Bot API whose requests are aborted by `signal`; grammY is loaded here and not before. */
async function connectApi(
  token: string,
  apiRoot: string,
  waitSeconds: number,
  signal: AbortSignal,
): Promise<Api> {
  const { Api } = await import('./grammyPackage.js');
  return new Api(token, {
    apiRoot: apiRoot.replace(/\/+$/, ''),
    timeoutSeconds: waitSeconds + MAX_EXTRA_SECONDS,
    fetch: (url: string, request: GrammyRequest) => fetchAnswer(url, request, signal),
  });
}

/**
 * Uses the platform's fetch, which respects the editor's proxy settings. A response that is not Telegram's, such as the
 * page of a proxy, becomes one saying that the service is unavailable. Follows no redirect: the URL contains the token.
 */
async function fetchAnswer(url: string, request: GrammyRequest, stopped: AbortSignal): Promise<Response> {
  const { method = 'POST', headers = {}, body = null, signal } = request;
  const given = new AbortController();
  const leave = onAbort(signal, () => given.abort());
  try {
    const ended = AbortSignal.any([stopped, given.signal]);
    // On a kept-alive connection that the server has closed, a lost request could not be told from one that arrived.
    const fresh = { ...headers, connection: 'close' };
    const response = await fetch(url, { method, headers: fresh, body, signal: ended, redirect: 'manual' });
    const text = await response.text();
    if (isAnswer(text)) return new Response(text);
    const description = `not an answer of Telegram (status ${response.status})`;
    return Response.json({ ok: false, error_code: 502, description });
  } finally {
    leave();
  }
}

function isAnswer(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && typeof value.ok === 'boolean';
  } catch {
    return false; // Not JSON, so not Telegram's.
  }
}

/** A failed request. `code` is the platform's; absent where it did not answer. */
interface TelegramFailure {
  readonly code?: number;
  readonly words: string;
  readonly retryAfterMs?: number;
  readonly neverSent: boolean;
}

/** Describes an error of a grammY request. */
function failureOf(error: unknown): TelegramFailure {
  if (error instanceof Error && 'error_code' in error && typeof error.error_code === 'number') {
    const parameters = 'parameters' in error && isObject(error.parameters) ? error.parameters : {};
    const seconds = parameters.retry_after;
    return {
      code: error.error_code,
      words: 'description' in error ? String(error.description) : error.message,
      ...(typeof seconds === 'number' && seconds >= 0 && { retryAfterMs: seconds * 1000 }),
      neverSent: false,
    };
  }
  return { words: wordsOf(error), neverSent: wasNeverSent(error) };
}

/** A failed request as a `PostError`, which says whether the text may be posted again. */
function postErrorOf({ code, words, retryAfterMs, neverSent }: TelegramFailure): PostError {
  if (code === undefined) return new PostError(neverSent ? 'later' : 'unknown', words);
  // 401 is a revoked token: the answer waits for the next one.
  const later = code === 429 || code === 401 || code === 409 || code >= 500;
  return new PostError(later ? 'later' : 'refused', words, retryAfterMs);
}

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

/** The target of a post: a chat, and in a forum one of its topics. */
interface TelegramChat {
  readonly chat_id: number;
  readonly message_thread_id?: number;
}

/** The name, across all connectors, of a chat, like `telegram:-10042` or, for a topic, `telegram:-10042:7`. */
function nameOfChat({ chat_id, message_thread_id }: TelegramChat): string {
  return message_thread_id === undefined ? `telegram:${chat_id}` : `telegram:${chat_id}:${message_thread_id}`;
}

/** The chat in such a name; undefined for the name of another connector. */
function chatOfName(name: string): TelegramChat | undefined {
  const [, chat, topic] = /^telegram:(-?\d{1,16})(?::(\d{1,16}))?$/.exec(name) ?? [];
  if (chat === undefined) return undefined;
  return { chat_id: Number(chat), ...(topic !== undefined && { message_thread_id: Number(topic) }) };
}

/**
 * Converts a Telegram message that a person addressed to the bot; undefined for any other: from bots or Telegram itself,
 * and in groups for messages that neither start with `/`, name the bot nor reply to it.
 */
function incomingFrom(message: Message, me: UserFromGetMe): IncomingMessage | undefined {
  const { from, chat, message_id, is_topic_message, message_thread_id } = message;
  const said = message.text ?? message.caption ?? (isMedia(message) ? '' : undefined);
  if (said === undefined || from === undefined || from.is_bot) return undefined;
  const name = `@${me.username}`;
  const named = said.toLowerCase().includes(name.toLowerCase());
  const replied = message.reply_to_message?.from?.id === me.id;
  if (chat.type !== 'private' && !named && !replied && !said.startsWith('/')) return undefined;
  const inTopic = is_topic_message === true && message_thread_id !== undefined;
  return {
    id: `telegram:${chat.id}/${message_id}`,
    chat: nameOfChat({ chat_id: chat.id, ...(inTopic && { message_thread_id }) }),
    sender: { id: `telegram:${from.id}`, name: from.first_name },
    text: said.toLowerCase().startsWith(name.toLowerCase()) ? said.slice(name.length).trim() : said,
    time: message.date * 1000,
  };
}

function isMedia(message: Message): boolean {
  const { photo, voice, audio, video, video_note, document, sticker, animation } = message;
  return [photo, voice, audio, video, video_note, document, sticker, animation].some((media) => media);
}
