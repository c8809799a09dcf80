import { appendFile, mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { mayEdit, SessionEdits } from '../../../../src/app/sources/sessionEdits.js';
import { Sources } from '../../../../src/app/sources/sources.js';
import { silentLog } from '../../../../src/core/ports/log.js';
import { checkArguments } from '../../../../src/surfaces/mcp/checkArguments.js';
import { McpLibrary } from '../../../../src/surfaces/mcp/library.js';
import { readTools } from '../../../../src/surfaces/mcp/readTools.js';
import { agentLogbook, bakery, workspaceWith } from '../../../support/commandLine.js';
import { claudeSession, writeAt } from '../../../support/sessionHome.js';
import { temporaryFolder } from '../../../support/storeFixture.js';
import { writtenFile } from '../../../support/writtenFile.js';

const WRITTEN = Date.parse('2026-01-05');
const CAKE = '.claude/projects/-home-me-bakery/11111111-1111-1111-1111-111111111111.jsonl';
const BREAD = '.claude/projects/-home-me-bakery/22222222-1111-1111-1111-111111111111.jsonl';

const QUESTIONS: readonly (readonly string[])[] = [
  ['search', 'cake', '--json'],
  ['query', 'role:assistant'],
  ['query', '--rows', 'runs', '*'],
  ['stats', '--json'],
  ['cost', '--json'],
  ['cost', '--by', 'day', '--utc'],
  ['tools', '--json'],
];

async function homeWithSessions(): Promise<string> {
  const home = await temporaryFolder();
  await writeAt(
    home,
    { [CAKE]: claudeSession('Bake a cake'), [BREAD]: claudeSession('Bake bread') },
    WRITTEN,
  );
  return home;
}

/** What all questions are answered, with what is kept in a folder, or without. */
async function answers(home: string, cache?: string): Promise<readonly unknown[]> {
  const told: unknown[] = [];
  for (const question of QUESTIONS) {
    const { code, out, err } = await agentLogbook([...question, '--from', 'claude-code'], {
      cwd: home,
      env: { HOME: home },
      cache,
    });
    told.push([question, code, out, err]);
  }
  return told;
}

/** Whether what is kept answers as reading does, before and after it is there. */
async function expectSame(home: string, cache: string): Promise<void> {
  const expected = await answers(home);
  expect(await answers(home, cache)).toEqual(expected);
  expect(await answers(home, cache)).toEqual(expected);
}

test('what is kept of sessions of tools answers as reading them does, and as they are now', async () => {
  const [home, cache] = [await homeWithSessions(), await temporaryFolder()];
  await expectSame(home, cache);
  // Another one of the same size, which was written to at the same time as far as its time tells.
  await writeAt(home, { [CAKE]: claudeSession('Sell a cake') }, WRITTEN);
  await expectSame(home, cache);
  await appendFile(join(home, BREAD), '{"type":"user","message":{"role":\n');
  await expectSame(home, cache);
});

test('a subagent that comes to stand beside a session is noticed', async () => {
  const [home, cache] = [await homeWithSessions(), await temporaryFolder()];
  await expectSame(home, cache);
  const folder = join(home, CAKE.replace(/\.jsonl$/, ''), 'subagents');
  await mkdir(folder, { recursive: true });
  const subagent = claudeSession('Whip the cream').replaceAll(
    '"uuid":"',
    '"isSidechain":true,"agentId":"a1","uuid":"s',
  );
  await writeFile(join(folder, 'agent-a1.jsonl'), subagent);
  await expectSame(home, cache);
  // Once its folders have rested, it is kept with them.
  const old = new Date(WRITTEN);
  for (const each of [folder, dirname(folder)]) await utimes(each, old, old);
  await expectSame(home, cache);
  await writeFile(join(folder, 'agent-a2.jsonl'), subagent.replaceAll('a1', 'a2').replaceAll('Whip', 'Sip'));
  await expectSame(home, cache);
});

test('whatever becomes of the files that it is kept in, nothing else is answered', async () => {
  const [home, cache] = [await homeWithSessions(), await temporaryFolder()];
  const expected = await answers(home);
  expect(await answers(home, cache)).toEqual(expected);
  const names = await readdir(cache);
  expect(names.length).toBeGreaterThan(0);
  for (const damage of [
    (bytes: Buffer) => bytes.subarray(0, bytes.length / 2),
    (bytes: Buffer) => bytes.map((byte, at) => (at % 97 === 0 ? byte ^ 4 : byte)),
    () => Buffer.alloc(0),
    () => Buffer.alloc(100_000, 7),
  ]) {
    for (const name of names) await writeFile(join(cache, name), damage(await readFile(join(cache, name))));
    expect(await answers(home, cache)).toEqual(expected);
  }
});

test('several programs at once answer as one', async () => {
  const [home, cache] = [await homeWithSessions(), await temporaryFolder()];
  const expected = await answers(home);
  expect(await Promise.all([1, 2, 3, 4].map(() => answers(home, cache)))).toEqual(
    [1, 2, 3, 4].map(() => expected),
  );
  expect(await answers(home, cache)).toEqual(expected);
});

test('what another build of the program has kept is not believed', async () => {
  const [home, cache] = [await homeWithSessions(), await temporaryFolder()];
  const first = libraryOf(home, cache, 'one');
  await costOf(first);
  await first.close();
  const same = libraryOf(home, cache, 'one');
  await costOf(same);
  const other = libraryOf(home, cache, 'other');
  await costOf(other);
  // Both tell the same answer, which one of them owns: the other is counted without it, too.
  expect([first.counted, same.counted, other.counted]).toEqual([3, 0, 3]);
  expect([first.reads, same.reads, other.reads]).toEqual([2, 0, 2]);
});

test('the conversations of a store are counted once by all programs, and again once they have grown', async () => {
  const [home, cache] = [await workspaceWith(bakery()), await temporaryFolder()];
  const cold = await agentLogbook(['stats', '--json'], { cwd: home });
  expect(await agentLogbook(['stats', '--json'], { cwd: home, cache })).toEqual(cold);
  expect(await agentLogbook(['stats', '--json'], { cwd: home, cache })).toEqual(cold);
  const library = libraryOf(home, cache, 'of this test', []);
  await costOf(library);
  expect(library.counted).toBe(0);
});

test('a question keeps what the search of the editor keeps of a conversation beside its journal', async () => {
  const home = await workspaceWith(bakery());
  const [conversation = ''] = await readdir(join(home, '.agent-logbook/conversations'));
  const kept = async () =>
    (await readdir(join(home, '.agent-logbook/conversations', conversation))).includes('search.bin');
  const cold = await agentLogbook(['search', 'bread', '--json'], { cwd: home });
  expect(await kept()).toBe(false);
  const cache = await temporaryFolder();
  expect(await agentLogbook(['search', 'bread', '--json'], { cwd: home, cache })).toEqual(cold);
  expect(await kept()).toBe(true);
  expect(await agentLogbook(['search', 'bread', '--json'], { cwd: home, cache })).toEqual(cold);
});

function libraryOf(cwd: string, cache: string, program: string, names = [join(cwd, CAKE), join(cwd, BREAD)]) {
  const stdin = () => {
    throw new Error('Nothing is read from here.');
  };
  const { signal } = new AbortController();
  const options = { cwd, signal, stdin, log: silentLog, cache: { folder: cache, program } };
  const library = new McpLibrary(options, names, () => Date.parse('2027-01-01'));
  onTestFinished(() => library.close());
  return library;
}

async function costOf(library: McpLibrary): Promise<unknown> {
  const tool = readTools.find(({ name }) => name === 'get_cost');
  if (!tool) throw new Error('There is no tool get_cost.');
  return await tool.run(library, checkArguments(tool, {}));
}

test('sessions that are known to edit none of some files are passed over, and none that may', async () => {
  const [cwd, folder] = [await writtenFile(), await temporaryFolder()];
  const session = await readFile(join(cwd, 's1.jsonl'), 'utf8');
  const other = session.replaceAll('a.ts', 'b.ts').replaceAll('"s1"', '"s2"');
  await writeFile(join(cwd, 's2.jsonl'), other);
  await writeFile(join(cwd, 's3.jsonl'), `${other.replaceAll('"s2"', '"s3"')}\n{"type":"us\n`);
  await writeFile(join(cwd, 's4.jsonl'), other.replaceAll('"s2"', '"s4"'));
  const open = () =>
    new Sources({
      cwd,
      stdin: () => expect.fail('nothing is read'),
      log: silentLog,
      signal: new AbortController().signal,
      cache: { folder, program: 'test' },
      onProblem: () => undefined,
    });
  const names = ['s1.jsonl', 's2.jsonl', 's3.jsonl'];
  const first = open();
  const edits = new SessionEdits();
  for await (const each of first.sessions(names))
    await edits.of(each, undefined, new AbortController().signal);
  await first.close();
  const second = open();
  const told: string[] = [];
  for await (const { id } of second.sessions([...names, 's4.jsonl'], { isMeant: mayEdit(new Set(['a.ts'])) }))
    told.push(id);
  await second.close();
  // Of the third not all could be read, and of the fourth nothing is kept.
  expect(told).toEqual(['s1', 's3', 's4']);
});
