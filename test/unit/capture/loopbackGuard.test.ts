import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { allOf, proxyBench } from '../../support/proxyBench.js';

const BODY = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hello' }] });
const ANSWER = JSON.stringify({
  object: 'chat.completion',
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'At last.' } }],
});

describe('what no program on this machine would send', () => {
  test.each([
    ['two hosts', (port: number) => [`Host: 127.0.0.1:${port}`, 'Host: evil.example'], 400],
    ['the same host twice', (port: number) => [`Host: 127.0.0.1:${port}`, `host: 127.0.0.1:${port}`], 400],
    [
      'a page of another port',
      (port: number) => [`Host: 127.0.0.1:${port}`, 'Origin: http://localhost:3000'],
      403,
    ],
    ['a page of no port', (port: number) => [`Host: 127.0.0.1:${port}`, 'Origin: http://127.0.0.1'], 403],
    [
      'a page of the same site',
      (port: number) => [`Host: 127.0.0.1:${port}`, 'Sec-Fetch-Site: same-site'],
      403,
    ],
    [
      'a WebSocket',
      (port: number) => [
        `Host: 127.0.0.1:${port}`,
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
      ],
      501,
    ],
    [
      'its own origin, which is no page',
      (port: number) => [`Host: 127.0.0.1:${port}`, `Origin: http://127.0.0.1:${port}`],
      200,
    ],
  ] as const)('%s', async (_, headers, status) => {
    let asked = 0;
    const bench = await proxyBench((_request, response) => {
      asked += 1;
      response.setHeader('content-type', 'application/json').end(ANSWER);
    });
    const socket = await bench.socket();
    const lines = ['GET /openai/v1/models HTTP/1.1', ...headers(bench.port), 'Connection: close', '', ''];
    const isUpgrade = lines.some((line) => line === 'Connection: Upgrade');
    socket.write(lines.filter((line) => !isUpgrade || line !== 'Connection: close').join('\r\n'));
    if (isUpgrade) socket.end();
    expect(await allOf(socket)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(asked).toBe(status === 200 ? 1 : 0);
  });
});

test('a program that says that it sends no more gets its answer, and it is recorded', async () => {
  let answer: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => {
    answer = resolve;
  });
  let isAsked: () => void = () => undefined;
  const came = new Promise<void>((resolve) => (isAsked = resolve));
  const bench = await proxyBench(async (request, response) => {
    request.resume();
    await once(request, 'end');
    isAsked();
    await asked;
    response.setHeader('content-type', 'application/json').end(ANSWER);
  });
  const socket = await bench.socket();
  socket.end(
    [
      'POST /openai/v1/chat/completions HTTP/1.1',
      `Host: 127.0.0.1:${bench.port}`,
      'Content-Type: application/json',
      `Content-Length: ${BODY.length}`,
      '',
      BODY,
    ].join('\r\n'),
  );
  await came;
  answer();
  expect(await allOf(socket)).toContain('At last.');
  await bench.close();
  expect(await bench.written()).toContain('At last.');
});
