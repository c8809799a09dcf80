import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { COMMAND_MARK } from '../../../../src/agents/tools/process/environment.js';
import { findShell } from '../../../../src/agents/tools/runCommand.js';
import { OutputBuffer } from '../../../../src/agents/tools/process/runShell.js';
import { approve, deny, toolWorkspace } from './toolHarness.js';

const yes = { decide: approve };

/** The output of an allowed command, without the line about how it ended. */
async function run(command: string, files = {}, host: Record<string, string> = {}) {
  const { call, root } = await toolWorkspace(files, { host: { ...process.env, ...host } });
  const { content, isError, asked } = await call('run_command', { command }, yes);
  const [, output = '', end = ''] = /^([^]*)\n\(([^\n]*)\)$/.exec(content) ?? [];
  return { output, end, isError, asked, root };
}

/** The processes of this machine whose environment holds `text`. */
async function processesWith(text: string): Promise<string[]> {
  const found: string[] = [];
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
    const line = await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '');
    if (environment.includes(text) || line.includes(text)) found.push(line.replaceAll('\0', ' '));
  }
  return found;
}

describe('a command', () => {
  test.each([
    ['its output and exit code', 'echo out; echo err >&2; exit 3', 'out\nerr', 'Exit code 3.'],
    ['nothing to say', 'true', '(no output)', 'Exit code 0.'],
    ['a signal', 'kill -9 $$', '(no output)', 'Ended by SIGKILL.'],
    ['nobody types', 'read line; echo "got $?$line"', 'got 1', 'Exit code 0.'],
    ['bash, not sh', 'echo "${BASH_VERSION:+bash}"', 'bash', 'Exit code 0.'],
  ])('%s', async (_, command, output, end) => {
    expect(await run(command)).toMatchObject({ output, end });
  });

  test('runs in the workspace folder', async () => {
    const { output, root } = await run('pwd; ls', { 'a.txt': '' });
    expect(output).toBe(`${root}\na.txt`);
  });

  test('long output keeps its beginning and its end, whole characters only', async () => {
    const { output } = await run(`node -e 'process.stdout.write("🥒".repeat(20000) + "end")'`);
    expect(output).toMatch(/^(🥒)+\n\(… \d+ bytes are left out …\)\n(🥒)+end$/u);
    expect(Buffer.byteLength(output)).toBeLessThan(33_000);
  });

  test('a flood ends it', async () => {
    const { end, isError } = await run('yes');
    expect([end, isError]).toEqual(['Ended because it said too much.', true]);
  });

  test('who watches is told that it began, what it says while it runs, and how it ended', async () => {
    const told: string[] = [];
    const stop = new AbortController();
    const ended = new Promise<void>((resolve) => {
      void toolWorkspace(
        {},
        {
          watcher: {
            began: ({ command, call: { agent } }) => told.push(`${agent} began ${command}`),
            said: (_, text) => {
              told.push(`said ${text}`);
              stop.abort();
            },
            ended: (_, how) => {
              told.push(how);
              resolve();
            },
          },
        },
      ).then(({ call }) =>
        call('run_command', { command: 'echo hi; sleep 100' }, { ...yes, signal: stop.signal }),
      );
    });
    await ended;
    expect(told).toEqual(['Cookie began echo hi; sleep 100', 'said hi\n', 'Cancelled.']);
  });

  test('without bash nobody is asked, and the model is told where it was looked for', async () => {
    expect(await findShell('linux', ['/nowhere/bash', '/dev/null/bash'])).toEqual({
      problem: 'Commands cannot be run: there is no bash at /nowhere/bash, /dev/null/bash.',
    });
    expect(await findShell('win32')).toHaveProperty('problem', expect.stringMatching(/Windows.*WSL/));
    expect(await findShell('linux', ['/nowhere/bash', '/bin/bash'])).toEqual({ path: '/bin/bash' });
  });

  test('a shell that is not there is an error in words', async () => {
    const { call } = await toolWorkspace({}, { shell: '/nowhere/bash' });
    expect(await call('run_command', { command: 'ls' }, yes)).toMatchObject({
      isError: true,
      content: expect.stringContaining('The shell cannot be started: spawn /nowhere/bash ENOENT') as string,
    });
  });
});

describe('its environment', () => {
  test('holds no key and nothing that steers programs', async () => {
    const { output } = await run(
      'true & env',
      {},
      {
        OPENAI_API_KEY: 'sk-1',
        ANTHROPIC_API_KEY: 'sk-2',
        GITHUB_TOKEN: 'sk-3',
        BASH_ENV: '/tmp/evil',
        LD_PRELOAD_X: 'sk-4',
        NODE_OPTIONS: '--max-old-space-size=999',
        'BASH_FUNC_ls%%': '() { echo evil; }',
        SSH_AUTH_SOCK: '/tmp/agent',
        LC_ALL: 'C.UTF-8',
      },
    );
    const names = output.split('\n').map((line) => line.split('=')[0]);
    expect(output).not.toMatch(/sk-\d|evil|agent$|max-old/m);
    expect(names).toEqual(expect.arrayContaining(['PATH', 'HOME', 'LC_ALL', COMMAND_MARK]));
    const allowed =
      /^(PATH|HOME|USER|LOGNAME|LANG|LANGUAGE|TZ|TMPDIR|LC_\w+|TERM|NO_COLOR|PAGER|GIT_PAGER|GIT_TERMINAL_PROMPT|AGENT_LOGBOOK_COMMAND|PWD|OLDPWD|SHLVL|_)$/;
    expect(names.filter((name) => !allowed.test(name ?? ''))).toEqual([]);
  });

  test('finds no program in the workspace or in a folder that is no whole path', async () => {
    const { call, root } = await toolWorkspace({}, { host: { PATH: 'PLACEHOLDER' } });
    const { call: other } = await toolWorkspace({}, { host: { PATH: `${root}/bin:.:bin::/opt/tools` } });
    expect((await other('run_command', { command: 'echo "$PATH"' }, yes)).content).toMatch(
      /:\/opt\/tools:\/usr\/local\/bin/,
    );
    const own = await call('run_command', { command: 'echo "$PATH"' }, yes);
    expect(own.content).toMatch(/^\/usr\/local\/bin:\/usr\/bin/);
  });
});

describe('who decides', () => {
  test('a command that only looks goes to the desk as harmless, and runs with the system’s programs', async () => {
    const { call } = await toolWorkspace({ 'a.txt': 'salt' });
    const { content, asked } = await call('run_command', { command: 'cat a.txt' }, yes);
    expect(content).toBe('salt\n(Exit code 0.)');
    expect(asked).toMatchObject([{ allowReason: 'only looks (cat)', title: 'Run cat a.txt' }]);
    expect(asked[0]).not.toHaveProperty('askReason');
  });

  test('a program of the person’s own, before the system’s, is no harmless one', async () => {
    const { top } = await toolWorkspace();
    const own = join(top, 'own');
    await mkdir(own);
    const isHarmless = async (command: string, path: string) => {
      const { call } = await toolWorkspace({}, { host: { PATH: path } });
      return (await call('run_command', { command }, yes)).asked[0]?.allowReason !== undefined;
    };
    expect(await isHarmless('which bash', `${own}:/usr/bin`)).toBe(true);
    await writeFile(join(own, 'bash'), '#!/bin/sh', { mode: 0o755 });
    await writeFile(join(own, 'node'), '#!/bin/sh', { mode: 0o755 });
    expect(await isHarmless('which bash', `${own}:/usr/bin`)).toBe(false);
    expect(await isHarmless('node --version', `${own}:/usr/bin`)).toBe(false);
    expect(await isHarmless('which bash', `/usr/bin:${own}`)).toBe(true);
  });

  test('any other command is a question with its whole text, its folder and its time', async () => {
    const { asked, root } = await run('npm --version\n# second line');
    expect(asked).toMatchObject([
      {
        title: 'Run npm --version # second line',
        subject: `npm --version\n# second line\n\nin ${root}, for at most 120 s`,
      },
    ]);
    expect(asked[0]).not.toHaveProperty('allowReason');
  });

  test.each([
    ['a file outside', 'cat ../outside.txt', 'ordinary'],
    ['a link outside', 'cat door.txt', 'leads out of the workspace'],
    ['a link to nothing', 'cat gone.txt', 'is a link to nothing'],
    ['a secret', 'cat .env', 'may hold keys or passwords'],
    ['the store', 'ls .agent-logbook', 'record of the conversations'],
    ['an absolute path outside', 'cat /etc/passwd', 'lies outside of the workspace'],
    ['a device', 'cat /dev/mem', 'lies outside of the workspace'],
    ['a folder behind a link', 'cd away && ls', 'leads out of the workspace'],
    ['two folders compared', 'diff src src', 'is a folder'],
  ])('%s is never harmless: %s', async (_, command, reason) => {
    const { call, linkTo } = await toolWorkspace({
      '.env': 'KEY=1',
      'src/a.txt': '',
      '.agent-logbook/x': '',
    });
    await linkTo('/etc/passwd', 'door.txt');
    await linkTo('nowhere', 'gone.txt');
    await linkTo('/etc', 'away');
    const { asked } = await call('run_command', { command }, { decide: deny() });
    expect(asked[0]).not.toHaveProperty('allowReason');
    if (reason !== 'ordinary') expect(asked[0]?.askReason).toContain(reason);
  });

  test('a denial runs nothing and tells the model why', async () => {
    const { call, root } = await toolWorkspace();
    const denied = await call('run_command', { command: 'touch pwned' }, { decide: deny('I do it myself') });
    expect(denied).toMatchObject({ content: 'This was not allowed: I do it myself', isError: true });
    expect(existsSync(join(root, 'pwned'))).toBe(false);
  });

  test('a script that an agent has written must be asked about, and no older answer counts', async () => {
    const { call } = await toolWorkspace({ 'other.sh': 'true' });
    const before = await call('run_command', { command: 'bash ./build.sh' }, yes);
    await call('write_file', { path: 'build.sh', content: 'echo built' }, yes);
    const after = await call('run_command', { command: 'bash ./build.sh' }, yes);
    expect(before.asked[0]).not.toHaveProperty('askReason');
    expect(after.asked[0]?.askReason).toContain("'build.sh', which an agent has written");
    expect(after.asked[0]?.key).not.toBe(before.asked[0]?.key);
  });

  test('unseen characters are written out in the question', async () => {
    const { asked } = await run('echo "a\u202eb"');
    expect(asked[0]?.subject).toContain('echo "a⟨U+202E⟩b"');
    expect(asked[0]?.askReason).toContain('cannot be seen');
  });

  test.each([[''], ['   '], ['a\0b'], ['\ud800']])('%j is no command', async (command) => {
    const { call } = await toolWorkspace();
    expect((await call('run_command', { command })).isError).toBe(true);
  });
});

describe.skipIf(process.platform !== 'linux')('nothing survives', () => {
  const shapes = [
    ['a child', 'sleep 1000MARK; true'],
    ['a child of a child', 'bash -c "sleep 1000MARK; true"; true'],
    ['a job in the background', 'sleep 1000MARK & sleep 1000MARK'],
    ['a session of its own', 'setsid sleep 1000MARK & sleep 1000MARK'],
    ['a daemon', 'setsid bash -c "setsid sleep 1000MARK & disown" & sleep 1000MARK'],
    ['one without an environment', 'env -i setsid sleep 1000MARK & sleep 1000MARK'],
    [
      'one without an environment or a parent',
      '(env -i setsid bash -c "sleep 1000MARK; true" &) ; sleep 1000MARK',
    ],
    ['one that hears no signal', 'trap "" TERM INT HUP; while true; do sleep 1000MARK; done'],
    ['one that starts again', 'trap "sleep 1000MARK" TERM; sleep 1000MARK'],
  ] as const;

  test.each(shapes)('a cancel: %s', async (_, shape) => {
    const mark = String(Math.floor(Math.random() * 1e9));
    const stop = new AbortController();
    const { call, root } = await toolWorkspace();
    const command = `touch started; ${shape.replaceAll('MARK', `.${mark}`)}`;
    const running = call('run_command', { command }, { ...yes, signal: stop.signal });
    await expect.poll(() => existsSync(join(root, 'started'))).toBe(true);
    await expect.poll(async () => (await processesWith(mark)).length).toBeGreaterThan(1);
    stop.abort();
    expect((await running).content).toMatch(/cancelled/i);
    await expect.poll(() => processesWith(mark), { interval: 50 }).toEqual([]);
  });

  test.each(shapes.filter(([, shape]) => shape.includes('&')))('a normal end: %s', async (_, shape) => {
    const mark = String(Math.floor(Math.random() * 1e9));
    const command = shape.replace(/ ?sleep 1000MARK$/, ' sleep 0.3').replaceAll('MARK', `.${mark}`);
    const { end } = await run(command);
    expect(end).toMatch(/^Exit code 0\. \d processes that it left behind were ended\.$/);
    expect(await processesWith(mark)).toEqual([]);
  });

  test('a time limit', async () => {
    const { call } = await toolWorkspace();
    const { content, isError } = await call(
      'run_command',
      { command: 'echo begun; sleep 100', timeout_seconds: 1 },
      yes,
    );
    expect([content, isError]).toEqual(['begun\n(Ended after 1 seconds, its time limit.)', true]);
  });
});

test('the output buffer keeps what a plain cut would keep', () => {
  const text = Array.from({ length: 1_000 }, (_, index) => `${index}ü🥒\n`).join('');
  for (const step of [1, 7, 1_000, 100_000]) {
    const buffer = new OutputBuffer(1_000);
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += step) buffer.add(bytes.subarray(at, at + step));
    const [head = '', tail = ''] = buffer.text().split(/\n\(… \d+ bytes are left out …\)\n/);
    expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
    expect(Buffer.byteLength(head + tail)).toBeGreaterThan(990);
    expect(buffer.total).toBe(bytes.length);
  }
});
