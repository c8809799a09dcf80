import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { DiscordGateway } from './discordGateway.js';
import { bodyOf, LoopbackServer, reply } from './loopbackServer.js';

/** How the next post goes wrong. */
export type DiscordFault =
  | { readonly status: number; readonly retryAfter?: number }
  /** The connection is cut before or after the post was carried out. */
  | 'cutBefore'
  | 'cutAfter';

interface Message {
  readonly id: string;
  readonly channel_id: string;
  readonly content: string;
  readonly nonce?: string;
  readonly [key: string]: unknown;
}

class RestError extends Error {
  constructor(
    readonly status: number,
    readonly code: number,
    message: string,
    readonly retryAfter?: number,
  ) {
    super(message);
  }
}

const bot = { id: '900', username: 'logbook', discriminator: '0', bot: true, global_name: null };

/** Discord's REST API v10 and gateway on the loopback interface, for one bot; `channel` shows what people see. */
export class DiscordServer extends LoopbackServer {
  readonly token = 'MTk4.secret.of-the-bot';
  readonly gateway = new DiscordGateway(this.token, bot, () => this.gatewayUrl);
  /** Requests, as `POST /channels/1/messages`. */
  readonly calls: string[] = [];
  /** How the next posts go wrong, one after another. */
  readonly faults: DiscordFault[] = [];
  /** So many posts may be made in a channel before the next window. */
  limit = 5;
  windowMs = 50;
  readonly #channels = new Map<string, { readonly type: number; readonly messages: Message[] }>();
  readonly #windows = new Map<string, { left: number; end: number }>();
  #ids = 0n;

  get root(): string {
    return `http://${this.host}/api`;
  }

  get gatewayUrl(): string {
    return `ws://${this.host}/gateway`;
  }

  /** What everybody in a channel sees, as `name: text`. */
  channel(id: string): readonly string[] {
    const messages = this.#channels.get(id)?.messages ?? [];
    return messages.map(({ author, content }) => `${(author as typeof bot).username}: ${content}`);
  }

  /** Somebody writes in a direct chat, or with `guild` in a channel of a server; `more` goes into the message. */
  says(channel: string, content: string, more: Readonly<Record<string, unknown>> = {}): void {
    const direct = more.guild_id === undefined;
    const author = { id: '42', username: 'Ada', discriminator: '0', global_name: 'Ada L.' };
    const message = this.#keep(channel, direct ? 1 : 0, { author, content, type: 0, mentions: [], ...more });
    this.gateway.dispatch('MESSAGE_CREATE', message);
  }

  #keep(channel: string, type: number, parts: { content: string; [key: string]: unknown }): Message {
    const known = this.#channels.get(channel) ?? { type, messages: [] };
    this.#channels.set(channel, known);
    const id = String((BigInt(Date.now() - 1_420_070_400_000) << 22n) + ++this.#ids);
    const message = {
      id,
      channel_id: channel,
      timestamp: new Date().toISOString(),
      attachments: [],
      ...parts,
    };
    known.messages.push(message);
    return message;
  }

  protected override upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { sockets } = this.gateway;
    sockets.handleUpgrade(request, socket, head, (open) => sockets.emit('connection', open, request));
  }

  protected override async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', this.root);
    const path = url.pathname.replace('/api/v10', '');
    const call = `${request.method ?? ''} ${path}`;
    const body = await bodyOf(request);
    if (body === undefined) return; // Whoever asked is gone.
    this.calls.push(call);
    const fault = request.method === 'POST' ? this.faults.shift() : undefined;
    try {
      if (request.headers.authorization !== `Bot ${this.token}`)
        throw new RestError(401, 0, '401: Unauthorized');
      if (fault === 'cutBefore') return void request.socket.destroy();
      if (typeof fault === 'object') throw new RestError(fault.status, 0, 'Fault', fault.retryAfter);
      const result = this.#carryOut(call, url.searchParams, body, response);
      if (fault === 'cutAfter') return void request.socket.destroy();
      reply(response, 200, result);
    } catch (error) {
      if (!(error instanceof RestError)) throw error;
      const { status, code, message, retryAfter } = error;
      if (retryAfter !== undefined) response.setHeader('retry-after', String(retryAfter));
      reply(response, status, {
        message,
        code,
        ...(status === 429 && { retry_after: retryAfter, global: false }),
      });
    }
  }

  #carryOut(call: string, query: URLSearchParams, body: string, response: ServerResponse): unknown {
    if (call === 'GET /users/@me') return bot;
    if (call === 'GET /gateway/bot') {
      const session_start_limit = {
        total: 1000,
        remaining: 999,
        reset_after: 14_400_000,
        max_concurrency: 1,
      };
      return { url: this.gatewayUrl, shards: 1, session_start_limit };
    }
    const [, method = '', id = '', messages] = /^(\w+) \/channels\/(\d+)(\/messages)?$/.exec(call) ?? [];
    const channel = this.#channels.get(id);
    if (method === '' || !channel) throw new RestError(404, 10_003, 'Unknown Channel');
    if (messages === undefined) return { id, type: channel.type };
    if (method === 'POST') return this.#post(id, channel.messages, JSON.parse(body) as PostBody, response);
    const after = BigInt(query.get('after') ?? 0);
    const found = channel.messages.filter((message) => BigInt(message.id) > after);
    return found.slice(0, Number(query.get('limit') ?? 50)).reverse();
  }

  #post(channel: string, messages: readonly Message[], body: PostBody, response: ServerResponse): unknown {
    this.#spend(channel, response);
    const { content, nonce, enforce_nonce } = body;
    if (content === '') throw new RestError(400, 50_006, 'Cannot send an empty message');
    if (content.length > 2000) throw new RestError(400, 50_035, 'Invalid Form Body');
    const same =
      enforce_nonce === true && messages.find((message) => nonce !== undefined && message.nonce === nonce);
    if (same) return same;
    return this.#keep(channel, 0, {
      author: bot,
      content,
      type: 0,
      mentions: [],
      ...(nonce !== undefined && { nonce }),
    });
  }

  /** https://discord.com/developers/docs/topics/rate-limits */
  #spend(channel: string, response: ServerResponse): void {
    const now = Date.now();
    const known = this.#windows.get(channel);
    const window = known && known.end > now ? known : { left: this.limit, end: now + this.windowMs };
    this.#windows.set(channel, window);
    const seconds = (window.end - now) / 1000;
    response.setHeader('x-ratelimit-limit', String(this.limit));
    response.setHeader('x-ratelimit-bucket', 'posts');
    response.setHeader('x-ratelimit-reset-after', String(seconds));
    response.setHeader('x-ratelimit-remaining', String(Math.max(window.left - 1, 0)));
    if (window.left === 0) {
      response.setHeader('x-ratelimit-scope', 'user');
      throw new RestError(429, 0, 'You are being rate limited.', seconds);
    }
    window.left--;
  }
}

interface PostBody {
  readonly content: string;
  readonly nonce?: string;
  readonly enforce_nonce?: boolean;
}
