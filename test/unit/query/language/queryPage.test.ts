import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { LocatedNote } from '../../../../src/core/note.js';
import { evaluateItems } from '../../../../src/query/language/evaluate.js';
import { FIELDS } from '../../../../src/query/language/fields.js';
import { planQuery } from '../../../../src/query/language/plan.js';
import { sessionFacts } from '../../../../src/query/language/sessionFactsBuilder.js';
import type { RowKind } from '../../../../src/query/language/syntax.js';
import { bakery } from '../../../support/bakeryStory.js';
import { judge, PRICES } from './judge.js';
import { otherSessions } from './otherSessions.js';
import { layOut } from './plainSession.js';
import { right } from './syntax.js';

const page = readFileSync(join(import.meta.dirname, '../../../../docs/query.md'), 'utf8');

/** The cells of the lines of the tables in a section. */
function cellsOf(section: string): string[][] {
  const [, rest = ''] = page.split(`${section}\n`);
  const body = rest.split(/\n#+ /)[0] ?? '';
  return body
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| --'))
    .slice(1)
    .map((line) => line.split(/(?<!\\)\|/).slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim().replaceAll('\\|', '|')));
}

const codes = (cell = ''): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code ?? '');

/** The notes of the page: on the third tool call, on the Fixer’s answer, and a bookmark on the second prompt. */
function notesIn(items: readonly unknown[]): LocatedNote[] {
  const at = (text: string) => items.findIndex((item) => JSON.stringify(item).includes(text));
  return [
    { position: at('"edit_file"'), call: 0, text: 'Wrong line?' },
    { position: at('"content":"It is turned around."'), text: 'good' },
    { position: at('"role":"user","content":"Bake them."'), text: '' },
  ];
}

const { records, now } = bakery();
const clock = { now, timeZone: 'UTC' };
const KINDS: Readonly<Record<string, readonly [RowKind, string]>> = {
  messages: ['messages', 'm'],
  'tool calls': ['toolCalls', 't'],
  'calls of agents': ['agentCalls', 'a'],
  runs: ['runs', 'r'],
  sessions: ['sessions', 's'],
};

test('the table of fields is that of the code', () => {
  const reach = { witness: 'one message or call', own: 'the row', session: 'the session' };
  expect(cellsOf('## Fields')).toEqual(
    FIELDS.map(({ name, aliases, ofToolCalls, reach: of, meaning, example }) => [
      [name, ...aliases].map((each) => `\`${each}:\``).join(', '),
      ofToolCalls ? 'yes' : 'no',
      reach[of],
      meaning.english,
      `\`${example}\``,
    ]),
  );
});

test('every example of how to write it is right', () => {
  const examples = [
    ...cellsOf('## How to write it').flatMap(([cell]) => codes(cell)),
    ...[...page.matchAll(/```query\n([^`]*)```/g)].flatMap(([, block = '']) => block.trim().split('\n')),
  ];
  expect(examples.length).toBeGreaterThan(30);
  for (const example of examples) expect(right(example)).toBeDefined();
});

describe.each([
  'One message or tool call',
  'Larger rows: one witness, one for each pair of brackets, or none',
  'Order and tree',
])('%s', (section) => {
  const rows = cellsOf(`### ${section}`);
  test('has lines', () => {
    expect(rows.length).toBeGreaterThan(15);
  });
  test.each(rows)('%s of %s finds %s', (question, asked, found) => {
    const [kind, letter] = KINDS[asked] ?? ['records', ''];
    const [text = ''] = codes(question);
    const planned = planQuery(text, { ...clock, rows: kind });
    if (!planned.ok) throw new Error(planned.problems[0]?.message);
    const facts = sessionFacts(records, { session: 's', notes: notesIn(records) }, PRICES);
    const answer = evaluateItems(planned.plan, facts, records);
    const numbered = (indexes: readonly number[]) => {
      const messages = [...facts.records].flatMap(({ isMessage }, at) => (isMessage ? [at] : []));
      const numbers = indexes.map((index) => (kind === 'messages' ? messages.indexOf(index) : index) + 1);
      return numbers.length === 0 ? 'none' : numbers.map((each) => `${letter}${each}`).join(', ');
    };
    expect(numbered(answer.ok ? answer.indexes : [])).toBe(found);
    expect(numbered(judge(layOut(records, facts.info, facts), right(text), kind, clock))).toBe(found);
    if (found !== 'none') return;
    // What finds nothing finds something where it is the case: it is not a question that can find nothing.
    const elsewhere = otherSessions().map((other) => {
      const known = sessionFacts(other.records, other.info, PRICES);
      const there = evaluateItems(planned.plan, known, other.records);
      const judged = judge(layOut(other.records, known.info, known), right(text), kind, clock);
      expect(there.ok && there.indexes).toEqual(judged);
      return judged.length;
    });
    expect(Math.max(...elsewhere)).toBeGreaterThan(0);
  });
});
