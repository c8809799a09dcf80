import { expect, test } from 'vitest';
import { factsOf } from '../../../../src/query/numbers/facts.js';
import { TranscriptReader } from '../../../../src/query/numbers/transcriptReader.js';
import { UsageTotals } from '../../../../src/query/numbers/usageTotals.js';
import { addCosts, NO_COST, requestsOf, type Cost } from '../../../../src/core/cost.js';
import { evaluateItems } from '../../../../src/query/language/evaluate.js';
import { planQuery } from '../../../../src/query/language/plan.js';
import { sessionFacts } from '../../../../src/query/language/sessionFactsBuilder.js';
import { StoryTeller } from '../../../support/storyTeller.js';
import { teamStory } from '../../../support/teamStory.js';
import { PRICES } from './judge.js';

const { records } = teamStory();
const facts = sessionFacts(records, { session: 's' }, PRICES);
const sum = (costs: readonly (Cost | undefined)[]) =>
  costs.reduce<Cost>((all, cost) => addCosts(all, cost ?? NO_COST), NO_COST);

test('a session costs what its runs do, what its calls do, and what every other view says', () => {
  const reader = new TranscriptReader();
  const totals = new UsageTotals(PRICES);
  for (const record of records) totals.add(reader.next(factsOf(record)));
  const { cost } = facts.whole;
  expect(requestsOf(cost ?? NO_COST)).toBeGreaterThan(10);
  expect(cost).toEqual(totals.cost(reader.calls.all));
  expect(sum([...facts.runs].map((run) => run.cost))).toEqual(cost);
  expect(sum(facts.agentCalls.map((call) => call.cost))).toEqual(cost);
  const entries = facts.agentCalls.filter(({ parent }) => parent === undefined);
  expect(sum(entries.map(({ totalCost }) => totalCost))).toEqual(cost);
});

/** The sessions that a question finds in one of two requests, of which one has a price. */
function isFound(question: string): boolean {
  const story = new StoryTeller('20261121-093015-5f0c2a9e');
  const run = story.run('Cook', 'Cook!');
  run.say('Soup.');
  const items = story.records.map((record) =>
    record.type === 'request'
      ? { ...record, model: 'odd', usage: { ...record.usage, cost: 500_000_000 } }
      : record,
  );
  run.say('More.');
  const more = story.records
    .slice(items.length)
    .map((record) => (record.type === 'request' ? { ...record, model: 'odd' } : record));
  const all = [...items, ...more];
  const planned = planQuery(question, { rows: 'sessions', now: story.now, timeZone: 'UTC' });
  if (!planned.ok) throw new Error(planned.problems[0]?.message);
  const known = sessionFacts(all, { session: 's' }, PRICES);
  expect(known.whole.cost).toMatchObject({ exact: { amount: 500_000_000, requests: 1 }, unknown: 1 });
  const answer = evaluateItems(planned.plan, known, all);
  return answer.ok && answer.indexes.length === 1;
}

test.each([
  ['cost:>0.4', true],
  ['cost:>=0.5', true],
  ['cost:>0.5', false],
  ['cost:<9', false],
  ['cost:0.5', false],
  ['cost:0.1..9', false],
  ['-cost:>0.4', false],
])('of $0.50 and a request of unknown cost, %s holds: %s', (question, holds) => {
  expect(isFound(question)).toBe(holds);
});
