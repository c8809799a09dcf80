import { createHash } from 'node:crypto';
import type { Client, ResponseLike } from 'discord.js';
import { isObject } from '../../core/message.js';
import { PostError } from '../../ports/messageBus.js';
import { wasNeverSent, wordsOf } from '../networkFailure.js';

/** Where Discord is reached. */
export interface DiscordAddresses {
  /** The API without its version, like `https://discord.com/api`. */
  readonly apiRoot: string;
  /** Replaces the gateway that Discord names. */
  readonly gateway?: string;
}

/** The part of a discord.js request that is used here; bodies are JSON. */
interface RestRequest {
  readonly method?: string;
  readonly headers?: unknown;
  readonly body?: unknown;
  readonly signal?: AbortSignal | null;
}

/**
 * An unconnected client that passes on the messages of the gateway; once `stopped` is aborted it opens no further
 * connection. discord.js is loaded here and not before.
 */
export async function createClient(
  { apiRoot, gateway }: DiscordAddresses,
  stopped: AbortSignal,
  onMessage: (message: unknown) => void,
): Promise<Client> {
  const { Client, GatewayDispatchEvents, GatewayIntentBits, Options, SimpleShardingStrategy } =
    await import('./discordPackages.js');
  const client = new Client({
    // Direct messages and mentions come with their content even without the privileged intent.
    intents: [GatewayIntentBits.GuildMessages, GatewayIntentBits.DirectMessages],
    // No cache is used here; what Discord delivers is passed on as it is.
    makeCache: Options.cacheWithLimits({ MessageManager: 0, PresenceManager: 0, ReactionManager: 0 }),
    rest: {
      api: apiRoot.replace(/\/+$/, ''),
      retries: 0,
      // Each chat waits on its own, so that the rate limit of one does not hold up another.
      rejectOnRateLimit: ({ method, route }) => method === 'POST' && route === '/channels/:id/messages',
      makeRequest: (url, init) => fetchFresh(url, init, stopped),
    },
    ws: {
      buildStrategy: (manager) => {
        const retrieveSessionInfo = manager.options.retrieveSessionInfo.bind(manager.options);
        // A shard between two connections cannot be told to stop, but it calls this before it opens the next one.
        manager.options.retrieveSessionInfo = async (shard) => {
          if (stopped.aborted) return new Promise(() => undefined);
          const session = await retrieveSessionInfo(shard);
          return session && gateway !== undefined ? { ...session, resumeURL: gateway } : session;
        };
        const fetchInformation = manager.fetchGatewayInformation.bind(manager);
        manager.fetchGatewayInformation = async (force) => {
          const information = await fetchInformation(force);
          return gateway === undefined ? information : { ...information, url: gateway };
        };
        return new SimpleShardingStrategy(manager);
      },
    },
  });
  client.ws.on(GatewayDispatchEvents.MessageCreate, onMessage);
  return client;
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

/** Why a code of discord.js or of the closing gateway makes further attempts useless, for a person; else undefined. */
export function fatalReason(code: unknown): string | undefined {
  switch (code) {
    case 'TokenInvalid':
    case 4004:
      return 'Discord does not accept the token of the bot.';
    case 4013:
    case 4014:
      return 'Discord does not let the bot read messages: allow its intents in the developer portal.';
    default:
      return undefined;
  }
}
