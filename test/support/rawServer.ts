import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** The bytes of an answer and what the server does behind them. */
export interface RawAnswer {
  readonly pieces: readonly (string | Uint8Array)[];
  /** `end` closes in order, `reset` breaks off, `hang` stays open without a word. */
  readonly then?: 'end' | 'reset' | 'hang';
}

/** A server on a loopback port that answers each request with bytes as they are, however wrong they are as HTTP. */
export class RawServer {
  /** How many requests came. */
  requests = 0;
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;

  private constructor(answer: RawAnswer) {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
      // The client may break off at any time, which is its right.
      socket.on('error', () => undefined);
      socket.setNoDelay(true);
      socket.once('data', () => void this.#answer(socket, answer));
    });
  }

  static async start(answer: RawAnswer): Promise<RawServer> {
    const server = new RawServer(answer);
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  /** What an endpoint's base URL would be. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #answer(socket: Socket, { pieces, then = 'end' }: RawAnswer): Promise<void> {
    this.requests++;
    for (const piece of pieces) {
      if (socket.destroyed) return;
      await new Promise<void>((resolve) => socket.write(piece, () => resolve()));
    }
    if (then === 'end') socket.end();
    else if (then === 'reset') socket.resetAndDestroy();
  }
}
