import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { errorCode } from '../../core/errorCode.js';
import { messageOf } from '../../core/text.js';

/** What a server on this machine is given. */
export interface LoopbackServerOptions {
  /** The port; 0 takes any that is free. */
  readonly port: number;
  /** How many connections may be open at once; further ones are closed. */
  readonly maxConnections: number;
  /** Answers a request; what it throws ends its connection and goes to `onError`. */
  readonly answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** How long a sender may take for the headers of a request, and for a whole one. */
const HEADERS_MS = 10_000;
const REQUEST_MS = 60_000;

/** A server of HTTP that only this machine reaches. */
export class LoopbackServer {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** Starts to listen. Rejects with words for a person, for example where another program has the port. */
  static async listen({
    port,
    maxConnections,
    answer,
    onError,
  }: LoopbackServerOptions): Promise<LoopbackServer> {
    const server = createServer(
      { headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS, connectionsCheckingInterval: 5_000 },
      (request, response) => {
        answer(request, response).catch((error: unknown) => {
          onError(error);
          response.destroy();
        });
      },
    );
    server.maxConnections = maxConnections;
    // Whoever has sent its request and says that it sends no more, waits for its answer.
    Object.assign(server, { httpAllowHalfOpen: true });
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error) => reject(listenError(error, port)));
      server.listen({ port, host: '127.0.0.1' }, () => {
        server.removeAllListeners('error');
        server.on('error', onError);
        resolve();
      });
    });
    return new LoopbackServer(server);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Its address for programs on this machine, without a path. */
  get address(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Ends all connections and frees the port. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }
}

function listenError(error: Error, port: number): Error {
  const code = errorCode(error);
  if (code === 'EADDRINUSE')
    return new Error(`Port ${port} is taken by another program. Choose another one.`);
  if (code === 'EACCES') return new Error(`Port ${port} may not be used. Choose one above 1023.`);
  return new Error(`Port ${port} cannot be listened to: ${messageOf(error)}`);
}
