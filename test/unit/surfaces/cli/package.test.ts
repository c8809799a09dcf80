import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { messageLines } from '../../../support/commandLine.js';

const root = join(import.meta.dirname, '../../../..');
const run = promisify(execFile);

/** A folder in which the package was installed as a person does, without the network. */
let place = '';
let program = '';

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'logbook-npm-'));
  const clean = join(place, 'clean');
  await run(process.execPath, ['scripts/npmPackage.mjs', place], { cwd: root });
  await mkdir(clean);
  await writeFile(join(clean, 'package.json'), '{"private":true}');
  const [tarball = ''] = (await readdir(place)).filter((name) => name.endsWith('.tgz'));
  const install = [
    'install',
    '--offline',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    join(place, tarball),
  ];
  await run('npm', install, { cwd: clean, shell: process.platform === 'win32' });
  program = join(clean, 'node_modules/.bin/agent-logbook');
  const lines = Array.from({ length: 3_000 }, (_, at) => ['user', `word ${at} ${'y'.repeat(200)}`] as const);
  await writeFile(join(clean, 'long.jsonl'), messageLines(...lines));
  await writeFile(join(clean, 'a.jsonl'), messageLines(['user', 'Hello'], ['assistant', 'Hello, you']));
}, 120_000);

afterAll(() => rm(place, { recursive: true, force: true }));

/** Runs a line of a shell in which `agent-logbook` is the installed program. */
function shell(line: string) {
  const { status, stdout, stderr } = spawnSync('bash', ['-c', `set -o pipefail; ${line}`], {
    cwd: join(place, 'clean'),
    encoding: 'utf8',
    env: { PATH: `${join(place, 'clean/node_modules/.bin')}:${process.env.PATH ?? ''}`, HOME: place },
  });
  return { status, stdout, stderr };
}

const hasShell = process.platform !== 'win32' && existsSync('/bin/bash');
const inShell = test.skipIf(!hasShell);

test('the package is one file with its manual page and SQLite, and depends on nothing', async () => {
  const installed = join(place, 'clean/node_modules');
  expect((await readdir(installed)).filter((name) => !name.startsWith('.'))).toEqual(['agent-logbook']);
  expect((await readdir(join(installed, 'agent-logbook'))).sort()).toEqual(
    ['LICENSE', 'README.md', 'agent-logbook.1', 'cli.cjs', 'package.json', 'sqlite'].sort(),
  );
  const manifest = JSON.parse(
    await readFile(join(installed, 'agent-logbook/package.json'), 'utf8'),
  ) as object;
  expect(manifest).not.toHaveProperty('dependencies');
  expect(manifest).not.toHaveProperty('private');
});

inShell('installed, it shows a transcript', () => {
  expect(shell('agent-logbook show a.jsonl')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('Hello, you') as string,
    stderr: '',
  });
});

inShell('installed, it asks a transcript, and exports it', () => {
  expect(shell('agent-logbook query --json role:assistant a.jsonl').stdout).toContain('Hello, you');
  expect(shell('agent-logbook export --format markdown a.jsonl')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('Hello, you') as string,
  });
});

inShell('a pipe that is closed early ends it quietly', () => {
  const { status, stdout, stderr } = shell('agent-logbook show --full long.jsonl | head -n 1');
  expect({ status, stderr, lines: stdout.split('\n').length - 1 }).toEqual({
    status: 0,
    stderr: '',
    lines: 1,
  });
});

test.skipIf(!hasShell || spawnSync('jq', ['--version']).status !== 0)(
  'lines of JSON are read by jq, of which there must be one',
  () => {
    const asked = 'agent-logbook show --json a.jsonl | jq -r .record.message.content';
    expect(shell(asked)).toEqual({ status: 0, stdout: 'Hello\nHello, you\n', stderr: '' });
    const counted =
      'agent-logbook query --json word long.jsonl | jq -s \'map(select(.kind == "row")) | length\'';
    expect(shell(counted).stdout).toBe('3000\n');
  },
);

test.skipIf(!hasShell || !existsSync('/dev/full'))('a full disk is told, and the end is 2', () => {
  const { status, stderr } = shell('agent-logbook show a.jsonl > /dev/full');
  expect({ status, stderr }).toEqual({
    status: 2,
    stderr: 'agent-logbook: What was found could not be written: the disk is full.\n',
  });
});

inShell('standard input is read, and told where it is closed', () => {
  expect(shell('cat a.jsonl | agent-logbook query --json hello -').stdout.split('\n')).toHaveLength(3);
  expect(shell('agent-logbook show - <&-')).toMatchObject({
    status: 2,
    stderr: 'agent-logbook: standard input is empty.\n',
  });
});

inShell('a check in a script fails where something matches', () => {
  expect(shell('agent-logbook query --fail-on-match hello a.jsonl && echo well').status).toBe(1);
  expect(shell('agent-logbook query --fail-on-match goodbye a.jsonl && echo well').stdout).toBe('well\n');
});

test.skipIf(process.platform === 'win32')('an interruption ends it with 130', async () => {
  const child = spawn(program, ['follow', 'a.jsonl'], {
    cwd: join(place, 'clean'),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  await once(child.stdout, 'data');
  child.kill('SIGINT');
  expect(await once(child, 'exit')).toEqual([130, null]);
});

inShell('bash completes commands, options and their values', () => {
  const completed = (...words: string[]) =>
    shell(
      `eval "$(agent-logbook completion bash)"; COMP_WORDS=(agent-logbook ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _agent_logbook; echo "\${COMPREPLY[@]}"`,
    ).stdout.trim();
  expect(completed('li')).toBe('list');
  expect(completed('query', '--fail')).toBe('--fail-on-match --fail-if-none');
  expect(completed('query', '--rows', 'tool')).toBe('toolCalls');
  expect(completed('completion', 'f')).toBe('fish');
});

inShell(
  'the steps for CI that the page shows write a summary, and fail where an agent has pushed',
  async () => {
    const page = await readFile(join(root, 'docs/commandLine.md'), 'utf8');
    const [, yaml = ''] = /```yaml\n([^]*?)```\n/.exec(page) ?? [];
    const steps = [...yaml.matchAll(/run: \|\n((?: {10}.*\n?|\n)+)/g)].map(([, block = '']) =>
      block.replace(/^ {10}/gm, ''),
    );
    expect(steps).toHaveLength(2);
    const [summary = '', check = ''] = steps;
    const runs = join(place, 'clean/runs');
    await mkdir(runs);
    await writeFile(join(runs, 'one.jsonl'), messageLines(['user', 'Hello'], ['assistant', 'Hello, you']));
    // As GitHub runs them: the first command that fails ends the step.
    const summed = async () => {
      await rm(join(place, 'clean/summary.md'), { force: true });
      expect(shell(`set -e; export GITHUB_STEP_SUMMARY=summary.md\n${summary}`)).toMatchObject({
        status: 0,
        stderr: '',
      });
      return await readFile(join(place, 'clean/summary.md'), 'utf8');
    };
    const written = await summed();
    expect(written).toContain('1 session');
    const heads = [...written.matchAll(/^#+ .*/gm)].map(([head]) => head);
    expect(heads).toEqual([
      '## What the agents did',
      '### Outcome',
      '### In numbers',
      '### What it cost',
      '### Tools',
      '### Failures',
      '### Pushes, of which there must be none',
    ]);
    expect(written).not.toContain('(ended with');
    expect(shell(check).status).toBe(0);
    await writeFile(
      join(runs, 'cut.jsonl'),
      messageLines(['user', 'Hello'], ['assistant', 'Bye']).slice(0, -9),
    );
    const cut = await summed();
    expect(cut).toContain('2 sessions');
    expect(cut).toContain('(ended with 1)');
    expect([...cut.matchAll(/^#+ .*/gm)].map(([head]) => head)).toEqual(heads);
    expect(shell(check).status).toBe(1);
    await rm(join(runs, 'cut.jsonl'));
    const call = {
      id: 'c1',
      type: 'function',
      function: { name: 'Bash', arguments: '{"command":"git push"}' },
    };
    const pushed = `${JSON.stringify({ role: 'user', content: 'Go' })}\n${JSON.stringify({ role: 'assistant', content: '', tool_calls: [call] })}\n`;
    await writeFile(join(runs, 'two.jsonl'), pushed);
    expect(shell(check).status).toBe(1);
  },
);

test.skipIf(spawnSync('groff', ['--version']).status !== 0)('the manual page is whole', () => {
  const page = join(place, 'npm/agent-logbook.1');
  const { status, stdout, stderr } = spawnSync('groff', ['-man', '-Tutf8', '-ww', page], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  // A terminal writes bold letters twice.
  expect(stdout.replace(/.\u0008/g, '')).toContain('EXIT STATUS');
});
