import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { RecordBody } from '../../../src/core/record.js';
import { compileCriteria } from '../../../src/query/compileCriteria.js';
import type { FilterCriteria } from '../../../src/query/filterCriteria.js';
import { pathsOf } from '../../../src/store/files/storePaths.js';
import type { TranscriptStore } from '../../../src/store/transcriptStore.js';
import { buildWorker } from '../../support/buildWorker.js';
import { recordOf, said, temporaryStore } from '../../support/storeFixture.js';

let scanScript: URL;
beforeAll(async () => {
  scanScript = await buildWorker('store/search/scan.worker.ts');
});

const never = new AbortController().signal;

async function storeOf(...conversations: readonly (readonly RecordBody[])[]) {
  const made = await temporaryStore({ scanScript });
  for (const [at, bodies] of conversations.entries()) {
    const id = `c${at + 1}`;
    const journal = await made.store.createConversation(id);
    bodies.forEach((body, index) =>
      journal.append({ ...recordOf(index + 1, body, id), id: `m_${id}_${index}` }),
    );
    await journal.close();
  }
  await made.store.catalog.refresh();
  return made;
}

async function positions(store: TranscriptStore, criteria: FilterCriteria, from = 0): Promise<number[]> {
  const found: number[] = [];
  for await (const batch of store.scan('c1', criteria, never, from)) found.push(...batch.positions);
  return found;
}

const calls = (id: string, name: string): RecordBody => ({
  type: 'message',
  message: {
    role: 'assistant',
    content: null,
    tool_calls: [{ id, type: 'function', function: { name, arguments: '{}' } }],
  },
});
const answers = (id: string, content: string): RecordBody => ({
  type: 'message',
  message: { role: 'tool', tool_call_id: id, content },
});

const story = [
  said('How much SALT for pickles?', 'user'),
  calls('t1', 'read_file'),
  answers('t1', 'salt: 50 g\n"quoted" \\ 20 °C, Kelvin \u212a'),
  { type: 'error', where: 'model', error: { code: 'x', message: 'salt mine closed' } },
  said('Use 50 g of salt.'),
] as const;

test.each<[FilterCriteria, number[]]>([
  [{ content: 'salt' }, [0, 2, 4]],
  [{ content: 'salt', matchCase: true }, [2, 4]],
  [{ content: 'k', role: 'tool' }, [2]],
  [{ content: '"quoted" \\' }, [2]],
  [{ content: '°c' }, [2]],
  [{ content: String.raw`\d+ g\b`, regex: true }, [2, 4]],
  [{ toolName: 'read_file' }, [1, 2]],
  [{ toolName: 'read_file', role: 'tool' }, [2]],
  [{ errorsOnly: true, content: 'MINE' }, [3]],
  [{ role: ['user', 'tool'] }, [0, 2]],
  [{ agent: 'Nobody' }, []],
])('the positions for %j are %j', async (criteria, expected) => {
  const { store } = await storeOf(story);
  expect(await positions(store, criteria)).toEqual(expected);
});

test('a scan may begin in the middle, and still knows the calls before it', async () => {
  const { store } = await storeOf(story);
  expect(await positions(store, { content: 'salt' }, 3)).toEqual([4]);
  expect(await positions(store, { toolName: 'read_file' }, 2)).toEqual([2]);
});

test('a look at the bytes never loses a match that reading finds', async () => {
  const texts = [
    'İstanbul',
    'KELVIN \u212a',
    'ß\u00e9',
    'a\tb',
    'plain',
    'spIll',
    '\ud83e\udd52 pickle',
    '</script>',
  ];
  const bodies = Array.from({ length: 300 }, (_, at) =>
    said(`${texts[at % texts.length]} ${at} ${texts[(at * 7) % 8]}`),
  );
  const { store } = await storeOf(bodies);
  const transcript = await store.openTranscript('c1');
  const records = await transcript.read(0, 300);
  for (const content of ['i', 'k', 'İ', 'é', 'p', 'script', 'pickle 6', 'tool', 'a\tb', '\u212a']) {
    const naive = compileCriteria({ content });
    const expected = records.flatMap((record, at) => (naive.matches(record) ? [at] : []));
    expect([content, await positions(store, { content })]).toEqual([content, expected]);
  }
});

test('text that was moved to a file of its own is found', async () => {
  const { store } = await storeOf([
    said('short'),
    said(`${'x'.repeat(60_000)} needle ${'y'.repeat(60_000)}`),
  ]);
  expect(await positions(store, { content: 'needle' })).toEqual([1]);
});

const longStory = Array.from({ length: 3_000 }, (_, at) => {
  const text = `${at % 3 === 0 ? 'Salt' : 'Pepper'} ${at}`;
  return said(at % 100 === 99 ? `${'x'.repeat(60_000)}${text}` : text, at % 2 ? 'user' : 'assistant');
});

test.each<FilterCriteria>([
  { content: 'SALT' },
  { content: 'Salt', matchCase: true },
  { content: '^Salt \\d*7$', regex: true },
  { role: 'user' },
  { role: 'user', content: 'pepper' },
  { text: 'pepper 2', wholeWord: true },
])(
  'over many records, some with texts in files of their own, %j finds what MessageQuery finds',
  async (criteria) => {
    const { store } = await storeOf(longStory);
    const matches = compileCriteria(criteria).scan();
    const expected = longStory.flatMap(({ message }, at) => (matches(message) ? [at] : []));
    expect(await positions(store, criteria)).toEqual(expected);
  },
);

test('a journal that another program has changed is read anew', async () => {
  const { store, root } = await storeOf(longStory.slice(0, 99));
  const journal = pathsOf(root, 'c1').segment(0);
  expect(await positions(store, { content: 'salt 60' })).toEqual([60]);
  const lines = (await readFile(journal, 'utf8')).split('\n');
  await writeFile(journal, [lines[0], ...lines.slice(51)].join('\n'));
  expect(await positions(store, { content: 'salt 60' })).toEqual([10]);
});

test('a journal that cannot be read is told of where it is asked about', async () => {
  const { store, root } = await storeOf([said('salt')], [said('salt')]);
  const journal = pathsOf(root, 'c1').segment(0);
  await rm(journal);
  await symlink(join(root, 'nowhere'), journal);
  await expect(positions(store, { role: 'user' })).rejects.toThrow('is a link');
});

test('a pattern that never ends is ended, in words, and the next search works', async () => {
  const { store } = await storeOf([said(`${'a'.repeat(40)}!`)]);
  await expect(positions(store, { content: '^(a+)+$', regex: true })).rejects.toThrow('takes too long');
  expect(await positions(store, { content: '!' })).toEqual([0]);
});

test('a pattern that never ends on a text in a file of its own is ended too, and the next scan works', async () => {
  const { store } = await storeOf([said(`${'a'.repeat(60_000)}b`)]);
  await expect(positions(store, { content: '(a+)+$', regex: true })).rejects.toThrow('takes too long');
  expect(await positions(store, { content: 'a+b$', regex: true })).toEqual([0]);
});

test('a thread that cannot start answers every question in words', async () => {
  const { store } = await temporaryStore({ scanScript: new URL('https://example.com/scan.js') });
  const journal = await store.createConversation('c1');
  journal.append(recordOf(1, said('salt')));
  await journal.close();
  for (let time = 0; time < 2; time++)
    await expect(positions(store, { content: 'salt' })).rejects.toThrow('broke down');
});

test('a question that cannot be sent is answered in words, and the next one as ever', async () => {
  const { store } = await storeOf([said('salt')]);
  const unsendable = { content: (() => 'salt') as never };
  await expect(positions(store, unsendable)).rejects.toThrow('broke down');
  expect(await positions(store, { content: 'salt' })).toEqual([0]);
});

test('two questions at once are both answered', async () => {
  const { store } = await storeOf(story);
  const asked = [positions(store, { content: 'salt' }), positions(store, { role: 'user' })];
  expect(await Promise.all(asked)).toEqual([[0, 2, 4], [0]]);
});

test('a broken pattern is refused in words', async () => {
  const { store } = await storeOf([said('x')]);
  await expect(positions(store, { content: '(', regex: true })).rejects.toThrow('Invalid regex pattern');
});

test('a scan that is not wanted any more ends at once, also inside of a pattern that never ends', async () => {
  const { store } = await storeOf([said(`${'a'.repeat(40)}!`)]);
  const stop = new AbortController();
  const scan = store.scan('c1', { content: '^(a+)+$', regex: true }, stop.signal).next();
  setImmediate(() => stop.abort());
  expect(await scan).toEqual({ done: true, value: undefined });
});

test('what the journal gets later is found by the next scan', async () => {
  const { store } = await storeOf([said('salt')]);
  expect(await positions(store, { content: 'salt' })).toEqual([0]);
  const resumed = await store.resumeConversation('c1');
  if ('refused' in resumed) throw new Error(resumed.refused);
  resumed.journal.append(recordOf(2, said('more salt')));
  await resumed.journal.flush();
  expect(await positions(store, { content: 'salt' }, 1)).toEqual([1]);
});

test('the tools that are called are named once each, in the order in which they first are', async () => {
  const { store } = await storeOf([
    said('which tool_calls are there?', 'user'),
    calls('t1', 'read_file'),
    answers('t1', 'tool_calls: never_called'),
    calls('t2', 'list_files'),
    calls('t3', 'read_file'),
    calls('t4', 'run_command'),
  ]);
  expect(await store.toolNames('c1', 500, never)).toEqual(['read_file', 'list_files', 'run_command']);
  expect(await store.toolNames('c1', 2, never)).toEqual(['read_file', 'list_files']);
});

test('the tools of a conversation of the older layout are named too', async () => {
  const { store, root } = await temporaryStore({ scanScript });
  const folder = join(root, 'conversations', 'old');
  await mkdir(folder, { recursive: true });
  const call = { id: 't1', type: 'function', function: { name: 'grep', arguments: '{}' } };
  await writeFile(
    join(folder, 'messages.json'),
    JSON.stringify([{ role: 'assistant', content: null, tool_calls: [call] }]),
  );
  expect(await store.toolNames('old', 500, never)).toEqual(['grep']);
});

test('nobody waits for the tools of a conversation when the question is withdrawn', async () => {
  const { store } = await storeOf(story);
  expect(await store.toolNames('c1', 500, AbortSignal.abort())).toEqual([]);
});

test('a store that was closed answers no question with a new thread', async () => {
  const { store } = await storeOf([said('salt')]);
  await store.close();
  await expect(positions(store, { content: 'salt' })).rejects.toThrow('The search was ended.');
  await expect(store.toolNames('c1', 5, never)).rejects.toThrow('The search was ended.');
});
