/** A session of another tool, recognised by what it holds, and written as Markdown with its secrets left out. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importFile, MessageQuery } from 'agent-logbook/library';

/** @type {(type: string, uuid: string, message: object) => string} */
const line = (type, uuid, message) =>
  JSON.stringify({ type, uuid, sessionId: 's', timestamp: '2026-01-01T10:00:00Z', message });
const file = join(await mkdtemp(join(tmpdir(), 'example-')), 'session.jsonl');
await writeFile(
  file,
  [
    line('user', 'u', {
      role: 'user',
      content: 'My key is sk-proj-9dWq3nVb7TzXc1LmK8sRfYhG2aJpQe5u, is that safe?',
    }),
    line('assistant', 'a', {
      id: 'm',
      role: 'assistant',
      model: 'm',
      content: [{ type: 'text', text: 'No.' }],
    }),
  ].join('\n'),
);

const { format, conversations, problems } = await importFile(file);
console.log(`${format}: ${conversations.length} conversation, ${problems.length} problems`);
const [{ records }] = conversations;
console.log(new MessageQuery(records).export('markdown'));
