import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request that is not taken: the status of HTTP and words for whoever sent it. */
export class Refusal extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, words: string, headers: Readonly<Record<string, string>> = {}) {
    super(words);
    this.name = 'Refusal';
    this.status = status;
    this.headers = headers;
  }
}

/** How long a sender whose request was refused may take to notice it, in milliseconds. */
const LINGER_MS = 1_000;

/**
 * Answers a request that is not taken. What is still to come of it is thrown away, as a connection that ends at once would
 * take the answer with it; a sender that does not stop is cut off.
 */
export function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Readonly<{ status: number; headers: Readonly<Record<string, string>>; body: string | Uint8Array }>,
): void {
  const { status, headers, body } = answer;
  if (request.complete) {
    response.writeHead(status, headers).end(body);
    return;
  }
  request.resume();
  response.writeHead(status, { ...headers, connection: 'close' }).end(body);
  const { socket } = request;
  const cut = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(cut));
}
