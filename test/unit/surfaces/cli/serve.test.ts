import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { builtCommandLine } from '../../../support/builtCommandLine.js';
import { agentLogbook, folderWith } from '../../../support/commandLine.js';
import { StrictServer } from '../../../support/strictServer.js';
import { saying } from '../../../support/wireAnswers.js';

const AGENT = join(import.meta.dirname, '../../../support/askingAgent.mjs');
const program = builtCommandLine();

/** Runs the built program in a folder, with nobody at its keyboard. */
async function ran(cwd: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [program(), ...args], {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { out, err, code: code as number | null };
}

const asking = (question: string, code: string) => ['--', process.execPath, AGENT, question, code];

test('a program runs again against its recording; what it asks otherwise is refused and told', async () => {
  const cwd = await folderWith({});
  {
    await using server = await StrictServer.start([saying('Turn the factor around.')]);
    const words = ['record', ...asking('Why are the cookies so small?', '3')];
    expect(await ran(cwd, words, { OPENAI_BASE_URL: server.url })).toMatchObject({ code: 3 });
  }
  const again = await ran(cwd, ['serve', 'recordings', ...asking('Why are the cookies so small?', '3')]);
  expect(again).toEqual({
    out: 'Turn the factor around.\n',
    err: 'agent-logbook: Exact: 1 recorded answer given, none left over. The program ran its own tools.\n',
    code: 3,
  });
  const other = await ran(cwd, ['serve', 'recordings', ...asking('Why are the cookies so large?', '0')]);
  expect(other.code).toBe(1);
  expect(other.err).toContain(
    'agent-logbook: Refused: This is not in the recording. Request 1 is nearest to it; messages[0].content was "Why are the cookies so small?", and is "Why are the cookies so large?".\n',
  );
  expect(other.err).toContain(
    '0 recorded answers given, 1 request refused, 1 recorded answer never asked for.',
  );
  const nothing = await ran(cwd, ['serve', 'recordings', '--', process.execPath, '-e', '']);
  expect(nothing.code).toBe(1);
  expect(nothing.err).toContain('1 recorded answer never asked for');
});

test('what is no recording is refused', async () => {
  const cwd = await folderWith({ 'talk.jsonl': '{"role":"user","content":"Hello"}\n' });
  const odd = await agentLogbook(['serve', 'talk.jsonl', 'true'], { cwd });
  expect(odd).toMatchObject({ code: 2, out: '' });
  expect(odd.err).toContain(
    'talk.jsonl cannot be served: There is no request with an answer in this recording.',
  );
  expect(await agentLogbook(['serve', 'none'], { cwd })).toMatchObject({ code: 2 });
});
