import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ExchangeRecorder } from '../../../src/capture/proxy/exchangeRecorder.js';
import { RecordingProxy } from '../../../src/capture/proxy/recordingProxy.js';
import { upstreamsOf } from '../../../src/capture/proxy/upstreams.js';

const INNER = 'POST /admin/evil HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi';
const CHUNKED = `${INNER.length.toString(16)}\r\n${INNER}\r\n0\r\n\r\n`;
const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

test.each(['GET', 'DELETE', 'OPTIONS', 'POST'])(
  'a body of %s that looks like a request is none',
  async (method) => {
    const bytes = await passed(`${method} /openai/files/1 HTTP/1.1`, ['Transfer-Encoding: chunked'], CHUNKED);
    expect(bytes).toMatch(/\r\ntransfer-encoding: chunked\r\n/i);
    expect(requestsIn(bytes)).toEqual([`${method} /v1/files/1`]);
  },
);

test('nor is one whose length the connection is said to be concerned with', async () => {
  const headers = [`Content-Length: ${INNER.length}`, 'Connection: content-length'];
  expect(requestsIn(await passed('DELETE /openai/files/1 HTTP/1.1', headers, INNER))).toEqual([
    'DELETE /v1/files/1',
  ]);
});

test.each([
  ['GET', undefined],
  ['POST', '0'],
])('a %s without a body has none', async (method, length) => {
  const bytes = await passed(`${method} /openai/models HTTP/1.1`, [], '');
  expect(/content-length: (\d+)/i.exec(bytes)?.[1]).toBe(length);
  expect(bytes).not.toMatch(/transfer-encoding/i);
});

test('a coding that would be lost on the way is refused', async () => {
  const { answer, asked } = await exchanged(
    'POST /openai/x HTTP/1.1',
    ['Transfer-Encoding: gzip, chunked'],
    '0\r\n\r\n',
  );
  expect(answer).toContain('HTTP/1.1 501 ');
  expect(asked).toBe('');
});

test('names, values and words for a status pass byte by byte', async () => {
  const head =
    'HTTP/1.1 200 Gr\xfc\xdfe\r\nX-Cafe: \xe9\r\nX-Two: a\r\nX-Two: b\r\nContent-Length: 2\r\n\r\nok';
  const { answer, asked } = await exchanged('GET /openai/models HTTP/1.1', ['X-Name: \xe4'], '', head);
  expect(asked).toContain('\r\nX-Name: \xe4\r\n');
  expect(answer).toContain('HTTP/1.1 200 Gr\xfc\xdfe\r\n');
  expect(answer).toContain('\r\nX-Cafe: \xe9\r\nX-Two: a\r\nX-Two: b\r\n');
});

test('words for a status that no answer may have are left out', async () => {
  const { answer } = await exchanged(
    'GET /openai/models HTTP/1.1',
    [],
    '',
    'HTTP/1.1 200 O\x01K\r\ncontent-length: 2\r\n\r\nok',
  );
  expect(answer).toMatch(/^HTTP\/1\.1 (?:200 \r\n|502 )/);
});

/** The bytes that reach a model's server for a request. */
async function passed(line: string, headers: readonly string[], body: string): Promise<string> {
  return (await exchanged(line, headers, body)).asked;
}

/** The requests that a strict server sees in these bytes. */
function requestsIn(bytes: string): readonly string[] {
  const requests: string[] = [];
  for (let rest = bytes; rest !== '';) {
    const [head = ''] = rest.split('\r\n\r\n', 1);
    requests.push(head.split(' HTTP/1.1', 1)[0] ?? '');
    rest = rest.slice(head.length + 4);
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (/\r\ntransfer-encoding: chunked/i.test(head)) rest = afterChunks(rest);
    else rest = rest.slice(length);
  }
  return requests;
}

function afterChunks(text: string): string {
  let rest = text;
  for (;;) {
    const [size = ''] = rest.split('\r\n', 1);
    const length = parseInt(size, 16);
    rest = rest.slice(size.length + 2 + length + 2);
    if (!(length > 0)) return rest;
  }
}

/** Sends a request as bytes through a proxy to a server that answers with bytes; what each side got. */
async function exchanged(line: string, headers: readonly string[], body: string, reply = OK) {
  let asked = '';
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    let isAnswered = false;
    socket.on('data', (bytes) => {
      asked += bytes.toString('latin1');
      if (isAnswered || !asked.includes('\r\n\r\n') || !(body === '' || asked.includes(INNER))) return;
      isAnswered = true;
      socket.write(Buffer.from(reply, 'latin1'));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const folder = await mkdtemp(join(tmpdir(), 'proxy-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const openai = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const proxy = await RecordingProxy.listen({
    port: 0,
    upstreams: upstreamsOf({}, { openai }),
    onProblem: () => undefined,
    recorder: new ExchangeRecorder({ folder, onGrown: () => undefined, onProblem: () => undefined }),
  });
  onTestFinished(() => proxy.close());
  const socket = connect(Number(new URL(proxy.address).port), '127.0.0.1');
  let answer = '';
  socket.on('error', () => undefined).on('data', (bytes) => (answer += bytes.toString('latin1')));
  const head = [line, 'Host: 127.0.0.1', 'Connection: close', ...headers].join('\r\n');
  socket.write(Buffer.from(`${head}\r\n\r\n${body}`, 'latin1'));
  await once(socket, 'close');
  return { asked, answer };
}
