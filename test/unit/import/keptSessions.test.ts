import { mkdir, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Database } from 'node-sqlite3-wasm';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { CachedValues } from '../../../src/import/databases/cachedValues.js';
import { isUnchangedInDatabase } from '../../../src/import/sessionDatabases.js';
import { importFile } from '../../../src/import/importFile.js';
import { DatabaseReader, type Row } from '../../../src/node/sqlite/databaseReader.js';
import { runs } from '../../support/fixedInputs.js';
import { randomNumbers } from '../../support/randomNumbers.js';
import {
  BEGUN,
  CURSOR_SCHEMA,
  OPEN_CODE_SCHEMA,
  OpenCodeWriter,
  writeCursorChat,
  writtenDatabase,
} from '../../support/sessionDatabases.js';
import { temporaryFolder } from '../../support/storeFixture.js';

/** How many characters of the texts in rows were taken from databases, and which files were read. */
const taken = { characters: 0 };
const rows = Object.getOwnPropertyDescriptor(DatabaseReader.prototype, 'rows')?.value as (
  this: DatabaseReader,
  ...given: Parameters<DatabaseReader['rows']>
) => Generator<Row>;
vi.spyOn(DatabaseReader.prototype, 'rows').mockImplementation(function* (
  this: DatabaseReader,
  ...given
): Generator<Row> {
  for (const row of rows.apply(this, given)) {
    for (const cell of Object.values(row)) if (typeof cell === 'string') taken.characters += cell.length;
    yield row;
  }
});
const read = vi.hoisted(() => ({ files: [] as string[] }));
vi.mock(import('node:fs/promises'), async (original) => {
  const fs = await original();
  const readFile = ((...given: Parameters<typeof fs.readFile>) => {
    read.files.push(given[0] as string);
    return fs.readFile(...given);
  }) as typeof fs.readFile;
  return { ...fs, readFile };
});

/** A session that is read again and again, with what is kept of it; each time it is compared with what reading it at once gives. */
function again(path: string) {
  const kept = new CachedValues();
  return {
    kept,
    read: async () => {
      const before = taken.characters;
      read.files.length = 0;
      const found = await importFile(path, { kept: () => kept });
      const cost = taken.characters - before;
      const files = [...read.files];
      expect(found).toEqual(await importFile(path));
      return { cost, files, records: found.conversations.flatMap(({ records }) => records) };
    },
    isUnchanged: () => isUnchangedInDatabase(path, kept),
  };
}

const update = (database: Database, table: string, id: string, at: number, data: object) =>
  database.run(`UPDATE ${table} SET data = ?, time_updated = ? WHERE id = ?`, [JSON.stringify(data), at, id]);

describe('a session of OpenCode in its database', () => {
  async function openCode() {
    // Later than all that is written here.
    vi.useFakeTimers({ toFake: ['Date'], now: BEGUN + 24 * 60 * 60 * 1_000 });
    onTestFinished(() => void vi.useRealTimers());
    const path = join(await temporaryFolder(), 'opencode.db');
    const database = writtenDatabase(path, OPEN_CODE_SCHEMA);
    const writer = new OpenCodeWriter(database);
    writer.session('ses_1', 'Clean the barn').exchange('ses_1', 'Clean it', 'It is clean.');
    return { path: `${path}/ses_1`, database, writer };
  }

  test('is, whatever is written to it, what reading it at once gives', async () => {
    const random = randomNumbers(7);
    const { path, database, writer } = await openCode();
    const session = again(path);
    await session.read();
    for (let step = 0; step < runs(60); step++) {
      const ids = (
        database.all("SELECT id FROM part WHERE session_id NOT LIKE 'ses_o%'") as { id: string }[]
      ).map(({ id }) => id);
      const id = ids[Math.floor(random() * ids.length)] ?? '';
      const choice = Math.floor(random() * 6);
      if (choice === 0) writer.exchange('ses_1', `Question ${step}`, `Answer ${step}`);
      else if (choice === 1)
        update(database, 'part', id, step, { type: 'text', text: `Changed ${step % 10}` });
      else if (choice === 2) database.run('DELETE FROM part WHERE id = ?', [id]);
      else if (choice === 3)
        writer.session(`ses_c${step}`, 'look', 'ses_1').exchange(`ses_c${step}`, 'Look', 'Seen.');
      else if (choice === 4)
        database.run('UPDATE session SET title = ? WHERE id = ?', [`Title ${step}`, 'ses_1']);
      else writer.session(`ses_o${step}`, 'another').exchange(`ses_o${step}`, 'Else', 'where.');
      const isUnchanged = await session.isUnchanged();
      expect(isUnchanged, `step ${step}`).toBe(choice === 5);
      if (random() < 0.7) await session.read();
      else session.kept.used();
    }
  });

  test('costs what has changed of it, however long it is', async () => {
    const costOf = async (exchanges: number) => {
      const { path, database, writer } = await openCode();
      for (let of = 0; of < exchanges; of++) writer.exchange('ses_1', `Question ${of}`, 'word '.repeat(200));
      const session = again(path);
      const whole = (await session.read()).cost;
      writer.exchange('ses_1', 'One more', 'And its answer');
      const more = (await session.read()).cost;
      const [{ id } = { id: '' }] = database.all('SELECT id FROM part ORDER BY id DESC LIMIT 3') as {
        id: string;
      }[];
      update(database, 'part', id, 1, { type: 'text', text: 'Changed' });
      return { whole, more, changed: (await session.read()).cost };
    };
    const [short, long] = [await costOf(5), await costOf(200)];
    expect(long.whole).toBeGreaterThan(short.whole * 20);
    // Of each row its id is read, which is a fortieth of what the row holds.
    expect(long.more).toBeLessThan(long.whole / 10);
    expect(long.changed).toBeLessThan(long.whole / 10);
  });

  test('is known to be unchanged while others are written to, until it was read after it was', async () => {
    const { path, writer } = await openCode();
    const session = again(path);
    expect(await session.isUnchanged()).toBe(false);
    await session.read();
    expect(await session.isUnchanged()).toBe(true);
    writer.session('ses_2', 'another').exchange('ses_2', 'Else', 'where.');
    expect(await session.isUnchanged()).toBe(true);
    writer.exchange('ses_1', 'More', 'There is.');
    // Nobody has read it meanwhile, so it stays another one.
    expect([await session.isUnchanged(), await session.isUnchanged()]).toEqual([false, false]);
    await session.read();
    expect(await session.isUnchanged()).toBe(true);
    writer.remove('ses_1');
    expect(await session.isUnchanged()).toBe(false);
  });

  test('stays another one until it was read, where it could not be read for a moment', async () => {
    const { path, writer } = await openCode();
    const session = again(path);
    await session.read();
    writer.exchange('ses_1', 'More', 'There is.');
    expect(await session.isUnchanged()).toBe(false);
    // The journal of a transaction that is under way.
    const journal = `${dirname(path)}-journal`;
    await writeFile(journal, Buffer.from([0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]));
    expect((await session.read()).records).toEqual([]);
    await rm(journal);
    expect(await session.isUnchanged()).toBe(false);
    await session.read();
    expect(await session.isUnchanged()).toBe(true);
  });

  test('is read again where it was just written to, which may happen twice at one time', async () => {
    const { path, database } = await openCode();
    const [{ id } = { id: '' }] = database.all('SELECT id FROM part') as { id: string }[];
    const now = Date.now();
    const session = again(path);
    for (const text of ['It is clean', 'It is dirty']) {
      update(database, 'part', id, now, { type: 'text', text });
      expect(await session.isUnchanged()).toBe(false);
      await session.read();
    }
  });

  test('is read right with one that it started whose rows have the same ids', async () => {
    const path = join(await temporaryFolder(), 'opencode.db');
    const database = writtenDatabase(path, OPEN_CODE_SCHEMA.replaceAll('id text PRIMARY KEY', 'id text'));
    const writer = new OpenCodeWriter(database);
    writer.session('ses_1', 'Clean the barn').exchange('ses_1', 'Clean it', 'It is clean.');
    writer.session('ses_2', 'look', 'ses_1').exchange('ses_2', 'Look at', 'It is dirty.');
    for (const table of ['message', 'part'])
      database.run(`UPDATE ${table} SET time_updated = 1, id = substr(id, 1, 4) || (SELECT count(*) FROM ${table} AS o
        WHERE o.session_id = ${table}.session_id AND o.rowid <= ${table}.rowid)`);
    database.run("UPDATE part SET message_id = 'msg_1' WHERE id = 'prt_1'");
    database.run("UPDATE part SET message_id = 'msg_2' WHERE id <> 'prt_1'");
    const session = again(`${path}/ses_1`);
    await session.read();
    await session.read();
  });

  test.each([
    [
      'tells no times',
      OPEN_CODE_SCHEMA.replaceAll(
        /time_updated integer NOT NULL, data/g,
        'changed_at integer NOT NULL, data',
      ),
    ],
    [
      'has rows of one id',
      OPEN_CODE_SCHEMA.replace('TABLE part (id text PRIMARY KEY', 'TABLE part (id text'),
    ],
  ])('is read as a whole where its table %s', async (_how, schema) => {
    const path = join(await temporaryFolder(), 'opencode.db');
    const database = writtenDatabase(path, schema);
    const writer = new OpenCodeWriter(database);
    writer.session('ses_1', 'Clean the barn').exchange('ses_1', 'Clean it', 'It is clean.');
    if (schema.includes('part (id text,'))
      database.run(
        'INSERT INTO part SELECT id, message_id, session_id, 1, 1, \'{"type":"text","text":"Twice"}\' FROM part LIMIT 1',
      );
    const session = again(`${path}/ses_1`);
    const { records } = await session.read();
    database.run("UPDATE part SET data = replace(data, 'It is clean.', 'It is dirty.')");
    expect(await session.isUnchanged()).toBe(false);
    expect((await session.read()).records).toHaveLength(records.length);
  });
});

describe('a chat of Cursor in its database', () => {
  async function cursor() {
    const path = join(await temporaryFolder(), 'state.vscdb');
    const database = writtenDatabase(path, CURSOR_SCHEMA);
    const put = (key: string, value: unknown) =>
      database.run('INSERT INTO cursorDiskKV VALUES (?, ?)', [key, JSON.stringify(value)]);
    return { path, database, put };
  }
  const bubble = (of: number, text = `Words ${of}`) => ({ bubbleId: `b${of}`, type: 1 + (of % 2), text });

  test('is, whatever is written to it, what reading it at once gives', async () => {
    const random = randomNumbers(8);
    const { path, database, put } = await cursor();
    writeCursorChat(database, 'c1', { name: 'The scale' }, [bubble(0), bubble(1)]);
    const session = again(`${path}/c1`);
    await session.read();
    for (let step = 0; step < runs(60); step++) {
      const choice = Math.floor(random() * 4);
      // The last row of all is written again in its place, with as many bytes.
      if (choice === 0) put('bubbleId:c1:b1', { _v: 3, ...bubble(1, `Words ${step % 10}`) });
      else if (choice === 1)
        writeCursorChat(database, 'c1', { name: `Name ${step}` }, [bubble(0), bubble(1), bubble(step)]);
      else if (choice === 2) database.run("DELETE FROM cursorDiskKV WHERE key = 'bubbleId:c1:b0'");
      else writeCursorChat(database, `o${step}`, { name: 'Another' }, [bubble(0)]);
      await session.read();
    }
  });

  test('costs what has changed of it, and is known to be unchanged while others are written to', async () => {
    const { path, database, put } = await cursor();
    const many = Array.from({ length: 200 }, (_, of) => bubble(of, 'word '.repeat(200)));
    writeCursorChat(database, 'c1', { name: 'The scale' }, many);
    writeCursorChat(database, 'c2', { name: 'Another' }, [bubble(0)]);
    const session = again(`${path}/c1`);
    const whole = (await session.read()).cost;
    expect(await session.isUnchanged()).toBe(true);
    writeCursorChat(database, 'c2', { name: 'Another still' }, [bubble(0)]);
    expect(await session.isUnchanged()).toBe(true);
    put('bubbleId:c1:b7', { _v: 3, ...bubble(7, 'Changed') });
    expect(await session.isUnchanged()).toBe(false);
    expect((await session.read()).cost).toBeLessThan(whole / 10);
  });
});

describe('a session of OpenCode in its folder', () => {
  test('of its files those are read that are new or have changed', async () => {
    const storage = join(await temporaryFolder(), 'storage');
    const put = async (value: object, ...names: string[]) => {
      const file = join(storage, ...names);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, JSON.stringify(value));
      // What was just written is read again: a disk may tell times by the second.
      const at = Date.now() / 1_000 - 100 + Math.random();
      await utimes(file, at, at);
      return file;
    };
    const path = await put({ id: 'ses_1', title: 'Clean the barn' }, 'session', 'p', 'ses_1.json');
    await put({ id: 'ses_2', title: 'Another' }, 'session', 'p', 'ses_2.json');
    const say = async (of: number, text: string) => {
      const id = String(of).padStart(4, '0');
      const role = of % 2 === 0 ? 'user' : 'assistant';
      return [
        await put({ id: `msg_${id}`, role, time: { created: of } }, 'message', 'ses_1', `msg_${id}.json`),
        await put({ id: `prt_${id}`, type: 'text', text }, 'part', `msg_${id}`, `prt_${id}.json`),
      ];
    };
    for (let of = 0; of < 40; of++) await say(of, `Words ${of}`);
    const session = again(path);
    expect((await session.read()).files).toHaveLength(83);
    // The session itself, which is one file, is always read.
    expect((await session.read()).files).toEqual([path]);
    const [, part = ''] = await say(3, 'Words 9');
    expect((await session.read()).files).toEqual([
      path,
      part.replace('part', 'message').replace('msg_0003/prt', 'ses_1/msg'),
      part,
    ]);
    const more = await say(40, 'One more');
    expect((await session.read()).files).toEqual([path, ...more]);
    await put({ id: 'ses_3', parentID: 'ses_1', title: 'look' }, 'session', 'p', 'ses_3.json');
    expect((await session.read()).records.filter(({ type }) => type === 'dispatch')).toHaveLength(1);
  });
});
