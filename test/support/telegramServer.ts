import type { IncomingMessage, ServerResponse } from 'node:http';
import { bodyOf, LoopbackServer, reply } from './loopbackServer.js';

type Params = Readonly<Record<string, unknown>>;

/** How the next request of a method goes wrong. */
export type TelegramFault =
  | { readonly status: number; readonly description?: string; readonly retryAfter?: number }
  /** The connection is cut before or after the request was carried out. */
  | 'cutBefore'
  | 'cutAfter'
  /** A proxy on the way answers in its own manner. */
  | 'proxyPage'
  | 'never';

interface Update {
  readonly update_id: number;
  readonly message: Readonly<Record<string, unknown>>;
}

class ApiError extends Error {
  constructor(
    readonly code: number,
    description: string,
    readonly retryAfter?: number,
  ) {
    super(description);
  }
}

/**
 * Telegram's Bot API on the loopback interface, as https://core.telegram.org/bots/api describes it, for one bot:
 * people say things, the bot asks for them and posts, and `chat` shows what people see.
 */
export class TelegramServer extends LoopbackServer {
  readonly token = '4711:AAE-secret_of_the_bot';
  /** Every method that was called, in order. */
  readonly calls: string[] = [];
  readonly faults: { readonly method: string; readonly fault: TelegramFault }[] = [];
  /** Told of each call before and after it is carried out; the answer goes out later. */
  onCall: (method: string, phase: 'before' | 'after') => void | Promise<void> = () => undefined;
  webhook = '';
  readonly blocked = new Set<number>();
  readonly #lines = new Map<number, string[]>();
  readonly #updates: Update[] = [];
  #updateId = 7_000;
  #messageId = 0;
  #poll: { readonly wake: () => void; readonly replace: () => void } | undefined;

  get root(): string {
    return `http://${this.host}`;
  }

  /** What everybody in a chat sees, as `name: text`. */
  chat(id: number): readonly string[] {
    return this.#lines.get(id) ?? [];
  }

  /** How many updates the bot has not confirmed. */
  get unconfirmed(): number {
    return this.#updates.length;
  }

  /** Somebody says something in a chat, private unless `more.chat` says otherwise. */
  says(chat: number, text: string, more: Readonly<Record<string, unknown>> = {}): void {
    const from = { id: chat, is_bot: false, first_name: 'Ada' };
    const message = { from, chat: { id: chat, type: 'private' }, text, ...more };
    this.#keep(chat, from.first_name, text);
    const date = Math.floor(Date.now() / 1000);
    this.#updates.push({
      update_id: ++this.#updateId,
      message: { message_id: ++this.#messageId, date, ...message },
    });
    this.#poll?.wake();
  }

  /** Something happens in a chat that is not a message of a person. */
  happens(message: Readonly<Record<string, unknown>>): void {
    this.#updates.push({
      update_id: ++this.#updateId,
      message: { message_id: ++this.#messageId, date: 0, ...message },
    });
    this.#poll?.wake();
  }

  protected override async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, token, method = ''] = /^\/bot([^/]+)\/(\w+)$/.exec(request.url ?? '') ?? [];
    const body = await bodyOf(request);
    if (body === undefined) return; // Whoever asked is gone.
    const params = body === '' ? {} : (JSON.parse(body) as Params);
    this.calls.push(method);
    const at = this.faults.findIndex((planned) => planned.method === method);
    const fault = at < 0 ? undefined : this.faults.splice(at, 1)[0]?.fault;
    try {
      if (token !== this.token) throw new ApiError(401, 'Unauthorized');
      if (fault === 'never') return;
      if (fault === 'cutBefore') return void request.socket.destroy();
      if (fault === 'proxyPage') return void response.writeHead(502).end('<html>Bad gateway</html>');
      if (typeof fault === 'object')
        throw new ApiError(fault.status, fault.description ?? 'Fault', fault.retryAfter);
      await this.onCall(method, 'before');
      const result = await this.#carryOut(method, params, response);
      await this.onCall(method, 'after');
      if (fault === 'cutAfter') return void request.socket.destroy();
      reply(response, 200, { ok: true, result });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { code, message, retryAfter } = error;
      const parameters = retryAfter === undefined ? {} : { parameters: { retry_after: retryAfter } };
      reply(response, code, { ok: false, error_code: code, description: message, ...parameters });
    }
  }

  async #carryOut(method: string, params: Params, response: ServerResponse): Promise<unknown> {
    switch (method) {
      case 'getMe':
        return {
          id: 4711,
          is_bot: true,
          first_name: 'Logbook',
          username: 'logbook_bot',
          can_join_groups: true,
        };
      case 'deleteWebhook':
        this.webhook = '';
        if (params.drop_pending_updates === true) this.#updates.length = 0;
        return true;
      case 'getUpdates':
        return this.#getUpdates(params, response);
      case 'sendMessage':
        return this.#sendMessage(params);
      default:
        throw new ApiError(404, 'Not Found');
    }
  }

  async #getUpdates(
    { offset, timeout, limit }: Params,
    response: ServerResponse,
  ): Promise<readonly Update[]> {
    if (this.webhook !== '') {
      const words =
        "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first";
      throw new ApiError(409, `Conflict: ${words}`);
    }
    this.#poll?.replace();
    const first = Number(offset ?? 0);
    while (this.#updates[0] && this.#updates[0].update_id < first) this.#updates.shift();
    if (this.#updates.length === 0 && Number(timeout ?? 0) > 0)
      await this.#longPoll(Number(timeout), response);
    return this.#updates.slice(0, Number(limit ?? 100));
  }

  /** Waits for an update, the time limit, or another question for updates, which ends this one. */
  #longPoll(seconds: number, response: ServerResponse): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (act: () => void) => () => {
        clearTimeout(timer);
        if (this.#poll === poll) this.#poll = undefined;
        act();
      };
      const words = 'terminated by other getUpdates request; make sure that only one bot instance is running';
      const wake = end(resolve);
      const poll = { wake, replace: end(() => reject(new ApiError(409, `Conflict: ${words}`))) };
      const timer = setTimeout(wake, seconds * 1000);
      this.#poll = poll;
      response.on('close', wake);
    });
  }

  #sendMessage({ chat_id, text, message_thread_id }: Params): unknown {
    const chat = Number(chat_id);
    if (!this.#lines.has(chat)) throw new ApiError(400, 'Bad Request: chat not found');
    if (this.blocked.has(chat)) throw new ApiError(403, 'Forbidden: bot was blocked by the user');
    if (typeof text !== 'string' || text.trim() === '')
      throw new ApiError(400, 'Bad Request: message text is empty');
    if (text.length > 4096) throw new ApiError(400, 'Bad Request: message is too long');
    this.#keep(
      chat,
      'Logbook',
      message_thread_id === undefined ? text : `[${Number(message_thread_id)}] ${text}`,
    );
    const from = { id: 4711, is_bot: true, first_name: 'Logbook', username: 'logbook_bot' };
    return { message_id: ++this.#messageId, date: 0, from, chat: { id: chat, type: 'private' }, text };
  }

  #keep(chat: number, name: string, text: string): void {
    const lines = this.#lines.get(chat) ?? [];
    lines.push(`${name}: ${text}`);
    this.#lines.set(chat, lines);
  }
}
