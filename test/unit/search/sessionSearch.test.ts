import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { query } from '../../../src/app/transcripts/queryTranscripts.js';
import type { LogRecord } from '../../../src/core/record.js';
import { silentLog } from '../../../src/ports/log.js';
import type { SearchQuestion, SearchUpdate } from '../../../src/protocol/search.js';
import { SessionSearch } from '../../../src/search/sessionSearch.js';
import { buildWorker } from '../../support/buildWorker.js';
import { recordOf, said, temporaryStore } from '../../support/storeFixture.js';

let script: URL;
beforeAll(async () => {
  script = await buildWorker('search/search.worker.ts');
}, 60_000);

const ask = (text: string, more: Partial<SearchQuestion> = {}): SearchQuestion => ({
  text,
  rows: 'messages',
  now: 1_790_000_100_000,
  timeZone: 'UTC',
  order: 'newest',
  limits: { sessions: 100, hitsOfSession: 20 },
  ...more,
});

const never = new AbortController().signal;

/** A store of some conversations, and the search over it. */
async function searched(conversations: Readonly<Record<string, readonly string[]>>) {
  const { store, root } = await temporaryStore();
  for (const [id, texts] of Object.entries(conversations))
    await store.importConversation(id, talk(id, texts));
  const search = new SessionSearch({
    script,
    log: silentLog,
    stores: () => Promise.resolve([{ root, readOnly: false }]),
  });
  onTestFinished(() => search.dispose());
  return { store, root, search };
}

function talk(id: string, texts: readonly string[]): LogRecord[] {
  return texts.map((text, at) => recordOf(at + 1, said(text, at % 2 === 0 ? 'user' : 'assistant'), id));
}

async function answered(search: SessionSearch, question: SearchQuestion, signal = never) {
  const updates: SearchUpdate[] = [];
  for await (const update of search.ask(question, signal)) updates.push(update);
  const last = updates.at(-1);
  if (!last) throw new Error('Nothing was answered.');
  return { updates, last, groups: updates.flatMap(({ groups }) => groups) };
}

test('a question finds the messages of all conversations, the newest first, as query() does', async () => {
  const { store, search } = await searched({
    '20260101-000000-aaaaaaaa': ['Why is the dough so wet?', 'Too much milk.'],
    '20260102-000000-bbbbbbbb': ['Bake the cookies.', 'The DOUGH rests.', 'And the dough?'],
    '20260103-000000-cccccccc': ['Sing.', 'No.'],
  });
  const { last, groups } = await answered(search, ask('dough'));
  expect(last).toMatchObject({
    state: 'done',
    totals: { rows: 3, sessions: 2 },
    progress: { looked: 3, of: 3 },
  });
  expect(groups.map(({ place }) => place.conversation)).toEqual([
    '20260102-000000-bbbbbbbb',
    '20260101-000000-aaaaaaaa',
  ]);
  const ids = groups.map(({ place }) => place.conversation);
  const transcripts = await Promise.all(ids.map((id) => store.openTranscript(id)));
  const judged = await query(transcripts, 'dough', { now: ask('').now, timeZone: 'UTC' });
  const found = groups.flatMap(({ place, hits }) => hits.map((hit) => [place.conversation, hit.position]));
  expect(found).toEqual(
    judged.ok && judged.found.map((row) => [row.session, 'position' in row ? row.position : -1]),
  );
});

test('a hit has its text on one line with what matches, who said it, and the terms that hold for it', async () => {
  const { search } = await searched({
    c1: ['Hello', `First\nline\n${'crumb '.repeat(30)}the Dough and dough`],
  });
  const { groups } = await answered(search, ask('dough role:assistant'));
  const [hit] = groups[0]?.hits ?? [];
  const marked = hit?.excerpt.marks.map(({ start, end }) => hit.excerpt.text.slice(start, end));
  expect(marked).toEqual(['Dough', 'dough']);
  expect(hit?.excerpt).toMatchObject({ isCutBefore: true, isCutAfter: false });
  expect(hit?.excerpt.text).not.toContain('\n');
  expect(hit).toMatchObject({
    position: 1,
    seq: 2,
    agent: 'Pickle',
    role: 'assistant',
    why: ['role:assistant'],
  });
});

test('everything that matches is counted, also what is over the limits', async () => {
  const { search } = await searched({
    c1: ['dough', 'dough', 'dough'],
    c2: ['dough', 'dough'],
    c3: ['dough'],
  });
  const { last, groups } = await answered(
    search,
    ask('dough', { limits: { sessions: 2, hitsOfSession: 1 } }),
  );
  expect(groups.map(({ count, hits }) => [count, hits.length])).toEqual([
    [1, 1],
    [2, 1],
  ]);
  expect(last.totals).toEqual({ rows: 6, sessions: 3 });
  const [agents] = last.facets;
  expect(agents).toEqual({
    field: 'agent',
    values: [{ value: 'Pickle', count: 6, refine: 'agent:="Pickle"' }],
    more: 0,
  });
  expect(last.histogram.bars.map(({ count }) => count)).toEqual([6]);
});

test('a value of a facet, added to the question, leaves as many rows as it counted', async () => {
  const { search } = await searched({ c1: ['a dough', 'dough', 'none'], c2: ['dough'] });
  const { last } = await answered(search, ask('dough'));
  for (const { values } of last.facets)
    for (const { count, refine } of values) {
      const narrowed = await answered(search, ask(`dough ${refine}`));
      expect(narrowed.last.totals.rows, refine).toBe(count);
    }
});

test('what is wrong in a question is told with its place', async () => {
  const { search } = await searched({ c1: ['dough'] });
  const { updates } = await answered(search, ask('dough ('));
  expect(updates).toMatchObject([{ state: 'refused', groups: [], problems: [{ start: 6 }] }]);
});

test('a conversation that cannot be read is counted and named beside what is found', async () => {
  const { search, root } = await searched({ c1: ['dough'], c2: ['dough'] });
  const journal = join(root, 'conversations', 'c2', 'messages.jsonl');
  await rm(journal);
  await writeFile(join(root, 'elsewhere'), '');
  await symlink(join(root, 'elsewhere'), journal);
  const { last } = await answered(search, ask('dough'));
  expect(last).toMatchObject({
    state: 'done',
    totals: { rows: 1 },
    progress: { looked: 2 },
    unread: { count: 1, first: [{ place: { conversation: 'c2' } }] },
  });
  expect(last.unread.first[0]?.why).not.toBe('');
});

test('damaged lines are counted for the conversation that has them', async () => {
  const { search, root } = await searched({ c1: ['dough', 'more dough'] });
  const journal = join(root, 'conversations', 'c1', 'messages.jsonl');
  const bytes = await readFile(journal, 'latin1');
  await writeFile(journal, bytes.replace('more dough', 'mOre dough'), 'latin1');
  const { last } = await answered(search, ask('dough'));
  expect(last).toMatchObject({ totals: { rows: 1 }, incomplete: { count: 1, first: [{ damaged: 1 }] } });
});

test('a pattern that never ends is given up with words at its place, and each conversation is counted', async () => {
  const slow = `${'a'.repeat(40)}!`;
  const { search } = await searched({ c1: [slow], c2: [slow], c3: [slow], c4: [slow] });
  const { last } = await answered(search, ask('/^(a+)+$/'));
  expect(last).toMatchObject({ state: 'refused', problems: [{ start: 0, end: 9 }], unread: { count: 3 } });
}, 20_000);

test('an aborted search says that it was cancelled and tells what it had found', async () => {
  const { search } = await searched({ c1: ['dough'], c2: ['dough'] });
  const stop = new AbortController();
  const updates: SearchUpdate[] = [];
  for await (const update of search.ask(ask('dough'), stop.signal)) {
    updates.push(update);
    stop.abort();
  }
  expect(updates.map(({ state }) => state)).toEqual(['searching', 'cancelled']);
  expect(updates.at(-1)?.totals.rows).toBe(1);
});

test('the records around a hit can be read', async () => {
  const { search, root } = await searched({ c1: ['one', 'two', 'three', 'four'] });
  const near = await search.near({ kind: 'stored', root, conversation: 'c1' }, 1, 1);
  expect(near.map(({ position, role, text }) => [position, role, text])).toEqual([
    [0, 'user', 'one'],
    [1, 'assistant', 'two'],
    [2, 'user', 'three'],
  ]);
});

test('a conversation of the older layout is asked too', async () => {
  const { search, root } = await searched({ c1: ['dough'] });
  await mkdir(join(root, 'conversations', 'old'));
  const messages = '[{"role":"user","content":"Old dough"}]';
  await writeFile(join(root, 'conversations', 'old', 'messages.json'), messages);
  const { last, groups } = await answered(search, ask('dough'));
  expect(groups.map(({ place, hits }) => [place.conversation, hits[0]?.excerpt.text])).toEqual([
    ['old', 'Old dough'],
    ['c1', 'dough'],
  ]);
  expect(last.progress).toEqual({ looked: 2, of: 2 });
});

test('a search that ends with its thread says so', async () => {
  const { search } = await searched({ c1: ['dough'] });
  const asked = search.ask(ask('dough'), never);
  await asked.next();
  search.dispose();
  await expect(asked.next()).rejects.toThrow('ended');
});
