import { expect, test } from 'vitest';
import {
  SearchSession,
  type SearchSessionOptions,
  type OpenedHit,
  type SearchEngine,
} from '../../../../src/page/panel/search/searchSession.js';
import { memoryQuestions } from '../../../support/memoryQuestions.js';
import { silentLog } from '../../../../src/core/ports/log.js';
import { MESSAGE_CHARACTERS, type FromHost } from '../../../../src/page/protocol/protocol.js';
import { RequestClient } from '../../../../src/page/protocol/requestClient.js';
import type { SearchGroup, SearchQuestion, SearchUpdate } from '../../../../src/page/protocol/search.js';
import type { BarQuery, SearchContract } from '../../../../src/page/protocol/searchPage.js';

const UPDATE: SearchUpdate = {
  state: 'done',
  problems: [],
  groups: [],
  totals: { rows: 0, sessions: 0 },
  facets: [],
  histogram: { unit: 'day', bars: [], inNoBar: 0 },
  progress: { looked: 1, of: 1 },
  unread: { count: 0, first: [] },
  incomplete: { count: 0, first: [] },
};
const COOKIES: BarQuery = { text: 'cookies', rows: 'messages' };

/** A session and a page without a browser. */
function joined(engine: Partial<SearchEngine>, more: Pick<SearchSessionOptions, 'archive'> = {}) {
  const heard: { name: string; data: unknown }[] = [];
  const sizes: number[] = [];
  const opened: OpenedHit[] = [];
  const problems: string[] = [];
  const asked: (string | undefined)[] = [];
  const exported: string[] = [];
  const session = new SearchSession({
    engine: {
      async *ask() {
        await Promise.resolve();
        yield UPDATE;
      },
      near: () => Promise.resolve([]),
      argumentValues: () => Promise.resolve({}),
      ...engine,
    },
    ...more,
    conversations: () => Promise.resolve(3),
    open: (hit) => opened.push(hit),
    openInEditor: () => undefined,
    exportFound: (places) => void exported.push(...places.map(({ conversation }) => conversation)),
    onAsked: (question) => asked.push(question?.text),
    isEditor: false,
    questions: memoryQuestions(),
    copyQuestionLink: ({ text }) => Promise.resolve(void problems.push(`copied ${text}`)),
    now: () => 0,
    timeZone: 'UTC',
    log: { ...silentLog, warn: (message) => problems.push(message) },
    post: (message: FromHost<SearchContract>) => {
      sizes.push(JSON.stringify(message).length);
      page.receive(structuredClone(message));
      return Promise.resolve();
    },
  });
  const page: RequestClient<SearchContract> = new RequestClient<SearchContract>({
    post: (message) => void session.receive(structuredClone(message)),
    onEvent: (event) => heard.push(event),
    onUnexpected: (why) => problems.push(why),
  });
  return { session, page, heard, sizes, opened, problems, asked, exported };
}

test('sessions that were found are exported, and those of an archive alone are not', async () => {
  const { page, exported } = joined({});
  const archived = { kind: 'archive', root: 'db', conversation: 'a' } as const;
  const stored = { kind: 'stored', root: '/s', conversation: 'b' } as const;
  await page.ask('exportFound', { places: [archived, stored] });
  await expect(page.ask('exportFound', { places: [archived] })).rejects.toThrow('opened first');
  expect(exported).toEqual(['a', 'b']);
});

test('what is asked is told, and that nothing is any more where the bar was emptied', async () => {
  const { page, asked } = joined({});
  await page.ask('ask', { number: 1, question: COOKIES });
  await page.ask('cancel', {});
  await page.ask('cancel', { forgets: true });
  expect(asked).toEqual([COOKIES.text, undefined]);
});

test('the next question ends the one before, and answers carry the number of theirs', async () => {
  const signals: AbortSignal[] = [];
  const { page, heard } = joined({
    async *ask({ text }, signal) {
      signals.push(signal);
      if (text === 'slow') await new Promise((resolve) => signal.addEventListener('abort', resolve));
      else yield UPDATE;
    },
  });
  await page.ask('ask', { number: 1, question: { ...COOKIES, text: 'slow' } });
  await page.ask('ask', { number: 2, question: COOKIES });
  await expect.poll(() => heard).toHaveLength(1);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  expect(heard[0]).toMatchObject({ name: 'update', data: { number: 2 } });
});

test('no message is too large: groups are spread over several, the last of which tells the end', async () => {
  const group = (number: number): SearchGroup => ({
    place: { kind: 'stored', root: '/r', conversation: `c_${number}` },
    title: 'x'.repeat(100_000),
    agents: [],
    isLive: false,
    count: 1,
    hits: [],
  });
  const groups = [1, 2, 3, 4, 5].map(group);
  const { page, heard, sizes } = joined({
    async *ask() {
      await Promise.resolve();
      yield { ...UPDATE, groups };
    },
  });
  await page.ask('ask', { number: 1, question: COOKIES });
  await expect.poll(() => heard.length).toBe(3);
  const updates = heard.map(({ data }) => (data as { update: SearchUpdate }).update);
  expect(updates.flatMap((update) => update.groups)).toEqual(groups);
  expect(updates.map(({ state }) => state)).toEqual(['searching', 'searching', 'done']);
  expect(Math.max(...sizes)).toBeLessThan(MESSAGE_CHARACTERS + 2_000);
});

test('an engine that fails is told to the page with its reason', async () => {
  const { page, heard, problems } = joined({
    async *ask() {
      await Promise.resolve();
      throw new Error('The store is away.');
    },
  });
  await page.ask('ask', { number: 7, question: COOKIES });
  await expect
    .poll(() => heard)
    .toEqual([{ kind: 'event', name: 'failed', data: { number: 7, message: 'The store is away.' } }]);
  expect(problems).toEqual(['A question could not be answered.']);
});

test('all of one session is asked for alone, and values for completion without any hits, once', async () => {
  const questions: SearchQuestion[] = [];
  let lookedAt = 0;
  const place = { kind: 'stored', root: '/r', conversation: 'c_1' } as const;
  const { page } = joined({
    async *ask(question) {
      questions.push(question);
      await Promise.resolve();
      const values = [{ value: 'Pickle', count: 2, refine: 'agent:=Pickle' }];
      const groups = [{ place, title: '', agents: [], count: 2, hits: [], isLive: false }];
      yield { ...UPDATE, groups, facets: [{ field: 'agent', values, more: 0 }] };
    },
    argumentValues: () => Promise.resolve({ command: [`rm ${++lookedAt}`], 'args.path': ['a.ts'] }),
  });
  expect(await page.ask('more', { question: COOKIES, place })).toMatchObject({ group: { place } });
  expect(questions[0]).toMatchObject({ text: 'cookies', only: [place] });
  const valuesOf = async (name: string) => (await page.ask('values', { name })).values;
  expect(await valuesOf('agent')).toEqual(['Pickle']);
  expect(questions[1]).toMatchObject({ text: '', limits: { hitsOfSession: 0 } });
  expect(await valuesOf('session')).toEqual(['c_1']);
  expect(await valuesOf('command')).toEqual(['rm 1']);
  expect(await valuesOf('args.path')).toEqual(['a.ts']);
  expect(await valuesOf('command')).toEqual(['rm 1']);
  for (const name of ['tool', 'nothing', 'toString', 'args.toString'])
    expect(await valuesOf(name)).toEqual([]);
  expect(questions).toHaveLength(2);
});

test('values that cannot be told are asked for again', async () => {
  let lookedAt = 0;
  const { page } = joined({
    argumentValues: () =>
      lookedAt++ === 0
        ? Promise.reject(new Error('The store is away.'))
        : Promise.resolve({ file: ['a.ts'] }),
  });
  await expect(page.ask('values', { name: 'file' })).rejects.toThrow('The store is away.');
  expect(await page.ask('values', { name: 'file' })).toEqual({ values: ['a.ts'] });
});

test('a question from elsewhere waits for the page', async () => {
  const { session, page, heard } = joined({});
  session.show(COOKIES);
  expect(await page.ask('ready', {})).toEqual({
    conversations: 3,
    isEditor: false,
    question: COOKIES,
    questions: { saved: [], recent: [] },
  });
  session.show({ ...COOKIES, rows: 'runs' });
  session.step(-1);
  expect(heard.map(({ name, data }) => [name, data])).toEqual([
    ['show', { question: { ...COOKIES, rows: 'runs' } }],
    ['step', { by: -1 }],
  ]);
});

test('the archive is asked where there is one and the person wants that, which is kept', async () => {
  const wanted = [false];
  const questions: SearchQuestion[] = [];
  const { page } = joined(
    {
      async *ask(question) {
        questions.push(question);
        await Promise.resolve();
        yield UPDATE;
      },
    },
    {
      archive: {
        isSet: () => true,
        isWanted: () => wanted.at(-1) === true,
        want: (isWanted) => wanted.push(isWanted),
      },
    },
  );
  expect(await page.ask('ready', {})).toMatchObject({ archive: false });
  await page.ask('ask', { number: 1, question: COOKIES, archive: true });
  await page.ask('ask', { number: 2, question: COOKIES, archive: true });
  expect(wanted).toEqual([false, true]);
  const place = { kind: 'archive', root: 'db/team', conversation: 'c_1' } as const;
  await page.ask('more', { question: COOKIES, place });
  await page.ask('more', { question: COOKIES, place: { ...place, kind: 'stored' } });
  expect(questions.map(({ archive }) => archive)).toEqual([true, true, true, false]);
  expect(await page.ask('ready', {})).toMatchObject({ archive: true });
});

test('what the page must not ask is refused', async () => {
  const { session, problems } = joined({});
  await session.receive({ kind: 'request', id: 1, name: 'constructor', params: {} });
  await session.receive({
    kind: 'request',
    id: 2,
    name: 'ask',
    params: { number: 1, question: { text: 3 } },
  });
  expect(problems.filter((problem) => problem.startsWith('The page'))).toHaveLength(2);
});

test('questions are noted, saved and removed in the book that panels have too, and links are copied', async () => {
  const { page, problems } = joined({});
  await page.ask('ready', {});
  expect(await page.ask('noteQuestion', { question: COOKIES })).toEqual({ saved: [], recent: [COOKIES] });
  const saved = { name: 'Cookies', scope: 'workspace', question: COOKIES } as const;
  expect(await page.ask('saveQuestion', saved)).toEqual({ saved: [saved], recent: [COOKIES] });
  expect((await page.ask('removeQuestion', { name: 'Cookies', scope: 'workspace' })).saved).toEqual([]);
  await page.ask('copyQuestionLink', { question: COOKIES });
  expect(problems).toEqual(['copied cookies']);
});
