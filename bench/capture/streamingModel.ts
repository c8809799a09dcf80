import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** A model on loopback that answers every request with a stream of so many pieces, and how it is ended. */
export async function streamingModel(pieces: number, everyMs: number) {
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.flushHeaders();
      void (async () => {
        for (let at = 0; at < pieces; at++) {
          const delta = at === 0 ? { role: 'assistant', content: 'Piece 0 ' } : { content: `piece ${at} ` };
          const chunk = {
            id: 'c',
            object: 'chat.completion.chunk',
            model: 'm',
            choices: [{ index: 0, delta }],
          };
          response.write(`data: ${JSON.stringify(chunk)}\n\n`);
          if (everyMs > 0) await delay(everyMs);
        }
        response.end('data: [DONE]\n\n');
      })();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** How long one request took until its first byte and until its last, in milliseconds, and how much came. */
export interface RequestTiming {
  readonly first: number;
  readonly whole: number;
  readonly bytes: number;
}

/** Asks a model for a stream, with a prompt of its own. */
export async function ask(address: string, prompt: string): Promise<RequestTiming> {
  const begun = performance.now();
  const body = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: prompt }] });
  const headers = { 'content-type': 'application/json', authorization: 'Bearer none' };
  const answer = await fetch(`${address}/chat/completions`, { method: 'POST', headers, body });
  if (!answer.ok || !answer.body) throw new Error(`${answer.status} ${await answer.text()}`);
  let [first, bytes] = [0, 0];
  for await (const piece of answer.body as unknown as AsyncIterable<Uint8Array>) {
    if (bytes === 0) first = performance.now() - begun;
    bytes += piece.length;
  }
  return { first, whole: performance.now() - begun, bytes };
}
