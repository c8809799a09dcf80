import { createHash } from 'node:crypto';
import type { REST, ResponseLike } from '@discordjs/rest';
import type { SessionInfo, WebSocketManager } from '@discordjs/ws';
import { isObject } from '../../../core/message.js';
import { PostError } from '../../../core/ports/chatConnector.js';
import { wasNeverSent, wordsOf } from '../networkFailure.js';
import type * as discord from './discordPackages.js';

/** How a client of Discord connects. */
export interface DiscordClientOptions {
  readonly token: string;
  /** The API without its version, like `https://discord.com/api`. */
  readonly apiRoot: string;
  /** Replaces the gateway that Discord names. */
  readonly gateway?: string | undefined;
  /** Once it is aborted, no further connection is opened. */
  readonly stopped: AbortSignal;
}

/** What the gateway tells. */
export interface GatewayEvents {
  /** A message that somebody wrote, as Discord sends it. */
  readonly onMessage: (message: unknown) => void;
  /** The bot was taken in; what was said before is not told. */
  readonly onReady: () => void;
  /** The session goes on; what was said meanwhile is told. */
  readonly onResumed: () => void;
  /** The connection was lost and is being opened again. */
  readonly onLost: () => void;
  /** The gateway ended the connection and accepts no other; the code is its reason. */
  readonly onEnded: (code: number) => void;
  /** Something went wrong; whether the connection is lost, another event tells. */
  readonly onError: (error: Error) => void;
}

/** A connection to Discord for one bot: requests, and a gateway that is opened again when it is lost. */
export interface DiscordClient {
  /** The bot's own account, once the gateway has taken it in. */
  readonly user: { readonly id: string; readonly username: string } | undefined;
  readonly rest: Pick<REST, 'get' | 'post'>;
  /** Resolves when the gateway has taken the bot in; rejects where it refuses to, or Discord does not name one. */
  connect(events: GatewayEvents): Promise<void>;
  /** Closes the gateway; one that is still being opened, as soon as it is open. Rejects where that fails. */
  close(): Promise<void>;
}

/** The part of a request to Discord that is used here; bodies are JSON. */
interface RestRequest {
  readonly method?: string;
  readonly headers?: unknown;
  readonly body?: unknown;
  readonly signal?: AbortSignal | null;
}

type Packages = typeof discord;

/** A client that is not connected yet. Discord's packages are loaded here and not before. */
export async function createClient(options: DiscordClientOptions): Promise<DiscordClient> {
  const { token, apiRoot, gateway: otherGateway, stopped } = options;
  const packages = await import('./discordPackages.js');
  const { GatewayIntentBits, REST, WebSocketManager } = packages;
  const bare = token.replace(/^(?:Bot|Bearer)\s*/i, '');
  const rest = new REST({
    api: apiRoot.replace(/\/+$/, ''),
    version: '10',
    retries: 0,
    // Each chat waits on its own, so that the rate limit of one does not hold up another.
    rejectOnRateLimit: ({ method, route }) => method === 'POST' && route === '/channels/:id/messages',
    makeRequest: (url, init) => fetchFresh(url, init, stopped),
  }).setToken(bare);
  const gateway = new WebSocketManager({
    token: bare,
    rest,
    // Direct messages and mentions come with their content even without the privileged intent.
    intents: GatewayIntentBits.GuildMessages | GatewayIntentBits.DirectMessages,
    ...sessionsUntil(stopped, otherGateway),
  });
  if (otherGateway !== undefined) replaceGateway(gateway, otherGateway);
  return new GatewayClient({ packages, rest, gateway, token: bare });
}

class GatewayClient implements DiscordClient {
  user: DiscordClient['user'];
  readonly rest: REST;
  readonly #packages: Packages;
  readonly #gateway: WebSocketManager;
  readonly #token: string;
  #isOpen = false;
  #isClosing = false;

  constructor(parts: {
    readonly packages: Packages;
    readonly rest: REST;
    readonly gateway: WebSocketManager;
    readonly token: string;
  }) {
    this.#packages = parts.packages;
    this.rest = parts.rest;
    this.#gateway = parts.gateway;
    this.#token = parts.token;
  }

  async connect(events: GatewayEvents): Promise<void> {
    if (this.#token === '') throw Object.assign(new Error('There is no token.'), { status: 401 });
    const { GatewayDispatchEvents, WebSocketShardEvents: Told } = this.#packages;
    const final = finalCodes(this.#packages);
    await new Promise<void>((resolve, reject) => {
      this.#gateway
        .on(Told.Ready, ({ user }) => {
          this.user = user;
          this.#opened(events.onReady, events.onError);
          resolve();
        })
        .on(Told.Resumed, () => this.#opened(events.onResumed, events.onError))
        .on(Told.Closed, (code) => {
          this.#isOpen = false;
          if (!final.has(code)) {
            events.onLost();
            return;
          }
          events.onEnded(code);
          reject(new Error(`The gateway ended the connection with the code ${code}.`));
        })
        .on(Told.Error, events.onError)
        .on(Told.SocketError, events.onError)
        .on(Told.Dispatch, ({ t: type, d: message }) => {
          if (type === GatewayDispatchEvents.MessageCreate) events.onMessage(message);
        });
      this.#gateway.connect().catch(reject);
    });
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.rest.clearHashSweeper();
    this.rest.clearHandlerSweeper();
    if (this.#isOpen) await this.#gateway.destroy();
  }

  #opened(tell: () => void, onError: (error: Error) => void): void {
    this.#isOpen = true;
    tell();
    if (this.#isClosing) this.close().catch(onError);
  }
}

/** The codes after which a gateway accepts no other connection of the bot. */
function finalCodes({ GatewayCloseCodes: codes }: Packages): ReadonlySet<number> {
  return new Set<number>([
    codes.AuthenticationFailed,
    codes.InvalidShard,
    codes.ShardingRequired,
    codes.InvalidAPIVersion,
    codes.InvalidIntents,
    codes.DisallowedIntents,
  ]);
}

/** The sessions of one gateway, which begins no further one once `stopped` is aborted. */
function sessionsUntil(stopped: AbortSignal, gateway: string | undefined) {
  const sessions = new Map<number, SessionInfo>();
  return {
    // A shard between two connections cannot be told to stop, but it calls this before it opens the next one.
    async retrieveSessionInfo(shard: number): Promise<SessionInfo | null> {
      if (stopped.aborted) return new Promise(() => undefined);
      const session = sessions.get(shard);
      return session && gateway !== undefined ? { ...session, resumeURL: gateway } : (session ?? null);
    },
    updateSessionInfo(shard: number, session: SessionInfo | null): void {
      if (session) sessions.set(shard, session);
      else sessions.delete(shard);
    },
  };
}

/** Connects to `url` instead of the gateway that Discord names. */
function replaceGateway(gateway: WebSocketManager, url: string): void {
  const fetchInformation = gateway.fetchGatewayInformation.bind(gateway);
  gateway.fetchGatewayInformation = async (force) => ({ ...(await fetchInformation(force)), url });
}

/**
 * The platform's fetch, which respects the editor's proxy settings, on a fresh connection: on a kept-alive one that the
 * server has closed, a lost request could not be told from one that arrived. Follows no redirect, which would receive
 * the token.
 */
async function fetchFresh(url: string, init: RestRequest, stopped: AbortSignal): Promise<ResponseLike> {
  const { method = 'GET', body, signal } = init;
  const headers = { ...(init.headers as Record<string, string>), connection: 'close' };
  const ended = signal ? AbortSignal.any([signal, stopped]) : stopped;
  const text = typeof body === 'string' ? body : null;
  const answer: unknown = await fetch(url, {
    method,
    headers,
    body: text,
    signal: ended,
    redirect: 'manual',
  });
  return answer as ResponseLike;
}

/** The body of a post: the text as it is, notifying nobody, and posted once per key. */
export function messageBody(content: string, key: string | undefined) {
  const nonce = key === undefined ? undefined : createHash('sha256').update(key).digest('hex').slice(0, 25);
  return {
    content,
    allowed_mentions: { parse: [] },
    ...(nonce !== undefined && { nonce, enforce_nonce: true }),
  };
}

/** A failed request as a `PostError`, which says whether the text may be posted again. */
export function postErrorOf(error: unknown): PostError {
  const words = wordsOf(error);
  const { retryAfter, status } =
    isObject(error) || error instanceof Error ? (error as Record<string, unknown>) : {};
  if (typeof retryAfter === 'number') {
    return new PostError('later', 'Discord asks to wait', Math.max(retryAfter, 0));
  }
  if (typeof status !== 'number') return new PostError(wasNeverSent(error) ? 'later' : 'unknown', words);
  // 401 is a revoked token: the answer waits for the next one.
  const later = status === 401 || status === 429 || status >= 500 || status < 400;
  return new PostError(later ? 'later' : 'refused', words);
}

/** The status of the answer that a request failed with; undefined for any other error. */
export function statusOf(error: unknown): unknown {
  return error instanceof Error && 'status' in error ? error.status : undefined;
}

/** Why the status of a request, or the code of a closing gateway, makes further attempts useless; else undefined. */
export function fatalReason(code: unknown): string | undefined {
  switch (code) {
    case 401:
    case 4004:
      return 'Discord does not accept the token of the bot.';
    case 4013:
    case 4014:
      return 'Discord does not let the bot read messages: allow its intents in the developer portal.';
    default:
      return undefined;
  }
}
