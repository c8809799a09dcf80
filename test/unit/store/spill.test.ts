import { createHash } from 'node:crypto';
import { chmod, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ChatMessage } from '../../../src/core/message.js';
import type { MessageRecord } from '../../../src/core/record.js';
import { restoreTexts } from '../../../src/store/read/restoredRecords.js';
import { recordOf, temporaryStore } from '../../support/storeFixture.js';

/** Records one message, and reads it back from the file. */
async function keep(message: ChatMessage, id = 'm_1') {
  const { store, root, problems } = await temporaryStore();
  const journal = await store.createConversation('c1');
  journal.append({ ...recordOf(1, { type: 'message', message }), id });
  await journal.close();
  const transcript = await store.openTranscript('c1');
  const [record] = (await transcript.read(0, 1)) as MessageRecord[];
  if (!record) throw new Error('nothing was read');
  return { store, root, problems, transcript, record };
}

const LIMIT = 51_200;

test.each([
  ['ASCII', 'x'.repeat(LIMIT), 0],
  ['ASCII', 'x'.repeat(LIMIT + 1), 1],
  ['two bytes a character', 'é'.repeat(LIMIT / 2), 0],
  ['two bytes a character', 'é'.repeat(LIMIT / 2 + 1), 1],
  ['four bytes a character', '🥒'.repeat(LIMIT / 4 + 1), 1],
])('of %s texts only those over 51,200 bytes leave the record', async (_, content, files) => {
  const { record } = await keep({ role: 'tool', content });
  expect(record.spill?.length ?? 0).toBe(files);
});

test('the file holds exactly the text; the record keeps 500 characters, hash and length', async () => {
  const content = `${'🥒'.repeat(499)}ab${'\r\n\u2028\0"'.repeat(20_000)}`;
  const { record, root, transcript } = await keep({ role: 'tool', tool_call_id: 't1', content });
  const [ref] = record.spill ?? [];
  const path = 'state/logs/tool-results/c1/m_1.json';
  const sha256 = createHash('sha256').update(content).digest('hex');
  expect(ref).toEqual({ field: 'content', path, bytes: Buffer.byteLength(content), sha256 });
  expect(record.message).toEqual({ role: 'tool', tool_call_id: 't1', content: `${'🥒'.repeat(499)}a` });
  expect(await readFile(join(root, path), 'utf8')).toBe(content);
  expect(await transcript.readSpill(path)).toBe(content);
});

test('every large text of a message has a file of its own, and all come back', async () => {
  const large = (letter: string) => letter.repeat(60_000);
  const call = (letter: string) => ({
    id: letter,
    type: 'function' as const,
    function: { name: 'f', arguments: large(letter) },
  });
  const message: ChatMessage = {
    role: 'assistant',
    content: [
      { type: 'text', text: 'short' },
      { type: 'text', text: large('p') },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${large('i')}`, detail: 'low' } },
      { type: 'input_audio', input_audio: { data: 'x' } },
    ],
    tool_calls: [call('a'), { ...call('s'), function: { name: 'f', arguments: '{}' } }, call('b')],
    reasoning_content: large('r'),
  };
  const { record, root, transcript } = await keep(message);
  expect((await readdir(join(root, 'state', 'logs', 'tool-results', 'c1'))).sort()).toEqual([
    'm_1.arguments-0.json',
    'm_1.arguments-2.json',
    'm_1.content-1.json',
    'm_1.content-2.json',
    'm_1.reasoning.json',
  ]);
  expect(record.message.tool_calls?.[0]?.function.arguments).toBe('a'.repeat(500));
  const restored = await restoreTexts(record, transcript);
  expect(restored).toEqual({ record: recordWith(message), missing: [] });
});

const recordWith = (message: ChatMessage) => ({ ...recordOf(1, { type: 'message', message }), id: 'm_1' });

test('a text with half a character survives', async () => {
  const content = `${'x'.repeat(60_000)}\ud83e`;
  const { record, transcript } = await keep({ role: 'tool', content });
  expect(record.spill?.[0]?.path).toMatch(/\.escaped\.json$/);
  expect((await restoreTexts(record, transcript)).record).toEqual(recordWith({ role: 'tool', content }));
});

test.each(['../../../../evil', 'CON', 'a/b', '.hidden', 'UPPER', 'x'.repeat(500), '\ud800'])(
  'the id %j leads to a file inside of the store',
  async (id) => {
    const { root, record, transcript } = await keep({ role: 'tool', content: 'x'.repeat(60_000) }, id);
    const names = await readdir(join(root, 'state', 'logs', 'tool-results', 'c1'));
    expect(names).toHaveLength(1);
    expect(names[0]).toMatch(/^[a-z0-9_-]*~[0-9a-f]{16}\.json$/);
    expect(await transcript.readSpill(record.spill?.[0]?.path ?? '')).toHaveLength(60_000);
  },
);

test('a missing or changed text is not given, and the record says what it was', async () => {
  const { record, root, transcript } = await keep({ role: 'tool', content: 'x'.repeat(60_000) });
  const path = join(root, record.spill?.[0]?.path ?? '');
  await writeFile(path, 'y'.repeat(60_000));
  expect(await transcript.readSpill(record.spill?.[0]?.path ?? '')).toBeUndefined();
  await rm(path);
  expect(await restoreTexts(record, transcript)).toEqual({ record, missing: record.spill });
});

test.each([
  'state/logs/tool-results/c1/../c2/m_1.json',
  'state/logs/tool-results/c2/m_1.json',
  '/etc/passwd',
  '../../etc/passwd',
  'state/logs/tool-results/c1/',
  String.raw`state\logs\tool-results\c1\m_1.json`,
])('a reference to %s is not followed', async (path) => {
  const { store, root, transcript } = await keep({ role: 'tool', content: 'x' });
  await transcript.close();
  const ref = { field: 'content', path, bytes: 1, sha256: '' };
  const line = JSON.stringify({
    ...recordOf(2, { type: 'message', message: { role: 'tool', content: 'x' } }),
    spill: [ref],
  });
  await writeFile(join(root, 'conversations', 'c1', 'messages.jsonl'), `{"logbook":1}\n${line}\n`);
  const again = await store.openTranscript('c1');
  expect(await again.read(0, 1)).toHaveLength(1);
  expect(await again.readSpill(path)).toBeUndefined();
});

test('a spilled text behind a link is not read', async () => {
  const { root, record, transcript } = await keep({ role: 'tool', content: 'x'.repeat(60_000) });
  const path = record.spill?.[0]?.path ?? '';
  await rm(join(root, path));
  await symlink('/etc/passwd', join(root, path));
  expect(await transcript.readSpill(path)).toBeUndefined();
});

test('where the files cannot be written the text stays in its record, and the person is told', async () => {
  const { store, root, problems } = await temporaryStore();
  const journal = await store.createConversation('c1');
  await writeFile(join(root, 'state'), 'in the way');
  const content = 'x'.repeat(60_000);
  journal.append(recordOf(1, { type: 'message', message: { role: 'tool', content } }));
  expect(await journal.flush()).toEqual({ taken: 1, durable: 1 });
  expect(problems).toMatchObject([{ code: 'ESPILL' }]);
  await journal.close();
  const transcript = await store.openTranscript('c1');
  expect(await transcript.read(0, 1)).toMatchObject([{ message: { content } }]);
  await chmod(root, 0o700);
});
