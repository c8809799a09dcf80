import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LocatedNote } from '../../../../src/core/note.js';
import { importFile } from '../../../../src/import/importFile.js';
import { evaluateItems } from '../../../../src/query/language/evaluate.js';
import { planQuery } from '../../../../src/query/language/plan.js';
import { printQuery } from '../../../../src/query/language/print.js';
import type { GatheredFacts, Listed } from '../../../../src/query/language/sessionFacts.js';
import { sessionFacts } from '../../../../src/query/language/sessionFactsBuilder.js';
import { ROW_KINDS, type RowKind } from '../../../../src/query/language/syntax.js';
import { couldMatch } from '../../../../src/query/language/recordsOf.js';
import { mayHold } from '../../../../src/search/pruning.js';
import { columnFactsOf } from '../../../support/columnFactsOf.js';
import { inRuns, runs, seed } from '../../../support/fixedInputs.js';
import { STORY_START } from '../../../support/storyTeller.js';
import { teamStory } from '../../../support/teamStory.js';
import { anyItems, anyRecords } from '../arbitraries.js';
import { judge, PRICES } from './judge.js';
import { layOut } from './plainSession.js';
import { anyQuestion, type Vocabulary } from './questionArbitrary.js';
import { vocabularyOf } from './vocabularyOf.js';
import { right } from './syntax.js';

const clock = { now: STORY_START + 3 * 3_600_000, timeZone: 'Europe/Berlin' };
const info = { session: '20261121-1', source: 'codex', project: 'bakery' };

/** Holds what is answered against the judge, for some questions and all kinds of rows. */
function expectJudged(items: readonly unknown[], questions: readonly string[]): number {
  const plain = sessionFacts(items, { ...info, live: true }, PRICES);
  const notes = notesOn(plain);
  const facts = { ...plain, info: { ...plain.info, notes } };
  const session = layOut(items, facts.info, facts);
  // What is being written is no part of what is kept.
  const columns = columnFactsOf(items, facts).with({ notes, live: true });
  let found = 0;
  for (const text of questions) {
    for (const rows of ROW_KINDS) {
      const planned = planQuery(text, { ...clock, rows });
      if (!planned.ok) {
        expect(planned.problems.map(({ message }) => message).join()).toMatch(/^A tool call has no /);
        continue;
      }
      const answer = evaluateItems(planned.plan, facts, items);
      const indexes = answer.ok ? answer.indexes : [];
      expect({ text, rows, indexes }).toEqual({
        text,
        rows,
        indexes: judge(session, right(text), rows, clock),
      });
      const { plan } = planned;
      const isRuledOut = !couldMatch(plan.query, (term) => mayHold(term, plan, columns));
      const fromColumns = isRuledOut ? undefined : evaluateItems(plan, columns, items);
      expect({ text, rows, indexes: fromColumns?.ok === true ? fromColumns.indexes : [] }).toEqual({
        text,
        rows,
        indexes,
      });
      found += indexes.length;
    }
  }
  return found;
}

/** Notes on some records and on some tool calls, with words that occur in questions too. */
function notesOn({ records, toolCalls }: GatheredFacts): LocatedNote[] {
  const texts = ['an error here', 'THE WORD', ''];
  return [
    ...[...records].map(({ begin }) => ({ position: begin, text: texts[begin % 3] ?? '' })),
    ...[...toolCalls].map(({ begin, order }) => ({ position: begin, call: order, text: 'a call' })),
  ].filter(({ position }) => position % 4 === 1);
}

/** All entries of a list, as they are written: what is not known is left out. */
const entriesOf = (list: Listed<unknown>, like: Listed<object> = list as Listed<object>): unknown =>
  JSON.parse(
    JSON.stringify(
      Array.from({ length: list.length }, (_, at) => {
        // Those of columns work out each value when it is asked for.
        const entry = list.at(at) as Record<string, unknown>;
        return Object.fromEntries(Object.keys(like.at(at) ?? {}).map((key) => [key, entry[key]]));
      }),
    ),
  );

test('facts come back from their columns as they were, but for the ids of tool calls', () => {
  fc.assert(
    fc.property(fc.oneof(anyRecords, anyItems, fc.constant(story)), (items) => {
      const facts = sessionFacts(items, info, PRICES);
      const columns = columnFactsOf(items, facts);
      expect(entriesOf(columns.records, facts.records)).toEqual(entriesOf(facts.records));
      expect(entriesOf(columns.toolCalls, facts.toolCalls)).toEqual(
        entriesOf([...facts.toolCalls].map((call) => ({ ...call, id: '' }))),
      );
      const { agentCalls, runs, whole } = columns;
      expect({ agentCalls, runs, whole, info: columns.info }).toEqual(
        JSON.parse(
          JSON.stringify({
            agentCalls: facts.agentCalls,
            runs: [...facts.runs],
            whole: facts.whole,
            info: facts.info,
          }),
        ),
      );
    }),
    { numRuns: runs(200) },
  );
});

const story = teamStory().records.slice(0, 90);

describe('the judge agrees', () => {
  test('on random questions about a story of a team', () => {
    const vocabulary = vocabularyOf(sessionFacts(story, info), story);
    let found = 0;
    fc.assert(
      fc.property(anyQuestion(vocabulary), (text) => {
        found += expectJudged(story, [text]);
      }),
      { numRuns: runs(50) },
    );
    expect(found).toBeGreaterThan(inRuns(150));
  });

  test('on random transcripts, whatever stands in them', () => {
    const vocabulary: Vocabulary = {
      texts: ['a', 'word', '7', '\n', 'grep'],
      names: {
        agent: ['Pickle', 'Cucumber'],
        tool: ['grep', 'ls'],
        role: ['user', 'tool'],
        call: ['k1', 'k2'],
        run: ['r'],
        args: ['a', 'b'],
      },
    };
    fc.assert(
      fc.property(fc.oneof(anyRecords, anyItems), anyQuestion(vocabulary), (items, text) => {
        expectJudged(items, [text]);
      }),
      { numRuns: runs(300) },
    );
  });
});

const folder = join(import.meta.dirname, '../../../../../shared/transcripts');

describe.runIf(existsSync(folder))('the judge agrees on real transcripts', () => {
  const files = existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
        (entry) => entry.isFile() && /\.jsonl?$/.test(entry.name) && entry.name !== 'facts.json',
      )
    : [];
  test.each(files.map((entry) => join(entry.parentPath, entry.name)))('%s', async (path) => {
    const { conversations } = await importFile(path, { alone: true });
    for (const { records } of conversations.slice(0, 2)) {
      const some = records.slice(0, 80);
      const vocabulary = vocabularyOf(sessionFacts(some, info), some);
      expectJudged(some, fc.sample(anyQuestion(vocabulary), { numRuns: 6, seed: seed + 17 }));
    }
  });
});

/** The rows that a question finds in the story. */
export function foundIn(items: readonly unknown[], text: string, rows: RowKind): readonly number[] {
  const planned = planQuery(text, { ...clock, rows });
  if (!planned.ok) throw new Error(`${text}: ${planned.problems[0]?.message ?? ''}`);
  const answer = evaluateItems(planned.plan, sessionFacts(items, info), items);
  if (!answer.ok) throw new Error(answer.problem.message);
  return answer.indexes;
}

test('what is printed finds the same', () => {
  const vocabulary = vocabularyOf(sessionFacts(story, info), story);
  fc.assert(
    fc.property(anyQuestion(vocabulary), (text) => {
      const again = printQuery(right(text));
      expect(foundIn(story, again, 'sessions')).toEqual(foundIn(story, text, 'sessions'));
    }),
    { numRuns: runs(100) },
  );
});

test.each([
  ['args.n:>12345678901234567890', 1],
  ['args.n:>=12345678901234567890', 2],
  ['args.n:<12345678901234567891', 2],
  ['args.n:12345678901234567890..12345678901234567890', 1],
  ['args.n:=12345678901234567890', 1],
  ['args.m:=12345678901234567890', 1],
  ['args.m:>12345678901234567000', 0],
  ['args.n:-5..-1', 1],
  ['args.n:<0', 1],
  ['args.n:>=-3', 3],
])('numbers have any number of digits, and may be below zero: %s', (text, count) => {
  const calls = [
    { n: '12345678901234567890', m: 12345678901234567890 },
    { n: '12345678901234567891' },
    { n: -3 },
    { n: '0x1f' },
  ];
  const items = calls.map((args, at) => ({
    role: 'assistant',
    content: null,
    tool_calls: [
      { id: `c${at}`, type: 'function', function: { name: 'f', arguments: JSON.stringify(args) } },
    ],
  }));
  expect(indexesIn(items, text, 'toolCalls').length).toBe(count);
});

test('the runs of an imported session are told apart, though its records name one', () => {
  const said = (role: string, content: string) => ({ record: { run: 'r1' }, role, content });
  const records = ['one', 'two', 'three'].flatMap((words, at) => [
    { seq: 2 * at + 1, type: 'message', run: 'r1', call: 'k1', depth: 0, message: said('user', words) },
    { seq: 2 * at + 2, type: 'message', run: 'r1', call: 'k1', depth: 0, message: said('assistant', words) },
  ]);
  expect(indexesIn(records, 'run:r1.2', 'messages')).toEqual([2, 3]);
  expect(indexesIn(records, 'run:=r1', 'runs')).toEqual([0]);
  expect(indexesIn(records, 'run:r1*', 'runs')).toEqual([0, 1, 2]);
});

function indexesIn(items: readonly unknown[], text: string, rows: RowKind): readonly number[] {
  const planned = planQuery(text, { ...clock, rows });
  if (!planned.ok) throw new Error(planned.problems[0]?.message);
  const answer = evaluateItems(planned.plan, sessionFacts(items, info), items);
  return answer.ok ? answer.indexes : [];
}
