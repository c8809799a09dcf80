import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { rawValues } from '../../../scripts/lostTexts.mjs';
import { hiddenTexts } from '../../../src/import/building/halfRead.js';
import { atOnce } from '../../../src/import/reading/steps.js';
import { importFile } from '../../../src/import/importFile.js';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { textOf } from '../../../src/core/message.js';
import type { MessageBody } from '../../../src/core/record.js';
import { speakerIn } from '../../../src/query/numbers/transcriptItem.js';
import { lines } from './reading.js';

const FOLDERS = [
  join(import.meta.dirname, '../../formats'),
  join(import.meta.dirname, '../../../../shared/transcripts'),
];

const files = FOLDERS.filter((folder) => existsSync(folder)).flatMap((folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:jsonl?|eval)$/.test(entry.name) && entry.name !== 'facts.json')
    .map((entry) => join(entry.parentPath, entry.name))
    .sort(),
);

/** Where tools write once more what a message or its call says: as it was sent to the model, what a call intends, who spoke. */
const TOLD_AGAIN = /(?:intentionSummary|transformedContent)$|^history\[\d+\]\.role$|^\[\d+\]\.message$/;

describe('what a person or a model wrote is shown, or found among records', () => {
  test.each(files.map((path) => [relative(join(import.meta.dirname, '../../..'), path), path]))(
    '%s',
    async (_name, path) => {
      const { conversations } = await importFile(path, { alone: true });
      const hidden = atOnce(hiddenTexts(rawValues(path), conversations));
      expect(hidden.filter(({ path: place }) => !TOLD_AGAIN.test(place.replace(/^line \d+\.?/, '')))).toEqual(
        [],
      );
    },
  );
});

test('what an agent was told in a person’s name, of which only its tool’s own form tells, is a message that was put there', async () => {
  const event = (type: string, data: object) => ({ type, id: type, timestamp: '2026-09-01T10:00:00Z', data });
  const { conversations } = await importTranscript(
    lines(
      event('session.start', { sessionId: 's', producer: 'copilot-agent' }),
      event('user.message', {
        content: 'Bake',
        transformedContent: '<current_datetime>x</current_datetime>\n\nBake',
      }),
      event('user.message', {
        content: '',
        transformedContent: 'You have not yet marked the task as complete.',
      }),
    ),
    'events.jsonl',
  );
  const said = (conversations[0]?.records ?? []).filter(({ type }) => type === 'message');
  expect(said.map((record) => [speakerIn(record), textOf((record as MessageBody).message.content)])).toEqual([
    ['user', 'Bake'],
    ['injected', 'You have not yet marked the task as complete.'],
  ]);
});

test('a message in no known shape is kept as a record, where a question finds it', async () => {
  const words = 'File created successfully at: /tmp/loaf.py';
  const { conversations, problems } = await importTranscript(
    lines(
      { type: 'user', uuid: 'a', sessionId: 's', message: { role: 'user', content: 'Bake' } },
      { type: 'user', uuid: 'b', sessionId: 's', message: { role: 'user', contenst: words } },
    ),
    's.jsonl',
  );
  expect(conversations[0]?.records[1]).toMatchObject({
    type: 'imported',
    kind: 'user',
    value: { message: { contenst: words } },
  });
  expect(problems).toEqual([
    expect.objectContaining({ message: expect.stringContaining('lines of type user') as unknown }),
  ]);
});
