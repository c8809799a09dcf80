import type { REST } from '@discordjs/rest';
import { BoundedMap } from '../../../core/boundedMap.js';
import { orAborted } from '../../../core/abort.js';
import { checkOptions, type KnownOptions } from '../../../core/checkOptions.js';
import { systemClock, type Clock } from '../../../core/clock.js';
import type { Event } from '../../../core/event.js';
import { isObject } from '../../../core/message.js';
import { messageOf } from '../../../core/text.js';
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
  createClient,
  fatalReason,
  messageBody,
  postErrorOf,
  statusOf,
  type DiscordClient,
} from './discordClient.js';
import {
  channelOfName,
  incomingFrom,
  snowflakeOf,
  compareSnowflakes,
  snowflakeAt,
} from './discordMessages.js';
import {
  problemWithRoot,
  wordsOf,
  redactToken,
  connectorRetryDelay,
  untilStopped,
} from '../networkFailure.js';
import { appendAll } from '../../../core/lists.js';

/** Older messages are not answered. */
const OLDEST_MS = 24 * 60 * 60_000;
/** https://discord.com/developers/docs/resources/message#get-channel-messages */
const PAGE = 100;
/** How many pages of a channel are read at most. */
const MAX_PAGES = 10;

/** What people said to the bot in a channel after the message `last`, oldest first; rejects as the request does. */
async function missedMessages(
  rest: Pick<REST, 'get'>,
  channel: string,
  last: string,
  me: string,
  now: number,
): Promise<readonly IncomingMessage[]> {
  const found: unknown[] = [];
  const oldest = snowflakeAt(now - OLDEST_MS);
  let after = compareSnowflakes(last, oldest) < 0 ? oldest : last;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const query = new URLSearchParams({ after, limit: String(PAGE) });
    const page = messagesOf(await rest.get(`/channels/${channel}/messages`, { query }));
    appendAll(found, page);
    after = page.at(-1)?.id ?? after;
    if (page.length < PAGE) break;
  }
  if (found.length === 0) return [];
  const about = await rest.get(`/channels/${channel}`);
  const isDirect = isObject(about) && about.type === 1;
  return found
    .map((message) => incomingFrom(message, me, isDirect))
    .filter((message) => message !== undefined);
}

/** The messages of a page, newest first, as Discord sends them. */
function messagesOf(page: unknown): { readonly id: string }[] {
  const messages = Array.isArray(page) ? (page as unknown[]) : [];
  return messages.filter(hasId).sort((a, b) => compareSnowflakes(a.id, b.id));
}

function hasId(message: unknown): message is { readonly id: string } {
  return isObject(message) && typeof message.id === 'string';
}

/** How a bot connects to Discord. */
export interface DiscordConnectorOptions {
  /** The bot's token; it is never logged. */
  readonly token: string;
  readonly log: Log;
  /** The API without its version, like `https://discord.com/api`; https, or http on this machine. */
  readonly apiRoot?: string;
  /** Replaces the gateway that Discord names; wss, or ws on this machine. */
  readonly gateway?: string;
  readonly clock?: Clock;
  readonly timers?: Timers;
  readonly random?: () => number;
}

const discordOptionKinds: KnownOptions<DiscordConnectorOptions> = {
  token: 'text',
  log: 'object',
  apiRoot: 'text',
  gateway: 'text',
  clock: 'object',
  timers: 'object',
  random: 'function',
};

type Deliver = (message: IncomingMessage) => Promise<void>;

/** How long closing the gateway connection may take, in milliseconds. */
const GOODBYE_MS = 2_000;
/** How many chats, the most recent ones, are asked for missed messages. */
const MAX_CHATS = 500;
const DISCORD = 'https://discord.com/api';
const LOST = 'The connection to Discord was lost; it is being opened again.';

/**
 * Discord, through its gateway; discord.js's packages keep the connection. Messages that arrived in known channels while the connector
 * was away are requested, because Discord does not deliver them by itself.
 */
export class DiscordConnector implements ChatConnector {
  readonly name = 'discord';
  /** https://discord.com/developers/docs/resources/message#create-message */
  readonly maxMessageLength = 2000;
  /** Discord recognises a nonce for "the past few minutes"; this is the least that can mean. */
  readonly repeatableMs = 120_000;
  readonly #options: DiscordConnectorOptions;
  readonly #timers: Timers;
  readonly #link: ConnectorLink;
  readonly #lastIds = new BoundedMap<string, string>(MAX_CHATS);
  /** The work on each chat, one after another. */
  readonly #chats = new Map<string, Promise<void>>();
  #client: DiscordClient | undefined;

  constructor(options: DiscordConnectorOptions) {
    checkOptions(options, discordOptionKinds, 'DiscordConnector');
    this.#options = options;
    this.#timers = options.timers ?? systemTimers;
    this.#link = new ConnectorLink((error) =>
      options.log.error('A listener to the state of Discord failed', error),
    );
  }

  get state(): ConnectorState {
    return this.#link.state;
  }

  get onDidChangeState(): Event<ConnectorState> {
    return this.#link.onDidChange;
  }

  start(
    deliver: Deliver,
    signal: AbortSignal,
    lastIds: ReadonlyMap<string, string> = new Map(),
  ): Promise<void> {
    return this.#link.start(signal, (run) => {
      for (const [chat, id] of lastIds) this.#remember(chat, id);
      return this.#begin(deliver, run);
    });
  }

  async post(chat: string, text: string, key?: string): Promise<void> {
    const channel = channelOfName(chat);
    if (channel === undefined) throw new PostError('refused', `${chat} is no channel of Discord`);
    if (!this.#client) throw new PostError('later', 'Discord is not connected');
    try {
      await this.#client.rest.post(`/channels/${channel}/messages`, { body: messageBody(text, key) });
    } catch (error) {
      const { failure, message, retryAfterMs } = postErrorOf(error);
      throw new PostError(failure, this.#withoutToken(message), retryAfterMs);
    }
  }

  stop(): Promise<void> {
    return this.#link.stop(async (stopped) => {
      if (this.#client) await untilStopped(this.#close(this.#client), stopped, this.#timers, GOODBYE_MS);
      await Promise.all(this.#chats.values());
      this.#client = undefined;
    });
  }

  async #begin(deliver: Deliver, run: ConnectorRun): Promise<void> {
    const { signal } = run;
    const { apiRoot = DISCORD, gateway } = this.#options;
    const problem = problemWithRoot(apiRoot) ?? problemWithRoot(gateway?.replace(/^ws/, 'http') ?? DISCORD);
    if (problem !== undefined) throw new Error(problem);
    run.become({ kind: 'connecting' });
    for (let failures = 1; ; failures++) {
      signal.throwIfAborted();
      try {
        await orAborted(this.#connect(deliver, run), signal);
        return;
      } catch (error) {
        const hopeless = await this.#recover(error, failures, run);
        if (hopeless !== undefined) throw new Error(hopeless);
      }
    }
  }

  /** Resolves when the gateway has accepted the connection. */
  async #connect(deliver: Deliver, { signal, become }: ConnectorRun): Promise<void> {
    const { apiRoot = DISCORD, gateway, log, token } = this.#options;
    const client = await createClient({ token, apiRoot, gateway, stopped: signal });
    this.#client = client;
    const connected = client.connect({
      onMessage: (message) => this.#hear(client, message, deliver, signal),
      onReady: () => {
        become({ kind: 'on', account: nameOf(client) });
        for (const chat of this.#lastIds.keys()) this.#catchUp(client, chat, deliver, signal);
      },
      onResumed: () => become({ kind: 'on', account: nameOf(client) }),
      onLost: () => become({ kind: 'waiting', problem: LOST }),
      onEnded: (code) => {
        const problem = fatalReason(code) ?? `Discord ended the connection (code ${code}).`;
        become({ kind: 'failed', problem });
      },
      onError: (error) => log.debug(`Discord: ${this.#withoutToken(wordsOf(error))}`),
    });
    await connected.catch(async (error: unknown) => {
      await this.#close(client);
      throw error;
    });
  }

  /** Waits before the next attempt, or gives the problem, for a person, where another attempt is of no use. */
  async #recover(
    error: unknown,
    failures: number,
    { signal, become }: ConnectorRun,
  ): Promise<string | undefined> {
    const { kind } = this.#link.state;
    const hopeless = kind === 'failed' ? this.#link.state.problem : fatalReason(statusOf(error));
    if (hopeless !== undefined) {
      become({ kind: 'failed', problem: hopeless });
      return hopeless;
    }
    const problem = `Discord cannot be reached: ${this.#withoutToken(wordsOf(error))}`;
    become({ kind: 'waiting', problem });
    await delay(
      this.#timers,
      connectorRetryDelay(failures, undefined, this.#options.random ?? Math.random),
      signal,
    );
    return undefined;
  }

  #hear(client: DiscordClient, message: unknown, deliver: Deliver, signal: AbortSignal): void {
    const me = client.user?.id;
    const isDirect = isObject(message) && message.guild_id === undefined;
    const incoming = me === undefined ? undefined : incomingFrom(message, me, isDirect);
    if (incoming) this.#inTurn(incoming.chat, () => this.#deliver(incoming, deliver, signal));
  }

  /** Requests the messages of a chat since the last one that was delivered. */
  #catchUp(client: DiscordClient, chat: string, deliver: Deliver, signal: AbortSignal): void {
    const me = client.user?.id;
    this.#inTurn(chat, async () => {
      const channel = channelOfName(chat);
      const last = snowflakeOf(this.#lastIds.get(chat) ?? '');
      if (channel === undefined || last === undefined || me === undefined) return;
      const now = (this.#options.clock ?? systemClock).now();
      for (const message of await missedMessages(client.rest, channel, last, me, now)) {
        await this.#deliver(message, deliver, signal);
      }
    });
  }

  async #deliver(message: IncomingMessage, deliver: Deliver, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await deliver(message);
    this.#remember(message.chat, message.id);
  }

  #remember(chat: string, id: string): void {
    this.#lastIds.set(chat, id);
  }

  /** Queues work for one chat behind its earlier work. */
  #inTurn(chat: string, work: () => Promise<void>): void {
    const before = this.#chats.get(chat) ?? Promise.resolve();
    const done = before.then(work).catch((error: unknown) => {
      this.#options.log.warn(`Messages of ${chat} could not be taken: ${this.#withoutToken(wordsOf(error))}`);
    });
    this.#chats.set(chat, done);
    void done.then(() => this.#chats.get(chat) === done && this.#chats.delete(chat));
  }

  /** Closes the connection. One that is still being opened is closed as soon as it is open. Never rejects. */
  async #close(client: DiscordClient): Promise<void> {
    await client.close().catch((error: unknown) => {
      this.#options.log.debug(`Discord: ${this.#withoutToken(messageOf(error))}`);
    });
  }

  #withoutToken(text: string): string {
    return redactToken(text, this.#options.token);
  }
}

function nameOf(client: DiscordClient): string {
  return client.user ? `@${client.user.username}` : 'a bot';
}
