import { copyFileSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeAll, expect, test } from 'vitest';
import type { ChatMessage } from '../../../../src/core/message.js';
import { countMessageTokens } from '../../../../src/query/numbers/messageTokens.js';
import { loadTokenCounter } from '../../../../src/query/tokens/loadTokenCounter.js';
import { TokenService } from '../../../../src/query/tokens/tokenService.js';
import { buildWorker } from '../../../support/buildWorker.js';

let worker: URL;
const services: TokenService[] = [];

beforeAll(async () => {
  worker = await buildWorker('query/tokens/tokens.worker.ts');
});

afterEach(() => {
  for (const service of services.splice(0)) service.dispose();
});

function open(script = worker): TokenService {
  const service = new TokenService(script);
  services.push(service);
  return service;
}

/** A script that ends the thread when it is asked about `crash`, and counts 1 for anything else. */
function brittle(crash: string): URL {
  const script = join(mkdtempSync(join(tmpdir(), 'tokens-')), 'worker.mjs');
  const code = `import { parentPort } from 'node:worker_threads';
    parentPort.on('message', ({ call, args: [, items] }) => {
      if (items.includes('crash')) { ${crash} }
      parentPort.postMessage({ answer: call, value: items.map(() => 1) });
    });`;
  writeFileSync(script, code);
  return pathToFileURL(script);
}

test('texts are counted in their order, in the encoding of the model', async () => {
  const service = open();
  const texts = ['', 'one', 'one two three', 'Pickles für alle, सब'];
  expect(await service.count(texts, 'gpt-4o')).toEqual([0, 1, 3, 6]);
  expect(await service.count(texts, 'gpt-4')).toEqual([0, 1, 3, 8]);
  expect(await service.count([], 'gpt-4o')).toEqual([]);
});

test('texts of many batches, and a text longer than one, are counted whole', async () => {
  const long = 'five little pickles jumping over\n'.repeat(100_000);
  const texts = [
    long,
    'one',
    'x'.repeat(1_500_000),
    ...Array.from({ length: 50 }, () => long.slice(0, 100_000)),
  ];
  const counter = await loadTokenCounter('o200k_base');
  expect(await open().count(texts, 'gpt-4o')).toEqual(texts.map((text) => counter.count(text)));
});

test('whole messages are counted by the one rule', async () => {
  const counter = await loadTokenCounter('o200k_base');
  const call = { id: 'c1', type: 'function', function: { name: 'read', arguments: '{"path":"a"}' } } as const;
  const messages: ChatMessage[] = [
    { role: 'user', content: 'one two three' },
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'c1', content: 'x '.repeat(400_000) },
    { role: 'tool', tool_call_id: 'c1', content: 'y '.repeat(400_000) },
  ];
  const expected = messages.map((message) =>
    countMessageTokens({ ...message }, (text) => counter.count(text)),
  );
  expect(await open().countMessages(messages, 'gpt-4o')).toEqual(expected);
});

test('questions at the same time get their own answers', async () => {
  const service = open();
  const answers = await Promise.all(
    ['one', 'one two', 'one two three'].map((text) => service.count([text], 'o1')),
  );
  expect(answers).toEqual([[1], [2], [3]]);
});

test('a question that is aborted rejects at once, and the next one is answered', async () => {
  const service = open();
  const abort = new AbortController();
  const long = service.count(['a b '.repeat(5_000_000)], 'gpt-4o', abort.signal);
  abort.abort(new Error('never mind'));
  await expect(long).rejects.toThrow('never mind');
  await expect(service.count(['one'], 'gpt-4o', abort.signal)).rejects.toThrow('never mind');
  expect(await service.count(['one'], 'gpt-4o')).toEqual([1]);
});

test.each([
  ['throws', "throw new Error('out of pickles')", 'The token counter broke down: out of pickles'],
  ['ends', 'process.exit(7)', "The token counter broke down: The thread 'token counter' ended with code 7."],
])('a thread that %s is told in words, and the next question has a fresh one', async (_, crash, words) => {
  const service = open(brittle(crash));
  const both = [service.count(['crash'], 'gpt-4o'), service.count(['waiting'], 'gpt-4o')];
  for (const question of both) await expect(question).rejects.toThrow(words);
  expect(await service.count(['a', 'b'], 'gpt-4o')).toEqual([1, 1]);
});

test('a thread without ranks says so', async () => {
  const script = join(mkdtempSync(join(tmpdir(), 'tokens-')), 'worker.mjs');
  copyFileSync(worker, script);
  const question = open(pathToFileURL(script)).count(['one'], 'gpt-4o');
  await expect(question).rejects.toThrow('The token ranks of o200k_base are missing');
});

test('who waits when the service is closed is told, and so is who comes later', async () => {
  const service = open();
  const waiting = service.count(['one'], 'gpt-4o');
  service.dispose();
  service.dispose();
  await expect(waiting).rejects.toThrow('The token counter was closed.');
  await expect(service.count(['one'], 'gpt-4o')).rejects.toThrow('The token counter was closed.');
});
