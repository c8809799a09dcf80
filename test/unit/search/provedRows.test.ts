import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { silentLog } from '../../../src/core/ports/log.js';
import type { SearchUpdate } from '../../../src/page/protocol/search.js';
import { evaluateItems } from '../../../src/query/language/evaluate.js';
import { planQuery } from '../../../src/query/language/plan.js';
import { sessionFacts } from '../../../src/query/language/sessionFactsBuilder.js';
import type { RowKind } from '../../../src/query/language/syntax.js';
import { ColumnCache } from '../../../src/search/columns/columnCache.js';
import { search } from '../../../src/search/search.js';
import { StoreSource } from '../../../src/search/sessions/storeSource.js';
import { pathsOf } from '../../../src/store/files/storePaths.js';
import type { TranscriptStore } from '../../../src/store/transcriptStore.js';
import { runs } from '../../support/fixedInputs.js';
import { nastyText } from '../../support/nastyTexts.js';
import { recordOf, said, temporaryStore } from '../../support/storeFixture.js';
import { PRICES } from '../query/language/judge.js';

const clock = { now: 0, timeZone: 'UTC' };

/** The positions that a search finds in the only session of a store; of rows that are not told, no more than the first. */
async function found(source: StoreSource, text: string, rows: RowKind, hitsOfSession = 100_000) {
  const limits = { sessions: 1, hitsOfSession };
  const question = { text, rows, ...clock, order: 'newest', limits } as const;
  const updates: SearchUpdate[] = [];
  const prices = { prices: PRICES, mark: 'of the judge' };
  const never = new AbortController().signal;
  for await (const update of search([source], question, prices, never)) updates.push(update);
  const groups = updates.flatMap((update) => update.groups);
  const { rows: count = NaN } = updates.at(-1)?.totals ?? {};
  return { count, positions: groups.flatMap(({ hits }) => hits.map(({ position }) => position)) };
}

/** The same, found in the records as they are read, each of them parsed. */
async function judged(store: TranscriptStore, text: string, rows: RowKind) {
  const transcript = await store.openTranscript('c1');
  const items = await transcript.read(0, transcript.length);
  await transcript.close();
  const planned = planQuery(text, { rows, ...clock });
  if (!planned.ok) return 'refused';
  const facts = sessionFacts(items, { session: 'c1' });
  const answer = evaluateItems(planned.plan, facts, items);
  return answer.ok
    ? answer.indexes.map((index) => (rows === 'toolCalls' ? facts.toolCalls.at(index)?.begin : index))
    : [];
}

const newSource = (root: string) =>
  new StoreSource(root, false, { log: silentLog, cache: new ColumnCache() });

/** A text with the word or without, in a letter case, escaped, split, or beside what may be taken for it. */
const texts = fc
  .array(
    fc.oneof(
      {
        weight: 3,
        arbitrary: fc.constantFrom('kiss', 'KISS', 'Kiss', ' ', 'k', '\\', '"', '\n', '\u0000', 'iss'),
      },
      fc.constantFrom(
        '\u212aiss',
        'k\u0130ss',
        'ki\u017fs',
        '\\u006biss',
        '"content":"kiss',
        '{"a":"\\u006biss\\n"}',
      ),
      nastyText(6),
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(''));
const bodies = fc.oneof(
  { weight: 4, arbitrary: texts.map((text) => said(text)) },
  texts.map((text) => ({
    type: 'message',
    message: { role: 'assistant', content: 'e', reasoning_content: text },
  })),
  texts.map((text) => ({ type: 'message', message: { role: 'user', content: [{ type: 'text', text }] } })),
  fc.tuple(texts, texts).map(([args, content]) => ({
    type: 'message',
    message: {
      role: 'assistant',
      content,
      tool_calls: [
        { id: 't1', type: 'function', function: { name: 'Bash', arguments: JSON.stringify({ args }) } },
      ],
    },
  })),
  texts.map((content) => ({
    type: 'message',
    message: { role: 'tool', tool_call_id: 't1', content },
    toolName: 'Bash',
  })),
  texts.map((title) => ({ type: 'title', title })),
);
const QUESTIONS = [
  'kiss',
  'text:=kiss',
  'content:kiss',
  '-kiss',
  'kiss role:user',
  '(kiss OR role:tool)',
  'word:kiss',
  'kiss iss',
  'with:(kiss)',
  '-(kiss role:assistant)',
  'k',
];

test('a word whose rows are proved by bytes is found in the same as where each record is parsed', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(bodies, { minLength: 1, maxLength: 12 }),
      fc.constantFrom<RowKind>('messages', 'records', 'toolCalls'),
      fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, fc.nat()),
      async (made, rows, damage) => {
        const { store, root } = await temporaryStore();
        const journal = await store.createConversation('c1');
        // So often that a common word is looked for line by line in the later ones.
        for (let seq = 1; seq <= 4 * made.length; seq++)
          journal.append({ ...recordOf(seq, made[seq % made.length] as never), conversation: 'c1' });
        await journal.close();
        if (damage !== undefined) harm(pathsOf(root, 'c1').segment(0), damage);
        const source = newSource(root);
        await found(source, 'is:error', 'messages');
        for (const text of QUESTIONS) {
          const wanted = await judged(store, text, rows);
          if (wanted === 'refused') continue;
          for (const each of [source, newSource(root)]) {
            const { count, positions } = await found(each, text, rows);
            expect({ text, rows, count, positions }).toEqual({
              text,
              rows,
              count: wanted.length,
              positions: wanted,
            });
          }
        }
      },
    ),
    { numRuns: runs(30) },
  );
}, 240_000);

/** Changes a letter of a journal. */
function harm(path: string, number: number): void {
  const bytes = readFileSync(path);
  const at = number % bytes.length;
  if (bytes[at] !== 0x0a) bytes[at] = bytes[at] === 0x78 ? 0x79 : 0x78;
  writeFileSync(path, bytes);
}

test('all rows of a common word are counted without a record being parsed', async () => {
  const { store, root } = await temporaryStore();
  const journal = await store.createConversation('c1');
  const all = 3_000;
  for (let seq = 1; seq <= all; seq++) journal.append(recordOf(seq, said(`${seq} words with an Error`)));
  await journal.close();
  const source = newSource(root);
  await found(source, 'is:error', 'messages');
  const parse = vi.spyOn(JSON, 'parse');
  onTestFinished(() => parse.mockRestore());
  const before = parse.mock.calls.length;
  expect((await found(source, 'error', 'messages', 10)).count).toBe(all);
  // Of those that are told.
  expect(parse.mock.calls.length - before).toBeLessThan(50);
});

const call = (id: string) => ({
  type: 'message',
  message: {
    role: 'assistant',
    content: 'a kiss',
    tool_calls: [{ id, type: 'function', function: { name: 'Bash', arguments: '{}' } }],
  },
});
const answer = (tool_call_id: string, content: string) => ({
  type: 'message',
  message: { role: 'tool', tool_call_id, content },
  toolName: 'Bash',
});

test.each<[RowKind, number]>([
  ['toolCalls', 1],
  ['records', 2],
])('what the bytes prove of records is no proof for what else they belong to: %s', async (rows, count) => {
  const { store, root } = await temporaryStore();
  const journal = await store.createConversation('c1');
  const bodies = [call('t1'), answer('t1', 'the kiss of it'), said('a kiss elsewhere, and xxx')];
  for (const [at, body] of bodies.entries()) journal.append(recordOf(at + 1, body as never));
  await journal.close();
  const path = pathsOf(root, 'c1').segment(0);
  // The last line is damaged behind the word, and says nothing any more.
  if (rows === 'records') writeFileSync(path, readFileSync(path, 'utf8').replace('xxx', 'yyy'));
  const source = newSource(root);
  await found(source, 'is:error', 'messages');
  expect((await found(source, 'kiss', rows)).count).toBe(count);
});

/** A line with the right checksum, of JSON that this program does not write. */
function lineOf(json: string): string {
  const head = json.slice(0, -1);
  return `${head},"crc":"${crc32(head).toString(16).padStart(8, '0')}"}\n`;
}

test('what only looks like a message proves nothing, though its checksum is right, nor does what stands behind a second key', async () => {
  const { store, root } = await temporaryStore();
  const journal = await store.createConversation('c1');
  for (let seq = 1; seq <= 8; seq++) journal.append(recordOf(seq, said('a kiss')));
  await journal.close();
  const path = pathsOf(root, 'c1').segment(0);
  const withoutRole = JSON.stringify({ ...recordOf(9, said('')), message: { content: 'a kiss' } });
  const message = JSON.stringify(recordOf(10, said('a kiss')));
  const twice = [
    message.replace('}}', '},"message":{"role":"user","content":"none"}}'),
    message.replace('"content"', '"content":"a kiss","content":"none","name"'),
  ];
  for (const json of [withoutRole, ...twice]) appendFileSync(path, lineOf(json));
  const source = newSource(root);
  await found(source, 'is:error', 'messages');
  for (const rows of ['records', 'messages'] as const) {
    const positions = await judged(store, 'kiss', rows);
    expect(positions).toHaveLength(8);
    expect((await found(source, 'kiss', rows)).positions).toEqual(positions);
  }
});

test('what has a number for its type proves nothing, though the number before it begins like it', async () => {
  const { store, root } = await temporaryStore();
  const journal = await store.createConversation('c1');
  for (let seq = 1; seq <= 8; seq++) journal.append(recordOf(seq, said('a kiss')));
  await journal.close();
  for (const [seq, type] of [
    [9, 1],
    [10, 12],
  ] as const) {
    const json = { seq, id: `m_${seq}`, time: 1, type, message: { role: 'user', content: 'a kiss' } };
    appendFileSync(pathsOf(root, 'c1').segment(0), lineOf(JSON.stringify(json)));
  }
  const source = newSource(root);
  await found(source, 'is:error', 'messages');
  const positions = await judged(store, 'kiss', 'records');
  expect(positions).toHaveLength(8);
  expect(await found(source, 'kiss', 'records')).toEqual({ count: 8, positions });
});
