import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { evaluate, evaluateItems } from '../../../src/query/language/evaluate.js';
import { planQuery, type QueryPlan } from '../../../src/query/language/plan.js';
import { sessionFacts } from '../../../src/query/language/sessionFactsBuilder.js';
import { allTextOf } from '../../../src/query/textTest.js';
import { linesFor } from '../../../src/search/pruning.js';
import { encodeLine } from '../../../src/store/format/lineFormat.js';
import { columnFactsOf } from '../../support/columnFactsOf.js';
import { runs, someOf } from '../../support/fixedInputs.js';
import { nastyText } from '../../support/nastyTexts.js';
import { recordOf, said } from '../../support/storeFixture.js';

function planOf(text: string): QueryPlan {
  const planned = planQuery(text, { rows: 'messages', now: 0, timeZone: 'UTC' });
  if (!planned.ok) throw new Error(planned.problems[0]?.message);
  return planned.plan;
}

/** Which of some records a question lets be parsed, by the bytes of their lines. */
function parsed(
  text: string,
  records: readonly ReturnType<typeof recordOf>[],
): readonly number[] | undefined {
  const lines = records.map((record) => Buffer.concat([encodeLine(record), Buffer.from('\n')]));
  let at = 0;
  const spans = lines.map(({ length }) => ({ from: at, to: (at += length) - 1 }));
  return linesFor(planOf(text))?.({ first: 0, bytes: Buffer.concat(lines), spans });
}

const talk = (...texts: readonly string[]) => texts.map((text, at) => recordOf(at + 1, said(text)));

describe('the lines that are parsed', () => {
  test('are those in which a text of the question stands', () => {
    const records = talk('an ERROR here', 'nothing', 'no error', 'Retried after 5ms');
    expect(parsed('error', records)).toEqual([0, 2]);
    expect(parsed('text:=error', records)).toEqual([2]);
    expect(parsed('(error OR retried)', records)).toEqual([0, 2, 3]);
    expect(parsed('-error', records)).toEqual([0, 2]);
    expect(parsed('/retried after \\d+ms/i', records)).toEqual([3]);
  });

  test('are all where arguments or files are asked for, or what has no text that must be there', () => {
    for (const text of [
      'error args.path:x',
      'command:rm',
      'is:error after tool:x same:path error',
      '/a|b/',
      'é',
    ])
      expect(parsed(text, talk('x'))).toBeUndefined();
  });

  test('leave out none that has the text, whatever stands around it', () => {
    const needles = fc.constantFrom('kiss', 'Kiss', 'a b', 'I', 's', '42', 'the');
    fc.assert(
      fc.property(
        fc.array(nastyText(12), { maxLength: 6 }),
        needles,
        fc.boolean(),
        (texts, needle, exact) => {
          const records = talk(...texts, needle.toUpperCase(), `x${needle}`);
          const question = exact ? `text:="${needle}"` : `"${needle}"`;
          const lines = new Set(parsed(question, records));
          const holds = (text: string) =>
            exact ? text.includes(needle) : text.toLowerCase().includes(needle.toLowerCase());
          const missed = records.filter((record, at) => holds(allTextOf(record)) && !lines.has(at));
          expect(missed).toEqual([]);
        },
      ),
      { numRuns: runs(500) },
    );
  });
});

test.each(someOf(['messages', 'toolCalls', 'sessions'] as const, 1))(
  'a thousand negated terms in very many texts end with words, asked of %s',
  (rows) => {
    const text = Array.from({ length: 1_000 }, (_, at) => `-x${at}`).join(' ');
    const planned = planQuery(text, { rows, now: 0, timeZone: 'UTC' });
    if (!planned.ok) throw new Error(planned.problems[0]?.message);
    const makes = { id: 'c', type: 'function' as const, function: { name: 'look', arguments: '{}' } };
    const records = Array.from({ length: 15_000 }, (_, at) =>
      recordOf(at + 1, {
        type: 'message',
        message: { role: 'assistant', content: 'a', tool_calls: [makes] },
      }),
    );
    const answer = evaluateItems(planned.plan, sessionFacts(records, { session: 's' }), records);
    expect(answer).toMatchObject({ ok: false, problem: { start: 0, end: text.length } });
  },
);

test('a limit of time is set only where something may be slow', () => {
  const records = talk(...Array.from({ length: 200 }, (_, at) => `message ${at}`));
  const facts = columnFactsOf(records, sessionFacts(records, { session: 's' }));
  const limits = (text: string, items: readonly unknown[]): number => {
    let count = 0;
    const evaluation = evaluate(planOf(text), facts, (work) => {
      count++;
      work();
      return true;
    });
    let step = evaluation.next((position) => items[position]);
    while (!step.done) step = evaluation.next((position) => items[position]);
    return count;
  };
  expect(limits('/message \\d+/', records)).toBe(8);
  expect(limits('/message \\d+/', [])).toBe(0);
  expect(limits('/zebra \\d+/', records)).toBe(0);
  expect(limits('agent:/Pick/', records)).toBeGreaterThan(0);
});
