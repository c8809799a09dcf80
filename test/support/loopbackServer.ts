import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** An HTTP server on the loopback interface that can go away and come back. */
export abstract class LoopbackServer {
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #port = 0;

  /** Where it is once it is up, as `127.0.0.1:50123`. */
  protected get host(): string {
    return `127.0.0.1:${this.#port}`;
  }

  /** Opens, on the same port as before where there was one. */
  async up(): Promise<void> {
    const server = createServer((request, response) => void this.answer(request, response));
    if (this.upgrade) server.on('upgrade', this.upgrade.bind(this));
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (server.address() as AddressInfo).port;
  }

  /** Is gone: cuts every connection and takes no new one. */
  async down(): Promise<void> {
    const closed = new Promise((resolve) => this.#server?.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  protected abstract answer(request: IncomingMessage, response: ServerResponse): Promise<void>;

  /** Goes on with another protocol, where the server knows one. */
  protected upgrade?(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** All that a client sends; undefined where it is gone before. */
export async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  let body = '';
  try {
    for await (const chunk of request) body += String(chunk);
  } catch {
    return undefined;
  }
  return body;
}

/** Answers with JSON, where the client is still there. */
export function reply(response: ServerResponse, status: number, answer: unknown): void {
  if (response.destroyed) return;
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
}
