import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ExchangeRecorder } from '../../../src/capture/proxy/exchangeRecorder.js';
import { RecordingProxy } from '../../../src/capture/proxy/recordingProxy.js';
import { upstreamsOf } from '../../../src/capture/proxy/upstreams.js';
import { isObject } from '../../../src/core/message.js';
import { importFile } from '../../../src/import/importFile.js';
import type { ImportResult } from '../../../src/import/reading/importResult.js';
import { query, said } from '../import/reading.js';

type Body = Readonly<Record<string, unknown>>;

const MODEL = 'qwen3';
const ROLES = ['system', 'user', 'assistant', 'tool'];
const isText = (value: unknown): value is string => typeof value === 'string';
const isBase64 = (value: unknown) => isText(value) && /^[A-Za-z0-9+/]+={0,2}$/.test(value);

/** What Ollama refuses in a request, in words; undefined for nothing. */
function refusalOf(
  path: string,
  { model, messages, prompt, images = [], stream = true }: Body,
): string | undefined {
  if (!isText(model)) return 'model is required';
  if (typeof stream !== 'boolean') return 'stream must be a boolean';
  if (!Array.isArray(images) || !images.every(isBase64)) return 'illegal base64 data';
  if (path === '/api/generate') return isText(prompt) ? undefined : 'prompt is required';
  if (!Array.isArray(messages)) return 'messages are required';
  for (const each of messages as unknown[]) {
    if (!isObject(each) || !ROLES.includes(String(each.role))) return 'invalid role';
    if (!isText(each.content)) return 'content must be a string';
    const calls = (each.tool_calls ?? []) as { readonly function?: { readonly arguments?: unknown } }[];
    // As an object, not as the text that OpenAI has.
    if (!calls.every((call) => isObject(call.function?.arguments))) return 'arguments must be an object';
  }
  return undefined;
}

/** A server that speaks Ollama's own API and refuses what Ollama would; `answers` are the pieces of each answer in turn. */
async function ollama(answers: readonly (readonly object[])[]) {
  let at = 0;
  const answer = (request: IncomingMessage, response: ServerResponse, text: string) => {
    const body = JSON.parse(text) as Body;
    const refused = refusalOf(request.url ?? '', body);
    const json = { 'content-type': 'application/json; charset=utf-8' };
    if (request.method !== 'POST' || refused !== undefined)
      return response.writeHead(400, json).end(JSON.stringify({ error: refused ?? 'no such path' }));
    if (body.model !== MODEL)
      return response
        .writeHead(404, json)
        .end(JSON.stringify({ error: `model '${String(body.model)}' not found` }));
    const pieces = answers[at++] ?? [];
    if (body.stream === false) return response.writeHead(200, json).end(JSON.stringify(pieces[0]));
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    for (const piece of pieces) response.write(`${JSON.stringify(piece)}\n`);
    return response.end();
  };
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => answer(request, response, text));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A proxy before such a server, and what a program gets that asks there; ended, what was recorded. */
async function recording(answers: readonly (readonly object[])[]) {
  const folder = await mkdtemp(join(tmpdir(), 'ollama-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const proxy = await RecordingProxy.listen({
    port: 0,
    recorder: new ExchangeRecorder({ folder, onGrown: () => undefined, onProblem: () => undefined }),
    upstreams: upstreamsOf({ OLLAMA_HOST: await ollama(answers) }, {}),
    onProblem: () => undefined,
  });
  onTestFinished(() => proxy.close());
  const ask = async (path: string, body: object) => {
    const answer = await fetch(`${proxy.address}/ollama${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
    });
    return { status: answer.status, text: await answer.text() };
  };
  const recorded = async (): Promise<readonly ImportResult[]> => {
    await proxy.close();
    const names = (await readdir(folder)).sort();
    return Promise.all(names.map((name) => importFile(join(folder, name))));
  };
  return { ask, recorded };
}

const created_at = '2026-01-01T00:00:00.5Z';
const piece = (message: object) => ({
  model: MODEL,
  created_at,
  message: { role: 'assistant', ...message },
  done: false,
});
const counts = {
  total_duration: 5_000_000_001,
  prompt_eval_count: 12,
  eval_count: 7,
  eval_duration: 3_000_000_002,
};
const end = (message: object = { content: '' }) => ({
  ...piece(message),
  done: true,
  done_reason: 'stop',
  ...counts,
});
const call = (what: string) => ({ function: { name: 'weigh', arguments: { what } } });

test('a conversation with tools is recorded as one, its streamed answers passed on as they are', async () => {
  const answers = [
    [
      piece({ content: '', thinking: 'Both must be ' }),
      piece({ content: '', thinking: 'weighed.' }),
      piece({ content: '', tool_calls: [call('flour'), call('salt')] }),
      end(),
    ],
    [piece({ content: 'Flour 100 g,' }), piece({ content: ' salt 2 g.' }), end()],
    [piece({ content: '', tool_calls: [call('sugar')] }), end()],
  ];
  const { ask, recorded } = await recording(answers);
  const user = { role: 'user', content: 'Weigh both.', images: ['iVBORw0KGgo='] };
  const called = {
    role: 'assistant',
    content: '',
    thinking: 'Both must be weighed.',
    tool_calls: [call('flour'), call('salt')],
  };
  const results = ['100 g', '2 g'].map((content) => ({ role: 'tool', tool_name: 'weigh', content }));
  const answer = { role: 'assistant', content: 'Flour 100 g, salt 2 g.' };
  const histories = [
    [user],
    [user, called, ...results],
    [user, called, ...results, answer, { role: 'user', content: 'And the sugar?' }],
  ];
  for (const [at, messages] of histories.entries()) {
    const { status, text } = await ask('/api/chat', { model: MODEL, messages });
    expect([status, text]).toEqual([200, answers[at]?.map((each) => `${JSON.stringify(each)}\n`).join('')]);
  }
  const [result, ...others] = await recorded();
  expect(others).toEqual([]);
  expect(result && said(result)).toEqual([
    'user: [{"type":"text","text":"Weigh both."},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo="}}]',
    'assistant:  weigh({"what":"flour"}) weigh({"what":"salt"})',
    'tool call 1: 100 g',
    'tool call 2: 2 g',
    'assistant: Flour 100 g, salt 2 g.',
    'user: And the sugar?',
    'assistant:  weigh({"what":"sugar"})',
  ]);
  expect(result?.problems).toEqual([]);
  expect(result?.conversations).toHaveLength(1);
  expect(result && query(result).stats().usage).toMatchObject({ inputTokens: 36, outputTokens: 21 });
  expect(JSON.stringify(result)).toContain('"reasoning_content":"Both must be weighed."');
  expect(JSON.stringify(result)).toContain('call 3');
});

test('an answer in one piece, and one to a prompt alone', async () => {
  const generated = {
    model: MODEL,
    created_at,
    response: 'Sift it.',
    thinking: 'Flour.',
    done: true,
    ...counts,
  };
  const { ask, recorded } = await recording([
    [end({ content: 'Sift it.' })],
    [{ ...generated, context: [1, 20_000] }],
  ]);
  const messages = [{ role: 'user', content: 'What now?' }];
  await ask('/api/chat', { model: MODEL, messages, stream: false });
  await ask('/api/generate', { model: MODEL, prompt: 'And then?', system: 'Be brief.', stream: false });
  const results = await recorded();
  expect(results.map((result) => said(result)).sort()).toEqual([
    ['system: Be brief.', 'user: And then?', 'assistant: Sift it.'],
    ['user: What now?', 'assistant: Sift it.'],
  ]);
  expect(results.flatMap(({ problems }) => problems)).toEqual([]);
});

test('what fails is told as a failure: a model that is not there, and an answer that breaks off', async () => {
  const { ask, recorded } = await recording([
    [piece({ content: 'Flour 1' }), { error: 'the runner has ended' }],
  ]);
  const messages = [{ role: 'user', content: 'Weigh the flour.' }];
  expect((await ask('/api/chat', { model: 'none', messages })).status).toBe(404);
  await ask('/api/chat', { model: MODEL, messages: [{ role: 'user', content: 'Weigh the salt.' }] });
  const texts = (await recorded()).map((result) => JSON.stringify(result)).sort();
  expect(texts.join('\n')).toContain("model 'none' not found");
  expect(texts.join('\n')).toContain('the runner has ended');
  expect(texts.join('\n')).toContain('"content":"Flour 1"');
});

test('what asks no model is passed on only', async () => {
  const { ask, recorded } = await recording([]);
  expect((await ask('/api/embed', { model: MODEL, input: 'flour' })).status).toBe(400);
  expect(await recorded()).toEqual([]);
});
