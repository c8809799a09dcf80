import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { importFile } from '../../../src/import/importFile.js';
import { importTranscript } from '../../../src/import/importTranscript.js';
import type { ImportResult } from '../../../src/import/reading/importResult.js';
import { readRecord } from '../../../src/store/format/readRecord.js';
import { records, said } from './reading.js';

const folder = join(import.meta.dirname, '../../../../shared/transcripts');

/** Why the store would not read back what was imported, each reason once. */
function unreadable(result: ImportResult): string[] {
  const read = records(result).map((record) =>
    readRecord(Buffer.from(JSON.stringify(record)), record.conversation, record.seq - 1),
  );
  return [...new Set(read.flatMap((record) => ('why' in record ? [String(record.why)] : [])))];
}

/** Chat messages, whatever stands in them. */
const chat = (...messages: object[]) => importTranscript(JSON.stringify({ messages }), 'talk.json');

test('roles that are names of speakers are read back as what they said, and nothing of them is lost', async () => {
  const result = await importTranscript(
    JSON.stringify({
      history: [
        { role: 'human', content: 'Which flights leave before noon?' },
        { role: 'Orchestrator (thought)', content: 'I ask the clerk.' },
        { role: 'WebSurfer', content: 'Two.' },
      ],
    }),
    'log.json',
  );
  expect(unreadable(result)).toEqual([]);
  expect(said(result)).toEqual([
    'user: Which flights leave before noon?',
    'assistant: I ask the clerk.',
    'assistant: Two.',
  ]);
  expect(JSON.stringify(records(result))).toContain('Orchestrator (thought)');
  expect(result.conversations[0]?.title).toBe('Which flights leave before noon?');
});

test('content and calls of odd shapes are read back with all that they say', async () => {
  const result = await chat(
    { role: 'user', content: { question: 'What is in the third drawer?' } },
    { role: 'assistant', content: ['Let me look.', { type: 'text', words: 'into the drawer' }] },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ function: { name: 'look', arguments: { drawer: 3 } } }],
    },
    { role: 'assistant', content: 'An egg timer.', tool_calls: 'none of them' },
  );
  expect(unreadable(result)).toEqual([]);
  const kept = JSON.stringify(records(result));
  for (const text of ['third drawer', 'Let me look.', 'into the drawer', 'look', 'egg timer', 'none of them'])
    expect(kept).toContain(text);
});

describe.skipIf(!existsSync(folder))('the transcripts of other tools', () => {
  const files = existsSync(folder) ? (readdirSync(folder, { recursive: true }) as string[]) : [];

  test.each(files.filter((name) => /\.(?:jsonl?|traj|eval)$/.test(name) && !name.startsWith('facts')))(
    'are read back from the store: %s',
    async (name) => {
      expect(unreadable(await importFile(join(folder, name), { alone: true }))).toEqual([]);
    },
  );
});
