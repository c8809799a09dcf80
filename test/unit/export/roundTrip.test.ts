import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { withoutTerminalSequences } from '../../../src/core/terminalText.js';
import { textOf } from '../../../src/core/message.js';
import { textsIn } from '../../../src/core/prose.js';
import { exportMessages } from '../../../src/export/exportMessages.js';
import { importFile } from '../../../src/import/importFile.js';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { messageIn, type UntypedMessage } from '../../../src/query/numbers/transcriptItem.js';
import { argumentsOf, callsOf } from '../../../src/query/numbers/toolCalls.js';
import { anyRecords } from '../query/arbitraries.js';
import { runs } from '../../support/fixedInputs.js';
import { storable } from '../../support/storable.js';
import { missingWords } from '../../support/missingWords.js';
import { teamStory } from '../../support/teamStory.js';

const OPTIONS = { redact: false, full: true, includeMetadata: true, indent: 0 } as const;
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** What is read of the full export of these records. */
async function readAgain(records: readonly unknown[]) {
  const result = await importTranscript(exportMessages(records, 'json', OPTIONS), 'export.json');
  return {
    format: result.format,
    // A text that was damaged before holds the mark of that, which is told again.
    problems: result.problems.filter(({ message }) => message !== 'Some characters are damaged.'),
    records: result.conversations.flatMap((each) => each.records),
  };
}

/** Records as an import numbers them: its first read decides, a second changes nothing any more. */
async function expectSame(records: readonly unknown[]) {
  const again = await readAgain(records);
  expect(again.problems).toEqual([]);
  expect(again.format).toBe('agent-logbook');
  expect(asJson(again.records)).toEqual(asJson(records));
}

test('what is exported as JSON and imported is the same transcript', async () => {
  await expectSame(teamStory().records);
});

test('an export as JSON gives back what the conversation is called', async () => {
  const { records } = teamStory();
  const text = exportMessages(records, 'json', { ...OPTIONS, title: 'A day at the bakery' });
  const { problems, conversations } = await importTranscript(text, 'export.json');
  expect(problems).toEqual([]);
  expect(conversations.map(({ title }) => title)).toEqual(['A day at the bakery']);
  expect(asJson(conversations.flatMap((each) => each.records))).toEqual(asJson(records));
});

test('whatever the messages and records are, a full export as JSON gives them back', async () => {
  await fc.assert(
    fc.asyncProperty(anyRecords, async (made) => {
      if (made.length === 0) return;
      const records = made.map((record) => ({
        ...storable(record),
        id: `m${record.seq}`,
        time: 5,
        conversation: 'export',
      }));
      await expectSame(records);
    }),
    { numRuns: runs(300) },
  );
});

test('a message keeps fields of its own that are named like what the export adds', async () => {
  const at = { run: 'r1', call: 'k1', agent: 'a', depth: 0, conversation: 'export', type: 'message' };
  const own = [
    { role: 'user', content: 'a', index: 7, token_count: 20_000, record: { seq: 1 } },
    { role: 'user', content: 'b', _metadata: { index: 1 } },
    { role: 'user', content: 'c', agent: 'someone else', timestamp: 'yesterday evening' },
    { role: 'user', content: 'word '.repeat(20_000) },
  ];
  await expectSame(
    own.map((message, index) => ({ seq: index + 1, id: `m${index + 1}`, time: 9, ...at, message })),
  );
});

test('a reference to a stored text is kept as data and leads to no file', async () => {
  const spill = [{ field: 'content', path: '../../etc/passwd', bytes: 3, sha256: 'abcdefgh' }];
  const message = { role: 'user', content: 'abc' };
  const { records, problems } = await readAgain([{ seq: 1, type: 'message', message, spill }]);
  expect(problems).toEqual([]);
  expect(records).toEqual([expect.objectContaining({ message, source: { spill } })]);
  expect(records[0]).not.toHaveProperty('spill');
});

test('what stands in an export and is no record of it is kept and reported', async () => {
  const text = exportMessages(teamStory().records, 'json', OPTIONS).replace(/\]$/, ',"a stray text"]');
  const { conversations, problems } = await importTranscript(text, 'export.json');
  expect(problems.map(({ message }) => message)).toEqual([
    'Kept without being understood: values that are no exported records (once).',
  ]);
  expect(conversations.at(-1)?.records.at(-1)).toMatchObject({ type: 'imported', value: 'a stray text' });
});

const folder = fileURLToPath(new URL('../../../../shared/transcripts/', import.meta.url));
const files = existsSync(folder)
  ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => {
      const { size } = statSync(join(folder, name));
      return /\.(?:jsonl?|eval|zip)$/.test(name) && name !== 'facts.json' && size < 2_000_000;
    })
  : [];

describe.skipIf(files.length === 0)('of real transcripts', () => {
  test.each(files)('%s comes back from its export as it was', async (name) => {
    const { conversations } = await importFile(join(folder, name), { alone: true });
    for (const { records } of conversations) await expectSame(records);
  });

  test.each(files)('every text of %s stands in its full exports', async (name) => {
    const { conversations } = await importFile(join(folder, name), { alone: true });
    for (const { records } of conversations) {
      const said = records.flatMap((record) => textsOf(messageIn(record) ?? {}));
      // A card tells once what its call says twice, and how far a task is by a mark: of arguments each word must be there.
      const given = new Set(records.flatMap((record) => givenIn(messageIn(record) ?? {})));
      for (const format of ['markdown', 'html'] as const) {
        const body = bodyOf(exportMessages(records, format, OPTIONS), format);
        expect.soft(missingWords(said, body), format).toEqual([]);
        // Where arguments are JSON, a word may stand right behind an escape.
        const escaped = body.replaceAll(/\\[rnt]/g, ' ');
        expect.soft(missingWords(missingWords([...given], body), escaped), format).toEqual([]);
      }
    }
  });
});

/** Without the head of an HTML page. */
const bodyOf = (text: string, format: string) =>
  format === 'html' ? text.slice(text.indexOf('<body>')) : text;

/** What a message says, as a reader sees it: content and reasoning. */
function textsOf(message: UntypedMessage): string[] {
  const { content, reasoning_content: reasoning } = message;
  return [withoutTerminalSequences(textOf(content)), typeof reasoning === 'string' ? reasoning : ''];
}

/** The words of the texts that the calls of a message were given. */
function givenIn(message: UntypedMessage): string[] {
  const inputs = callsOf(message).map(({ input }) => argumentsOf(input));
  const texts = textsIn(
    JSON.parse(JSON.stringify(inputs, (key, value: unknown) => (key === 'status' ? '' : value))),
  );
  return texts.flatMap((text) => text.match(/\p{L}{3,}/gu) ?? []);
}
