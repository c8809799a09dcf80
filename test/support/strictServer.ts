import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { isObject, type ChatMessage } from '../../src/core/message.js';
import { violationOf } from './wireRules.js';
import { refusing, type WireAnswer } from './wireAnswers.js';

/** A request as it came in. */
export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
  /** The messages of the body. */
  readonly messages: readonly ChatMessage[];
}

/** What the server answers, given the request and how many came before it. */
export type Answering = (request: WireRequest, index: number) => WireAnswer | Promise<WireAnswer>;

/**
 * A chat-completions endpoint on a loopback port that speaks the real wire format. It answers 400 to every request
 * that breaks the protocol, whatever the test wanted to answer, and keeps the reason in `violations`.
 */
export class StrictServer {
  readonly requests: WireRequest[] = [];
  readonly violations: string[] = [];
  /** Sockets that were closed by the other side while an answer was under way. */
  abandoned = 0;
  /** The key without which no models are listed; left out, everybody is told. */
  key: string | undefined;
  readonly #server: Server;
  readonly #answering: Answering;
  readonly #alsoTaken: readonly string[];

  private constructor(answering: Answering, alsoTaken: readonly string[]) {
    this.#answering = answering;
    this.#alsoTaken = alsoTaken;
    this.#server = createServer((incoming, outgoing) => {
      this.#serve(incoming, outgoing).catch((error: unknown) => {
        this.violations.push(`the server itself failed: ${String(error)}`);
        outgoing.destroy();
      });
    });
  }

  /** `alsoTaken` are keys of answers that this provider knows beyond the protocol. */
  static async start(
    answering: Answering | readonly WireAnswer[],
    alsoTaken: readonly string[] = [],
  ): Promise<StrictServer> {
    const list = typeof answering === 'function' ? undefined : answering;
    const byIndex: Answering = (_, index) => list?.[index] ?? refusing(500, `no answer planned for ${index}`);
    const server = new StrictServer(typeof answering === 'function' ? answering : byIndex, alsoTaken);
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** What an endpoint's base URL would be. */
  get url(): string {
    return `http://127.0.0.1:${this.port}/v1`;
  }

  /** Closes at once, also what is under way; closing again does nothing. */
  async close(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = incoming;
    if (method === 'GET' && path.endsWith('/models')) {
      if (this.key !== undefined && headers.authorization !== `Bearer ${this.key}`) {
        outgoing.writeHead(401).end(JSON.stringify({ error: { message: 'No such key.' } }));
        return;
      }
      outgoing.setHeader('content-type', 'application/json');
      outgoing.end(JSON.stringify({ object: 'list', data: [{ id: 'test-model', object: 'model' }] }));
      return;
    }
    const body = parse(await textOfBody(incoming));
    const messages = (isObject(body) ? body.messages : []) as readonly ChatMessage[];
    const request = { method, path, headers, body: isObject(body) ? body : {}, messages };
    const index = this.requests.push(request) - 1;
    const violation = violationOf(body, this.#alsoTaken);
    if (violation !== undefined) this.violations.push(violation);
    outgoing.once('close', () => {
      if (!outgoing.writableFinished) this.abandoned++;
    });
    await send(
      outgoing,
      violation === undefined ? await this.#answering(request, index) : refusing(400, violation),
    );
  }
}

async function send(outgoing: ServerResponse, answer: WireAnswer): Promise<void> {
  await answer.after;
  outgoing.writeHead(answer.status ?? 200, { 'content-type': 'text/event-stream', ...answer.headers });
  outgoing.socket?.setNoDelay();
  for (const piece of answer.pieces ?? []) {
    if (outgoing.destroyed) return;
    await new Promise<void>((resolve) => outgoing.write(piece, () => resolve()));
  }
  if (answer.then === 'cut') outgoing.socket?.destroy();
  else if (answer.then !== 'hang') outgoing.end();
}

async function textOfBody(incoming: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
