import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ConnectorState } from '../../../../src/agents/chats/executor/connectorState.js';
import { ownIdentity } from '../../../../src/node/processIdentity.js';
import type { ConnectorExecutorOptions } from '../../../../src/agents/chats/executor/connectorSession.js';
import { PostError } from '../../../../src/core/ports/chatConnector.js';
import { connectorBench } from '../../../support/connectorBench.js';
import { RecordingLog } from '../../../support/recordingLog.js';
import { untilCancelled } from '../../../support/scriptedRunner.js';
import { soon } from '../../../support/soon.js';

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bus-'));
  path = join(folder, 'state', 'telegram.json');
  await mkdir(join(folder, 'state'));
});

afterEach(() => rm(folder, { recursive: true }));

const bench = (options: Partial<ConnectorExecutorOptions> = {}) =>
  connectorBench({ memoryPath: path, ...options });

/** Waits for the chats to show exactly this. */
const expectPosts = (tested: ReturnType<typeof connectorBench>, posts: readonly string[]) =>
  soon(() => expect(tested.connector.posts).toEqual(posts));

/** What lies on disk. */
const onDisk = async () => JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown[]>;

test('a conversation goes on after a restart, and what was handled is not handled again', async () => {
  const first = bench();
  await first.executor.start();
  await first.connector.say('a', 'one', { id: 'm1' });
  await expectPosts(first, ['a> answer to one']);
  await first.executor.stop();

  const second = bench();
  await second.executor.start();
  await second.connector.say('a', 'one', { id: 'm1' });
  await second.connector.say('a', 'two', { id: 'm2' });
  await expectPosts(second, ['a> answer to two']);
  expect(second.runner.asked).toEqual(['c1 -: two']);
  await second.executor.stop();
});

test('a message that was being answered at a stop is answered after the next start, in its conversation', async () => {
  const first = bench();
  first.runner.script = (request) => {
    request.onConversation?.('begun');
    return untilCancelled(request);
  };
  await first.executor.start();
  await first.connector.say('a', 'one');
  await first.connector.say('a', 'two');
  await soon(() => expect(first.runner.asked).toHaveLength(1));
  await first.executor.stop();
  expect(first.connector.posts).toEqual([]);

  const second = bench();
  await second.executor.start();
  await expectPosts(second, ['a> answer to one', 'a> answer to two']);
  expect(second.runner.asked).toEqual(['begun -: one', 'begun -: two']);
  await second.executor.stop();
});

test('an answer that could not be posted before a stop is posted after the next start', async () => {
  const first = bench();
  first.connector.answer = () => new PostError('later', 'down');
  await first.executor.start();
  await first.connector.say('a', 'one');
  await soon(async () => expect((await onDisk()).outbox).toMatchObject([{ state: 'waiting' }]));
  await first.executor.stop();

  const second = bench();
  await second.executor.start();
  await expectPosts(second, ['a> answer to one']);
  expect(second.runner.asked).toEqual([]);
  await second.executor.stop();
  expect((await onDisk()).outbox).toEqual([]);
});

const memoryWith = (parts: object) =>
  `${JSON.stringify({ version: 1, chats: [], inbox: [], outbox: [], handled: [], ...parts })}\n`;

test('an answer whose posting was cut off by a crash is asked about, not posted again', async () => {
  const tested = bench();
  const entry = { key: 'm1#0', chat: 'a', text: 'the answer', state: 'sending', triedAt: 1 };
  await writeFile(path, memoryWith({ outbox: [entry], handled: ['m1'] }));
  await tested.executor.start();
  await soon(() => expect(tested.connector.posts.join(' ')).toContain('connection broke'));
  expect(tested.connector.posts.join(' ')).not.toContain('the answer');
  await tested.executor.stop();
});

test('a message that made us fall three times is given up, and the chat is told', async () => {
  const tested = bench();
  const message = { id: 'm1', chat: 'a', sender: { id: 'test:ada', name: 'Ada' }, text: 'boom', time: 0 };
  await writeFile(path, memoryWith({ inbox: [{ message, attempts: 3 }] }));
  await tested.executor.start();
  await soon(() => expect(tested.connector.posts.join(' ')).toContain('never got to its end'));
  expect(tested.runner.asked).toEqual([]);
  await tested.executor.stop();
});

test.each([
  ['is no JSON', '{"version":1,'],
  ['is of a later version', '{"version":2}'],
  ['has the wrong parts', memoryWith({ inbox: [{ message: null }] })],
  ['has names that are none', memoryWith({ chats: [{ chat: 'a', conversation: 7 }] })],
])('a file that %s is kept aside, and the bus begins anew', async (_, text) => {
  const log = new RecordingLog();
  await writeFile(path, text);
  const memory = await ConnectorState.open(path, log);
  expect(memory.data.handled.size).toBe(0);
  const [aside = ''] = (await readdir(join(folder, 'state'))).filter((name) => name.endsWith('.damaged'));
  expect(await readFile(join(folder, 'state', aside), 'utf8')).toBe(text);
  expect(log.lines).toHaveLength(1);
});

test('chats with the names of built-in properties are chats like others', async () => {
  const memory = await ConnectorState.open(path, new RecordingLog());
  await memory.change(({ chats }) => chats.set('__proto__', { conversation: 'c' }));
  const again = await ConnectorState.open(path, new RecordingLog());
  expect([...again.data.chats]).toEqual([['__proto__', { conversation: 'c' }]]);
});

test('only the newest thousand handled messages are remembered', async () => {
  const memory = await ConnectorState.open(undefined, new RecordingLog());
  for (let n = 0; n < 1_500; n++) await memory.change(({ handled }) => handled.add(`m${n}`));
  expect(memory.data.handled.size).toBe(1_000);
  expect(memory.knows('m499')).toBe(false);
  expect(memory.knows('m1499')).toBe(true);
});

test('many changes at once end in one file with all of them, for its owner only, and leave nothing beside it', async () => {
  const memory = await ConnectorState.open(path, new RecordingLog());
  const ids = Array.from({ length: 100 }, (_, n) => `m${n}`);
  await Promise.all(ids.map((id) => memory.change(({ handled }) => handled.add(id))));
  expect((await onDisk()).handled).toEqual(ids);
  expect(await readdir(join(folder, 'state'))).toEqual(['telegram.json']);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test('a disk that cannot be written is logged once and stops no answer', async () => {
  const log = new RecordingLog();
  const memory = await ConnectorState.open(path, log);
  await rm(join(folder, 'state'), { recursive: true });
  await writeFile(join(folder, 'state'), 'a file where the folder should be');
  await memory.change(({ handled }) => handled.add('m1'));
  await memory.change(({ handled }) => handled.add('m2'));
  expect(memory.knows('m2')).toBe(true);
  expect(log.lines).toHaveLength(1);
});

test('a second window is told who has the bus, and gets it when the first one stops', async () => {
  const first = bench();
  const second = bench();
  await first.executor.start();
  await expect(second.executor.start()).rejects.toThrow(`process ${process.pid}`);
  await first.executor.stop();
  await second.executor.start();
  await second.executor.stop();
});

test.each([
  ['of a process that is gone', { pid: 4_194_999 }],
  ['whose process id another process has by now', { pid: process.ppid, started: '1' }],
])('a lock %s does not count', async (_, holder) => {
  await writeFile(`${path}.lock`, JSON.stringify({ ...ownIdentity, token: 'left', ...holder }));
  const { executor } = bench();
  await executor.start();
  await executor.stop();
});

test('a bus whose lock another window has taken over stops, and says so', async () => {
  const { executor, connector, log } = bench();
  await executor.start();
  await writeFile(`${path}.lock`, JSON.stringify({ ...ownIdentity, token: 'of another window' }));
  await expect.poll(() => log.lines.join('\n')).toContain('Another window has taken over');
  await expect.poll(() => connector.stops).toBe(1);
  await executor.stop();
  expect(await readFile(`${path}.lock`, 'utf8')).toContain('of another window');
});
