import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { ArchivedTranscripts } from '../../../src/app/archive/archivedTranscripts.js';
import { ArchiveLogins } from '../../../src/app/archive/archiveLogin.js';
import { openStore } from '../../../src/app/stores/openStore.js';
import { ArchiveReadingThread } from '../../../src/archive/archiveReadingThread.js';
import { PassingStore } from '../../../src/capture/passingStore.js';
import type { LogRecord } from '../../../src/core/record.js';
import { silentLog } from '../../../src/core/ports/log.js';
import { restoredRecords } from '../../../src/store/read/restoredRecords.js';
import type { TranscriptStore } from '../../../src/store/transcriptStore.js';
import { memorySettings } from '../../support/appHost.js';
import { buildWorker } from '../../support/buildWorker.js';
import { PASSWORD } from '../../support/postgresServer.js';
import { pushTo } from '../../support/pushedArchive.js';
import { recordOf, said, temporaryFolder } from '../../support/storeFixture.js';
import { testArchives } from '../../support/testArchive.js';

const { archive, server } = testArchives();

let script: URL;
beforeAll(async () => {
  script = await buildWorker('archive/archiveReading.worker.ts');
});

/** What a window reads of an archive with some conversations. */
async function reading(address: string, password = PASSWORD) {
  const folder = join(await temporaryFolder(), 'opened');
  const stores: TranscriptStore[] = [];
  const passing = new PassingStore({
    folder,
    openStore: ({ root, ...options }) => openStore(root, options),
    onStore: ({ store }) => stores.push(store),
    log: silentLog,
  });
  const settings = memorySettings({ 'archive.address': address });
  const logins = new ArchiveLogins(settings, { get: () => Promise.resolve(password) });
  const archived = new ArchivedTranscripts({
    logins,
    passing,
    log: silentLog,
    newThread: (events) => new ArchiveReadingThread({ ...events, log: silentLog, script }),
  });
  onTestFinished(() => archived.close());
  const storeOf = () => {
    const [store] = stores;
    if (!store) throw new Error('Nothing was opened.');
    return store;
  };
  return { archived, folder, storeOf };
}

function talk(id: string, count: number): LogRecord[] {
  return Array.from({ length: count }, (_, at) =>
    recordOf(at + 1, said(`Word ${at + 1}`, at % 2 ? 'assistant' : 'user'), id),
  );
}

test('its conversations are listed page by page, the newest first, with what its columns know', async () => {
  const { name, connection } = await archive();
  for (const [at, id] of ['a', 'b', 'c'].entries()) {
    const records = talk(id, 2).map((record) => ({ ...record, time: record.time + at * 1_000 }));
    await pushTo(connection, id, records, { title: `Cake ${id}`, source: 'codex', project: 'bakery' });
  }
  const { archived } = await reading(server().address(name));
  const first = await archived.page(0, 2);
  expect(first).toMatchObject({
    count: 3,
    conversations: [
      {
        id: 'c',
        records: 2,
        source: 'codex',
        project: 'bakery',
        entry: { title: 'Cake c', messages: 2, agents: ['Pickle'] },
      },
      { id: 'b' },
    ],
  });
  expect((await archived.page(2, 2)).conversations.map(({ id }) => id)).toEqual(['a']);
});

test('a transcript opens with its first page, the rest follows, and it goes when nobody looks at it', async () => {
  const { name, connection } = await archive();
  const records = talk('../etc/cake', 1_203);
  await pushTo(connection, '../etc/cake', records, { title: 'A long talk' });
  const { archived, folder, storeOf } = await reading(server().address(name));
  const conversation = await archived.open('../etc/cake');
  expect(archived.shown(conversation)).toMatchObject({ title: 'A long talk', id: '../etc/cake' });
  expect(await archived.open('../etc/cake')).toBe(conversation);
  const kept = archived.provenance(conversation)?.archived;
  expect(kept?.id).toBe('../etc/cake');
  expect(kept?.place).toContain(name);
  expect(await archived.open('../etc/cake', kept?.place)).toBe(conversation);
  await expect(archived.open('../etc/cake', 'another:5432/archive')).rejects.toThrow(
    'It is in the archive another:5432/archive, and the setting agentLogbook.archive.address names',
  );
  await archived.reached(conversation, 1_202);
  const transcript = await storeOf().openTranscript(conversation);
  expect(transcript.length).toBe(1_203);
  const read = await transcript.read(0, 1_203);
  await transcript.close();
  expect(
    read.map(({ id, ...record }) => ({ id, message: 'message' in record ? record.message : undefined })),
  ).toEqual(
    records.map((record) => ({ id: record.id, message: 'message' in record ? record.message : undefined })),
  );
  // Its name is of this program's making, whatever the archive calls it.
  expect(conversation).toMatch(/^\d{8}-\d{6}-[0-9a-f]+$/);
  const [own = ''] = await readdir(folder);
  expect(await readdir(join(folder, own, 'conversations'))).toEqual([conversation]);
  await archived.closed(conversation);
  expect(archived.shown(conversation)).toBeUndefined();
  expect(await readdir(join(folder, own, 'conversations'))).toEqual([]);
});

test('texts that stand apart in the archive come whole', async () => {
  const { name, connection } = await archive();
  const long = 'flour '.repeat(20_000);
  await pushTo(connection, 'long', [recordOf(1, said(long), 'long')]);
  const { archived, storeOf } = await reading(server().address(name));
  const conversation = await archived.open('long');
  const transcript = await storeOf().openTranscript(conversation);
  const messages: unknown[] = [];
  for await (const record of restoredRecords(transcript))
    messages.push('message' in record && record.message);
  await transcript.close();
  expect(messages).toEqual([{ role: 'assistant', content: long }]);
});

test('what cannot be read is told in words that say what to do', async () => {
  const { name } = await archive();
  const wrong = await reading(server().address(name), 'wrong');
  await expect(wrong.archived.page(0, 10)).rejects.toThrow(/does not let this user in with this password/);
  const away = await reading('postgres://owner@127.0.0.1:1/cake');
  await expect(away.archived.page(0, 10)).rejects.toThrow(/No server answers at 127\.0\.0\.1:1\/cake/);
  await expect((await reading('')).archived.page(0, 10)).rejects.toThrow(
    /agentLogbook\.archive\.address is empty/,
  );
  const here = await reading(server().address(name));
  await expect(here.archived.open('nobody')).rejects.toThrow('The archive has no conversation nobody.');
  await expect(here.archived.page(0, 10)).resolves.toEqual({ count: 0, conversations: [] });
});

test('where the archive breaks off, what has come stays, and opening it again reads it anew', async () => {
  const { name, connection } = await archive();
  await pushTo(connection, 'cut', talk('cut', 3_000));
  await connection.query('ALTER TABLE agent_logbook.records RENAME TO hidden');
  await connection.query(
    `CREATE VIEW agent_logbook.records AS SELECT conversation, position, CASE WHEN position < 1000 THEN line ELSE decode(id, 'hex') END AS line FROM agent_logbook.hidden`,
  );
  const { archived } = await reading(server().address(name));
  const conversation = await archived.open('cut');
  await archived.reached(conversation, 2_999);
  expect(archived.shown(conversation)?.failure).toMatch(/refused/);
  await connection.query('DROP VIEW agent_logbook.records');
  await connection.query('ALTER TABLE agent_logbook.hidden RENAME TO records');
  const again = await archived.open('cut');
  expect(again).not.toBe(conversation);
  await archived.reached(again, 2_999);
  expect(archived.shown(again)).toMatchObject({ failure: undefined, done: 1 });
});
