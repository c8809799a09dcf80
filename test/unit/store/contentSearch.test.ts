import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { compileCriteria } from '../../../src/query/compileCriteria.js';
import { encodeLine } from '../../../src/store/format/lineFormat.js';
import { pathsOf } from '../../../src/store/files/storePaths.js';
import { openLines } from '../../../src/store/read/openLines.js';
import type { LineRun } from '../../../src/store/read/readSpans.js';
import { silentLog } from '../../../src/core/ports/log.js';
import { contentSearchFor } from '../../../src/search/stored/contentSearch.js';
import { CandidateFinder } from '../../../src/search/stored/lineCandidates.js';
import { prefilterFor } from '../../../src/search/stored/linePrefilter.js';
import { candidateRecords } from '../../../src/search/reader/indexedTranscript.js';
import { runs } from '../../support/fixedInputs.js';
import { recordOf, said, temporaryStore } from '../../support/storeFixture.js';

/** Lines as they are read at once. */
function runOf(lines: readonly Buffer[], first = 0): LineRun {
  let at = 0;
  const spans = lines.map(({ length }) => {
    const span = { from: at, to: at + length };
    at += length + 1;
    return span;
  });
  return { first, bytes: Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')])), spans };
}

/** Texts of what a search for letters may trip over: escapes, their letters, quotes, and letters beyond ASCII. */
const texts = fc
  .array(
    fc.constantFrom(
      'the',
      'THE',
      't',
      'h',
      'e',
      'n',
      'u0074',
      'u',
      '0074',
      ' ',
      '\n',
      '\t',
      '\\',
      '"',
      '\u001b',
      '\u0000',
      '\u212a',
      '\u0130',
      'k',
      'i',
      '\ud83d',
      '🥒',
      '{"content":"the"}',
      ',"message":{"content":"the',
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));
const bodies = fc.oneof(
  texts.map((text) => said(text)),
  texts.map((text) => ({
    type: 'message',
    message: { role: 'assistant', content: 'e', reasoning_content: text },
  })),
  fc
    .tuple(texts, texts)
    .map(([title, source]) => ({ type: 'title', title, source: { message: { content: source } } })),
  fc
    .tuple(texts, texts)
    .map(([text, from]) => ({ ...said(text), model: from, source: { message: { content: from } } })),
  texts.map((text) => ({ type: 'message', message: { role: 'user', content: [{ type: 'text', text }] } })),
);
const criteria = fc.record({
  text: fc.constantFrom('the', 'THE', 't', 'n', 'u', '0074', 'nthe', 'th', ' ', 'k', 'i', 'K'),
  matchCase: fc.boolean(),
});

test('what the bytes of a line prove holds of its record, and what they rule out does not', () => {
  fc.assert(
    fc.property(fc.array(bodies, { minLength: 1, maxLength: 6 }), criteria, (made, asked) => {
      const records = made.map((body, at) => recordOf(at + 1, body as never));
      const compiled = compileCriteria(asked);
      const expected = records.flatMap((record, at) => (compiled.matches(record) ? [at] : []));
      const run = runOf(records.map((record) => encodeLine(record)));
      const finder = new CandidateFinder(prefilterFor(asked)!, contentSearchFor(asked));
      // In the second round a text that was found often is looked for line by line.
      for (let round = 0; round < 2; round++) {
        const { lines, proved } = finder.in(run);
        for (const [at, line] of lines.entries()) if (proved[at] === 1) expect(expected).toContain(line);
        expect(lines).toEqual(expect.arrayContaining(expected));
        expect(lines).toEqual([...lines].sort((a, b) => a - b));
      }
    }),
    { numRuns: runs(500) },
  );
});

test('the bytes prove a word at any place of a content, and none in another line', () => {
  const lines = ['needle', `${'x'.repeat(5_000)} Needle`, 'x'.repeat(5_000), '\\"needle', 'straw'].map(
    (text, at) => encodeLine(recordOf(at + 1, said(text))),
  );
  const asked = { text: 'needle' };
  const finder = new CandidateFinder(prefilterFor(asked)!, contentSearchFor(asked));
  for (let round = 0; round < 2; round++) {
    const { lines: found, proved } = finder.in(runOf(lines));
    expect(found).toEqual([0, 1, 3]);
    expect([...proved.subarray(0, 3)]).toEqual([1, 1, 1]);
  }
});

test.each([
  { text: 'a', content: 'b' },
  { text: 'a', wholeWord: true },
  { text: 'a', regex: true },
  { text: 'a\\b' },
  { text: 'é' },
])('nothing is proved where more decides than one text of plain letters: %j', (asked) => {
  expect(contentSearchFor(asked)).toBeUndefined();
});

test('a line without a checksum is not ours, and proves nothing', () => {
  const line = Buffer.from(JSON.stringify(recordOf(1, said('needle'))));
  expect(contentSearchFor({ text: 'needle' })?.isIn(line, 0, line.length)).toBe(false);
});

test('a common word is found without a record being parsed', async () => {
  const { store, root } = await temporaryStore();
  const journal = await store.createConversation('c1');
  const all = 20_000;
  for (let seq = 1; seq <= all; seq++)
    journal.append(recordOf(seq, said(seq === 7 ? 'a\u0000 needle' : `${seq} words with a needle`)));
  await journal.close();
  const parse = vi.spyOn(JSON, 'parse');
  onTestFinished(() => parse.mockRestore());
  const lines = await openLines(pathsOf(root, 'c1'), silentLog);
  const before = parse.mock.calls.length;
  let found = 0;
  const asked = { text: 'needle' };
  const finder = new CandidateFinder(prefilterFor(asked)!, contentSearchFor(asked));
  for await (const { candidates } of candidateRecords(
    lines,
    finder,
    { from: 0, to: lines.index.size },
    new AbortController().signal,
  ))
    found += candidates.length;
  expect(found).toBe(all);
  expect(parse.mock.calls.length - before).toBe(0);
});
