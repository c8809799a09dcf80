import fc from 'fast-check';
import { expect, test } from 'vitest';
import { evaluateItems } from '../../../../src/query/language/evaluate.js';
import { planQuery } from '../../../../src/query/language/plan.js';
import { queryOfCriteria } from '../../../../src/query/language/queryOfCriteria.js';
import { sessionFacts } from '../../../../src/query/language/sessionFactsBuilder.js';
import type { FilterCriteria } from '../../../../src/query/filterCriteria.js';
import { MessageQuestions } from '../../../../src/query/messageQuestions.js';
import type { Criteria } from '../../../../src/page/protocol/criteria.js';
import { inRuns, runs } from '../../../support/fixedInputs.js';
import { teamStory } from '../../../support/teamStory.js';
import { anyItems, anyRecords, anyText } from '../arbitraries.js';

/** The positions that a question made of criteria finds. */
function foundBy(items: readonly unknown[], criteria: FilterCriteria): readonly number[] {
  const { text, rows } = queryOfCriteria(criteria);
  const planned = planQuery(text, { rows, now: 0, timeZone: 'UTC' });
  if (!planned.ok) throw new Error(`${text}: ${planned.problems[0]?.message ?? ''}`);
  const answer = evaluateItems(planned.plan, sessionFacts(items, { session: 's' }), items);
  return answer.ok ? answer.indexes : [];
}

/** The positions that a filter finds; items may be equal, so they are counted as they come. */
function filtered(items: readonly unknown[], criteria: FilterCriteria): number[] {
  const boxed = items.map((item) => (typeof item === 'object' && item !== null ? { ...item } : item));
  const found = new MessageQuestions(boxed).filter(criteria);
  let from = 0;
  return found.map((item) => {
    const at = boxed.indexOf(item, from);
    from = at + 1;
    return at;
  });
}

const names = (...values: string[]) =>
  fc.oneof(fc.constantFrom(...values), fc.subarray(values), fc.constantFrom('', 'a "b"', 'OR', '*'));
const needle = fc.oneof(fc.constantFrom('', 'a', 'Word', 'error', '7', 'the'), anyText);
const search = fc.oneof(
  fc.record({ matchCase: fc.boolean(), wholeWord: fc.boolean(), needle }, { requiredKeys: ['needle'] }),
  fc.record(
    {
      regex: fc.constant(true),
      matchCase: fc.boolean(),
      wholeWord: fc.boolean(),
      needle: fc.constantFrom('', 'e.r', '^.', '/|a', '[/]', '\\/', '\n', '(?<x>a)\\k<x>'),
    },
    { requiredKeys: ['needle', 'regex'] },
  ),
  fc.record({ needle: fc.constantFrom(/o/gu, /E/iu, /^a/muy, new RegExp('[a&&b]', 'v'), /./su) }),
);

const criterion = {
  role: names('user', 'tool', 'assistant'),
  toolName: names('grep', 'ls', 'read_file', 'run_command'),
  agent: names('Pickle', 'Cucumber', 'coder', 'planner'),
  errorsOnly: fc.boolean(),
  depth: fc.constantFrom(0, 1, 2, -1, 0.5),
  run: fc.constantFrom('r', 'r_1'),
  call: fc.constantFrom('k1', 'k_2'),
  content: search,
  text: search,
};

/** At most three criteria at a time, because more find nothing. */
const anyCriteria: fc.Arbitrary<FilterCriteria> = fc
  .subarray(Object.keys(criterion) as (keyof typeof criterion)[], { maxLength: 3 })
  .chain((keys) => fc.record(Object.fromEntries(keys.map((key) => [key, criterion[key]]))))
  .map((given) => {
    const { content, text, ...rest } = given as { content?: { needle: unknown }; text?: { needle: unknown } };
    const { needle: searched, ...how } = content ?? text ?? {};
    return { ...rest, ...how, ...(searched !== undefined && { [content ? 'content' : 'text']: searched }) };
  });

test('criteria and the question made of them find the same, in a story and in anything', () => {
  const story: readonly unknown[] = teamStory().records;
  let found = 0;
  fc.assert(
    fc.property(fc.oneof(fc.constant(story), anyRecords, anyItems), anyCriteria, (items, criteria) => {
      const expected = filtered(items, criteria);
      expect({ criteria, found: foundBy(items, criteria) }).toEqual({ criteria, found: expected });
      found += expected.length;
    }),
    { numRuns: runs(800) },
  );
  expect(found).toBeGreaterThan(inRuns(500));
});

test('a filter that the panel saved reads like a question that a person would write', () => {
  const saved: Criteria = {
    text: 'too small',
    regex: false,
    matchCase: false,
    wholeWord: false,
    errorsOnly: true,
    role: ['tool'],
    agent: ['Cookie', 'my agent'],
    toolName: ['Bash'],
  };
  expect(queryOfCriteria(saved)).toEqual({
    text: 'agent:(=Cookie OR ="my agent") tool:=Bash role:tool is:error "too small"',
    rows: 'messages',
  });
});

test('a pattern that reads half characters is refused, because no pattern of the language does', () => {
  expect(() => queryOfCriteria({ content: /a/i })).toThrow(/needs the flag u/);
});
