import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { PriorityGate } from '../../../../src/page/panel/recordReader.js';
import type { LiveTranscript } from '../../../../src/page/panel/ports.js';
import { silentLog } from '../../../../src/core/ports/log.js';
import { NO_PRICES } from '../../../../src/core/ports/prices.js';
import type { PanelEvent } from '../../../../src/page/protocol/events.js';
import { OpenedTranscript } from '../../../../src/search/reader/openedTranscript.js';
import { pathsOf } from '../../../../src/store/files/storePaths.js';
import { FactReader } from '../../../../src/store/read/factReader.js';
import { openLines, saveLines } from '../../../../src/store/read/openLines.js';
import { TranscriptStore } from '../../../../src/store/transcriptStore.js';
import { recordOf, said, temporaryFolder, temporaryStore } from '../../../support/storeFixture.js';
import { teamStory } from '../../../support/teamStory.js';
import { soon } from '../../../support/soon.js';

/** More than are read without answers from before. */
const COUNT = 20_500;
const DONE: LiveTranscript = {
  state: { state: 'done', canStop: false, canContinue: true },
  title: '',
  texts: [],
};
const RUNNING: LiveTranscript = { ...DONE, state: { state: 'running', canStop: true, canContinue: false } };

let made: string;

/** A store with a long conversation, and with the answers that somebody else kept of it. */
beforeAll(async () => {
  made = mkdtempSync(join(tmpdir(), 'logbook-'));
  const store = await TranscriptStore.open({
    root: join(made, 'store'),
    log: silentLog,
    onProblem: () => undefined,
  });
  const journal = await store.createConversation('c1');
  const { records } = teamStory();
  for (let seq = 1; seq <= COUNT; seq++) {
    const told = records[seq % records.length] ?? recordOf(1, said('nothing'));
    journal.append({ ...told, seq, id: `m_${seq}`, conversation: 'c1' });
  }
  await store.close();
  const opened = await open(join(made, 'store'));
  await opened.begin();
  await opened.readAll();
  await soon(() => expect(existsSync(pathsOf(join(made, 'store'), 'c1').views)).toBe(true));
  opened.dispose();
}, 120_000);

afterAll(() => rmSync(made, { recursive: true, force: true }));

/** How many of its records are messages. */
function messages(): number {
  const { records } = teamStory();
  return Array.from({ length: COUNT }, (_, at) => records[(at + 1) % records.length]).filter(
    (record) => record?.type === 'message',
  ).length;
}

/** A store of its own with the same. */
async function copied(): Promise<string> {
  const root = join(await temporaryFolder(), 'store');
  cpSync(join(made, 'store'), root, { recursive: true });
  // The index tells by their places whether files are those that it is of.
  const paths = pathsOf(root, 'c1');
  await saveLines(await openLines(paths, silentLog), silentLog);
  return root;
}

/** The conversation, opened as a panel opens it. */
async function open(root: string, madeBy = 'this test') {
  const events = new Set<(event: PanelEvent) => void>();
  const opened = await OpenedTranscript.open({ root, id: 'c1', name: 'c1', readOnly: false }, undefined, {
    log: silentLog,
    gate: new PriorityGate(),
    prices: Promise.resolve({ prices: NO_PRICES, mark: '' }),
    madeBy,
    tokens: () => {
      throw new Error('Nothing is counted here.');
    },
    send: (event) => {
      for (const take of events) take(event);
      return Promise.resolve();
    },
  });
  const { session } = opened;
  return {
    session,
    dispose: () => opened.dispose(),
    begin: (live = DONE) => session.begin({}, live),
    /** Resolves when the list holds all that is on the disk. */
    readAll: async (live = DONE) => {
      const all = new Promise<void>((resolve) => {
        events.add(({ name, data }) => {
          if (name === 'list' && data.read === data.records) resolve();
        });
      });
      await session.follow(live);
      await all;
    },
    /** What every view shows of the whole. */
    views: async () => ({
      statistics: { ...(await session.ask('statistics', {})), counting: false },
      tools: await session.ask('tools', {}),
      timeline: await session.ask('timeline', { pixels: 1_600 }),
      turns: await session.ask('turns', { start: 0, count: 100 }),
    }),
  };
}

/** What views show while no more than the first records can be read, and once all are read. */
async function beforeAndAfter(root: string, { madeBy = 'this test', live = DONE } = {}) {
  let goOn: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (goOn = resolve));
  const read = Reflect.get(FactReader.prototype, 'read');
  const spy = vi.spyOn(FactReader.prototype, 'read').mockImplementation(async function (
    this: FactReader,
    start,
    end,
  ) {
    if (start > 0) await held;
    return await read.call(this, start, end);
  });
  onTestFinished(() => spy.mockRestore());
  const opened = await open(root, madeBy);
  onTestFinished(() => opened.dispose());
  const start = await opened.begin(live);
  const before = await opened.views();
  goOn();
  await opened.readAll(live);
  const after = await opened.views();
  return { start, before, after, facts: (await opened.begin(live)).facts };
}

test('a transcript that is opened again answers all views before it is read, as it does afterwards', async () => {
  const { start, before, after, facts } = await beforeAndAfter(await copied());
  expect(start.list.read).toBeLessThan(COUNT);
  expect(before.statistics.messages).toBeGreaterThan(10_000);
  expect(before).toEqual(after);
  expect(start.facts).toEqual(facts);
});

test('answers of fewer records than there are now are not shown', async () => {
  const root = await copied();
  const { store } = await temporaryStore({ root });
  const resumed = await store.resumeConversation('c1');
  if (!('journal' in resumed)) throw new Error(resumed.refused);
  resumed.journal.append(recordOf(COUNT + 1, said('one more')));
  await resumed.journal.close();
  const { before, after } = await beforeAndAfter(root);
  expect(before.statistics.messages).toBeLessThan(1_000);
  expect(after.statistics.messages).toBe(messages() + 1);
});

test.each([
  ['made by another program', { madeBy: 'another' }],
  ['while agents are at work', { live: RUNNING }],
])('answers are not shown that were %s', async (_, options) => {
  const { before, after } = await beforeAndAfter(await copied(), options);
  expect(before.statistics.messages).toBeLessThan(1_000);
  expect(after.statistics.messages).toBeGreaterThan(10_000);
});

test.each([
  ['cut', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
  ['flipped', (bytes: Buffer) => Buffer.from(bytes.map((byte, at) => (at === 500 ? byte ^ 1 : byte)))],
  ['empty', () => Buffer.alloc(0)],
  ['no JSON', () => Buffer.from('null\0\0\0\0')],
])('answers in a file that is %s are not shown, and kept again', async (_, harmed) => {
  const root = await copied();
  const { views } = pathsOf(root, 'c1');
  const good = readFileSync(views);
  writeFileSync(views, harmed(good));
  const { before, after } = await beforeAndAfter(root);
  expect(before.statistics.messages).toBeLessThan(1_000);
  expect(after.statistics.messages).toBeGreaterThan(10_000);
  await soon(() => expect(readFileSync(views).equals(good)).toBe(true));
});
