import fc from 'fast-check';
import { expect, test } from 'vitest';
import { factsOf } from '../../../../src/query/numbers/facts.js';
import { StructureColumns } from '../../../../src/query/columns/structureColumns.js';
import { evaluateItems } from '../../../../src/query/language/evaluate.js';
import { scanQuestionOfPlan } from '../../../../src/query/language/lower.js';
import { planQuery } from '../../../../src/query/language/plan.js';
import { sessionFacts } from '../../../../src/query/language/sessionFactsBuilder.js';
import { allTextOf, contentTextOf, itemTextTest } from '../../../../src/query/textTest.js';
import { anyItems, anyRecords } from '../arbitraries.js';
import { anyQuestion } from './questionArbitrary.js';
import { inRuns, runs } from '../../../support/fixedInputs.js';

function planned(text: string, rows: 'messages' | 'records') {
  const plan = planQuery(text, { rows, now: 0, timeZone: 'UTC' });
  if (!plan.ok) throw new Error(`${text}: ${plan.problems[0]?.message ?? ''}`);
  return plan.plan;
}

/** What columns and texts find; undefined where more would have to be known. */
function scanned(items: readonly unknown[], text: string, rows: 'messages' | 'records') {
  const asked = scanQuestionOfPlan(planned(text, rows));
  if (!asked) return undefined;
  const columns = new StructureColumns();
  for (const item of items) columns.add(factsOf(item));
  const tests = asked.texts.flatMap((each) => itemTextTest(each) ?? []);
  const found = Array.from(columns.select(asked.structure)(0, items.length));
  return found.filter((at) =>
    tests.every((holds) =>
      holds((part) => (part === 'all' ? allTextOf(items[at]) : contentTextOf(items[at]))),
    ),
  );
}

function evaluated(items: readonly unknown[], text: string, rows: 'messages' | 'records') {
  const answer = evaluateItems(planned(text, rows), sessionFacts(items, { session: 's' }), items);
  return answer.ok ? answer.indexes : answer.problem;
}

const vocabulary = {
  texts: ['a', 'Word', 'error', '7', 'the'],
  names: {
    agent: ['Pickle', 'Cucumber'],
    tool: ['grep', 'ls', 'read_file'],
    role: ['user', 'tool'],
    run: ['r'],
    call: ['k1'],
  },
};
const term = fc.oneof(
  fc.constantFrom(
    'agent:pickle',
    'agent:=Cucumber',
    'agent:(Pickle OR c*)',
    'tool:grep',
    'tool:(ls OR read*)',
    'role:USER',
  ),
  fc.constantFrom(
    'role:(tool OR assistant)',
    'depth:>0',
    'depth:0..1',
    'run:r',
    'call:=k1',
    'is:error',
    'is:message',
  ),
  fc.constantFrom(
    'word',
    '"a"',
    'word:the',
    'text:=Word',
    'content:e',
    'content.word:error',
    '/e.r/i',
    '/^./m',
  ),
);
const simple = fc
  .array(fc.tuple(fc.boolean(), term), { maxLength: 4 })
  .map((terms) => terms.map(([isNegated, each]) => (isNegated ? `-${each}` : each)).join(' '));

test('what columns and texts answer alone is what the evaluator answers', () => {
  let lowered = 0;
  fc.assert(
    fc.property(
      fc.oneof(anyRecords, anyItems),
      fc.oneof(simple, anyQuestion(vocabulary)),
      fc.constantFrom<'messages' | 'records'>('messages', 'records'),
      (items, text, rows) => {
        const found = scanned(items, text, rows);
        if (!found) return;
        lowered++;
        expect([text, rows, found]).toEqual([text, rows, evaluated(items, text, rows)]);
      },
    ),
    { numRuns: runs(500) },
  );
  expect(lowered).toBeGreaterThan(inRuns(100));
});

test.each([
  'tool:bash is:error -agent:Cookie',
  'depth:>1 role:(user OR tool)',
  '"too small" agent:Cookie word:rm',
  '',
])('%s needs nothing but columns and texts', (text) => {
  expect(scanQuestionOfPlan(planned(text, 'records'))).toBeDefined();
});

test.each([
  '(a OR b)',
  '-"a"',
  'agent:/(a+)+$/',
  'tokens:>5',
  'in:(agent:A)',
  'text:(a OR b)',
  'is:(error OR partial)',
  'tool:a after tool:b',
])('%s needs more', (text) => {
  expect(scanQuestionOfPlan(planned(text, 'messages'))).toBeUndefined();
});
