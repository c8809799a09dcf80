import { spawnSync } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { builtCommandLine } from '../../../support/builtCommandLine.js';
import { agentLogbook, folderWith, messageLines } from '../../../support/commandLine.js';

const program = builtCommandLine();
const hasStrace = spawnSync('strace', ['-V']).status === 0;

/** A folder with the sample team, and a run of it that is recorded there. */
async function recordedTeam(): Promise<string> {
  const cwd = await folderWith({});
  await cp(join(import.meta.dirname, '../../../../samples/team'), cwd, { recursive: true });
  const words = ['Why', 'were there so few cookies on Tuesday?'];
  expect(await agentLogbook(['run', 'pickle', ...words], { cwd })).toMatchObject({ code: 0 });
  return cwd;
}

test('a run of the sample team replays exactly; a changed prompt departs where it is asked first', async () => {
  const cwd = await recordedTeam();
  const exact = await agentLogbook(['replay', 'latest'], { cwd });
  expect(exact).toMatchObject({ code: 0, err: '' });
  expect(exact.out).toBe(
    'Exact: 1 run; 5 answers of models and 5 results of tools came from the record. Nothing was asked, nothing was executed.\n',
  );
  const file = join(cwd, '.github/agents/cookie.agent.md');
  await writeFile(file, (await readFile(file, 'utf8')).replace('You are Cookie', 'You really are Cookie'));
  const departed = await agentLogbook(['replay', 'latest'], { cwd });
  expect(departed.code).toBe(1);
  expect(departed.out).toContain('Departed at step 4: The system prompt of Cookie is another now.');
  expect(departed.out).toMatch(/^- You are Cookie,.*\n\+ You really are Cookie,/m);
  const { code, json } = await agentLogbook(['replay', 'latest#1', '--json'], { cwd });
  expect(code).toBe(1);
  expect(json.map(({ kind }) => kind)).toEqual([
    'replay',
    'change',
    'departure',
    ...Array<string>(4).fill('unserved'),
  ]);
  expect(json[2]).toMatchObject({ run: 1, step: 4, agent: 'Cookie' });
  expect(await agentLogbook(['replay', '--recorded', 'latest'], { cwd })).toMatchObject({ code: 0 });
});

/** Changes of the sample run. */
const CHANGES = `mutations:
  - name: No card
    call: { tool: read_file, args: { path: recipes/midnight-cookies.md } }
    fail: Permission denied
  - name: A little slower
    call: list_files
    delay: 5s
  - name: Cut
    answer: { agent: Pickle, number: 2 }
    cut: 10
`;

test('with mutations it says of each where the run leaves its record first, and asks nobody', async () => {
  const cwd = await recordedTeam();
  await writeFile(join(cwd, 'changes.logbook.yaml'), CHANGES);
  const words = ['replay', 'latest', '--mutations', 'changes.logbook.yaml'];
  const { code, out, err } = await agentLogbook([...words, '--color', 'never'], { cwd, columns: 140 });
  expect(code).toBe(0);
  expect(out).toMatch(/^No card +read_file fails +step 6 +step 8, Cookie +open$/m);
  expect(out).toMatch(/^A little slower +list_files takes 5s longer +step 4 +none +done, as it was$/m);
  expect(out).toMatch(/^Cut +the answer is cut behind 10 characters +step 9 +step 9, Pickle +limited$/m);
  expect(out).toContain('“Permission denied”, where “# Midnight cookies” was recorded.');
  expect(err).toContain('nobody knows it without asking a model');
  const { json } = await agentLogbook([...words, '--json'], { cwd });
  expect(json.map(({ kind }) => kind)).toEqual(['mutation', 'mutation', 'mutation']);
  expect(json[0]).toMatchObject({ name: 'No card', line: 2, outcome: 'open', departure: { step: 8 } });
  // Tests of a folder do not stumble over it; asked for by name, it holds none.
  expect(await agentLogbook(['check'], { cwd })).toMatchObject({ code: 0 });
  const checked = await agentLogbook(['check', 'changes.logbook.yaml'], { cwd });
  expect(checked).toMatchObject({ code: 2 });
  expect(checked.err).toContain('holds no tests, but mutations');
});

test.each([
  [['--live'], '--live asks models, which costs money: it needs --mutations and a --budget.'],
  [['--mutations', 'm.logbook.yaml', '--live'], 'it needs --mutations and a --budget.'],
  [['--budget', '2'], '--budget is for --live'],
  [['--mutations', 'nowhere.yaml'], 'nowhere.yaml cannot be read'],
  [['--mutations', 'm.logbook.yaml'], 'm.logbook.yaml:3:5: brake is not known here'],
  [['--mutations', '.github/agents/tuesday.logbook.yaml'], 'holds no mutations'],
])('%j is refused', async (words, why) => {
  const cwd = await recordedTeam();
  const text = 'mutations:\n  - name: A\n    brake: 3\n    call: list_files\n    fail: x\n';
  await writeFile(join(cwd, 'm.logbook.yaml'), text);
  const { code, err } = await agentLogbook(['replay', 'latest', ...words], { cwd });
  expect(code).toBe(2);
  expect(err).toContain(why);
});

test('what cannot be replayed ends with 2, and says why', async () => {
  const cwd = await folderWith({
    'talk.jsonl': messageLines(['user', 'Hello'], ['assistant', 'Hello, you']),
  });
  const { code, err } = await agentLogbook(['replay', 'talk.jsonl'], { cwd });
  expect(code).toBe(2);
  expect(err).toContain('recorded by another program');
});

test.skipIf(!hasStrace)('the system sees no socket of a replay', async () => {
  const cwd = await recordedTeam();
  const calls = join(cwd, 'calls.txt');
  const traced = (args: readonly string[]) => {
    const trace = ['-f', '-qq', '-e', 'trace=socket,connect,bind', '-o', calls];
    return spawnSync('strace', [...trace, process.execPath, ...args], { cwd, encoding: 'utf8' });
  };
  const { stdout, status } = traced([program(), 'replay', 'latest']);
  expect({ stdout, status }).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^Exact: 1 run/) as string,
  });
  expect(await readFile(calls, 'utf8')).toBe('');
  // What is looked for would be seen.
  traced(['-e', "require('node:net').connect(9, '127.0.0.1').on('error', () => undefined)"]);
  expect(await readFile(calls, 'utf8')).toContain('AF_INET');
});
