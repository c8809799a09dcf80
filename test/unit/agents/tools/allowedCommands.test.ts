import { execFileSync, spawnSync } from 'node:child_process';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { namesFilters } from '../../../../src/agents/tools/command/repository.js';
import { deny, toolWorkspace } from './toolHarness.js';

/** Commits everything, as if somebody had signed it: whoever shows whether that holds runs a program. */
async function commitSigned(root: string): Promise<void> {
  const git = (args: readonly string[], input?: string) =>
    execFileSync('git', args, { cwd: root, ...(input !== undefined && { input }) }).toString();
  const person = ['-c', 'user.name=a', '-c', 'user.email=a@example.invalid', '-c', 'core.fsmonitor=false'];
  git([...person, '-c', 'core.hooksPath=/dev/null', 'commit', '-q', '--allow-empty', '-m', 'one']);
  const commit = git(['cat-file', 'commit', 'HEAD']);
  const signature = 'gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n';
  const signed = commit.replace('\n\n', `\n${signature}\n`);
  git(['update-ref', 'HEAD', git(['hash-object', '-t', 'commit', '-w', '--stdin'], signed).trim()]);
  await rm(join(root, 'pwned'), { force: true });
}

/** Every file below a folder with its content and time of change, Git's own too. */
async function snapshot(folder: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files[path] = `${(await stat(path)).mtimeMs} ${(await readFile(path)).toString('base64')}`;
  }
  return files;
}

const commands = [
  'ls -laR',
  'cat a.txt b.txt | sort -u | uniq -c',
  'head -n 1 a.txt && tail -n 1 a.txt',
  "grep -in 'SALT' a.txt b.txt",
  "find . -name '*.txt' -type f",
  "sed -n '1,2p' a.txt",
  'wc -l a.txt',
  'diff -u a.txt b.txt',
  'cut -d " " -f 1 a.txt',
  'du -sh .',
  'stat a.txt',
  'file a.txt',
  'md5sum a.txt',
  'git status',
  'git status --short',
  'git log --oneline --stat',
  'git log -2 --stat',
  'git reflog',
  'git diff --stat',
  'git branch -a',
  'git ls-files',
  'git rev-parse HEAD',
  'cd sub && ls && cat c.txt',
  'echo done; pwd; date +%s',
];

const withGit = test.skipIf(spawnSync('git', ['--version']).status !== 0);

withGit('what is harmless leaves everything as it was, down to the times of the files', async () => {
  const { root, call } = await toolWorkspace({
    'a.txt': 'salt\nsugar\n',
    'b.txt': 'Salt\n',
    'sub/c.txt': 'c',
  });
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: root });
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'first');
  const before = await snapshot(root);
  for (const command of commands) {
    const { asked, content } = await call(
      'run_command',
      { command },
      {
        decide: ({ allowReason }) => ({ approved: allowReason !== undefined, decidedBy: 'policy' }),
      },
    );
    expect([command, asked[0]?.allowReason, content]).toEqual([
      command,
      expect.stringContaining('only looks') as string,
      expect.not.stringContaining('not allow') as string,
    ]);
  }
  expect(await snapshot(root)).toEqual(before);
});

withGit('git runs nothing that the repository names while it is only looked at', async () => {
  const { root, call, put } = await toolWorkspace({ 'a.txt': 'a' });
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root });
  git('init', '-q');
  const evil = join(root, 'evil.sh');
  await put('evil.sh', `#!/bin/sh\ntouch ${root}/pwned\n`);
  execFileSync('chmod', ['+x', evil]);
  for (const key of [
    'core.fsmonitor',
    'core.pager',
    'core.editor',
    'core.sshCommand',
    'diff.external',
    'gpg.program',
    'core.gitProxy',
    'pager.log',
    'pager.status',
    'credential.helper',
  ]) {
    git('config', key, evil);
  }
  git('config', 'format.pretty', '%h %G?');
  git('config', 'status.submoduleSummary', 'true');
  await commitSigned(root);
  for (const name of ['post-index-change', 'post-checkout', 'fsmonitor-watchman']) {
    await put(`.git/hooks/${name}`, `#!/bin/sh\ntouch ${root}/pwned\n`);
    execFileSync('chmod', ['+x', join(root, '.git/hooks', name)]);
  }
  for (const command of commands.filter((one) => one.startsWith('git'))) {
    await call('run_command', { command }, { decide: () => ({ approved: true, decidedBy: 'policy' }) });
  }
  expect(await readdir(root)).not.toContain('pwned');
});

withGit('git is for the policy where the repository names programs for its files', async () => {
  const { root, call, put } = await toolWorkspace({ 'a.txt': 'a', 'evil.sh': 'x' });
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root });
  git('init', '-q');
  const isHarmless = async (command: string) => {
    const { asked } = await call('run_command', { command }, { decide: deny() });
    return asked[0]?.allowReason !== undefined;
  };
  expect(await isHarmless('git status')).toBe(true);
  git('config', 'filter.x.clean', join(root, 'evil.sh'));
  expect(await isHarmless('git status')).toBe(false);
  expect(await isHarmless('ls')).toBe(true);
  git('config', '--remove-section', 'filter.x');
  expect(await isHarmless('git diff --stat')).toBe(true);
  await put('.git/config', '[core]bare=false [Include]path=../theirs\n');
  expect(await isHarmless('git diff --stat')).toBe(false);
  await put('sub/.git', 'gitdir: ./git');
  await put('sub/git/config', '[filter "x"]\n\tclean = x\n');
  expect(await namesFilters(join(root, 'sub'), [root])).toBe(true);
  expect(await namesFilters(join(root, 'sub'), [join(root, 'other')])).toBe(false);
});

withGit('a folder that was made to look like a repository is none', async () => {
  const { root, call, put } = await toolWorkspace({
    HEAD: 'ref: refs/heads/main\n',
    'objects/x': '',
    'refs/x': '',
  });
  await put(
    'config',
    `[core]\n\trepositoryformatversion = 0\n\tfsmonitor = "touch ${root}/pwned; false"\n\tbare = false\n\tworktree = ${root}\n`,
  );
  const { content } = await call(
    'run_command',
    { command: 'git status' },
    { decide: () => ({ approved: true, decidedBy: 'policy' }) },
  );
  expect(content).toContain('Exit code 128');
  expect(await readdir(root)).not.toContain('pwned');
});
