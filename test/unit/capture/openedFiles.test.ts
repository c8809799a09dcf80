import { appendFile, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { openStore } from '../../../src/app/stores/openStore.js';
import { OpenedFiles } from '../../../src/capture/openedFiles.js';
import type { FileChange } from '../../../src/capture/openedFile.js';
import { ImportThread } from '../../../src/search/reader/importThread.js';
import type { TranscriptStore } from '../../../src/store/transcriptStore.js';
import { buildWorker } from '../../support/buildWorker.js';
import { OPEN_CODE_SCHEMA, OpenCodeWriter, writtenDatabase } from '../../support/sessionDatabases.js';
import { recordOf, said, temporaryFolder } from '../../support/storeFixture.js';
import { RecordingLog } from '../../support/recordingLog.js';
import { soon } from '../../support/soon.js';

let script: URL;
beforeAll(async () => {
  script = await buildWorker('search/reader/import.worker.ts');
});

const line = (uuid: string, type: string, content: unknown) =>
  `${JSON.stringify({
    type,
    uuid,
    sessionId: 's1',
    timestamp: '2026-01-01T00:00:00Z',
    message: { role: type, content },
  })}\n`;
const question = (at: number) => line(`u${at}`, 'user', `Question ${at}`);
const answer = (at: number) => line(`a${at}`, 'assistant', [{ type: 'text', text: `Answer ${at}` }]);

/** A file that is open where it is, with what is told of it and what its conversation says. */
async function opened(content: string, name = 's1.jsonl') {
  const root = await mkdtemp(join(tmpdir(), 'opened-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  await writeFile(join(root, name), content);
  return openedAt(root, name);
}

async function openedAt(root: string, name: string) {
  const [path, folder] = [join(root, name), join(root, 'opened')];
  const stores: TranscriptStore[] = [];
  const files = new OpenedFiles({
    folder,
    openStore: ({ root: at, ...options }) => openStore(at, options),
    log: new RecordingLog(),
    script,
    onStore: ({ store }) => stores.push(store),
  });
  onTestFinished(() => files.close());
  const open = await files.open(path, () => undefined);
  const changes: FileChange[] = [];
  open.file.onDidChange((change) => changes.push(change));
  const current = () => open.file.report?.conversations[0]?.conversation ?? '';
  const texts = async () => {
    const transcript = await stores[0]?.openTranscript(current());
    const records = (await transcript?.read(0, 1_000)) ?? [];
    await transcript?.close();
    return records.flatMap((record) => {
      const { type, message } = record as { type?: string; message?: { content: unknown } };
      return type === 'message' ? [message?.content] : [];
    });
  };
  /** Waits until the conversation says this. */
  const expectSaid = (...expected: string[]) => soon(async () => expect(await texts()).toEqual(expected));
  return { path, folder, files, open, changes, current, texts, expectSaid, stores };
}

test('a file is read where it is, and what is written to it line by line is added to its conversation', async () => {
  const { path, current, expectSaid, changes } = await opened(question(1) + answer(1));
  const conversation = current();
  await expectSaid('Question 1', 'Answer 1');
  await appendFile(path, question(2));
  await expectSaid('Question 1', 'Answer 1', 'Question 2');
  await appendFile(path, answer(2));
  await expectSaid('Question 1', 'Answer 1', 'Question 2', 'Answer 2');
  expect(current()).toBe(conversation);
  expect(changes.some(({ moved, isReplaced }) => isReplaced || moved.size > 0)).toBe(false);
});

/** The two lines of an exchange in which a model is asked something, with all that was said before. */
const exchange = (at: number) => {
  const said = (of: number) => [
    { role: 'user', content: `Question ${of}` },
    { role: 'assistant', content: `Answer ${of}` },
  ];
  const messages = Array.from({ length: at + 1 }, (_, of) => said(of)).flat();
  const answered = messages.pop();
  const response = { object: 'chat.completion', model: 'm', choices: [{ message: answered }] };
  const asked = { exchange: `${at}`, startTime: `2026-01-01T00:00:0${at}Z`, response: null };
  const ended = { exchange: `${at}`, endTime: `2026-01-01T00:00:0${at}.5Z`, status: 200, response };
  return [{ ...asked, request: { model: 'm', messages } }, ended].map((each) => `${JSON.stringify(each)}\n`);
};

test('a recording of requests is read on while they are answered one by one, then as a whole each time', async () => {
  const read = vi.spyOn(ImportThread.prototype, 'read');
  onTestFinished(() => read.mockRestore());
  const [asked = '', answered = ''] = exchange(0);
  const { path, current, expectSaid, changes } = await opened(asked, 'talk.exchanges.jsonl');
  const conversation = current();
  await expectSaid('Question 0');
  await appendFile(path, answered);
  await expectSaid('Question 0', 'Answer 0');
  await appendFile(path, exchange(1).join(''));
  await expectSaid('Question 0', 'Answer 0', 'Question 1', 'Answer 1');
  expect(current()).toBe(conversation);
  expect(changes.some(({ moved }) => moved.size > 0)).toBe(false);
  expect(read).toHaveBeenCalledTimes(1);
  const [[first, firstAnswer], [second, secondAnswer]] = [exchange(2), exchange(3)];
  await appendFile(path, [first, second, firstAnswer].join(''));
  await soon(() => expect(read).toHaveBeenCalledTimes(2));
  await appendFile(path, secondAnswer ?? '');
  await soon(() => expect(read).toHaveBeenCalledTimes(3));
  expect(read.mock.calls.map(([, , , options]) => options?.way)).toEqual(['asItComes', 'asItComes', 'whole']);
  await soon(() => expect(changes.at(-1)?.report.records).toBeGreaterThan(8));
});

test('a subagent that begins while its session is open is read from its first line on', async () => {
  const { path, current, stores, changes } = await opened(question(1) + answer(1) + question(2));
  const folder = join(path.replace(/\.jsonl$/, ''), 'subagents');
  await mkdir(folder, { recursive: true });
  const sidechain = { isSidechain: true, agentId: 'a1', sessionId: 's1', timestamp: '2026-01-01T00:00:00Z' };
  const says = (uuid: string, content: string) =>
    `${JSON.stringify({ ...sidechain, type: 'user', uuid, message: { role: 'user', content } })}\n`;
  const depths = async () => {
    const transcript = await stores[0]?.openTranscript(current());
    const records = (await transcript?.read(0, 1_000)) ?? [];
    await transcript?.close();
    return records.flatMap(({ type, depth }) => (type === 'message' ? [depth] : []));
  };
  await writeFile(join(folder, 'agent-a1.jsonl'), says('x1', 'Look into the drawer'));
  await soon(async () => expect(await depths()).toEqual([0, 0, 0, 1]));
  await appendFile(join(folder, 'agent-a1.jsonl'), says('x2', 'And the other one'));
  await soon(async () => expect(await depths()).toEqual([0, 0, 0, 1, 1]));
  expect(changes.every(({ moved }) => moved.size === 0)).toBe(true);
});

test('a session in a database grows with what its tool writes, and others in it change nothing', async () => {
  const root = await temporaryFolder();
  const writer = new OpenCodeWriter(writtenDatabase(join(root, 'opencode.db'), OPEN_CODE_SCHEMA));
  writer.session('ses_1', 'Clean the barn').exchange('ses_1', 'Clean it', 'It is clean.');
  const { current, expectSaid, changes } = await openedAt(root, 'opencode.db/ses_1');
  const conversation = current();
  await expectSaid('Clean it', 'It is clean.');
  writer.session('ses_2', 'Feed the hens').exchange('ses_2', 'Feed them', 'They are fed.');
  writer.exchange('ses_1', 'And the stable', 'That, too.');
  await expectSaid('Clean it', 'It is clean.', 'And the stable', 'That, too.');
  await soon(() => expect(changes.at(-1)?.hasGained).toBe(true));
  // What is written to others is not even told.
  expect(changes.every(({ hasGained }) => hasGained)).toBe(true);
  expect(changes.some(({ isReplaced, report }) => isReplaced || report.failure !== undefined)).toBe(false);
  expect(current()).not.toBe('');
  expect(conversation).not.toBe('');
});

test('half of a line waits for its rest', async () => {
  const half = Math.floor(question(2).length / 2);
  const { path, open, current, expectSaid, changes } = await opened(
    question(1) + answer(1) + question(2).slice(0, half),
  );
  const conversation = current();
  expect(open.report.problems).toEqual([]);
  await expectSaid('Question 1', 'Answer 1');
  await appendFile(path, question(2).slice(half) + answer(2).slice(0, half));
  await expectSaid('Question 1', 'Answer 1', 'Question 2');
  await appendFile(path, answer(2).slice(half));
  await expectSaid('Question 1', 'Answer 1', 'Question 2', 'Answer 2');
  expect(current()).toBe(conversation);
  expect(changes.flatMap(({ report }) => report.problems)).toEqual([]);
});

/** A line of an answer that has several. */
const piece = (text: string) =>
  `${JSON.stringify({ type: 'assistant', uuid: text, sessionId: 's1', timestamp: '2026-01-01T00:00:00Z', message: { id: 'm1', role: 'assistant', content: [{ type: 'text', text }] } })}\n`;

test('an answer that comes in several lines is one, told while it comes, and moves nothing', async () => {
  const { path, open, current, expectSaid, changes } = await opened(question(1) + piece('First.'));
  const before = current();
  expect(open.file.report?.saidSoFar.map(({ text }) => text)).toEqual(['First.']);
  await appendFile(path, piece('Second.'));
  await soon(() => expect(open.file.report?.saidSoFar.map(({ text }) => text)).toEqual(['First.Second.']));
  await expectSaid('Question 1');
  await appendFile(path, question(2));
  await soon(() => expect(open.file.report?.saidSoFar).toEqual([]));
  expect(current()).toBe(before);
  expect(changes.every(({ moved }) => moved.size === 0)).toBe(true);
});

test('a line that changes what was said before moves the conversation, without a word of a replaced file', async () => {
  const { path, current, changes } = await opened(question(1) + piece('First.') + question(2));
  const before = current();
  await appendFile(path, piece('Second.'));
  await soon(() => expect(changes.at(-1)?.moved.get(before)).toBe(current()));
  expect(current()).not.toBe(before);
  expect(changes.at(-1)?.isReplaced).toBe(false);
});

/** A question of a megabyte. */
const long = (at: number) => line(`u${at}`, 'user', `Question ${at}. ${'Very long. '.repeat(100_000)}`);
const longSession = Array.from({ length: 12 }, (_, at) => long(at) + answer(at)).join('');
const numbersOf = (texts: readonly unknown[]) =>
  texts.map((text) => Number(/\d+/.exec(typeof text === 'string' ? text : '')?.[0]));

test('of a long file the first rows are there before it is read, then the others, and then it is followed', async () => {
  const { path, open, changes, texts, current } = await opened(longSession);
  expect(open.report.done).toBe(0);
  const conversation = current();
  expect(numbersOf(await texts())[0]).toBe(0);
  await soon(() => expect(open.file.report?.done).toBe(1));
  const all = Array.from({ length: 12 }, (_, at) => [at, at]).flat();
  await soon(async () => expect(numbersOf(await texts())).toEqual(all));
  await appendFile(path, question(20) + answer(20) + question(21));
  await soon(async () => expect(numbersOf(await texts())).toEqual([...all, 20, 20, 21]));
  expect(open.file.report?.records).toBe(27);
  expect(current()).toBe(conversation);
  expect(changes.every(({ moved }) => moved.size === 0)).toBe(true);
});

test('a long file of which a later line changes the beginning is read anew, and shown as a whole read says it', async () => {
  const { open, changes, texts } = await opened(
    question(0) + piece('First.') + longSession + piece('Second.') + question(30),
  );
  await soon(() => expect(open.file.report?.done).toBe(1));
  await soon(async () =>
    expect((await texts()).slice(0, 2)).toEqual([
      'Question 0',
      ['First.', 'Second.'].map((text) => ({ type: 'text', text })),
    ]),
  );
  expect(numbersOf(await texts()).at(-1)).toBe(30);
  expect(changes.some(({ isReplaced }) => isReplaced)).toBe(false);
});

test.each([
  ['cut off', async (path: string) => writeFile(path, line('x', 'user', 'A new one'))],
  [
    'replaced by another, as in a rotation',
    async (path: string) => {
      await rename(path, `${path}.1`);
      await writeFile(
        path,
        line('x', 'user', 'A new one') + line('y', 'assistant', 'That is longer. '.repeat(100)),
      );
    },
  ],
])('a file that is %s is read anew, which is told', async (_how, change) => {
  const { path, current, changes, open } = await opened(question(1) + answer(1));
  const before = current();
  await change(path);
  await soon(() => expect(changes.some(({ isReplaced }) => isReplaced)).toBe(true));
  expect(changes.find(({ isReplaced }) => isReplaced)?.moved.get(before)).toBe(current());
  expect(open.file.report?.replacedAt).toBeGreaterThan(0);
});

test.each([
  ['cut off to nothing', (path: string) => writeFile(path, '')],
  ['cut off to half a line', (path: string, half: string) => writeFile(path, half)],
  [
    'taken away, with an empty one in its place',
    async (path: string) => {
      await rename(path, `${path}.1`);
      await writeFile(path, '');
    },
  ],
])('a file that is %s is read anew as soon as there is more in it, which is told', async (_how, change) => {
  const read = vi.spyOn(ImportThread.prototype, 'read');
  onTestFinished(() => read.mockRestore());
  const { path, changes, open, expectSaid } = await opened(question(1) + answer(1) + question(2));
  const whole = line('x', 'user', 'A new one');
  const half = whole.slice(0, 50);
  await change(path, half);
  await soon(() => expect(read).toHaveBeenCalledTimes(2));
  await Promise.allSettled(read.mock.results.map(({ value }) => value as Promise<unknown>));
  await expectSaid('Question 1', 'Answer 1', 'Question 2');
  await writeFile(path, whole);
  await expectSaid('A new one');
  expect(changes.filter(({ isReplaced }) => isReplaced)).toHaveLength(1);
  expect(open.file.report?.replacedAt).toBeGreaterThan(0);
  await appendFile(path, question(3));
  await expectSaid('A new one', 'Question 3');
});

test('a file that is gone leaves what was read of it, and is followed when it is there again', async () => {
  const { path, open, expectSaid } = await opened(question(1) + answer(1));
  await rename(path, `${path}.away`);
  await soon(() => expect(open.file.report?.failure).toBe('The file is not there any more.'));
  await expectSaid('Question 1', 'Answer 1');
  await appendFile(`${path}.away`, question(2));
  await rename(`${path}.away`, path);
  await expectSaid('Question 1', 'Answer 1', 'Question 2');
  await soon(() => expect(open.file.report?.failure).toBeUndefined());
});

test('what is no transcript is refused, and nothing of it stays', async () => {
  await expect(opened('just words')).rejects.toThrow('no conversation that could be read');
});

test('of a file with several conversations each is there', async () => {
  const talks = ['a', 'b'].map((id) =>
    JSON.stringify({ id, messages: [{ role: 'user', content: `Hello ${id}, how are you?` }] }),
  );
  const { open } = await opened(talks.join('\n'));
  expect(open.report.conversations.map(({ title }) => title)).toEqual([
    'Hello a, how are you?',
    'Hello b, how are you?',
  ]);
});

test('what was read of a file goes with its last view, and what a dead window has left with the next file', async () => {
  const { path, folder, files, open, current, stores } = await opened(question(1) + answer(1));
  const second = await files.open(path, () => undefined);
  const conversation = current();
  open.dispose();
  open.dispose();
  expect(stores[0]?.catalog.find(conversation)).toBeDefined();
  second.dispose();
  await soon(() => expect(stores[0]?.catalog.find(conversation)).toBeUndefined());
  const [own = ''] = await readdir(folder);
  // The highest number that Linux gives a process is below.
  const dead = own.replace(String(process.pid), '99999999');
  expect(own).toContain(hostname().slice(0, 3));
  await files.close();
  const left = await openStore(join(folder, dead));
  await left.importConversation('c1', [recordOf(1, said('left'))]);
  await left.close();
  await mkdir(join(folder, 'of-another-machine-1-x'));
  await files.open(path, () => undefined);
  expect(await readdir(folder)).toEqual(expect.not.arrayContaining([dead]));
  expect(await readdir(folder)).toContain('of-another-machine-1-x');
});
