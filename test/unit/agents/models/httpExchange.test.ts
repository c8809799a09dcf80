import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { HttpExchange } from '../../../../src/agents/models/httpExchange.js';
import { DEFAULT_HTTP_LIMITS, type HttpLimits } from '../../../../src/agents/models/httpLimits.js';
import { systemTimers } from '../../../../src/core/timers.js';
import { ManualTime, until } from '../../../support/manualTime.js';

const servers: Server[] = [];
const sockets = new Set<Socket>();
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

/** A server that does what it wants with each connection; returns its address. */
async function rawServer(serve: (socket: Socket, connection: number) => void): Promise<string> {
  let connections = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    serve(socket, ++connections);
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const answerOf = (body: string, head = '') =>
  `HTTP/1.1 200 OK\r\n${head}Content-Length: ${body.length}\r\nConnection: keep-alive\r\n\r\n${body}`;

const exchange = (limits: Partial<HttpLimits> = {}, timers = systemTimers) =>
  new HttpExchange({ ...DEFAULT_HTTP_LIMITS, ...limits }, timers);

test('a kept connection that the server has closed in the meantime is opened anew, once', async () => {
  let requests = 0;
  const url = await rawServer((socket, connection) => {
    socket.on('data', () => {
      requests++;
      if (connection === 1 && requests === 2) socket.resetAndDestroy();
      else socket.write(answerOf(`answer ${requests}`));
    });
  });
  const ask = async () => (await exchange().fetch(url)).text();
  expect(await ask()).toBe('answer 1');
  expect(await ask()).toBe('answer 3');
});

test('a kept connection that breaks within an answer is not asked again', async () => {
  let requests = 0;
  const url = await rawServer((socket) => {
    socket.on('data', () => {
      if (++requests === 1) socket.write(answerOf('answer 1'));
      else
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf', () =>
          setTimeout(() => socket.resetAndDestroy(), 20),
        );
    });
  });
  expect(await (await exchange().fetch(url)).text()).toBe('answer 1');
  const it = exchange();
  await expect((await it.fetch(url)).text()).rejects.toThrow();
  // Whatever was sent before this one arrives before it.
  await exchange().fetch(url);
  expect({ requests, code: it.failure?.code }).toEqual({ requests: 3, code: 'network' });
});

test('a new connection that is closed is a failure that may pass', async () => {
  const url = await rawServer((socket) => socket.on('data', () => socket.resetAndDestroy()));
  const it = exchange();
  await expect(it.fetch(url)).rejects.toThrow();
  expect(it.failure).toEqual({
    code: 'network',
    message: 'The endpoint could not be used: it closed the connection.',
    retryable: true,
  });
});

test('a name that nobody knows is a failure', async () => {
  const it = exchange();
  await expect(it.fetch('https://no-such-host.invalid/')).rejects.toThrow();
  expect(it.failure?.code).toBe('network');
});

test('a connection that does not come to stand is given up', async () => {
  const clock = new ManualTime();
  // Speaks no TLS, so that the encryption never stands.
  const url = await rawServer(() => undefined);
  const it = exchange({ connectMs: 5_000 }, clock);
  const asked = it.fetch(url.replace('http:', 'https:'));
  asked.catch(() => undefined);
  await until(() => clock.waiting === 2);
  await clock.advance(5_000);
  await expect(asked).rejects.toThrow();
  expect(it.failure).toMatchObject({
    code: 'timeout',
    message: 'The endpoint could not be reached within 5 s.',
  });
  expect(clock.waiting).toBe(0);
});

test('an answer without a body is an answer', async () => {
  const url = await rawServer((socket) =>
    socket.on('data', () => socket.write('HTTP/1.1 204 No Content\r\n\r\n')),
  );
  const response = await exchange().fetch(url);
  expect(response.status).toBe(204);
  expect(await response.text()).toBe('');
});

test('a status that cannot be is a failure', async () => {
  const url = await rawServer((socket) =>
    socket.on('data', () => socket.write('HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n')),
  );
  const it = exchange();
  await expect(it.fetch(url)).rejects.toThrow();
  expect(it.failure?.code).toBe('network');
});

test('a reader that is slow slows the sender down', async () => {
  const clock = new ManualTime();
  let flooding: Socket | undefined;
  const url = await rawServer((socket) => {
    flooding = socket;
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n');
      const flood = (): void => {
        if (socket.write(Buffer.alloc(65_536))) setImmediate(flood);
      };
      flood();
    });
  });
  const response = await exchange({ bodyBytes: 1e9 }, clock).fetch(url);
  await until(() => flooding?.writableNeedDrain ?? false);
  expect(flooding?.bytesWritten).toBeLessThan(50_000_000);
  await response.body?.cancel();
});
