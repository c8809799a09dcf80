import { createServer } from 'node:net';
import { once } from 'node:events';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import type { LogRecord } from '../../../src/core/record.js';
import { silentLog } from '../../../src/core/ports/log.js';
import type { SearchQuestion, SearchUpdate } from '../../../src/page/protocol/search.js';
import type { Searched } from '../../../src/search/searchCalls.js';
import { markedPrices } from '../../../src/search/markedPrices.js';
import { SessionSearch } from '../../../src/search/sessionSearch.js';
import { buildWorker } from '../../support/buildWorker.js';
import { PASSWORD } from '../../support/postgresServer.js';
import { pushTo } from '../../support/pushedArchive.js';
import { recordOf, said, temporaryStore } from '../../support/storeFixture.js';
import { testArchives } from '../../support/testArchive.js';

const { archive, server } = testArchives();

let script: URL;
let archiveScript: URL;
beforeAll(async () => {
  script = await buildWorker('search/search.worker.ts');
  archiveScript = await buildWorker('archive/archiveReading.worker.ts');
});

const never = new AbortController().signal;
const ROOT = 'db/team';

const ask = (text: string, more: Partial<SearchQuestion> = {}): SearchQuestion => ({
  text,
  rows: 'messages',
  now: 1_790_000_100_000,
  timeZone: 'UTC',
  order: 'newest',
  archive: true,
  limits: { sessions: 100, hitsOfSession: 20 },
  ...more,
});

function talk(id: string, texts: readonly string[]): LogRecord[] {
  return texts.map((text, at) => recordOf(at + 1, said(text, at % 2 === 0 ? 'user' : 'assistant'), id));
}

/** A search over a store of some conversations and an archive. */
async function searched(
  here: Readonly<Record<string, readonly string[]>>,
  asked: Searched['archive'] | (() => never),
  imported: readonly (readonly string[])[] = [],
) {
  const { store, root } = await temporaryStore();
  for (const [id, texts] of Object.entries(here)) await store.importConversation(id, talk(id, texts));
  for (const texts of imported)
    await store.importSession({ source: { tool: 'oven', session: 'batch' }, records: talk('batch', texts) });
  let questions = 0;
  const search = new SessionSearch({
    script,
    archiveScript,
    log: silentLog,
    stores: () => Promise.resolve([{ root, readOnly: false }]),
    archive: () => {
      questions++;
      return Promise.resolve(typeof asked === 'function' ? asked() : asked);
    },
  });
  onTestFinished(() => search.dispose());
  return { search, questions: () => questions };
}

async function answered(search: SessionSearch, question: SearchQuestion, signal = never) {
  const updates: SearchUpdate[] = [];
  for await (const update of search.ask(question, signal)) updates.push(update);
  const last = updates.at(-1);
  if (!last) throw new Error('Nothing was answered.');
  return { updates, last, groups: updates.flatMap(({ groups }) => groups) };
}

const HERE = { '20260101-000000-aaaaaaaa': ['Why is the dough so wet?', 'Too much milk.'] };

test('a question is put to the archive as well, and what is here too is found here alone', async () => {
  const { name, connection } = await archive();
  const [id = '', texts = []] = Object.entries(HERE)[0] ?? [];
  await pushTo(connection, id, talk(id, texts));
  await pushTo(connection, 'far', talk('far', ['Knead the dough.', 'The dough rests.']), {
    title: 'Far away',
  });
  await pushTo(connection, 'other', talk('other', ['Sing.']));
  const { search, questions } = await searched(HERE, {
    root: ROOT,
    address: server().address(name),
    password: PASSWORD,
  });
  const { last, groups } = await answered(search, ask('dough'));
  expect(last).toMatchObject({
    state: 'done',
    totals: { rows: 3, sessions: 2 },
    progress: { looked: 3, of: 3 },
  });
  expect(last.archiveProblem).toBeUndefined();
  const far = { kind: 'archive', root: ROOT, conversation: 'far' } as const;
  expect(groups.map(({ place: location, title, count }) => ({ place: location, title, count }))).toEqual(
    expect.arrayContaining([
      {
        place: expect.objectContaining({ kind: 'stored', conversation: id }) as unknown,
        title: 'Why is the dough so wet?',
        count: 1,
      },
      { place: far, title: 'Far away', count: 2 },
    ]),
  );
  expect(
    groups.find(({ place: location }) => location.kind === 'archive')?.hits.map(({ position }) => position),
  ).toEqual([0, 1]);
  expect(last.facets.find(({ field }) => field === 'agent')?.values).toMatchObject([
    { value: 'Pickle', count: 3 },
  ]);
  // All of one of them, and what is around a hit in it.
  const one = await answered(search, ask('dough', { only: [far] }));
  expect(one.groups.map(({ place: location, count }) => [location.conversation, count])).toEqual([
    ['far', 2],
  ]);
  expect((await search.near(far, 0, 1)).map(({ text }) => text)).toEqual([
    'Knead the dough.',
    'The dough rests.',
  ]);
  const before = questions();
  // Nobody asks it where nobody wants it.
  expect((await answered(search, ask('dough', { archive: false }))).last.totals).toMatchObject({
    sessions: 1,
  });
  expect(questions()).toBe(before);
});

test('what several conversations of an archive tell, or one of them and one that is here, is found once', async () => {
  const { name, connection } = await archive();
  const baked = ['Mix the dough.', 'The dough is mixed.'];
  const about = { source: 'oven', session: 'batch' };
  await pushTo(connection, 'first', talk('first', baked), about);
  await pushTo(connection, 'longer', talk('longer', [...baked, 'Bake the dough.']), about);
  await pushTo(connection, 'another', talk('another', baked), { source: 'oven', session: 'other' });
  const asked = { root: ROOT, address: server().address(name), password: PASSWORD };
  const countsOf = async (search: SessionSearch, more: Partial<SearchQuestion> = {}) => {
    const { last, groups } = await answered(search, ask('dough', more));
    const counts = groups.map(({ place, count }): [string, number] => [
      place.kind === 'archive' ? place.conversation : place.kind,
      count,
    ]);
    expect(last.totals.rows).toBe(counts.reduce((sum, [, count]) => sum + count, 0));
    return Object.fromEntries(counts);
  };
  const { search } = await searched({}, asked);
  expect(await countsOf(search)).toEqual({ first: 2, longer: 1, another: 2 });
  const longer = { kind: 'archive', root: ROOT, conversation: 'longer' } as const;
  expect(await countsOf(search, { only: [longer] })).toEqual({ longer: 1 });
  const { search: withOwn } = await searched({}, asked, [baked]);
  expect(await countsOf(withOwn)).toEqual({ stored: 2, longer: 1, another: 2 });
  expect((await answered(search, ask('session:batch'))).groups).toHaveLength(2);
});

test('an archive that cannot be asked is told beside what is found here', async () => {
  const { name } = await archive();
  const address = server().address(name);
  for (const [asked, problem] of [
    [{ root: ROOT, address: 'postgres://owner@127.0.0.1:1/cake', password: 'x' }, /No server answers/],
    [{ root: ROOT, address, password: 'wrong' }, /does not let this user in/],
    [{ problem: 'The address is none.' }, /^The address is none\.$/],
  ] as const) {
    const { search } = await searched(HERE, asked);
    const { last, groups } = await answered(search, ask('dough'));
    expect(last).toMatchObject({ state: 'done', totals: { rows: 1, sessions: 1 }, unread: { count: 0 } });
    expect(last.archiveProblem).toMatch(problem);
    expect(groups).toHaveLength(1);
    search.dispose();
  }
});

test('an archive that breaks off while it is asked is told once, not with each of its conversations', async () => {
  const { name, connection } = await archive();
  for (const id of ['a', 'b', 'c']) await pushTo(connection, id, talk(id, ['The dough.']));
  await connection.query('ALTER TABLE agent_logbook.records RENAME TO hidden');
  const { search } = await searched(HERE, {
    root: ROOT,
    address: server().address(name),
    password: PASSWORD,
  });
  const { last } = await answered(search, ask('dough'));
  expect(last).toMatchObject({ state: 'done', totals: { rows: 1 }, unread: { count: 0 } });
  expect(last.archiveProblem).toMatch(/refused/);
});

test('what was pushed at other prices is counted from what is known of it, without being read', async () => {
  const { name, connection } = await archive();
  const prices = { ...(await markedPrices('')), mark: 'of last year' };
  await pushTo(connection, 'far', talk('far', ['Knead.', 'Done.']), { prices });
  await connection.query('ALTER TABLE agent_logbook.records RENAME TO hidden');
  const { search } = await searched({}, { root: ROOT, address: server().address(name), password: PASSWORD });
  const { last } = await answered(search, ask('role:user', { limits: { sessions: 10, hitsOfSession: 0 } }));
  expect(last).toMatchObject({ state: 'done', totals: { rows: 1, sessions: 1 } });
  expect(last.archiveProblem).toBeUndefined();
});

test('what is here is told while the archive does not answer, and the next question does not wait for it', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  onTestFinished(() => void silent.close());
  const address = silent.address();
  const port = typeof address === 'string' ? 0 : (address?.port ?? 0);
  const { search } = await searched(HERE, {
    root: ROOT,
    password: 'x',
    address: `postgres://owner@127.0.0.1:${port}/cake`,
  });
  for (let round = 0; round < 2; round++) {
    const stop = new AbortController();
    const updates: SearchUpdate[] = [];
    for await (const update of search.ask(ask('dough'), stop.signal)) {
      updates.push(update);
      if (update.groups.length > 0) stop.abort();
    }
    expect(updates.flatMap(({ groups }) => groups)).toHaveLength(1);
    expect(updates.at(-1)?.state).toBe('cancelled');
    expect(updates.at(-1)?.archiveProblem).toBeUndefined();
  }
});
