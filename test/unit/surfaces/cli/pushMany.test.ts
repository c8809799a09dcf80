import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { MIN_FOR_A_THREAD } from '../../../../src/archive/archiveThreads.js';
import { builtCommandLine } from '../../../support/builtCommandLine.js';
import { PASSWORD } from '../../../support/postgresServer.js';
import { recordOf, said, temporaryStore } from '../../../support/storeFixture.js';
import { testArchives } from '../../../support/testArchive.js';

/** So many that two threads push them, and one more. */
const MANY = 2 * MIN_FOR_A_THREAD + 1;

const { database, connect, server } = testArchives();

const program = builtCommandLine();

/** A store of many conversations, and the built program that pushes them into a new database. */
async function workspace() {
  const { store, root } = await temporaryStore();
  for (let at = 0; at < MANY; at++)
    await store.importConversation(`c${at}`, [
      recordOf(1, said(`Dear Miss Winterbottom, this is ${at}`), `c${at}`),
      recordOf(2, said('bread'), `c${at}`),
    ]);
  const name = await database();
  const env = {
    PATH: process.env.PATH,
    AGENT_LOGBOOK_ARCHIVE: server().address(name),
    AGENT_LOGBOOK_ARCHIVE_PASSWORD: PASSWORD,
  };
  const run = async (args: readonly string[], more: Readonly<Record<string, string>> = {}) => {
    const { stdout } = await promisify(execFile)(process.execPath, [program(), 'push', ...args], {
      cwd: join(root, '..'),
      env: { ...env, ...more },
    });
    return stdout.trimEnd().split('\n');
  };
  const told = async (...args: string[]) =>
    (await run([...args, '--json'])).map((line) => JSON.parse(line) as Record<string, unknown>);
  return { run, told, name, root };
}

test('many conversations are pushed on two threads, each once, as one by one', async () => {
  const { told, run, name } = await workspace();
  const first = await told('all', '--mode', 'full');
  expect(first).toHaveLength(MANY);
  expect(first.every(({ kind, outcome, added }) => kind === 'push' && outcome === 'new' && added === 2)).toBe(
    true,
  );
  expect(new Set(first.map(({ session }) => session))).toEqual(
    new Set(Array.from({ length: MANY }, (_, at) => `c${at}`)),
  );
  const connection = await connect(name);
  const { rows } = await connection.query(
    'SELECT count(*) AS records, count(DISTINCT conversation) AS conversations FROM agent_logbook.records',
  );
  expect(rows).toEqual([{ records: 2 * MANY, conversations: MANY }]);
  await connection.close();
  expect(await run(['all', '--mode', 'full'])).toEqual([`${MANY} sessions in the archive, 0 records new.`]);
});

test('what a policy names is left out on the threads too', async () => {
  const { run, name, root } = await workspace();
  await writeFile(join(root, '../policy.json'), JSON.stringify({ names: ['Winterbottom'] }));
  expect(await run(['all', '--policy', 'policy.json'])).toEqual([
    `${MANY} sessions in the archive, ${2 * MANY} records new. ${MANY} secrets left out.`,
  ]);
  const connection = await connect(name);
  const { rows } = await connection.query('SELECT line FROM agent_logbook.records WHERE position = 0');
  const lines = rows.map(({ line }) => String(line));
  expect(lines).toHaveLength(MANY);
  for (const line of lines) expect(line).toMatch(/Dear Miss \[REDACTED:name:1\], this is/);
  await connection.close();
});

test('what the archive refuses is told in one line, however many were to be pushed', async () => {
  const { run } = await workspace();
  await expect(run(['all'], { AGENT_LOGBOOK_ARCHIVE_PASSWORD: 'wrong' })).rejects.toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/^agent-logbook: [^\n]*does not let this user in[^\n]*\n$/) as string,
  });
});
