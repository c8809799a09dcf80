import { appendFile } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { expect, onTestFinished, test, vi } from 'vitest';
import { silentLog } from '../../../../src/core/ports/log.js';
import { NO_PRICES } from '../../../../src/core/ports/prices.js';
import type { FilterCriteria } from '../../../../src/query/filterCriteria.js';
import { PriorityGate } from '../../../../src/page/panel/recordReader.js';
import { compileCriteria } from '../../../../src/query/compileCriteria.js';
import { IndexedTranscript } from '../../../../src/search/reader/indexedTranscript.js';
import { ColumnCache } from '../../../../src/search/columns/columnCache.js';
import { StoredSession } from '../../../../src/search/sessions/storedSession.js';
import { encodeLine } from '../../../../src/store/format/lineFormat.js';
import { pathsOf, type ConversationPaths } from '../../../../src/store/files/storePaths.js';
import { FactReader } from '../../../../src/store/read/factReader.js';
import { SharedSource } from '../../../../src/store/read/sharedSource.js';
import { restoreTexts } from '../../../../src/store/read/restoredRecords.js';
import { sourceInPieces } from '../../../../src/store/read/sourceTable.js';
import { StoredTranscript } from '../../../../src/store/read/storedTranscript.js';
import { scanQuestionOf } from '../../../support/scanQuestionOf.js';
import { recordOf, said, temporaryStore } from '../../../support/storeFixture.js';
import { soon } from '../../../support/soon.js';

const COUNT = 3_000;
const never = new AbortController().signal;

/** A stored conversation, of which every tenth message says `needle`, one of them at the end of a very long text. */
async function openStored(maxBytes?: number, gate?: PriorityGate) {
  const { store, root } = await temporaryStore();
  const journal = await store.createConversation('c1');
  for (let seq = 1; seq <= COUNT; seq++) {
    const long = seq === 50 ? 'x'.repeat(200_000) : 'some words that are said';
    const text = `${long} ${seq % 10 === 0 ? 'needle' : 'straw'} ${seq}`;
    journal.append(recordOf(seq, said(text, seq % 2 ? 'user' : 'assistant')));
  }
  await journal.close();
  return openedAt(pathsOf(root, 'c1'), maxBytes, gate);
}

/** The conversation at some paths, opened as the reader opens it. */
async function openedAt(paths: ConversationPaths, maxBytes?: number, gate?: PriorityGate) {
  const source = new SharedSource(await sourceInPieces(paths, silentLog, true), silentLog);
  const facts = new FactReader({ paths, source, log: silentLog, readOnly: true });
  const stored = new StoredTranscript(paths, source);
  const transcript = new IndexedTranscript(stored, { source, paths }, facts, maxBytes, gate);
  onTestFinished(() => source.dispose());
  return transcript;
}

async function found(transcript: IndexedTranscript, asked: FilterCriteria, from = 0): Promise<number[]> {
  const all: number[] = [];
  for await (const { positions } of transcript.scan(scanQuestionOf(asked), never, from))
    all.push(...positions);
  return all;
}

const NEEDLES = Array.from({ length: COUNT / 10 }, (_, at) => 10 * at + 9);

test.each([
  ['of which nothing is read yet', undefined, 0],
  ['that is read to its end', undefined, COUNT],
  ['that does not fit into the index', 1_000, COUNT],
  ['of which only a part fits', 200_000, COUNT],
])('a transcript %s is searched to its end', async (_, maxBytes, read) => {
  const transcript = await openStored(maxBytes);
  for (let at = 0; at < read; at += 400) await transcript.facts(at, at + 400);
  expect(await found(transcript, { text: 'NEEDLE' })).toEqual(NEEDLES);
  expect(await found(transcript, { text: 'n[e]+dle', regex: true })).toEqual(NEEDLES);
  expect(await found(transcript, { role: ['assistant'], text: 'needle' }, 2_000)).toEqual(
    NEEDLES.filter((position) => position >= 2_000),
  );
  if (maxBytes !== undefined) expect(transcript.indexed).toBeLessThan(COUNT);
});

/** All records, with the texts that lie in files of their own. */
async function wholeRecords(transcript: IndexedTranscript) {
  const records = await transcript.read(0, COUNT);
  return await Promise.all(records.map(async (record) => (await restoreTexts(record, transcript)).record));
}

const questions: readonly FilterCriteria[] = [
  { content: 'STRAW 7' },
  { content: 'Straw', matchCase: true },
  { content: 'needle \\d*50$', regex: true },
  { content: '^[^x]*needle', regex: true },
  { role: 'user' },
  { role: 'user', content: 'straw' },
  { agent: 'Pickle', text: 'needle 1' },
];

test.each([
  ['nothing', 0],
  ['a part', 200_000],
  ['everything', undefined],
])('an index that may hold %s gives the answers of MessageQuery', async (_, maxBytes) => {
  const transcript = await openStored(maxBytes);
  const whole = await wholeRecords(transcript);
  for (const criteria of questions) {
    const matches = compileCriteria(criteria).scan();
    const expected = whole.flatMap((record, at) => (matches(record) ? [at] : []));
    expect([criteria, await found(transcript, criteria)]).toEqual([criteria, expected]);
  }
});

test('what is read again, or out of its order, is found once', async () => {
  const transcript = await openStored();
  for (const [start, end] of [
    [0, 400],
    [900, 1_000],
    [0, 64],
    [390, 500],
  ] as const)
    // prettier-ignore
    await transcript.facts(start, end);
  const users = Array.from({ length: COUNT / 2 }, (_, at) => 2 * at);
  expect(await found(transcript, { role: 'user' })).toEqual(users);
});

test('all texts are indexed once somebody has searched for one, and not before', async () => {
  const transcript = await openStored();
  await found(transcript, { role: 'user' });
  expect(transcript.indexed).toBe(0);
  await found(transcript, { text: 'needle' });
  await soon(() => expect(transcript.indexed).toBe(COUNT));
});

test('a word is looked for in a transcript that is too large for an index without the facts of its records', async () => {
  const read = vi.spyOn(FactReader.prototype, 'read');
  onTestFinished(() => read.mockRestore());
  const transcript = await openStored(1_000);
  expect(await found(transcript, { text: 'needle' })).toHaveLength(COUNT / 10);
  expect(read).not.toHaveBeenCalled();
  expect(transcript.indexed).toBe(0);
});

test('texts are indexed when nobody waits for anything else', async () => {
  const gate = new PriorityGate();
  const transcript = await openStored(undefined, gate);
  let goOn: () => void = () => undefined;
  const errand = gate.run(() => new Promise<void>((resolve) => (goOn = resolve)));
  await found(transcript, { text: 'needle' });
  // Twice as long as the first texts would take.
  for (let round = 0; round < 2; round++) await transcript.read(0, COUNT);
  expect(transcript.indexed).toBe(0);
  goOn();
  await errand;
  await soon(() => expect(transcript.indexed).toBe(COUNT));
});

test.each([undefined, 1_000])('a pattern that does not end is given up, index of %s bytes', async (limit) => {
  const transcript = await openStored(limit);
  const text = '^(x+x+)+y';
  await expect(found(transcript, { text, regex: true, matchCase: true })).rejects.toThrow('takes too long');
});

test('a search that is called off ends while it waits for what nobody reads', async () => {
  const transcript = await openStored();
  const stop = new AbortController();
  const scan = transcript.scan(scanQuestionOf({ text: 'needle' }), stop.signal, 0);
  const next = scan.next();
  stop.abort();
  expect((await next).done).toBe(true);
  expect(transcript.indexed).toBeLessThanOrEqual(400);
});

test('a pattern that is none is refused in words', async () => {
  await expect(found(await openStored(), { text: '(open', regex: true })).rejects.toThrow(
    "Invalid regex pattern: '(open'",
  );
});

/** A stored conversation whose texts are kept in several blocks, each of its own word. */
async function openKept() {
  const { store, root } = await temporaryStore();
  const texts = WORDS.flatMap((word) => Array.from({ length: OF_EACH }, (_, at) => longText(word, at)));
  await store.importConversation(
    'c1',
    texts.map((text, at) => recordOf(at + 1, said(text))),
  );
  const paths = pathsOf(root, 'c1');
  const session = new StoredSession(paths, { readOnly: false, log: silentLog, cache: new ColumnCache() });
  await session.read({ prices: NO_PRICES, mark: '' }, undefined);
  return { paths, transcript: await openedAt(paths) };
}

const WORDS = ['flour', 'sugar', 'butter'];
/** So many records of a word come to more than one block. */
const OF_EACH = 110;

function longText(word: string, at: number): string {
  const lines = Array.from(
    { length: 1_800 },
    (_, line) => `${word}s after the ${(line * 7_919) % 1_000} tins\n`,
  );
  return `${lines.join('')} ${word} number ${at}`;
}

test.each([
  ['a text', { text: 'Butters after the' }],
  ['a pattern', { text: 'butter(s) after the 1\\d', regex: true }],
  ['a text of a role', { text: 'butters after', role: ['assistant'] }],
] as const)('%s is looked for where what is kept of the texts says that it may stand', async (_, asked) => {
  const { transcript } = await openKept();
  const found: number[] = [];
  const scanned: number[] = [];
  for await (const batch of transcript.scan(scanQuestionOf(asked), never, 0)) {
    found.push(...batch.positions);
    scanned.push(batch.scanned);
  }
  expect(found).toEqual(Array.from({ length: OF_EACH }, (__, at) => 2 * OF_EACH + at));
  expect(scanned.at(-1)).toBe(3 * OF_EACH);
  expect(Math.min(...scanned)).toBeGreaterThan(OF_EACH);
});

test('what came since the texts were kept is looked through, too', async () => {
  const { transcript, paths } = await openKept();
  expect(await found(transcript, { text: 'no such text' })).toEqual([]);
  const line = encodeLine(recordOf(3 * OF_EACH + 1, said('no such text before')));
  await appendFile(paths.segment(0), Buffer.concat([line, Buffer.from('\n')]));
  expect(await found(await openedAt(paths), { text: 'no such text' })).toEqual([3 * OF_EACH]);
});

/** A line with the right checksum, of JSON that this program does not write. */
function lineOf(json: string): string {
  const head = json.slice(0, -1);
  return `${head},"crc":"${crc32(head).toString(16).padStart(8, '0')}"}\n`;
}

test('where it is kept which lines only look like messages, these are not found by their bytes', async () => {
  const { store, root } = await temporaryStore();
  const journal = await store.createConversation('c1');
  for (let seq = 1; seq <= COUNT; seq++) journal.append(recordOf(seq, said(`straw ${seq}`)));
  journal.append(recordOf(COUNT + 1, said('a needle')));
  await journal.close();
  const paths = pathsOf(root, 'c1');
  const twice = JSON.stringify(recordOf(COUNT + 2, said('a needle')));
  const withoutRole = { ...recordOf(COUNT + 3, said('')), message: { content: 'a needle' } };
  await appendFile(
    paths.segment(0),
    lineOf(twice.replace('}}', '},"message":{"role":"user","content":"none"}}')) +
      lineOf(JSON.stringify(withoutRole)),
  );
  const session = new StoredSession(paths, { readOnly: false, log: silentLog, cache: new ColumnCache() });
  await session.read({ prices: NO_PRICES, mark: '' }, undefined);
  expect(await found(await openedAt(paths), { text: 'needle' })).toEqual([COUNT]);
});
