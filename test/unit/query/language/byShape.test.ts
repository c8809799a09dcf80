import { expect, test } from 'vitest';
import { evaluateItems } from '../../../../src/query/language/evaluate.js';
import { planQuery, type QueryPlan } from '../../../../src/query/language/plan.js';
import type { SessionFacts } from '../../../../src/query/language/sessionFacts.js';
import { sessionFacts } from '../../../../src/query/language/sessionFactsBuilder.js';
import type { RowKind } from '../../../../src/query/language/syntax.js';
import {
  recordKindOf,
  RecordKindTable,
  recordKindText,
} from '../../../../src/search/stored/columns/recordKinds.js';
import { STORY_START } from '../../../support/storyTeller.js';
import { teamStory } from '../../../support/teamStory.js';

const { records } = teamStory();

/** A session with the shapes of one table, as if it came from its columns. */
function shaped(table: RecordKindTable): SessionFacts {
  const facts = sessionFacts(records, { session: 's1' });
  const texts = [...facts.records, ...facts.toolCalls].map((unit) =>
    recordKindText(recordKindOf(unit, facts)),
  );
  const distinct = [...new Set(texts)];
  const shapes = distinct.flatMap((text) => table.of(text) ?? []);
  return {
    ...facts,
    recordKinds: {
      of: Uint16Array.from(texts, (text) => distinct.indexOf(text)),
      keys: { table, of: shapes.map(({ key }) => key) },
      examples: shapes.map(({ example }) => example),
      hasArguments: shapes.map(() => true),
      beganAt: () => undefined,
      spent: () => undefined,
      span: { from: 0, to: Infinity },
      knowsParts: false,
      mayHave: () => true,
    },
  };
}

function planOf(text: string, rows: RowKind): QueryPlan {
  const planned = planQuery(text, { rows, now: STORY_START, timeZone: 'UTC' });
  if (!planned.ok) throw new Error(planned.problems[0]?.message);
  return planned.plan;
}

/** How often the terms of a plan look at a record or a tool call while sessions are asked. */
function looksAt(sessions: readonly SessionFacts[], text: string, rows: RowKind): readonly number[] {
  const plan = planOf(text, rows);
  let looks = 0;
  const terms = new Map(
    [...plan.terms].map(([term, compiled]) => [
      term,
      compiled.on === 'facts'
        ? {
            ...compiled,
            test: (...given: Parameters<typeof compiled.test>) => {
              looks++;
              return compiled.test(...given);
            },
          }
        : compiled,
    ]),
  );
  const counted = { ...plan, terms };
  return sessions.map((session) => {
    const before = looks;
    evaluateItems(counted, session, records);
    return looks - before;
  });
}

test.each(['messages', 'toolCalls', 'runs', 'sessions'] as const)(
  'what shapes tell is asked once for all sessions that share them, of %s',
  (rows) => {
    const table = new RecordKindTable();
    const sessions = [shaped(table), shaped(table), shaped(table)];
    const [first, ...later] = looksAt(sessions, 'tool:edit_file -is:error', rows);
    expect(first).toBeGreaterThan(0);
    expect(later).toEqual([0, 0]);
  },
);

test.each([
  'tool:* -is:error',
  '(is:error OR agent:B*) depth:>0',
  '-tool:bash',
  'agent:baker before:2100-01-01',
])('shapes tell of %s what the records do', (text) => {
  for (const rows of ['messages', 'records', 'toolCalls', 'agentCalls', 'runs', 'sessions'] as const) {
    const plan = planOf(text, rows);
    expect(evaluateItems(plan, shaped(new RecordKindTable()), records)).toEqual(
      evaluateItems(plan, sessionFacts(records, { session: 's1' }), records),
    );
  }
});
