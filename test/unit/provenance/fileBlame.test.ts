import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { blameFile, historyOf, movedAuthors } from '../../../src/provenance/fileBlame.js';
import { Repository } from '../../../src/provenance/git.js';
import type { RecordedEdit } from '../../../src/provenance/recordedEdits.js';

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A repository in which people and agents work; the clock goes on by a minute with each step. */
class Work {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'blame-')));
  readonly edits: RecordedEdit[] = [];
  #minute = 0;

  constructor() {
    folders.push(this.root);
    this.git('init', '-q', '-b', 'main');
  }

  git(...words: string[]): string {
    const date = new Date(this.#tick()).toISOString();
    return execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...words], {
      cwd: this.root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      env: {
        ...process.env,
        GIT_AUTHOR_DATE: date,
        GIT_COMMITTER_DATE: date,
        GIT_CONFIG_GLOBAL: '/dev/null',
      },
    });
  }

  commit(): void {
    this.git('add', '-A');
    this.git('commit', '-q', '-m', 'work');
  }

  write(name: string, text: string): void {
    mkdirSync(dirname(join(this.root, name)), { recursive: true });
    writeFileSync(join(this.root, name), text);
  }

  read(name: string): string {
    return readFileSync(join(this.root, name), 'utf8');
  }

  /** An agent replaces a text, and its session tells the file before. */
  agent(callId: string, name: string, old: string, now: string, folder = this.root): void {
    const file = join(folder, name);
    const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
    if (before === '') this.write(name, now);
    else writeFileSync(file, before.replace(old, now));
    this.edits.push({
      path: file,
      time: this.#tick(),
      position: this.edits.length,
      agent: 'Claude',
      tool: 'Edit',
      callId,
      isDone: true,
      change:
        before === ''
          ? { kind: 'write', before, after: now }
          : { kind: 'replace', before, places: [{ old, now }] },
    });
  }

  /** For each line of a file the call that wrote it, '-' for none. */
  async blame(name: string, asksGit = true): Promise<string> {
    const file = join(this.root, name);
    const repository = asksGit ? await Repository.around(dirname(file)) : undefined;
    const history = await historyOf(file, repository);
    const asked = { file, text: this.read(name), repository, edits: this.edits };
    const first = blameFile(asked, history);
    const editsOf = () => Promise.resolve(this.edits);
    const moved = repository && (await movedAuthors(first, history, repository, { editsOf }));
    const { lines } = blameFile(asked, history, moved);
    return lines.map((edit) => edit?.callId ?? '-').join(' ');
  }

  #tick(): number {
    return Date.UTC(2026, 2, 1) + ++this.#minute * 60_000;
  }
}

const FILE = 'first line of a person\nsecond line of a person\nthird line of a person\n';

/** A file of a person in which an agent wrote two lines behind the first, before anything was committed. */
function begun(): Work {
  const work = new Work();
  work.write('a.ts', FILE);
  work.commit();
  work.agent(
    'one',
    'a.ts',
    'first line of a person\n',
    'first line of a person\nan agent wrote this\nand this one too\n',
  );
  return work;
}

test('what an agent wrote is known before and after it is committed', async () => {
  const work = begun();
  expect(await work.blame('a.ts')).toBe('- one one - -');
  work.commit();
  expect(await work.blame('a.ts')).toBe('- one one - -');
});

test('a renamed file keeps its authors', async () => {
  const work = begun();
  work.commit();
  work.git('mv', 'a.ts', 'b.ts');
  work.commit();
  expect(await work.blame('b.ts')).toBe('- one one - -');
  work.agent('two', 'b.ts', 'third line of a person', 'third line of another agent');
  work.commit();
  expect(await work.blame('b.ts')).toBe('- one one - two');
});

test('what is reverted and reverted again has its author; what a person writes in its place has none', async () => {
  const work = begun();
  work.commit();
  work.git('revert', '--no-edit', 'HEAD');
  expect(await work.blame('a.ts')).toBe('- - -');
  work.git('revert', '--no-edit', 'HEAD');
  expect(await work.blame('a.ts')).toBe('- one one - -');
  work.write('a.ts', work.read('a.ts').replace('and this one too', 'a person writes this instead'));
  work.commit();
  expect(await work.blame('a.ts')).toBe('- one - - -');
});

test('other blanks and Windows line ends change nothing', async () => {
  const work = begun();
  work.commit();
  work.write('a.ts', work.read('a.ts').replaceAll(/^/gm, '    ').trimEnd());
  work.commit();
  work.write('a.ts', work.read('a.ts').replaceAll('\n', '\r\n'));
  work.commit();
  expect(await work.blame('a.ts')).toBe('- one one - -');
});

test('a branch that was rebased, and one that was squashed', async () => {
  const work = new Work();
  work.write('a.ts', FILE);
  work.commit();
  work.git('checkout', '-q', '-b', 'topic');
  work.agent('one', 'a.ts', 'second line of a person\n', 'second line of an agent\n');
  work.commit();
  work.agent('two', 'a.ts', 'third line of a person\n', 'third line of an agent\nfourth line of an agent\n');
  work.commit();
  work.git('checkout', '-q', 'main');
  work.write('other.ts', 'another file\n');
  work.commit();
  work.git('checkout', '-q', 'topic');
  work.git('rebase', '-q', 'main');
  expect(await work.blame('a.ts')).toBe('- one two two');
  work.git('checkout', '-q', 'main');
  work.git('merge', '-q', '--squash', 'topic');
  work.commit();
  expect(await work.blame('a.ts')).toBe('- one two two');
});

test('a merge brings the lines of its branch', async () => {
  const work = new Work();
  work.write('a.ts', FILE);
  work.commit();
  work.git('checkout', '-q', '-b', 'topic');
  work.agent('one', 'a.ts', 'second line of a person\n', 'second line of an agent\n');
  work.commit();
  work.git('checkout', '-q', 'main');
  work.write('a.ts', `a new first line of a person\n${FILE}`);
  work.commit();
  work.git('merge', '-q', '--no-edit', 'topic');
  expect(await work.blame('a.ts')).toBe('- - one -');
});

test('two sessions at once, one in a worktree of the same repository', async () => {
  const work = begun();
  work.commit();
  const beside = `${work.root}-beside`;
  folders.push(beside);
  work.git('worktree', 'add', '-q', '-b', 'topic', beside);
  work.agent('two', 'a.ts', 'third line of a person', 'third line of another agent', beside);
  work.agent('three', 'a.ts', 'first line of a person\n', 'first line of a third agent\n');
  work.commit();
  execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '-qam', 'beside'], {
    cwd: beside,
    env: { ...process.env, GIT_COMMITTER_DATE: '2026-03-01T01:00:00Z' },
  });
  work.git('merge', '-q', '--no-edit', 'topic');
  expect(await work.blame('a.ts')).toBe('three one one - two');
});

test('lines that are moved to another file have no author there, and equal ones of another project neither', async () => {
  const work = begun();
  work.commit();
  work.write('b.ts', 'an agent wrote this\nand this one too\n');
  work.write('a.ts', FILE);
  work.commit();
  expect(await work.blame('b.ts')).toBe('- -');
  const elsewhere = new Work();
  elsewhere.write('a.ts', 'an agent wrote this\n');
  elsewhere.commit();
  elsewhere.edits.push(...work.edits);
  expect(await elsewhere.blame('a.ts')).toBe('-');
});

test('lines that a commit took from one file and put into another keep their authors; copies have none', async () => {
  const work = new Work();
  const block =
    'export function eggsFor(cakes: number) {\n  return cakes * EGGS_OF_A_CAKE;\n}\nexport const EGGS = eggsFor(4);\n';
  work.write('a.ts', FILE);
  work.write('b.ts', 'the other file of a person\n');
  work.write('c.ts', 'a third file of a person\n');
  work.commit();
  work.agent('one', 'a.ts', 'second line of a person\n', `second line of a person\n${block}`);
  work.commit();
  work.write('c.ts', `a third file of a person\n${block}`);
  work.commit();
  expect(await work.blame('c.ts')).toBe('- - - - -');
  work.write('a.ts', FILE);
  work.write('b.ts', `the other file of a person\n${block}typed behind it\n`);
  work.commit();
  expect(await work.blame('b.ts')).toBe('- one one one one -');
  work.write('b.ts', `typed before it\n${work.read('b.ts')}`);
  work.commit();
  expect(await work.blame('b.ts')).toBe('- - one one one one -');
});

test('without git the sessions alone say it', async () => {
  const work = new Work();
  work.agent('one', 'new.ts', '', 'the first line\nthe second line\n');
  work.agent('two', 'new.ts', 'the second line', 'another second line');
  expect(await work.blame('new.ts', false)).toBe('one two');
  renameSync(join(work.root, 'new.ts'), join(work.root, 'renamed.ts'));
  expect(await work.blame('renamed.ts', false)).toBe('- -');
});

test('what git could not tell once is asked again', async () => {
  const work = begun();
  work.commit();
  const kept = new Map<string, Buffer>();
  const keeps = {
    load: (name: string) => Promise.resolve(kept.get(name)),
    save: (name: string, part: Buffer) => Promise.resolve(void kept.set(name, part)),
  };
  const file = join(work.root, 'a.ts');
  const repository = await Repository.around(work.root);
  const told = async () => (await historyOf(file, repository, { keeps })).versions.length;
  const first = work.git('rev-parse', 'HEAD~1').trim();
  const object = join(work.root, '.git/objects', first.slice(0, 2), first.slice(2));
  renameSync(object, `${object}-away`);
  expect(await told()).toBe(0);
  renameSync(`${object}-away`, object);
  expect(await told()).toBe(2);
  expect(await told()).toBe(2);
});

test('nothing of the repository is run', async () => {
  const work = begun();
  work.commit();
  const marker = join(work.root, 'ran');
  // A commit that says it is signed, so that showing it with its signature would run the program that checks one.
  const signer = join(work.root, 'signer.sh');
  const signature = '-----BEGIN PGP SIGNATURE-----\\n\\nx\\n-----END PGP SIGNATURE-----\\n';
  writeFileSync(
    signer,
    `#!/bin/sh\ncat > /dev/null\nprintf '\\n[GNUPG:] SIG_CREATED D\\n' >&2\nprintf -- '${signature}'\n`,
    { mode: 0o755 },
  );
  work.write('a.ts', `${work.read('a.ts')}a last line of a person\n`);
  work.git('-c', `gpg.program=${signer}`, 'commit', '-q', '-S', '-a', '-m', 'signed');
  const hook = join(work.root, 'hook.sh');
  writeFileSync(hook, `#!/bin/sh\ntouch '${marker}'\ncat\n`, { mode: 0o755 });
  for (const [name, value] of [
    ['core.fsmonitor', hook],
    ['core.pager', hook],
    ['diff.external', hook],
    ['diff.evil.textconv', hook],
    ['filter.evil.smudge', hook],
    ['filter.evil.clean', hook],
    ['gpg.program', hook],
    ['log.showSignature', 'true'],
    ['alias.log', `!${hook}`],
  ] as const)
    execFileSync('git', ['config', name, value], { cwd: work.root });
  work.write('.gitattributes', '* diff=evil filter=evil\n');
  expect(await work.blame('a.ts')).toBe('- one one - - -');
  expect(existsSync(marker)).toBe(false);
});

test('settings that leave out what the first commit or merges brought change nothing', async () => {
  const work = begun();
  work.commit();
  work.git('checkout', '-q', '-b', 'side');
  work.write('a.ts', `${work.read('a.ts')}a line of another person\n`);
  work.commit();
  work.git('checkout', '-q', 'main');
  work.git('merge', '-q', '--no-ff', '-m', 'merge', 'side');
  const repository = (await Repository.around(work.root)) ?? expect.fail('no repository');
  const versions = async () => (await historyOf(join(work.root, 'a.ts'), repository)).versions.length;
  expect(await versions()).toBe(3);
  work.git('config', 'log.showRoot', 'false');
  expect(await versions()).toBe(3);
  work.git('config', 'log.diffMerges', 'off');
  expect(await versions()).toBe(3);
});

test('what is not here is not fetched, whatever the repository allows and however old git is', async () => {
  const work = begun();
  work.commit();
  const marker = join(work.root, 'ran');
  const git = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const programs = realpathSync(mkdtempSync(join(tmpdir(), 'programs-')));
  folders.push(programs);
  writeFileSync(join(programs, 'git'), `#!/bin/sh\nunset GIT_NO_LAZY_FETCH\nexec '${git}' "$@"\n`, {
    mode: 0o755,
  });
  vi.stubEnv('PATH', `${programs}:${process.env.PATH}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const [name, value] of [
    ['core.repositoryFormatVersion', '1'],
    ['extensions.partialClone', 'origin'],
    ['remote.origin.promisor', 'true'],
    ['remote.origin.url', `ext::sh -c touch% ${marker}`],
    ['protocol.ext.allow', 'always'],
  ] as const)
    work.git('config', name, value);
  const blob = work.git('rev-parse', 'HEAD:a.ts').trim();
  rmSync(join(work.root, '.git/objects', blob.slice(0, 2), blob.slice(2)));
  const repository = (await Repository.around(work.root)) ?? expect.fail('no repository');
  await Promise.allSettled([repository.objects(['HEAD:a.ts']), repository.contents([blob])]);
  expect(existsSync(marker)).toBe(false);
});

test('git that fails is an error with its words, and nothing is taken for nothing', async () => {
  const work = begun();
  const repository = (await Repository.around(work.root)) ?? expect.fail('no repository');
  expect(await repository.commit('no-such-name')).toBeUndefined();
  expect(await repository.commit('HEAD:a.ts')).toBeUndefined();
  expect(await repository.objects(['HEAD:no-such-file'])).toEqual([undefined]);
  writeFileSync(join(work.root, '.git/config'), '[core]\n\tbare = perhaps\n');
  for (const asked of [
    () => repository.worktrees(),
    () => repository.objects(['HEAD:a.ts']),
    () => repository.notes(['0'.repeat(40)]),
    () => repository.commit(),
    () => historyOf(join(work.root, 'a.ts'), repository),
  ])
    await expect(asked()).rejects.toThrow(/bad boolean config value/);
});

test('of a file with more versions than are looked at, what the oldest of them brought has no author, and it is said', async () => {
  const work = begun();
  const file = join(work.root, 'a.ts');
  const repository = (await Repository.around(work.root)) ?? expect.fail('no repository');
  const history = await historyOf(file, repository);
  expect(history.isCut).toBeUndefined();
  const blamed = (isCut?: true) =>
    blameFile(
      { file, text: work.read('a.ts'), repository, edits: work.edits },
      { ...history, ...(isCut && { isCut }) },
    );
  expect(blamed().brought()[0]?.lines.length).toBeGreaterThan(0);
  expect(blamed(true)).toMatchObject({ isCut: true });
  expect(blamed(true).brought()[0]?.lines).toEqual([]);
});

test('a file that is renamed and not committed yet is followed, also where it was changed since', async () => {
  const work = begun();
  work.commit();
  work.git('mv', 'a.ts', 'b.ts');
  expect(await work.blame('b.ts')).toBe('- one one - -');
  work.write('b.ts', `${work.read('b.ts')}by a person\n`);
  work.agent('two', 'b.ts', 'by a person\n', 'by a person\nthe agent wrote here as well\n');
  expect(await work.blame('b.ts')).toBe('- one one - - - two');
  work.commit();
  expect(await work.blame('b.ts')).toBe('- one one - - - two');
});

test('a file that is renamed to a name that another one had is followed, and what that had written is not its own', async () => {
  const work = begun();
  work.write('b.ts', 'the other file begins here\n');
  work.commit();
  work.agent('other', 'b.ts', 'here\n', 'here\nan agent wrote into the other file\n');
  work.commit();
  work.git('rm', '-q', 'b.ts');
  work.commit();
  work.git('mv', 'a.ts', 'b.ts');
  expect(await work.blame('b.ts')).toBe('- one one - -');
  work.agent('two', 'b.ts', 'third line of a person\n', 'third line\nthe agent wrote here as well\n');
  expect(await work.blame('b.ts')).toBe('- one one - two two');
  work.commit();
  // The name that it had is another one's now.
  work.agent('new', 'a.ts', '', 'first line of a person\na new file of an agent\n');
  work.commit();
  work.write('b.ts', `${work.read('b.ts')}a new file of an agent\n`);
  expect(await work.blame('b.ts')).toBe('- one one - two two -');
  expect(await work.blame('a.ts')).toBe('new new');
});

test('what another file has under a name that the file had is not its own, whatever one commit did to both and after a rebase', async () => {
  const work = begun();
  work.commit();
  work.git('mv', 'a.ts', 'b.ts');
  work.commit();
  work.agent('new', 'a.ts', '', 'another file begins here\n');
  work.commit();
  const line = 'an agent wrote this into the other file\n';
  work.agent('other', 'a.ts', 'begins here\n', `begins here\n${line}`);
  work.write('b.ts', `${work.read('b.ts')}${line}`);
  work.commit();
  expect(await work.blame('b.ts')).toBe('- one one - - -');
  expect(await work.blame('a.ts')).toBe('new other');
  // Every commit is as new as the newest then.
  work.git('rebase', '-q', '-f', '--root');
  expect(await work.blame('b.ts')).toBe('- one one - - -');
  expect(await work.blame('a.ts')).toBe('new other');
});

test('git looks once for what was renamed, however many files it does not know', async () => {
  const work = begun();
  work.commit();
  work.git('mv', 'a.ts', 'b.ts');
  for (const name of ['new.ts', 'other.ts']) work.write(name, FILE);
  const repository = await Repository.around(work.root);
  // Each process of git tells there what it was asked.
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'home-')));
  folders.push(home);
  const log = join(home, 'trace').replaceAll('\\', '/');
  writeFileSync(join(home, '.gitconfig'), `[trace2]\n\tnormalTarget = ${log}\n`);
  vi.stubEnv('HOME', home);
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const name of ['new.ts', 'other.ts', 'b.ts']) {
    const { paths } = await historyOf(join(work.root, name), repository);
    expect(paths).toEqual(name === 'b.ts' ? ['b.ts', 'a.ts'] : [name]);
  }
  expect(readFileSync(log, 'utf8').match(/ start .* diff-index /g)).toHaveLength(1);
});
