import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { importFile } from '../../../src/import/importFile.js';
import { exportTables } from '../../../src/export/tables/exportTables.js';
import { columnsPage } from '../../../src/export/tables/tableColumns.js';
import type { LogRecord } from '../../../src/core/record.js';
import { silentLog } from '../../../src/core/ports/log.js';
import { TranscriptStore } from '../../../src/store/transcriptStore.js';
import { bakery } from '../../support/bakeryStory.js';
import { noteOn } from '../../support/noteOn.js';
import { duckDb, type SqlRunner } from '../../support/duckDb.js';
import { PRICES } from '../query/language/judge.js';

const page = readFileSync(join(import.meta.dirname, '../../../docs/sql.md'), 'utf8');

/** A statement of the page, and the rows that the page shows below it, the names of the columns first. */
const statements = [...page.matchAll(/```sql\n([^`]*)```\n(\n(?:\|.*\n)+)?/g)].map(([, sql = '', table]) => ({
  sql: sql.trim(),
  shown: table
    ?.split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| --'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    ),
}));

test('the columns of the page are those that are written', () => {
  const [, listed = ''] = page.split('## Columns\n');
  const plain = (text: string) => text.replace(/-{3,}/g, '---').replace(/ +/g, ' ').trim();
  expect(plain(listed)).toBe(plain(columnsPage()));
});

test('all statements but the one that makes a view show what they find', () => {
  expect(statements.length).toBeGreaterThan(8);
  expect(statements.filter(({ shown }) => !shown).map(({ sql }) => sql.split('\n')[0])).toEqual([
    'CREATE VIEW records AS',
  ]);
});

/** Notes on what went wrong and on the last word, of which one was changed and another one removed. */
async function noteSome(store: TranscriptStore, conversation: string, records: readonly LogRecord[]) {
  const saying = (words: string) => records.findIndex((record) => JSON.stringify(record).includes(words));
  const [failed, last] = [saying('no such line'), saying('"Baked."')];
  await noteOn(store, conversation, failed, { id: 'n1', text: 'Wrong line', at: 1_000 });
  await noteOn(store, conversation, failed, { id: 'n1', text: 'Wrong line?', at: 2_000 });
  await noteOn(store, conversation, last, { id: 'n2', text: '', at: 3_000 });
  await noteOn(store, conversation, 1, { id: 'n3', text: 'A slip', at: 4_000 });
  await store.changeNotes(conversation, [{ kind: 'remove', id: 'n3', at: 5_000 }]);
}

/** A folder with the store and the tables of the page. */
async function folderOfPage(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sql-'));
  const { records } = bakery();
  const store = await TranscriptStore.open({
    root: join(folder, '.agent-logbook'),
    log: silentLog,
    onProblem: () => undefined,
  });
  const [first] = records;
  const journal = await store.createConversation(first?.conversation ?? '');
  for (const record of records) journal.append(record);
  await journal.close();
  await noteSome(store, first?.conversation ?? '', records);
  const session = { session: first?.conversation ?? '', title: 'Why are the cookies so small?', records };
  await exportTables([session], join(folder, 'tables'), { prices: PRICES });
  await store.close();
  return folder;
}

describe.skipIf(!duckDb.isThere)(`DuckDB ${duckDb.why}`, () => {
  let sql: SqlRunner;
  beforeAll(async () => {
    const folder = await folderOfPage();
    sql = await duckDb.open(folder);
    return () => rm(folder, { recursive: true });
  });

  test.each(statements)('$sql', async ({ sql: statement, shown }) => {
    const rows = await sql(statement);
    if (shown) expect(rows).toEqual(shown);
  });
});

/** A folder whose store has imported sessions alone, one of them with a patch for arguments, and no notes. */
async function folderOfImports(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sql-'));
  const root = join(folder, '.agent-logbook');
  const store = await TranscriptStore.open({ root, log: silentLog, onProblem: () => undefined });
  const line = (type: string, payload: object) =>
    `${JSON.stringify({ timestamp: '2026-11-21T09:30:00Z', type, payload })}\n`;
  const patch = '*** Begin Patch\n*** Update File: a.ts\n@@\n-1\n+2\n*** End Patch';
  const rollout = join(folder, 'rollout.jsonl');
  await writeFile(
    rollout,
    line('session_meta', { id: 's1', cwd: '/work' }) +
      line('response_item', {
        type: 'message',
        role: 'user',
        content: [{ type: 'input_text', text: 'Patch it' }],
      }) +
      line('response_item', { type: 'custom_tool_call', name: 'apply_patch', call_id: 'c1', input: patch }) +
      line('response_item', { type: 'custom_tool_call_output', call_id: 'c1', output: 'Done' }),
  );
  const sessions = [];
  for (const path of [rollout, join(import.meta.dirname, '../../formats/claudeCode')]) {
    const files = path === rollout ? [path] : (await readdir(path)).map((name) => join(path, name));
    for (const file of files.filter((name) => name.endsWith('.jsonl'))) {
      const { format, conversations } = await importFile(file);
      for (const { id, title, records } of conversations) {
        await store.importSession({ source: { tool: format, path: file, session: id, title }, records });
        sessions.push({ session: id, title, records });
      }
    }
  }
  expect(sessions.length).toBeGreaterThan(1);
  await exportTables(sessions, join(folder, 'tables'), { prices: PRICES });
  await store.close();
  return folder;
}

describe.skipIf(!duckDb.isThere)(`DuckDB over imported sessions ${duckDb.why}`, () => {
  let sql: SqlRunner;
  beforeAll(async () => {
    const folder = await folderOfImports();
    sql = await duckDb.open(folder);
    return () => rm(folder, { recursive: true });
  });

  test.each(statements)('$sql', async ({ sql: statement, shown }) => {
    const rows = await sql(statement);
    if (shown) expect(rows[0]).toEqual(shown[0]);
  });
});

/** A program of the page, and what it prints. */
const programs = [...page.matchAll(/```python\n([^`]*)```\n\n```text\n([^`]*)```/g)].map(
  ([, program = '', printed = '']) => ({ program, printed }),
);

test('every Python program of the page is followed by what it prints', () => {
  expect(programs).toHaveLength(page.split('```python').length - 1);
  expect(programs.length).toBeGreaterThan(1);
});

const python = process.env.AGENT_LOGBOOK_PYTHON ?? 'python3';
const hasPandas = spawnSync(python, ['-c', 'import pandas, pyarrow']).status === 0;

describe.skipIf(!hasPandas)('pandas, where it is there', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await folderOfPage();
    return () => rm(folder, { recursive: true });
  });

  test.each(programs)('$program', ({ program, printed }) => {
    const { stdout, stderr } = spawnSync(python, ['-c', program], { cwd: folder, encoding: 'utf8' });
    expect({ stdout: stdout.replaceAll('\r\n', '\n'), stderr }).toEqual({ stdout: printed, stderr: '' });
  });
});
