import fc from 'fast-check';
import { expect, test } from 'vitest';
import { query } from '../../../src/app/transcripts/queryTranscripts.js';
import { addCosts, costOf, formatCost, NO_COST, type Cost } from '../../../src/core/cost.js';
import { dollars } from '../../../src/core/money.js';
import type { LogRecord } from '../../../src/core/record.js';
import { silentLog } from '../../../src/core/ports/log.js';
import type { Prices } from '../../../src/core/ports/prices.js';
import type { Facet, SearchUpdate } from '../../../src/page/protocol/search.js';
import { toggleRefinement } from '../../../src/query/language/refine.js';
import { sessionFacts } from '../../../src/query/language/sessionFactsBuilder.js';
import type { RowKind } from '../../../src/query/language/syntax.js';
import { ColumnCache } from '../../../src/search/columns/columnCache.js';
import { search } from '../../../src/search/search.js';
import { StoreSource } from '../../../src/search/sessions/storeSource.js';
import { costlyRecords } from '../../support/costlyRecords.js';
import { runs } from '../../support/fixedInputs.js';
import { recordOf, said, temporaryStore } from '../../support/storeFixture.js';
import { teamStory } from '../../support/teamStory.js';
import { PRICES } from '../query/language/judge.js';

const now = Date.UTC(2026, 9, 1);
const limits = { sessions: 100, hitsOfSession: 100 };
const newSource = (root: string) =>
  new StoreSource(root, false, { log: silentLog, cache: new ColumnCache() });

async function asked(
  source: StoreSource,
  text: string,
  rows: RowKind,
  prices: { readonly prices: Prices; readonly mark: string } = { prices: PRICES, mark: 'judge' },
) {
  const question = { text, rows, now, timeZone: 'UTC', order: 'newest', limits } as const;
  const updates: SearchUpdate[] = [];
  for await (const update of search([source], question, prices, new AbortController().signal))
    updates.push(update);
  const last = updates.at(-1);
  if (last?.state !== 'done') throw new Error(`The search is ${last?.state}.`);
  return { ...last, groups: updates.flatMap(({ groups }) => groups) };
}

const sum = (costs: Iterable<Cost | undefined>): Cost =>
  [...costs].reduce<Cost>((all, cost) => addCosts(all, cost ?? NO_COST), NO_COST);

const valuesOf = (facets: readonly Facet[], field: Facet['field']) =>
  facets.find((facet) => facet.field === field)?.values ?? [];

/** How what is found spends: the totals, which its groups, its hits and the days are the sum of. */
function spentIn({ totals, groups, facets, histogram }: Awaited<ReturnType<typeof asked>>): Cost {
  const cost = totals.cost ?? NO_COST;
  expect(sum(groups.map((group) => group.cost))).toEqual(cost);
  expect(sum(groups.flatMap(({ hits }) => hits.map((hit) => hit.cost)))).toEqual(cost);
  if (histogram.inNoBar === 0) expect(sum(valuesOf(facets, 'day').map((value) => value.cost))).toEqual(cost);
  return cost;
}

const spending = costlyRecords.filter(({ length }) => length > 0);

test('what is found costs what its parts cost, and all records, runs and calls what the sessions cost', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(spending, { minLength: 1, maxLength: 3 }), async (sessions) => {
      const { store, root } = await temporaryStore();
      const whole: (Cost | undefined)[] = [];
      for (const [at, records] of sessions.entries()) {
        const named = records.map(
          (record) => ({ ...record, conversation: `s${at}` }) as unknown as LogRecord,
        );
        await store.importConversation(`s${at}`, named);
        const transcript = await store.openTranscript(`s${at}`);
        const read = await transcript.read(0, transcript.length);
        whole.push(sessionFacts(read, { session: `s${at}` }, PRICES).whole.cost);
      }
      const warm = newSource(root);
      for (const rows of ['records', 'runs', 'agentCalls', 'sessions'] as const)
        for (const source of [warm, newSource(root)])
          expect({ rows, cost: spentIn(await asked(source, '', rows)) }).toEqual({ rows, cost: sum(whole) });
      expect((await asked(warm, '', 'toolCalls')).totals.cost).toBeUndefined();
      spentIn(await asked(warm, '', 'messages'));
    }),
    { numRuns: runs(40) },
  );
}, 120_000);

const usage = (inputTokens: number) => ({ inputTokens, outputTokens: 0, estimated: false });

/** A team whose requests are recorded beside the messages that answer them, one of them in vain. */
const team = [
  recordOf(1, said('Bake!', 'user')),
  recordOf(2, {
    type: 'request',
    model: 'even',
    endpoint: '',
    attempt: 1,
    durationMs: 1,
    usage: usage(3),
    error: { code: 'busy', message: 'No.' },
  }),
  recordOf(3, { type: 'request', model: 'even', endpoint: '', attempt: 2, durationMs: 1, usage: usage(5) }),
  recordOf(4, { ...said('It bakes.'), model: 'even', usage: usage(5) }),
  recordOf(5, said('And?', 'user')),
  recordOf(6, { type: 'request', model: 'odd', endpoint: '', attempt: 1, durationMs: 1, usage: usage(7) }),
  recordOf(7, { ...said('It is done.'), model: 'odd', usage: usage(7) }),
];

test('a message costs what its request did, and a facet says which part of its rows is of unknown cost', async () => {
  const { store, root } = await temporaryStore();
  await store.importConversation('c1', team);
  const { totals, facets, groups } = await asked(newSource(root), '', 'messages');
  expect(groups[0]?.hits.map(({ cost }) => cost && formatCost(cost))).toEqual([
    undefined,
    '$0.005',
    undefined,
    'cost unknown',
  ]);
  const words = (field: Facet['field']) =>
    valuesOf(facets, field).map(({ value, cost }) => [value, formatCost(cost ?? NO_COST)]);
  expect(words('agent')).toEqual([['Pickle', '≥ $0.005, 1 of 2 unknown']]);
  expect(words('model')).toEqual([
    ['even', '$0.005'],
    ['odd', 'cost unknown'],
  ]);
  expect(formatCost(totals.cost ?? NO_COST)).toBe('≥ $0.005, 1 of 2 unknown');
  // The attempt that failed is a record of its own.
  const records = await asked(newSource(root), '', 'records');
  expect(formatCost(records.totals.cost ?? NO_COST)).toBe('≥ $0.008, 1 of 3 unknown');
});

test('programs are told by query() what the search tells of the same rows', async () => {
  const { store, root } = await temporaryStore();
  await store.importConversation('c1', team);
  for (const rows of ['messages', 'records', 'runs', 'agentCalls', 'sessions'] as const) {
    const { groups } = await asked(newSource(root), '', rows);
    const answer = await query([await store.openTranscript('c1')], '', {
      rows,
      now,
      timeZone: 'UTC',
      prices: PRICES,
    });
    const told = answer.ok ? answer.found.map((row) => ('cost' in row ? row.cost : undefined)) : [];
    expect({ rows, told }).toEqual({ rows, told: groups[0]?.hits.map(({ cost }) => cost) });
  }
});

test('a value of a facet, added to the question, costs what it said', async () => {
  const { store, root } = await temporaryStore();
  await store.importConversation('c1', team);
  const source = newSource(root);
  const { facets } = await asked(source, '', 'messages');
  expect(facets.length).toBeGreaterThan(2);
  for (const { values } of facets)
    for (const { refine, cost } of values)
      expect((await asked(source, refine, 'messages')).totals.cost, refine).toEqual(cost);
});

test.each(['agentCalls', 'runs', 'sessions'] as const)(
  'a value of a facet of %s leaves as many as it counted, whoever in them has it',
  async (rows) => {
    const { store, root } = await temporaryStore();
    const { records } = teamStory();
    await store.importConversation('c1', records.slice(0, 60));
    await store.importConversation('c2', records);
    const source = newSource(root);
    const question = '-is:partial';
    const { facets } = await asked(source, question, rows);
    expect(facets.map(({ field }) => field)).toEqual(expect.arrayContaining(['agent', 'tool', 'model']));
    for (const { field, values } of facets.filter((facet) => facet.field !== 'day'))
      for (const { refine, count } of values) {
        const refined = toggleRefinement(question, { refine, with: 'joins' }, rows) ?? '';
        expect([field, refined, (await asked(source, refined, rows)).totals.rows]).toEqual([
          field,
          refined,
          count,
        ]);
      }
  },
);

test('costs are of the prices of today, also where what is kept is of others', async () => {
  const { store, root } = await temporaryStore();
  await store.importConversation('c1', team);
  const source = newSource(root);
  const before = await asked(source, 'bakes', 'messages');
  const dearer: Prices = {
    version: 'dearer',
    costOf: ({ usage: { inputTokens } }) => ({
      provenance: 'priced',
      amount: dollars(inputTokens) ?? expect.unreachable(),
    }),
  };
  for (const each of [source, newSource(root)]) {
    const after = await asked(each, 'bakes', 'messages', { prices: dearer, mark: 'dearer' });
    expect([before, after].map(({ totals }) => totals.cost && formatCost(totals.cost))).toEqual([
      '$0.005',
      '$5.00',
    ]);
    expect(after.groups[0]?.hits[0]?.cost).toEqual(
      costOf({ provenance: 'priced', amount: dollars(5) ?? expect.unreachable() }),
    );
  }
});
