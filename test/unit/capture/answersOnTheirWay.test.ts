import { request as send } from 'node:http';
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { importFile } from '../../../src/import/importFile.js';
import { proxyBench, type ProxyBench } from '../../support/proxyBench.js';
import { said } from '../import/reading.js';

const KEY = 'sk-live-9Zq7RkT2mVb4XwYp';
/** Of no kind that is known. */
const PLAIN_KEY = 'Zr8pWq3LmN6tYv2BxK5d';
const BODY = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'Why?' }] });
const delta = (content: string) =>
  `data: ${JSON.stringify({ object: 'chat.completion.chunk', id: 'c', choices: [{ index: 0, delta: { content } }] })}\n\n`;

describe('an answer on its way', () => {
  test('is in the recording while nothing else comes, and replaced when it has ended', async () => {
    let goOn: () => void = () => undefined;
    const waits = new Promise<void>((resolve) => (goOn = resolve));
    const bench = await proxyBench(async (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(delta('Because ') + delta('of') + 'data: {"object":"chat.comp');
      await waits;
      response.end(`letion.chunk","choices":[{"index":0,"delta":{"content":" that."}}]}\n\ndata: [DONE]\n\n`);
    });
    const answer = ask(bench);
    await expect.poll(() => bench.written()).toContain('Because of');
    expect(await soFar(bench)).toEqual([['user: Why?', 'assistant: Because of']]);
    goOn();
    await answer;
    await bench.close();
    expect(await soFar(bench)).toEqual([['user: Why?', 'assistant: Because of that.']]);
  });

  test('is gone on with by who names it before it has ended', async () => {
    let goOn: () => void = () => undefined;
    const waits = new Promise<void>((resolve) => (goOn = resolve));
    let asked = 0;
    const bench = await proxyBench(async (_, response) => {
      const id = `resp_${++asked}`;
      const output = [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: id }] }];
      const whole = { object: 'response', id, status: 'completed', output };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(
        `data: ${JSON.stringify({ type: 'response.created', response: { ...whole, output: [] } })}\n\n`,
      );
      response.write(`data: ${JSON.stringify({ type: 'response.completed', response: whole })}\n\n`);
      if (id === 'resp_1') await waits;
      response.end();
    });
    let second: Promise<string> | undefined;
    const first = ask(
      bench,
      {},
      () => {
        const body = { model: 'm', stream: true, input: 'And then?', previous_response_id: 'resp_1' };
        second ??= ask(bench, {}, undefined, { path: '/openai/v1/responses', body });
      },
      { path: '/openai/v1/responses', body: { model: 'm', stream: true, input: 'Why?' } },
    );
    await expect.poll(() => second).toBeDefined();
    await second;
    goOn();
    await first;
    await bench.close();
    expect(await soFar(bench)).toEqual([
      ['user: Why?', 'assistant: resp_1', 'user: And then?', 'assistant: resp_2'],
    ]);
  });

  test.each([
    ['packed', { 'content-encoding': 'gzip' }, gzipSync(delta('Because of that.')).subarray(0, -8)],
    ['deflated', { 'content-encoding': 'deflate' }, deflateSync(delta('Because of that.')).subarray(0, -4)],
    ['deflated alone', { 'content-encoding': 'deflate' }, deflateRawSync(delta('Because of that.'))],
    [
      'in one piece',
      { 'content-type': 'application/json' },
      Buffer.from('{"object":"chat.completion","choices":[{"mess'),
    ],
  ] as const)('is kept where it comes %s', async (_, headers, bytes) => {
    const bench = await proxyBench((_request, response) => {
      response.writeHead(200, headers);
      response.write(bytes);
    });
    void ask(bench).catch(() => undefined);
    await expect.poll(() => bench.written()).toContain('"piece"');
    const words = JSON.stringify(await soFar(bench));
    expect(words).toMatch(/Because of that\.|choices/);
  });

  test('is recorded as far as it came when recording stops', async () => {
    let came: () => void = () => undefined;
    const isThere = new Promise<void>((resolve) => (came = resolve));
    const bench = await proxyBench((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(delta('Because of'));
    });
    void ask(bench, {}, () => came()).catch(() => undefined);
    await isThere;
    await bench.close();
    expect(await soFar(bench)).toEqual([['user: Why?', 'assistant: Because of']]);
    expect(await bench.written()).toContain('The recording was stopped before the answer ended.');
  });
});

describe('a key that is sent and comes back', () => {
  const forms: readonly (readonly [string, string])[] = [
    ['as it is', KEY],
    ['within Base64', Buffer.from(`user:${KEY}`).toString('base64')],
    ['escaped for JSON', KEY.replace('-', '\\u002d').replace('9', '\\u0039')],
    ['escaped for a URL', KEY.replaceAll('-', '%2D').replace('Z', '%5A')],
    ['escaped for HTML', KEY.replaceAll('-', '&#45;').replace('q', '&#x71;')],
    ['with what has no width', KEY.split('').join('\u200b')],
  ];
  test.each(forms)('%s is not recorded', async (_, form) => {
    const bench = await proxyBench((_request, response) => {
      response.writeHead(401, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: `Wrong key ${form}, try another` } }));
    });
    await ask(bench, { authorization: `Bearer ${KEY}` });
    await bench.close();
    const written = await bench.written();
    expect(written).not.toContain(form.slice(2));
    expect(written).not.toContain(JSON.stringify(form.slice(2)).slice(1, -1));
    expect(written).toContain('[key left out]');
    expect(written).toContain('try another');
  });

  test.each([1, 2, 3, 7, 12, 20])(
    'cut after %i characters is neither recorded in pieces nor in the end',
    async (at) => {
      let goOn: () => void = () => undefined;
      const waits = new Promise<void>((resolve) => (goOn = resolve));
      const bench = await proxyBench(async (_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(delta('Yours is ') + delta(KEY.slice(0, at)));
        await waits;
        response.write(delta(KEY.slice(at)) + delta(', keep it.'));
        response.end('data: [DONE]\n\n');
      });
      const answer = ask(bench, { 'x-api-key': KEY });
      await expect.poll(() => bench.written()).toContain('Yours is');
      goOn();
      await answer;
      await bench.close();
      expect(await bench.written()).not.toContain(KEY.slice(Math.max(2, at)));
      expect(JSON.stringify(await soFar(bench))).not.toContain(KEY);
      expect(await soFar(bench)).toEqual([['user: Why?', 'assistant: Yours is [key left out], keep it.']]);
    },
  );

  test.each([
    ['ocp-apim-subscription-key', PLAIN_KEY],
    ['helicone-auth', `Bearer ${PLAIN_KEY}`],
    ['cf-aig-authorization', `Bearer ${PLAIN_KEY}`],
    ['x-portkey-api-key', PLAIN_KEY],
    ['x-amz-security-token', PLAIN_KEY],
    ['x-my-secret', PLAIN_KEY],
    [
      'authorization',
      `AWS4-HMAC-SHA256 Credential=AKIA/20261130/x, SignedHeaders=host, Signature=${PLAIN_KEY}`,
    ],
  ])('in the header %s is not recorded', async (name, value) => {
    const bench = await proxyBench((_, response) => {
      response.end(JSON.stringify({ error: `Wrong: ${PLAIN_KEY}!` }));
    });
    await ask(bench, { [name]: value });
    await bench.close();
    expect(await bench.written()).toContain('Wrong: [key left out]!');
  });

  test('in an address is not recorded, nor as the name of a tool while an answer comes', async () => {
    const bench = await proxyBench((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const tool_calls = [{ index: 0, id: KEY, function: { name: `run ${KEY}`, arguments: '{' } }];
      response.write(
        `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices: [{ delta: { tool_calls } }] })}\n\n`,
      );
    });
    void ask(bench, {}, undefined, { path: `/openai/v1/chat/completions?subscription-key=${KEY}` }).catch(
      () => undefined,
    );
    await expect.poll(() => bench.written()).toContain('"piece"');
    expect(await bench.written()).toContain('run [key left out]');
    expect(await bench.written()).not.toContain(KEY);
  });

  test('is not told either, and a word in its place changes nothing', async () => {
    const bench = await proxyBench((_, response) => {
      response.end(
        JSON.stringify({
          object: 'chat.completion',
          choices: [{ message: { role: 'assistant', content: 'lm-studio is a program' } }],
        }),
      );
    });
    await ask(bench, { authorization: 'Bearer lm-studio' });
    await bench.close();
    expect(await bench.written()).toContain('lm-studio is a program');
  });
});

/** What each recording says when it is imported now. */
async function soFar(bench: ProxyBench): Promise<readonly (readonly string[])[]> {
  return Promise.all((await bench.paths()).map(async (path) => said(await importFile(path))));
}

function ask(
  bench: ProxyBench,
  headers: Readonly<Record<string, string>> = {},
  onData: () => void = () => undefined,
  { path = '/openai/v1/chat/completions', body }: { path?: string; body?: object } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const about = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } };
    send(`${bench.address}${path}`, about, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
        onData();
      });
      response.on('end', () => resolve(text)).on('error', reject);
    })
      .on('error', reject)
      .end(body ? JSON.stringify(body) : BODY);
  });
}
