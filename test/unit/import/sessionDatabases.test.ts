import { copyFile, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { importFile } from '../../../src/import/importFile.js';
import type { ImportResult } from '../../../src/import/reading/importResult.js';
import {
  BEGUN,
  CURSOR_SCHEMA,
  GOOSE_SCHEMA,
  OPEN_CODE_SCHEMA,
  OpenCodeWriter,
  writeCursorChat,
  writtenDatabase,
} from '../../support/sessionDatabases.js';
import { runs } from '../../support/fixedInputs.js';
import { temporaryFolder } from '../../support/storeFixture.js';
import { nested, query, records, said, spent } from './reading.js';

/** A database of OpenCode's that is open while a test runs. */
async function openCode(schema = OPEN_CODE_SCHEMA) {
  const path = join(await temporaryFolder(), 'opencode.db');
  const database = writtenDatabase(path, schema);
  return { path, database, writer: new OpenCodeWriter(database) };
}

async function cursor() {
  const path = join(await temporaryFolder(), 'state.vscdb');
  return { path, database: writtenDatabase(path, CURSOR_SCHEMA) };
}

const problems = (result: ImportResult) => result.problems.map(({ message }) => message);

describe('OpenCode', () => {
  const task = (sessionId: string) => ({
    type: 'tool',
    tool: 'task',
    callID: 'call_1',
    state: {
      status: 'completed',
      input: { description: 'look', prompt: 'Look into the drawer', subagent_type: 'explore' },
      output: 'A scale.',
      metadata: { sessionId },
      time: { start: BEGUN, end: BEGUN + 500 },
    },
  });

  test('a session stands in its database, though what was written is in its log only', async () => {
    const { path, writer } = await openCode();
    writer.session('ses_1', 'Clean the barn').exchange('ses_1', 'Clean it', 'It is clean.');
    writer.session('ses_2', 'Feed the hens').exchange('ses_2', 'Feed them', 'They are fed.');
    const result = await importFile(`${path}/ses_1`);
    expect(result.format).toBe('opencode');
    expect(said(result)).toEqual(['user: Clean it', 'assistant: It is clean.']);
    expect(problems(result)).toEqual([]);
    expect(result.conversations).toMatchObject([{ id: 'ses_1', title: 'Clean the barn' }]);
    expect(spent(result)).toEqual([
      ['big', { inputTokens: 1200, outputTokens: 34, cachedInputTokens: 200, cost: 250_000_000 }],
    ]);
    const all = await importFile(path);
    expect(all.conversations.map(({ id }) => id)).toEqual(['ses_1', 'ses_2']);
    expect(problems(all)).toEqual([]);
  });

  test('a session that another started stands under the call that did, and is no conversation of its own', async () => {
    const { path, writer } = await openCode();
    writer.session('ses_1', 'Find the scale').message('ses_1', { role: 'user' });
    writer.part({ type: 'text', text: 'Find it' });
    writer.message('ses_1', { role: 'assistant', agent: 'build' }).part(task('ses_2'));
    writer.session('ses_2', 'look (@explore subagent)', 'ses_1');
    writer.exchange('ses_2', 'Look into the drawer', 'There is a scale.', 'explore');
    writer
      .message('ses_1', { role: 'assistant', agent: 'build' })
      .part({ type: 'text', text: 'In the drawer.' });
    const result = await importFile(path);
    expect(problems(result)).toEqual([]);
    expect(result.conversations.map(({ id }) => id)).toEqual(['ses_1']);
    expect(nested(query(result).timeline())).toEqual([['build', ['explore']]]);
    expect(records(result).find(({ type }) => type === 'dispatch')).toMatchObject({
      toolCallId: 'call_1',
      task: 'Look into the drawer',
      target: 'explore',
    });
  });

  test('the same session in its folder of files reads the same', async () => {
    const { path, database, writer } = await openCode();
    writer.session('ses_1', 'Find the scale').message('ses_1', { role: 'user' });
    writer.part({ type: 'text', text: 'Find it' });
    writer.message('ses_1', { role: 'assistant', agent: 'build' }).part(task('ses_2'));
    writer.session('ses_2', 'look', 'ses_1').exchange('ses_2', 'Look into the drawer', 'There is a scale.');
    const storage = join(await temporaryFolder(), 'storage');
    const put = async (value: object, ...names: string[]) => {
      const file = join(storage, ...names);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, JSON.stringify(value));
    };
    for (const { id, parent_id, title, directory } of database.all('SELECT * FROM session') as Row[])
      await put(
        { id, title, directory, projectID: 'p', ...(parent_id !== null && { parentID: parent_id }) },
        'session',
        'p',
        `${String(id)}.json`,
      );
    for (const { id, session_id: session, data } of database.all('SELECT * FROM message') as Row[])
      await put(
        { id, sessionID: session, ...parsed(data) },
        'message',
        String(session),
        `${String(id)}.json`,
      );
    for (const { id, message_id: message, data } of database.all('SELECT * FROM part') as Row[])
      await put({ id, messageID: message, ...parsed(data) }, 'part', String(message), `${String(id)}.json`);
    const inFiles = await importFile(join(storage, 'session/p/ses_1.json'));
    const inRows = await importFile(`${path}/ses_1`);
    expect(said(inFiles)).toEqual(said(inRows));
    expect(nested(query(inFiles).timeline())).toEqual(nested(query(inRows).timeline()));
    expect(problems(inFiles)).toEqual([]);
    expect(inFiles.readWith).toHaveLength(10);
  });
});

type Row = Record<string, unknown>;
const parsed = (data: unknown) => JSON.parse(String(data)) as object;

describe('Cursor', () => {
  const call = (name: string, args: object, rest: object) => ({
    toolFormerData: { toolCallId: 'tool_1', name, rawArgs: JSON.stringify(args), ...rest },
  });

  test('a chat stands in its database: who spoke, what was called, decided and answered, in its order', async () => {
    const { path, database } = await cursor();
    writeCursorChat(database, 'c1', { name: 'The scale', modelConfig: { modelName: 'claude-sonnet-5' } }, [
      { bubbleId: 'z', type: 1, text: 'Where is it?', createdAt: '2026-11-23T06:00:00Z' },
      { bubbleId: 'y', type: 2, thinking: { text: 'Perhaps in the drawer.' } },
      {
        bubbleId: 'x',
        type: 2,
        tokenCount: { inputTokens: 900, outputTokens: 12 },
        ...call(
          'run_terminal_cmd',
          { command: 'ls' },
          { result: '{"output":"scale"}', userDecision: 'accepted' },
        ),
      },
      { bubbleId: 'w', type: 2, text: 'In the drawer.' },
    ]);
    const result = await importFile(`${path}/c1`);
    expect(result).toMatchObject({
      format: 'cursor-chat',
      conversations: [{ id: 'c1', title: 'The scale' }],
    });
    expect(said(result)).toEqual([
      'user: Where is it?',
      'assistant: ',
      'assistant: null run_terminal_cmd({"command":"ls"})',
      'tool tool_1: {"output":"scale"}',
      'assistant: In the drawer.',
    ]);
    expect(spent(result)).toContainEqual(['claude-sonnet-5', { inputTokens: 900, outputTokens: 12 }]);
    expect(records(result).find(({ type }) => type === 'approval')).toMatchObject({
      decision: 'approved',
      toolCallId: 'tool_1',
      decidedBy: 'user',
    });
    expect(problems(result)).toEqual([]);
  });

  test('messages that a person went back from are kept apart, and chats that others started stand under their calls', async () => {
    const { path, database } = await cursor();
    writeCursorChat(database, 'c2', { subagentInfo: { subagentTypeName: 'explore', toolCallId: 'tool_1' } }, [
      { bubbleId: 'a', type: 1, text: 'Look' },
      { bubbleId: 'b', type: 2, text: 'Found.' },
    ]);
    writeCursorChat(database, 'c1', { subagentComposerIds: ['c2', 'c1'] }, [
      { bubbleId: 'a', type: 1, text: 'Go' },
      { bubbleId: 'b', type: 2, ...call('task_v2', { prompt: 'Look' }, { result: 'Found.' }) },
    ]);
    const lost = JSON.stringify({ type: 1, text: 'Rather not that' });
    database.run('INSERT INTO cursorDiskKV VALUES (?, ?)', ['bubbleId:c1:old', lost]);
    const result = await importFile(path);
    expect(result.conversations.map(({ id }) => id)).toEqual(['c1']);
    expect(nested(query(result).timeline())).toEqual([['Cursor', ['explore']]]);
    expect(records(result)).toContainEqual(
      expect.objectContaining({
        type: 'imported',
        kind: 'left out',
        value: { type: 1, text: 'Rather not that' },
      }),
    );
    expect(problems(result)).toEqual([]);
  });
});

test('nothing is left beside a database that was read, and nothing in it was touched', async () => {
  const { path, writer } = await openCode();
  writer.session('ses_1', 'Clean the barn').exchange('ses_1', 'Clean it', 'It is clean.');
  const state = async () => {
    const names = (await readdir(dirname(path))).sort();
    return Promise.all(
      names.map(async (name) => {
        const { mtimeMs, size, nlink } = await stat(join(dirname(path), name));
        return [name, mtimeMs, size, nlink];
      }),
    );
  };
  const before = await state();
  await importFile(path);
  expect(await state()).toEqual(before);
});

describe('refused in words', () => {
  const first = async (path: string) => {
    const result = await importFile(path);
    expect(result.conversations).toEqual([]);
    return problems(result)[0] ?? '';
  };

  test('another schema, and a session that is not there', async () => {
    const { path } = await openCode('CREATE TABLE session (id text, name text)');
    expect(await first(path)).toContain('of no kind that is known here');
    const { path: empty } = await openCode();
    expect(await first(`${empty}/ses_9`)).toBe('It holds no such session any more.');
  });

  test.each([
    [
      'a view',
      `CREATE TABLE s (id); CREATE VIEW session AS SELECT id, 't' AS title, '' AS directory, 1 AS time_updated FROM s`,
    ],
    ['a virtual table', 'CREATE VIRTUAL TABLE session USING fts5(id, title, directory, time_updated)'],
    [
      'generated columns',
      `CREATE TABLE session (id text, directory text, time_updated integer, title text AS (hex(zeroblob(500000000))))`,
    ],
  ])('what computes what it shows: %s', async (_, schema) => {
    const { path } = await openCode(schema);
    expect(await first(path)).toBe(
      'session is no plain table in this database; what it computes is not read.',
    );
  });

  test('what is no database, though it is called like one', async () => {
    const path = join(await temporaryFolder(), 'opencode.db');
    await writeFile(path, `SQLite format 3\0${'x'.repeat(5_000)}`);
    expect(await first(`${path}/ses_1`)).toContain('SQLite says: ');
  });

  test('values that are too long are left out and said to be, and what follows is read', async () => {
    const { path, database, writer } = await openCode();
    writer.session('ses_1', 'Long').message('ses_1', { role: 'user' }).part({ type: 'text', text: 'Short' });
    writer.message('ses_1', { role: 'user' }).part({ type: 'text', text: 'x' });
    database.run('UPDATE part SET data = CAST(zeroblob(70000000) AS text) WHERE data LIKE \'%"x"%\'');
    writer.message('ses_1', { role: 'user' }).part({ type: 'text', text: 'Behind it' });
    const result = await importFile(path);
    expect(problems(result)).toContain(
      'A value of 70,000,000 bytes was left out; it is longer than is read.',
    );
    expect(said(result)).toContain('user: Behind it');
  });

  test('sessions that started each other', async () => {
    const { path, writer } = await openCode();
    writer.session('ses_1', 'Egg', 'ses_2').exchange('ses_1', 'Hatch', 'Hatched.');
    writer.session('ses_2', 'Hen', 'ses_1').exchange('ses_2', 'Lay', 'Laid.');
    expect(said(await importFile(`${path}/ses_1`))).toHaveLength(4);
  });

  test('a database with any bytes in it changed or cut off is read or refused, and ends', async () => {
    const { path, database, writer } = await openCode();
    writer.session('ses_1', 'Clean the barn');
    for (let at = 0; at < 20; at++) writer.exchange('ses_1', `Clean ${at}`, 'It is clean. '.repeat(60));
    database.get('PRAGMA wal_checkpoint(TRUNCATE)');
    const whole = await readFile(path);
    const copy = join(await temporaryFolder(), 'opencode.db');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(whole.length - 1), fc.integer({ min: 0, max: 255 })), { maxLength: 8 }),
        fc.option(fc.nat(whole.length), { nil: undefined }),
        async (changes, length) => {
          await copyFile(path, copy);
          const bytes = Buffer.from(whole);
          for (const [at, byte] of changes) bytes[at] = byte;
          await writeFile(copy, bytes.subarray(0, length));
          const { conversations, problems: told } = await importFile(`${copy}/ses_1`);
          expect(conversations.length + told.length).toBeGreaterThan(0);
        },
      ),
      { numRuns: runs(60) },
    );
  });
});

describe('Goose', () => {
  const counted = (result: ImportResult) =>
    spent(result).filter(([, usage]) => Object.keys(usage ?? {}).length > 0);

  async function goose() {
    const path = join(await temporaryFolder(), 'sessions.db');
    const database = writtenDatabase(path, GOOSE_SCHEMA);
    const session = (id: string, name: string) => {
      const about = [id, name, '/home/me/pond', '2026-01-02 03:04:05', 300, 40, '{"model_name":"m-1"}'];
      database.run(
        `INSERT INTO sessions (id, name, working_dir, updated_at, accumulated_input_tokens, accumulated_output_tokens, model_config_json) VALUES (?, ?, ?, ?, ?, ?, ?)`,
        about,
      );
      for (const [role, text] of [
        ['user', `${name}, please`],
        ['assistant', `${name}: done`],
      ] as const)
        database.run(
          `INSERT INTO messages (message_id, session_id, role, content_json, created_timestamp, metadata_json) VALUES (?, ?, ?, ?, ?, ?)`,
          [
            `m ${text}`,
            id,
            role,
            JSON.stringify([{ type: 'text', text }]),
            1_767_323_045,
            '{"userVisible":true}',
          ],
        );
    };
    return { path, database, session };
  }

  test('a session stands in its database, with what the ledger says of each request, else with its totals', async () => {
    const { path, database, session } = await goose();
    session('20260102_1', 'Count the fish');
    session('20260102_2', 'Feed the ducks');
    database.run(
      `INSERT INTO usage_ledger VALUES ('20260102_2', 1767323046, 'm-2', 1000, 20, 700, 100, 0.25, 'provider', 0)`,
    );
    const first = await importFile(`${path}/20260102_1`);
    expect(first.format).toBe('goose');
    expect(first.conversations).toMatchObject([{ id: '20260102_1', title: 'Count the fish' }]);
    expect(said(first)).toEqual(['user: Count the fish, please', 'assistant: Count the fish: done']);
    expect(counted(first)).toMatchObject([['m-1', { inputTokens: 300, outputTokens: 40 }]]);
    const second = await importFile(`${path}/20260102_2`);
    expect(counted(second)).toMatchObject([
      [
        'm-2',
        {
          inputTokens: 1000,
          outputTokens: 20,
          cachedInputTokens: 700,
          cacheWriteTokens: 100,
          cost: 250_000_000,
        },
      ],
    ]);
    expect([...problems(first), ...problems(second)]).toEqual([]);
    expect((await importFile(path)).conversations).toHaveLength(2);
  });
});
