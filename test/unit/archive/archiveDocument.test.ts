import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { SCHEMA_SQL } from '../../../src/archive/archiveSchema.js';
import { ConversationPush } from '../../../src/archive/conversationPush.js';
import { ArchivedTranscript } from '../../../src/archive/archivedTranscript.js';
import { DEFAULT_RULES } from '../../../src/export/sharing/sharingPolicy.js';
import { NO_PRICES } from '../../../src/core/ports/prices.js';
import { MemoryTranscript } from '../../support/memoryTranscript.js';
import { recordOf, said } from '../../support/storeFixture.js';
import { testArchives } from '../../support/testArchive.js';

const { database, connect } = testArchives();

const page = readFileSync(join(import.meta.dirname, '../../../docs/archive.md'), 'utf8');
/** The statements of the page, block by block. */
const blocks = [...page.matchAll(/```sql\n([\s\S]*?)```/g)].map(([, sql = '']) => sql);
const [tables = '', questions = '', rights = '', rightsOfTables = '', rows = ''] = blocks;

function pushOf(transcript: MemoryTranscript, project: string) {
  return new ConversationPush(
    { id: transcript.conversation, about: { title: 'Bread', project }, transcript },
    {
      mode: 'full',
      rules: DEFAULT_RULES,
      prices: { prices: NO_PRICES, mark: '' },
      signal: new AbortController().signal,
    },
  );
}

test('the page has the statements that make the tables', () => {
  expect(tables).toContain(SCHEMA_SQL.map((statement) => `${statement};`).join('\n\n'));
});

test('a server that knows no rights on columns lets push what needs them all the same', async () => {
  expect(rightsOfTables).not.toMatch(/\(/);
  const name = await database();
  const owner = await connect(name);
  await owner.query(tables);
  await owner.query(`CREATE ROLE logbook_writer LOGIN PASSWORD 'logbook_writer'`);
  onTestFinished(async () => {
    await owner.query('DROP OWNED BY logbook_writer');
    await owner.query('DROP ROLE logbook_writer');
    await owner.close();
  });
  await owner.query(rightsOfTables);
  const writer = await connect(name, 'logbook_writer', 'logbook_writer');
  onTestFinished(() => writer.close());
  const bread = new MemoryTranscript('c1', [recordOf(1, said('bread '.repeat(20_000)))]);
  const push = pushOf(bread, 'bakery');
  expect(await push.push(writer)).toMatchObject({ kind: 'new', added: 1 });
  bread.append([recordOf(2, said('more'))]);
  expect(await push.push(writer)).toMatchObject({ kind: 'grown', added: 1 });
  for (const statement of [
    'DELETE FROM agent_logbook.records',
    'UPDATE agent_logbook.records SET line = $$x$$',
  ])
    await expect(writer.query(statement)).rejects.toThrow('docs/archive.md has the rights');
});

test('its roles may do what they need and nothing else, and see the projects that they may', async () => {
  const name = await database();
  const owner = await connect(name);
  await owner.query(tables);
  for (const role of ['logbook_writer', 'logbook_reader'])
    await owner.query(`CREATE ROLE ${role} LOGIN PASSWORD '${role}'`);
  await owner.query(rights);
  await owner.query(rows);

  const writer = await connect(name, 'logbook_writer', 'logbook_writer');
  const bread = new MemoryTranscript('c1', [
    recordOf(1, said('bread '.repeat(20_000))),
    recordOf(2, said('done')),
  ]);
  const push = pushOf(bread, 'bakery');
  expect(await push.push(writer)).toMatchObject({ kind: 'new', added: 2 });
  bread.append([recordOf(3, said('more'))]);
  expect(await push.push(writer)).toMatchObject({ kind: 'grown', added: 1 });
  expect(await pushOf(bread, 'bakery').push(writer)).toMatchObject({ kind: 'unchanged' });
  await pushOf(new MemoryTranscript('c2', [recordOf(1, said('secret'), 'c2')]), 'vault').push(writer);
  for (const statement of [
    'SELECT line FROM agent_logbook.records',
    'UPDATE agent_logbook.records SET line = $$x$$',
    'DELETE FROM agent_logbook.conversations',
    'DROP TABLE agent_logbook.texts',
  ])
    await expect(writer.query(statement)).rejects.toThrow('docs/archive.md has the rights');

  const reader = await connect(name, 'logbook_reader', 'logbook_reader');
  const found = new ArchivedTranscript('c1', 3, () => Promise.resolve(reader));
  expect(await found.read(0, 3)).toHaveLength(3);
  const { rows: seen } = await reader.query('SELECT DISTINCT conversation FROM agent_logbook.records');
  expect(seen).toEqual([{ conversation: 'c1' }]);
  expect((await reader.query('SELECT conversation FROM agent_logbook.summaries')).rows).toEqual(seen);
  await expect(reader.query('DELETE FROM agent_logbook.records')).rejects.toThrow('may not');
  await reader.query(questions);
  for (const connection of [reader, writer, owner]) await connection.close();
});
