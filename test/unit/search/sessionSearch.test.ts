import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { query } from '../../../src/app/transcripts/queryTranscripts.js';
import { NO_COST } from '../../../src/core/cost.js';
import type { LogRecord } from '../../../src/core/record.js';
import { silentLog } from '../../../src/core/ports/log.js';
import type { SearchQuestion, SearchUpdate } from '../../../src/page/protocol/search.js';
import { noteOn } from '../../support/noteOn.js';
import { SessionSearch } from '../../../src/search/sessionSearch.js';
import { buildWorker } from '../../support/buildWorker.js';
import { recordOf, said, temporaryStore } from '../../support/storeFixture.js';

let script: URL;
beforeAll(async () => {
  script = await buildWorker('search/search.worker.ts');
});

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
  expect(groups.map(({ place: location }) => location.conversation)).toEqual([
    '20260102-000000-bbbbbbbb',
    '20260101-000000-aaaaaaaa',
  ]);
  const ids = groups.map(({ place: location }) => location.conversation);
  const transcripts = await Promise.all(ids.map((id) => store.openTranscript(id)));
  const judged = await query(transcripts, 'dough', { now: ask('').now, timeZone: 'UTC' });
  const found = groups.flatMap(({ place: location, hits }) =>
    hits.map((hit) => [location.conversation, hit.position]),
  );
  expect(found).toEqual(
    judged.ok && judged.found.map((row) => [row.session, 'position' in row ? row.position : -1]),
  );
});

test('values of arguments are told of what was asked before', async () => {
  const { search, store } = await searched({});
  const record = { ...recordOf(1, said('x', 'assistant'), 'c1') };
  const tool_calls = [
    { id: 't', type: 'function', function: { name: 'bash', arguments: '{"command":"rm a"}' } },
  ];
  const asking = {
    ...record,
    message: { role: 'assistant', content: null, tool_calls },
  } as unknown as LogRecord;
  await store.importConversation('c1', [asking]);
  expect((await search.argumentValues()).command).toEqual([]);
  await answered(search, ask('', { rows: 'toolCalls' }));
  expect(await search.argumentValues()).toMatchObject({ command: ['rm'], args: ['command'] });
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
  // What an agent answers is of unknown cost where nothing is recorded of it.
  const cost = { ...NO_COST, unknown: 2, why: { unrecorded: 2 } };
  expect(last.totals).toEqual({ rows: 6, sessions: 3, cost });
  const [agents] = last.facets;
  expect(agents).toEqual({
    field: 'agent',
    values: [{ value: 'Pickle', count: 6, cost, refine: 'agent:"Pickle"' }],
    more: 0,
  });
  expect(last.histogram.bars.map(({ count }) => count)).toEqual([6]);
});

test('no update is larger than what a page takes at once, and each group is told once', async () => {
  const texts = Array.from({ length: 40 }, (_, at) => `dough ${at}`);
  const ids = Array.from({ length: 12 }, (_, at) => `20260101-0000${10 + at}-aaaaaaaa`);
  const { search } = await searched(Object.fromEntries(ids.map((id) => [id, texts])));
  // Once they are read, all are found sooner than the next update.
  await answered(search, ask('dough'));
  const { updates, groups } = await answered(
    search,
    ask('dough', { limits: { sessions: 100, hitsOfSession: 40 } }),
  );
  const hits = updates.map((update) => update.groups.reduce((sum, group) => sum + group.hits.length, 0));
  expect(Math.max(...hits)).toBeLessThanOrEqual(150);
  expect(groups.map(({ place: location }) => location.conversation)).toEqual([...ids].reverse());
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

test('a pattern that never ends in a title or a name is given up like one in texts', async () => {
  const slow = `${'a'.repeat(40)}!`;
  const { store, search } = await searched({ c1: ['x'], c2: ['x'], c3: ['x'] });
  for (const id of ['c1', 'c2', 'c3']) await store.rename(id, slow);
  const { last: cold } = await answered(search, ask('x'));
  expect(cold.totals.rows).toBe(3);
  const { last } = await answered(search, ask('title:/^(a+)+$/'));
  expect(last).toMatchObject({ state: 'refused', problems: [{ start: 6, end: 15 }], unread: { count: 3 } });
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
  expect(groups.map(({ place: location, hits }) => [location.conversation, hits[0]?.excerpt.text])).toEqual([
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

test('notes are asked of all conversations, those that are written later too', async () => {
  const { store, search } = await searched({
    '20260101-000000-aaaaaaaa': ['Why is the dough so wet?', 'Too much milk.'],
    '20260102-000000-bbbbbbbb': ['Bake the cookies.', 'The DOUGH rests.', 'And the dough?'],
  });
  const note = (conversation: string, position: number, text: string) =>
    noteOn(store, conversation, position, { id: `n_${position}`, text, at: 1 });
  const found = async (text: string) =>
    (await answered(search, ask(text))).groups.flatMap(({ place: location, hits }) =>
      hits.map(({ position }) => `${location.conversation.slice(-1)} ${position}`),
    );
  expect(await found('has:note')).toEqual([]);
  await note('20260101-000000-aaaaaaaa', 1, 'less milk');
  // The second time, all is answered from what is kept beside the journals.
  expect(await found('has:note')).toEqual(['a 1']);
  await note('20260102-000000-bbbbbbbb', 0, '');
  expect(await found('has:note')).toEqual(['b 0', 'a 1']);
  expect(await found('note:MILK')).toEqual(['a 1']);
  expect(await found('dough -has:note')).toEqual(['b 1', 'b 2', 'a 0']);
  expect((await answered(search, ask('note:milk'))).last.incomplete.count).toBe(0);
});

test('a session whose notes cannot be read is named where notes are asked for, and answers everything else', async () => {
  const { root, search } = await searched({ '20260101-000000-aaaaaaaa': ['dough'] });
  await mkdir(join(root, 'conversations', '20260101-000000-aaaaaaaa', 'notes.jsonl'));
  expect((await answered(search, ask('dough'))).last).toMatchObject({
    totals: { rows: 1 },
    unread: { count: 0 },
  });
  const { unread } = (await answered(search, ask('has:note'))).last;
  expect(unread.count).toBe(1);
  expect(unread.first[0]?.why).toContain('notes.jsonl');
});

test('what a person noted is told with what the note is on, where notes are asked for', async () => {
  const { store, search } = await searched({ c1: ['Dough?', 'The dough.'] });
  await noteOn(store, 'c1', 1, { id: 'n1', text: 'less\nmilk', at: 1 });
  await noteOn(store, 'c1', 0, { id: 'n2', text: '', at: 1 });
  const notes = async (text: string) =>
    (await answered(search, ask(text))).groups.flatMap(({ hits }) => hits.map((hit) => hit.notes));
  expect(await notes('has:note')).toEqual([undefined, ['less milk']]);
  expect(await notes('note:milk')).toEqual([['less milk']]);
  expect(await notes('dough')).toEqual([undefined, undefined]);
});

test.each([
  ['dough', 'messages', 2, [0, 1]],
  ['dough', 'runs', 1, [0, 1]],
  ['role:user -dough', 'records', 1, [2]],
  ['nobody', 'messages', 0, []],
] as const)(
  'of one conversation, %s as %s is %i rows of the records %j',
  async (text, rows, count, positions) => {
    const { root, search } = await searched({ c1: ['Dough?', 'The dough.', 'No.'], c2: ['dough'] });
    const place = { kind: 'stored', root, conversation: 'c1' } as const;
    const found = await search.recordsIn(place, ask(text, { rows }), never);
    expect([found.rows, [...found.positions]]).toEqual([count, positions]);
  },
);

test('a question to one conversation says what is wrong with it, and that the conversation is gone', async () => {
  const { root, search } = await searched({ c1: ['Dough?'] });
  const in_ = (conversation: string, text: string, signal = never) =>
    search.recordsIn({ kind: 'stored', root, conversation }, ask(text), signal);
  await expect(in_('c1', 'agnet:x')).rejects.toThrow('agnet');
  await expect(in_('c9', 'dough')).rejects.toThrow('not there any more');
  await expect(in_('c1', 'dough', AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
});
