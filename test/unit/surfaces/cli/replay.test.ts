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
