import fc from 'fast-check';
import { expect, test } from 'vitest';
import { silentLog } from '../../../src/core/ports/log.js';
import type { SearchUpdate } from '../../../src/page/protocol/search.js';
import { ROW_KINDS, type RowKind } from '../../../src/query/language/syntax.js';
import { ColumnCache } from '../../../src/search/columns/columnCache.js';
import { search } from '../../../src/search/search.js';
import { StoreSource } from '../../../src/search/sessions/storeSource.js';
import { runs } from '../../support/fixedInputs.js';
import { recordOf, said, temporaryStore } from '../../support/storeFixture.js';
import { PRICES } from '../query/language/judge.js';

const TEXTS = [
  'Why is the dough so wet?',
  '({[ "/\\* ]})',
  'salt '.repeat(2_000),
  '\ud83e\udd52 ſ\u212a\u0130 \ud83e',
  'a',
];
const prices = { prices: PRICES, mark: '' };

async function storeOfTexts(): Promise<string> {
  const { store, root } = await temporaryStore();
  for (const id of ['s1', 's2'])
    await store.importConversation(
      id,
      TEXTS.map((text, at) => recordOf(at + 1, said(text), id)),
    );
  return root;
}

async function answered(root: string, text: string, rows: RowKind, isKept: boolean): Promise<SearchUpdate> {
  const source = new StoreSource(root, !isKept, { log: silentLog, cache: new ColumnCache() });
  const question = {
    text,
    rows,
    now: Date.UTC(2026, 0, 1),
    timeZone: 'UTC',
    order: 'newest' as const,
    limits: { sessions: 2, hitsOfSession: 5 },
  };
  let last: SearchUpdate | undefined;
  for await (const update of search([source], question, prices, new AbortController().signal)) last = update;
  if (!last) throw new Error('Nothing was answered.');
  return last;
}

/** An answer, or problems that say where in the question they are. */
function expectAnswerOrProblem({ state, problems, unread }: SearchUpdate, text: string): void {
  expect(unread.count === 0 || problems.length > 0 || unread.first.every(({ why }) => why !== '')).toBe(true);
  if (state === 'done') return;
  expect(state).toBe('refused');
  expect(problems).not.toEqual([]);
  for (const { start, end, message } of problems) {
    expect(message).not.toBe('');
    expect(start).toBeGreaterThanOrEqual(0);
    expect(end).toBeGreaterThanOrEqual(start);
    expect(end).toBeLessThanOrEqual(text.length);
  }
}

const many = 10_000;
const HOSTILE: Readonly<Record<string, string>> = {
  'a word ten thousand times': 'salt '.repeat(many),
  'ten thousand words': Array.from({ length: many }, (_, at) => `salt${at}`).join(' '),
  'ten thousand words of which one will do': `(${Array.from({ length: many }, (_, at) => `salt${at}`).join(' OR ')})`,
  'ten thousand patterns': '/s(?:a|e)lt/ '.repeat(3_000),
  'a thousand brackets': `${'('.repeat(1_000)}salt${')'.repeat(1_000)}`,
  'a thousand brackets that are not closed': 'in:('.repeat(1_000),
  'as many brackets as may be': `${'('.repeat(99)}salt OR dough${')'.repeat(99)}`,
  'as many orders as may be': `${'(salt after '.repeat(90)}dough${')'.repeat(90)}`,
  'a pattern of a thousand groups': `/${'(?:'.repeat(1_000)}salt${')'.repeat(1_000)}/`,
  'a pattern of a thousand alternatives': `/${Array.from({ length: 1_000 }, (_, at) => `salt${at}`).join('|')}/`,
  'a pattern of very many ways': `/${'(?:a|b|c|d)'.repeat(300)}/`,
  'a pattern that never ends': '/(?:s?a?l?t? ?)*$x/',
  'a very long word': 'x'.repeat(40_000),
};

test.each(Object.entries(HOSTILE))(
  '%s: an answer, or a problem with its place',
  async (_name, text) => {
    const root = await storeOfTexts();
    for (const isKept of [false, true])
      for (const rows of ['messages', 'sessions'] as const)
        expectAnswerOrProblem(await answered(root, text, rows, isKept), text);
  },
  60_000,
);

const piece = fc.constantFrom(
  '(',
  ')',
  '"',
  '/',
  '\\',
  '-',
  ':',
  ' ',
  '=',
  '*',
  '..',
  '>',
  '<',
  ',',
  '|',
  '{',
  '}',
  '[',
  ']',
  '\n',
  '\0',
  'OR',
  'after',
  'before',
  'in:',
  'with:',
  'under:',
  'same:path',
  'within:5',
  'is:',
  'tokens:',
  'cost:>',
  'since:',
  'agent:',
  'salt',
  '\ud83e',
  '\udd52',
  '\u202e',
  '\ufeff',
  'ſ',
  '\u0130',
  '/a/i',
  '7d',
  'args.',
  'file:**/',
);
const anything = fc.oneof(
  fc.array(piece, { maxLength: 30 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 40 }),
);

test('any characters are answered, or refused with the place that is wrong', async () => {
  const root = await storeOfTexts();
  await fc.assert(
    fc.asyncProperty(anything, fc.constantFrom(...ROW_KINDS), fc.boolean(), async (text, rows, isKept) => {
      expectAnswerOrProblem(await answered(root, text, rows, isKept), text);
    }),
    { numRuns: runs(300) },
  );
});
