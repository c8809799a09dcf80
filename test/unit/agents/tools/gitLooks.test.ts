import { execFileSync, spawnSync } from 'node:child_process';
import { chmod, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { deny, toolWorkspace } from './toolHarness.js';

const withGit = describe.skipIf(spawnSync('git', ['--version']).status !== 0);
const policy = {
  decide: ({ allowReason }: { allowReason?: string }) => ({
    approved: allowReason !== undefined,
    decidedBy: 'policy' as const,
  }),
};

async function repository(files: Readonly<Record<string, string>>) {
  const made = await toolWorkspace(files, { host: { ...process.env, PATH: '/usr/bin:/bin' } });
  const git = (...args: string[]) =>
    execFileSync(
      'git',
      ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'core.fsmonitor=false', ...args],
      { cwd: made.root, stdio: ['ignore', 'pipe', 'ignore'] },
    ).toString();
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('commit', '-qm', 'one');
  const run = async (command: string) => (await made.call('run_command', { command }, policy)).content;
  const isHarmless = async (command: string) =>
    (await made.call('run_command', { command }, { decide: deny() })).asked[0]?.allowReason !== undefined;
  const whyOf = async (command: string) =>
    (await made.call('run_command', { command }, { decide: deny() })).asked[0]?.askReason;
  return { ...made, git, run, isHarmless, whyOf };
}

withGit('git that shows contents', () => {
  test('runs, and says what git says', async () => {
    const { put, run, git } = await repository({ 'a.txt': 'salt\n', 'src/b.ts': 'one\n' });
    await put('a.txt', 'sugar\n');
    expect(await run('git diff')).toContain('-salt\n+sugar');
    expect(await run('git diff -- src')).toContain('(no output)');
    git('commit', '-qam', 'two');
    expect(await run('git diff HEAD~1')).toContain('+sugar');
    expect(await run('git diff --stat HEAD~1')).toContain('a.txt | 2 +-');
    expect(await run('git show')).toContain('+sugar');
    expect(await run('git show HEAD^ | head -3')).toContain('Author');
    expect(await run('git show HEAD:src/b.ts')).toContain('one');
    expect(await run('git log -p -1')).toContain('-salt');
    expect(await run('git blame a.txt')).toContain('sugar');
    expect(await run('git grep -n sugar')).toContain('a.txt:1:sugar');
    expect(await run(`git show ${git('rev-parse', 'HEAD').trim()}`)).toContain('+sugar');
    expect(await run('for f in a.txt src/b.ts; do git blame "$f" | wc -l; done')).toContain('1\n1');
  });

  test('runs no program that the repository names, in whatever way it may', async () => {
    const { root, git, put, run } = await repository({
      'a.txt': 'a\n',
      '.gitattributes': '* diff=x\n',
      'evil.sh': '',
    });
    await put('evil.sh', `#!/bin/sh\ntouch ${root}/pwned\ncat "$1"\n`);
    const evil = join(root, 'evil.sh');
    await chmod(evil, 0o755);
    for (const key of [
      'diff.external',
      'diff.x.textconv',
      'diff.x.command',
      'core.fsmonitor',
      'core.pager',
      'pager.diff',
      'core.editor',
      'gpg.program',
      'core.sshCommand',
      'core.gitProxy',
      'core.askPass',
      'credential.helper',
      'interactive.diffFilter',
      'sequence.editor',
    ]) {
      git('config', key, evil);
    }
    git('config', 'core.hooksPath', root);
    git('config', 'log.showSignature', 'true');
    await put('a.txt', 'b\n');
    const commands = [
      'git diff',
      'git diff HEAD',
      'git diff --cached',
      'git show',
      'git show HEAD:a.txt',
      'git log -p',
      'git blame a.txt',
      'git grep a',
      'git reflog',
      'git status',
      'git stash list',
      'git remote -v',
      'git --no-pager diff',
      'git config --get user.name',
    ];
    for (const command of commands) {
      expect([command, await run(command)]).toEqual([command, expect.not.stringContaining('not allow')]);
      expect([command, await readdir(root)]).toEqual([command, expect.not.arrayContaining(['pwned'])]);
    }
  });

  test('fetches nothing that is missing, by whatever program the address names', async () => {
    const { root, top, git, run } = await repository({ 'a.txt': 'a\n' });
    git('config', 'uploadpack.allowFilter', 'true');
    const copy = join(top, 'ws2');
    execFileSync('git', ['clone', '-q', '--filter=blob:none', '--no-checkout', `file://${root}`, copy], {
      stdio: 'ignore',
    });
    for (const [key, value] of [
      ['remote.origin.url', `ext::touch ${root}/pwned`],
      ['protocol.ext.allow', 'always'],
      ['protocol.allow', 'always'],
      ['core.sshCommand', `touch ${root}/pwned`],
    ]) {
      execFileSync('git', ['config', key!, value!], { cwd: copy });
    }
    execFileSync('cp', ['-r', `${copy}/.git/config`, `${root}/.git/config`]);
    execFileSync('rm', ['-rf', `${root}/.git/objects`]);
    execFileSync('cp', ['-r', `${copy}/.git/objects`, `${root}/.git/objects`]);
    for (const command of [
      'git show',
      'git log -p',
      'git log --stat',
      'git diff HEAD',
      'git show --stat HEAD',
    ]) {
      await run(command);
      expect([command, await readdir(root)]).toEqual([command, expect.not.arrayContaining(['pwned'])]);
    }
  });

  test.each([
    ['git diff', 'config/.env'],
    ['git diff HEAD', 'deploy/id_rsa'],
    ['git show', 'secrets/db'],
    ['git log -p -3', 'credentials.json'],
    ['git diff HEAD~1 HEAD', 'server.key'],
  ])('%s asks where it would show %s', async (command, path) => {
    const { put, git, isHarmless, whyOf } = await repository({ 'a.txt': 'a\n', [path]: 'one\n' });
    await put(path, 'two\n');
    if (command !== 'git diff' && command !== 'git diff HEAD') git('commit', '-qam', 'two');
    expect(await isHarmless(command)).toBe(false);
    expect(await whyOf(command)).toContain('may hold keys or passwords');
    expect(await isHarmless('git diff --stat')).toBe(true);
  });

  test('a renamed secret asks under its old name', async () => {
    const { git, whyOf } = await repository({ '.env': 'A=1\nB=2\nC=3\n' });
    git('mv', '.env', 'notes.txt');
    expect(await whyOf('git diff --cached')).toContain("'.env' may hold keys");
    git('commit', '-qm', 'two');
    expect(await whyOf('git show')).toContain("'.env' may hold keys");
  });

  test('content whose name nobody knows asks', async () => {
    const { git, isHarmless } = await repository({ '.env': 'KEY=1\n', 'a.txt': 'a\n' });
    const blob = git('rev-parse', 'HEAD:.env').trim();
    const other = git('rev-parse', 'HEAD:a.txt').trim();
    const tree = git('rev-parse', 'HEAD^{tree}').trim();
    for (const command of [
      `git show ${blob}`,
      `git show --stat ${blob}`,
      `git show ${blob.slice(0, 8)}`,
      `git diff ${blob} ${other}`,
      `git diff ${blob.slice(0, 10)} a.txt`,
      'git show HEAD:.env',
      'git diff HEAD:.env HEAD:a.txt',
      'git show nothing',
    ]) {
      expect([command, await isHarmless(command)]).toEqual([command, false]);
    }
    expect(await isHarmless(`git show ${tree}`)).toBe(false);
  });

  test('the address of a remote asks where a password stands in it', async () => {
    const { git, isHarmless, whyOf } = await repository({ 'a.txt': 'a' });
    git('remote', 'add', 'origin', 'git@example.com:a/b.git');
    expect(await isHarmless('git remote -v')).toBe(true);
    git('remote', 'add', 'other', 'https://me:secret@example.com/a.git');
    expect(await whyOf('git remote -v')).toContain('a password may stand');
    git('remote', 'set-url', 'other', 'https://token@example.com/a.git');
    expect(await whyOf('git remote -v')).toContain('a password may stand');
  });

  test('outside of a repository it asks', async () => {
    const { call } = await toolWorkspace({ 'a.txt': 'a' });
    const { asked } = await call('run_command', { command: 'git diff' }, { decide: deny() });
    expect(asked[0]?.allowReason).toBeUndefined();
  });
});

describe('where everything may be approved, what is packed is looked at', () => {
  test.each([
    'tar czf out.tgz .',
    'tar cf out.tar config',
    'zip -r out.zip .',
    'cd config && tar czf out.tgz .',
  ])('%s', async (command) => {
    const { call } = await toolWorkspace({ 'a.txt': 'a', 'config/.env': 'KEY=1' });
    const { asked } = await call('run_command', { command }, { decide: deny() });
    expect(asked[0]?.askReason).toMatch(/may hold keys or passwords|known only when it runs/);
  });

  test.each([
    'tar czf out.tgz --checkpoint-action=exec=sh src',
    'tar czf host:out.tgz src',
    'tar xzf a.tgz',
    'tar czf .git/hooks/pre-commit src',
    'tar -I ./run.sh -cf out.tar src',
    'chmod -R 777 .',
    'chmod u+s run.sh',
    'chmod 4755 run.sh',
    'chmod +x .git/hooks/pre-commit',
    'docker ps -H tcp://example.invalid',
    'docker run x',
    'docker compose up',
    'docker inspect web',
    'docker logs --details=x web',
    'gh pr view --web',
    'gh pr list --search secret',
    'gh pr list -R a/b',
    'gh pr create',
    'gh api /user',
    'gh issue view https://example.invalid',
    'gh auth token',
    'ls | xargs cat',
    'ls | xargs -I{} sh -c {}',
    'ls | xargs rm',
    'xargs -a list wc',
    'less +!sh a.txt',
    'unzip a.zip',
    'git restore a.txt',
    'git restore --staged --worktree a.txt',
    'git restore --source=HEAD~1 --staged a.txt',
    'ss -K',
    'prettier --check --write package.json',
  ])('%s asks', async (command) => {
    const { call } = await toolWorkspace({
      'a.txt': 'a',
      'run.sh': '',
      'src/a.ts': '',
      'package.json': '{}',
    });
    const { asked } = await call('run_command', { command }, { decide: deny() });
    expect(asked[0]?.askReason).toBeDefined();
  });
});
