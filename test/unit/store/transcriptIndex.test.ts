import fc from 'fast-check';
import { expect, test } from 'vitest';
import { factsOf } from '../../../src/query/numbers/facts.js';
import { runs } from '../../support/fixedInputs.js';
import { scanQuestionOf } from '../../support/scanQuestionOf.js';
import type { FilterCriteria } from '../../../src/query/filterCriteria.js';
import { MessageQuestions } from '../../../src/query/messageQuestions.js';
import { allTextOf, contentTextOf, itemTextTest } from '../../../src/query/textTest.js';
import { TranscriptIndex } from '../../../src/search/stored/indexed/transcriptIndex.js';
import { anyHistory, anyItems, anyRecords } from '../query/arbitraries.js';

/** Where an index says that criteria hold; texts that it leaves undecided are looked at here. */
function positionsIn(index: TranscriptIndex, items: readonly unknown[], criteria: FilterCriteria, from = 0) {
  const isWanted = itemTextTest(criteria) ?? (() => true);
  const holds = (item: unknown) =>
    isWanted((part) => (part === 'all' ? allTextOf(item) : contentTextOf(item)));
  const found: number[] = [];
  let last = from;
  for (const { positions, undecided, scanned } of index.find(scanQuestionOf(criteria), from)) {
    const decided = Array.from(undecided).filter((position) => holds(items[position]));
    found.push(...[...positions, ...decided].sort((a, b) => a - b));
    expect(scanned).toBeGreaterThanOrEqual(last);
    last = scanned;
  }
  return found;
}

function indexOf(items: readonly unknown[]): TranscriptIndex {
  const index = new TranscriptIndex();
  for (const item of items) {
    index.addFacts(factsOf(item));
    index.addText(item);
  }
  return index;
}

/** The positions that MessageQuery finds. */
function queried(items: readonly object[], criteria: FilterCriteria): number[] {
  const found = new Set(new MessageQuestions(items).filter(criteria));
  return items.flatMap((item, at) => (found.has(item) ? [at] : []));
}

/** Letters whose lower case, or whose bytes, are not what one expects: and parts of them, and what they are confused with. */
const LETTERS = ['i', 'I', 'İ', 'ı', '\u0307', 'k', 'K', '\u212a', 's', 'S', 'ſ', 'ß', 'ẞ', 'SS', 'Σ', 'σ', 'ς', 'Α', 'α', 'é', 'É',
  'e\u0301', 'Ω', '\u2126', 'Å', '\u212b', 'ǆ', 'ǅ', 'Ꭰ', 'ꭰ', '𐐀', '𐐨', '🥒', '\ud83e', '\udd52', '䰀', '䰿', 'ÿ', '\ufffd', '\0', ' ', 'a', 'Z', '.', '\n']; // prettier-ignore
const letters = (maxLength: number) =>
  fc.array(fc.constantFrom(...LETTERS), { maxLength }).map((parts) => parts.join(''));

const spoken = fc.record(
  {
    role: fc.constantFrom('user', 'assistant', 'tool'),
    content: letters(8),
    reasoning_content: letters(4),
    tool_calls: fc.array(
      fc.record({ id: fc.constant('a'), function: fc.record({ name: letters(2), arguments: letters(5) }) }),
      { maxLength: 2 },
    ),
  },
  { requiredKeys: ['role', 'content'] },
);
const failure = fc.record({
  seq: fc.nat(),
  type: fc.constantFrom('error', 'callEnd', 'dispatch', 'approval', 'request', 'later'),
  error: fc.record({ message: letters(4) }),
  outcome: fc.constantFrom('failed', 'done'),
  refused: fc.option(letters(3), { nil: undefined }),
  agent: fc.constantFrom('Pickle', 'Cucumber'),
  task: letters(4),
  subject: letters(4),
});
const histories = fc.oneof(
  anyHistory,
  anyRecords,
  anyItems.map((items) => items.filter((item): item is object => typeof item === 'object' && item !== null)),
  fc.array(fc.oneof({ weight: 3, arbitrary: spoken }, failure), { maxLength: 12 }),
);
const asked: fc.Arbitrary<FilterCriteria> = fc.record(
  {
    role: fc.oneof(fc.constantFrom('tool', 'assistant', 'user', 'nobody'), fc.constant(['tool', 'user'])),
    toolName: fc.oneof(fc.constantFrom('grep', 'ls', ''), fc.constant(['grep', 'read_file'])),
    agent: fc.constantFrom('Pickle', 'Nobody'),
    depth: fc.nat(2),
    call: fc.constantFrom('k1', 'k2'),
    errorsOnly: fc.boolean(),
    content: fc.oneof(letters(3), fc.constantFrom('a', 'word', '')),
    text: fc.oneof(letters(3), fc.constantFrom('a', 'grep', '\n', '')),
    wholeWord: fc.boolean(),
    matchCase: fc.boolean(),
  },
  { requiredKeys: [] },
);
const needle = fc.oneof(
  fc.constantFrom('s.', '[ks]', '^$', '(?<=a)k', 'ß|ss', '\\p{Lu}', '.{2}s', 'is+', 'SI', 'k{2}'),
  fc.constantFrom(/ks/iu, /S[sS]/gu, /i/uy, /is/iu),
);
const patterns = fc.record(
  {
    content: needle,
    text: needle,
    wholeWord: fc.boolean(),
    regex: fc.constant(true),
    matchCase: fc.option(fc.boolean(), { nil: undefined }),
  },
  { requiredKeys: ['regex'] },
);

test('an index finds what MessageQuery finds, whatever is asked', () => {
  fc.assert(
    fc.property(histories, fc.oneof({ weight: 4, arbitrary: asked }, patterns), (items, criteria) => {
      expect(positionsIn(indexOf(items), items, criteria)).toEqual(queried(items, criteria));
    }),
    { numRuns: runs(4000) },
  );
});

test('an index that grows between questions finds the same, from any position on', () => {
  fc.assert(
    fc.property(histories, histories, asked, fc.nat(12), (before, after, criteria, from) => {
      const items = [...before, ...after];
      const index = indexOf(before);
      expect(positionsIn(index, before, criteria)).toEqual(queried(before, criteria));
      for (const item of after) {
        index.addFacts(factsOf(item));
        index.addText(item);
      }
      const expected = queried(items, criteria).filter((position) => position >= from);
      expect(positionsIn(index, items, criteria, from)).toEqual(expected);
    }),
    { numRuns: runs(1000) },
  );
});

const said = (content: string) => ({ role: 'user', content });

test.each([
  ['İ', 'i', true],
  ['İ', 'i\u0307', true],
  ['İx', 'ix', false],
  ['ı', 'I', false],
  ['ß', 'SS', false],
  ['ẞ', 'ß', true],
  ['\u212a', 'k', true],
  ['ΑΣ', 'ας', true],
  ['ΑΣΑ', 'ας', false],
  ['🥒', '\ud83e', true],
  ['\ud83e', '🥒', false],
  ['䰀', 'i', false],
  ['ПРИВЕТ', 'привет', true],
])('%j holds %j, ignoring case: %j', (text, content, holds) => {
  const items = [said('-'), said(text), said('*')];
  expect(positionsIn(indexOf(items), items, { content })).toEqual(holds ? [1] : []);
});

test.each([
  ['the arguments of a call, as they are written', { text: '"path":"a.txt"' }],
  ['the arguments of a call, as they are read', { text: 'say "hi"' }],
  ['the name of a tool', { text: 'write_file' }],
  ['reasoning', { text: 'ponder' }],
  ['the task of a dispatch', { text: 'weed the beds' }],
  ['what was approved', { text: 'rm -r' }],
  ['the reason of a failure, though failures are not asked for', { text: 'too hot' }],
  ['a title', { text: 'garden' }],
  ['what an import kept as it was', { text: 'neighbours were' }],
] as const)('text is found where it is seen: %s', (_, criteria) => {
  const record = (at: number, rest: object) => ({
    seq: at + 1,
    run: 'r',
    call: 'k',
    agent: 'a',
    depth: 0,
    ...rest,
  });
  const args = JSON.stringify({ path: 'a.txt', text: 'say "hi"' });
  const calls = [{ id: '1', type: 'function', function: { name: 'write_file', arguments: args } }];
  const items = [
    record(0, { type: 'message', message: { role: 'assistant', content: null, tool_calls: calls } }),
    record(1, {
      type: 'message',
      message: { role: 'assistant', content: 'Well.', reasoning_content: 'I ponder.' },
    }),
    record(2, { type: 'dispatch', target: 'b', task: 'Weed the beds', toolCallId: '2' }),
    record(3, { type: 'approval', toolName: 'x', subject: 'rm -r src', decision: 'approved' }),
    record(4, { type: 'error', error: { code: 'x', message: 'It is too hot.' } }),
    record(5, { type: 'title', title: 'The garden' }),
    record(6, {
      type: 'imported',
      kind: 'x',
      value: { recap: ['The neighbours were there.'], '"path":"a.txt"': { ponder: 7 } },
    }),
  ];
  const found = positionsIn(indexOf(items), items, criteria);
  expect(found).toEqual(queried(items, criteria));
  expect(found).toHaveLength(1);
  expect(positionsIn(indexOf(items), items, { content: criteria.text })).toEqual([]);
});

test.each([
  ['a cat sat', 'cat', true],
  ['concatenate', 'cat', false],
  ['Cat!', 'cat', true],
  ['cat_1', 'cat', false],
  ['die Katze', 'katz', false],
  ['größe', 'größ', false],
  ['concat cat', 'cat', true],
])('%j holds the whole word %j: %j', (text, word, holds) => {
  const items = [said(text)];
  const criteria = { text: word, wholeWord: true };
  expect(positionsIn(indexOf(items), items, criteria)).toEqual(holds ? [0] : []);
  expect(queried(items, criteria)).toEqual(holds ? [0] : []);
});

test('texts of many chunks are found where they are, and nothing over the border of two texts', () => {
  const items = Array.from({ length: 9_000 }, (_, at) =>
    said(`${'ab '.repeat(300)}${at % 4_000 === 7 ? 'Needle' : ''}`),
  );
  const index = indexOf(items);
  expect(positionsIn(index, items, { content: 'NEEDLE' })).toEqual([7, 4_007, 8_007]);
  expect(positionsIn(index, items, { content: 'ab ab', role: 'tool' })).toEqual([]);
  expect(positionsIn(index, items, { content: ' ab a', matchCase: true }, 8_998)).toEqual([8_998, 8_999]);
  expect(positionsIn(index, items, { content: 'ab  ab' })).toEqual([]);
});

test('a pattern that never ends is ended with words, and the index goes on', () => {
  const items = [said('a'), said(`${'a'.repeat(40)}!`)];
  const index = indexOf(items);
  expect(() => positionsIn(index, items, { content: '^(a+)+$', regex: true })).toThrow('takes too long');
  expect(positionsIn(index, items, { content: '!' })).toEqual([1]);
});

test('a broken pattern is refused in words, also where there is nothing to find', () => {
  expect(() => positionsIn(indexOf([]), [], { content: '(', regex: true })).toThrow(
    /^Invalid regex pattern:/,
  );
});

test('an item takes a few bytes besides its text, and ten times the items take ten times as much', () => {
  const items = (count: number) =>
    Array.from({ length: count }, (_, at) => ({
      seq: at + 1,
      type: 'message',
      run: 'r',
      call: 'k',
      agent: 'Pickle',
      depth: 0,
      message: said(`text ${at % 10}`),
    }));
  const bytes = (count: number) => indexOf(items(count)).bytes;
  const [small, large] = [bytes(40_000), bytes(400_000)];
  expect(large / 400_000).toBeLessThan(60);
  expect(large / small).toBeLessThan(11);
});
