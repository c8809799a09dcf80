import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { explainCost, formatCost } from '../../../../src/core/cost.js';
import type { LogRecord } from '../../../../src/core/record.js';
import { MessageQuery } from '../../../../src/export/messageQuery.js';
import type { LiveTranscript, PanelTranscript } from '../../../../src/page/panel/ports.js';
import { loadPrices } from '../../../../src/query/pricing/loadPrices.js';
import { TranscriptSession } from '../../../../src/page/panel/transcriptSession.js';
import { useTranslations } from '../../../../src/core/l10n.js';
import { silentLog } from '../../../../src/core/ports/log.js';
import { NO_QUESTION } from '../../../../src/page/protocol/question.js';
import type { EventData, EventName, PanelEvent } from '../../../../src/page/protocol/events.js';
import type { Row } from '../../../../src/page/protocol/row.js';
import { ReaderThread } from '../../../../src/search/reader/readerThread.js';
import type { TranscriptStore } from '../../../../src/store/transcriptStore.js';
import { endsWithin, MAX_TEXT_TEST_MS } from '../../../../src/node/patterns/timeGuard.js';
import { guardedPatterns } from '../../../../src/node/patterns/guardedPatterns.js';
import { sourceDetails } from '../../../../src/import/sourceDetails.js';
import { buildWorker } from '../../../support/buildWorker.js';
import { MemoryTranscript } from '../../../support/memoryTranscript.js';
import { RecordingLog } from '../../../support/recordingLog.js';
import { scanMemory } from '../../../support/scanMemory.js';
import { recordOf, said, temporaryFolder, temporaryStore } from '../../../support/storeFixture.js';
import { StoryTeller } from '../../../support/storyTeller.js';
import { teamStory } from '../../../support/teamStory.js';

let script: URL;
beforeAll(async () => {
  script = await buildWorker('search/reader/reader.worker.ts');
});

const LIVE: LiveTranscript = {
  state: { state: 'running', canStop: true, canContinue: false },
  title: 'A title',
  texts: [],
};

/** What a page hears of a transcript. */
class Heard {
  readonly events: PanelEvent[] = [];
  #wake: () => void = () => undefined;

  readonly take = (event: PanelEvent): Promise<void> => {
    this.events.push(event);
    this.#wake();
    return Promise.resolve();
  };

  last<N extends EventName>(name: N): EventData<N> | undefined {
    return this.events.findLast((event) => event.name === name)?.data as EventData<N> | undefined;
  }

  /** Resolves as soon as the condition holds after an event. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resolve) => (this.#wake = resolve));
  }
}

function newReader(): ReaderThread {
  const reader = new ReaderThread({ script, log: silentLog });
  onTestFinished(() => reader.dispose());
  return reader;
}

/** A page over a transcript on the reader's thread, which has begun. */
async function openOn(reader: ReaderThread, store: TranscriptStore, id: string) {
  const heard = new Heard();
  const transcript = await reader.open(store, id, {
    send: heard.take,
    onEnd: (error) => {
      throw error;
    },
  });
  const start = await transcript.begin({}, LIVE);
  await transcript.follow(LIVE);
  return { heard, transcript, start };
}

async function storeOf(id: string, records: readonly LogRecord[]) {
  const made = await temporaryStore();
  const journal = await made.store.createConversation(id);
  for (const record of records) journal.append(record);
  return { ...made, journal };
}

/** Those of the thread, where nobody has prices of their own. */
const prices = await loadPrices('');

/** The same records, read on this thread. */
function readHere(records: readonly LogRecord[], id: string) {
  const heard = new Heard();
  const memory = new MemoryTranscript(id, records);
  const transcript = new TranscriptSession({
    transcript: memory,
    scan: (question, signal, from) => scanMemory(memory, question, signal, from),
    guard: (work) => endsWithin(MAX_TEXT_TEST_MS, work),
    patterns: guardedPatterns,
    countTokens: () => Promise.resolve([]),
    details: sourceDetails,
    log: silentLog,
    prices,
    send: heard.take,
  });
  onTestFinished(() => transcript.dispose());
  return { heard, transcript };
}

/** Everything that a page can be shown of a transcript that is read to its end. */
async function shownBy(transcript: PanelTranscript, heard: Heard, length: number) {
  // Resolves or rejects when it is read so far, whether the record has a row or not.
  await transcript.ask('reveal', { position: length - 1 }).catch(() => undefined);
  const { list } = await transcript.begin({ expandedAll: true }, LIVE);
  await transcript.follow(LIVE);
  const rows: Row[] = [];
  while (rows.length < list.rows) {
    const { generation } = list;
    const { rows: more } = await transcript.ask('rows', { generation, start: rows.length, end: list.rows });
    rows.push(...more);
  }
  const turns = await transcript.ask('turns', { start: 0, count: 100 });
  const timeline = await transcript.ask('timeline', { pixels: 1_000 });
  const tools = await transcript.ask('tools', {});
  await transcript.ask('ask', { number: 1, question: { ...NO_QUESTION, text: 'e role:assistant' } });
  await heard.until(() => heard.last('matches')?.number === 1 && heard.last('matches')?.done === true);
  return {
    list: { ...list, generation: 0 },
    rows,
    turns,
    timeline,
    tools,
    found: await transcript.foundPositions(),
  };
}

const LONG = 'x'.repeat(3_000_000);

/** A journal that another program wrote, with three long lines and one that is none. */
async function foreignJournal() {
  const root = join(await temporaryFolder(), '.agent-logbook');
  const folder = join(root, 'conversations', 'foreign');
  await mkdir(folder, { recursive: true });
  const lines = [1, 2, 3].map((seq) => JSON.stringify(recordOf(seq, said(`${seq} ${LONG}`), 'foreign')));
  await writeFile(join(folder, 'messages.jsonl'), `${lines.join('\n')}\n{"seq":\n`);
  return { root };
}

/** What a store says of the journal: in its list, when it is opened, and when it is read. */
async function toldOf(store: TranscriptStore) {
  await store.catalog.refresh();
  const transcript = await store.openTranscript('foreign');
  const { length, damaged } = transcript;
  const records = await transcript.read(0, length);
  await transcript.close();
  return { entries: store.catalog.entries(), length, damaged, records };
}

/** The longest text that was parsed on this thread since this was called. */
function longestParsed(): () => number {
  const parse = vi.spyOn(JSON, 'parse');
  onTestFinished(() => parse.mockRestore());
  return () => Math.max(0, ...parse.mock.calls.map(([text]) => text.length));
}

test('a transcript that is read on the thread is shown as one that is read here', async () => {
  const { records, conversation } = teamStory();
  const { store, journal } = await storeOf(conversation, records);
  await journal.close();
  const there = await openOn(newReader(), store, conversation);
  const here = readHere(records, conversation);
  await here.transcript.begin({}, LIVE);
  const shown = await shownBy(there.transcript, there.heard, records.length);
  expect(shown.rows.length).toBeGreaterThan(10);
  expect(shown.found.length).toBeGreaterThan(3);
  expect(shown).toEqual(await shownBy(here.transcript, here.heard, records.length));
});

test('what the thread says to a person is in their language', async () => {
  useTranslations({ 'This row names no such file.': 'In dieser Zeile steht keine solche Datei.' });
  onTestFinished(() => useTranslations(undefined));
  const { records, conversation } = teamStory();
  const { store, journal } = await storeOf(conversation, records);
  await journal.close();
  const { transcript } = await openOn(newReader(), store, conversation);
  await expect(transcript.fileOf(0, 7)).rejects.toThrow('In dieser Zeile steht keine solche Datei.');
});

test('no line of a journal is parsed on the thread that opens it, however long it is', async () => {
  const { store } = await temporaryStore({ root: (await foreignJournal()).root });
  const longest = longestParsed();
  const { transcript, start } = await openOn(newReader(), store, 'foreign');
  expect(start).toMatchObject({ list: { rows: 3 }, damagedTotal: 1 });
  const { rows } = await transcript.ask('rows', { generation: start.list.generation, start: 0, end: 3 });
  expect(rows).toMatchObject([{ kind: 'message', body: { rest: LONG.length + 2 - 6_000 } }, {}, {}]);
  expect(longest()).toBeLessThan(100_000);
});

test('a large journal is listed, opened and read without parsing a long line of it here, and announced as ever', async () => {
  const { root } = await foreignJournal();
  const expected = await toldOf((await temporaryStore({ root, readOnly: true })).store);
  expect(expected).toMatchObject({ entries: [{ messages: 3, damaged: 1 }], length: 3, damaged: [{}] });
  const longest = longestParsed();
  const { store } = await temporaryStore({ root, readOnly: true, onThread: newReader() });
  expect(await toldOf(store)).toEqual(expected);
  expect(longest()).toBeLessThan(100_000);
});

test('where the thread cannot read a journal, it is read here, and the log says so', async () => {
  const { root } = await foreignJournal();
  const expected = await toldOf((await temporaryStore({ root, readOnly: true })).store);
  const gone = () => Promise.reject(new Error('The thread is gone.'));
  const log = new RecordingLog();
  const { store } = await temporaryStore({
    root,
    readOnly: true,
    log,
    onThread: { lines: gone, row: gone, rows: gone, record: gone },
  });
  expect(await toldOf(store)).toEqual(expected);
  // For the row of the catalog, for the lines, and for each of the three long ones.
  const words =
    'warn: The conversation foreign is read on the thread that needs it: Error: The thread is gone.';
  expect(log.lines).toEqual(Array(5).fill(words));
});

test('a journal that the system refuses is reported in the same words as when it is opened here', async () => {
  const { store, root } = await temporaryStore();
  const folder = join(root, 'conversations', 'refused');
  await mkdir(folder, { recursive: true });
  await symlink('elsewhere', join(folder, 'messages.jsonl'));
  const words = async (opening: Promise<unknown>): Promise<string> =>
    opening.then(
      () => 'It was opened.',
      (error: unknown) => String(error),
    );
  const options = { send: () => Promise.resolve(), onEnd: () => undefined };
  const told = await words(newReader().open(store, 'refused', options));
  expect(told).toContain(root);
  expect(told).toBe(await words(store.openTranscript('refused')));
});

test('a small journal starts no thread', async () => {
  const { records, conversation } = teamStory();
  const { journal, root } = await storeOf(conversation, records);
  await journal.close();
  const reader = newReader();
  const { store } = await temporaryStore({ root, onThread: reader });
  await store.catalog.refresh();
  await (await store.openTranscript(conversation)).close();
  expect(reader.isRunning).toBe(false);
});

test('what this process writes comes to the thread as it is appended, before and after it is on the disk', async () => {
  const story = new StoryTeller();
  const call = story.run('planner', 'Go');
  const { store, journal } = await storeOf(story.conversation, story.records);
  const { heard, transcript } = await openOn(newReader(), store, story.conversation);
  const append = (text: string) => {
    const before = story.records.length;
    call.say(text);
    for (const record of story.records.slice(before)) journal.append(record);
  };
  append('Salt');
  await heard.until(() => heard.last('list')?.read === story.records.length);
  expect(heard.last('list')?.tail?.rows.at(-1)).toMatchObject({ body: { text: 'Salt' } });
  await journal.flush();
  append('Pepper');
  await heard.until(() => heard.last('list')?.read === story.records.length);
  expect(heard.last('list')?.tail?.rows.at(-1)).toMatchObject({ body: { text: 'Pepper' } });
  await transcript.ask('ask', { number: 1, question: { ...NO_QUESTION, text: 'pepper' } });
  await heard.until(() => heard.last('matches')?.done === true && heard.last('matches')?.number === 1);
  expect(heard.last('matches')?.matches).toBe(1);
});

test('a transcript is followed when its conversation begins to be written here, and when that ends', async () => {
  const story = new StoryTeller();
  const call = story.run('planner', 'Go');
  const { store, journal, root } = await storeOf(story.conversation, story.records);
  await journal.close();
  const { heard } = await openOn(newReader(), store, story.conversation);
  const append = async (text: string, writer = store) => {
    const before = story.records.length;
    call.say(text);
    const resumed = await writer.resumeConversation(story.conversation);
    if ('refused' in resumed) throw new Error(resumed.refused);
    for (const record of story.records.slice(before)) resumed.journal.append(record);
    await heard.until(() => heard.last('list')?.read === story.records.length);
    await resumed.journal.close();
  };
  await append('Once');
  await append('Twice');
  // Whoever else writes it, its files are followed again.
  await append('By another', (await temporaryStore({ root })).store);
  expect(heard.last('list')?.tail?.rows.at(-1)).toMatchObject({ body: { text: 'By another' } });
});

test('the thread and its memory end soon after the last transcript is closed', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { records, conversation } = teamStory();
  const { store, journal } = await storeOf(conversation, records);
  await journal.flush();
  const reader = newReader();
  const options = { send: () => Promise.resolve(), onEnd: () => undefined };
  const first = await reader.open(store, conversation, options);
  const second = await reader.open(store, conversation, options);
  first.dispose();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(reader.isRunning).toBe(true);
  second.dispose();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(reader.isRunning).toBe(false);
  const again = await reader.open(store, conversation, options);
  expect((await again.begin({}, LIVE)).list.read).toBeGreaterThan(0);
});

test('a thread that ends on its own fails what it was asked, and those whose transcripts it had hear of it', async () => {
  const broken = new URL('data:text/javascript,process.exit(3)');
  const reader = new ReaderThread({ script: broken, log: silentLog });
  onTestFinished(() => reader.dispose());
  const { records, conversation } = teamStory();
  const { store, journal } = await storeOf(conversation, records);
  await journal.close();
  const ended: string[] = [];
  const options = { send: () => Promise.resolve(), onEnd: (error: Error) => ended.push(error.message) };
  await expect(reader.open(store, conversation, options)).rejects.toThrow('has ended');
  expect(ended).toEqual(["The thread 'transcript reader' ended with code 3."]);
  expect(reader.isRunning).toBe(false);
});

test('it tells what a conversation and each call of it cost, as the statistics do', async () => {
  const { store } = await temporaryStore();
  const { records } = teamStory();
  await store.importConversation('priced', records);
  const { short, explained, calls } = await newReader().cost(store, 'priced');
  const prices = await loadPrices();
  const { cost } = new MessageQuery(records, { prices }).stats();
  expect(short).toBe(formatCost(cost!));
  expect(explained).toBe(`${explainCost(cost!)} Prices: ${prices.version}.`);
  const starts = records.filter(({ type }) => type === 'callStart');
  expect([...calls.keys()].sort()).toEqual(starts.map(({ call }) => call).sort());
});
