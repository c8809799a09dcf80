import { execFile } from 'node:child_process';
import { realpath } from 'node:fs/promises';
import { delimiter, dirname, isAbsolute, relative, sep } from 'node:path';
import { errorCode } from '../core/errorCode.js';

/** Longer answers of git are not read, in bytes, and it is not waited for any longer, in milliseconds. */
const MAX_BYTES = 256 * 1024 * 1024;
const MAX_MS = 30_000;
/** Of so many commits the versions of a file are read, the newest ones. */
export const MAX_VERSIONS = 500;

/**
 * What a repository's own settings could make git run or do is switched off: watchers, hooks, pagers, programs that verify
 * signatures or show differences, and fetching of objects that are not here; so is leaving out what the first commit or merges brought.
 */
const HARMLESS = [
  '--no-pager',
  '--no-replace-objects',
  '-c core.fsmonitor=false',
  '-c core.hooksPath=/dev/null',
  '-c core.pager=cat',
  '-c core.sshCommand=false',
  '-c diff.external=',
  '-c log.showSignature=false',
  '-c log.showRoot=true',
  '-c log.diffMerges=separate',
  '-c protocol.allow=never',
  '-c credential.helper=',
].flatMap((words) => words.split(' '));

/** How commits are asked what they did to files, against their first parents: see `versionsIn`. */
const LOG_OF_VERSIONS = [
  'log',
  '--first-parent',
  '-m',
  '--raw',
  '-z',
  '--no-abbrev',
  '--no-ext-diff',
  '--no-textconv',
  '--format=tformat:%x01%H %ct %at',
];

/** The mode of a submodule in a tree. */
const SUBMODULE = '160000';

/** Where git-ai keeps who wrote the lines of a commit. */
const NOTES = 'refs/notes/ai';

/** A version of a file in the history of what is checked out. */
export interface FileVersion {
  readonly commit: string;
  /** When it was committed, in milliseconds since 1970: what the commit says. */
  readonly time: number;
  /** When it was authored, not after that: a rebase leaves this as it was, so that the version was made between the two. */
  readonly authored: number;
  /** The object that is its content; undefined where the commit removed the file, or put a submodule there. */
  readonly blob: string | undefined;
  /** What the file was called in it. */
  readonly path: string;
  /** The object that was its content before; undefined where there was none. */
  readonly before?: string;
}

/** A commit of a branch. */
export interface BranchCommit {
  readonly commit: string;
  /** When it was committed, in milliseconds since 1970: what the commit says. */
  readonly time: number;
  readonly author: string;
  readonly subject: string;
  readonly files: number;
  /** How many lines of text it brings and takes, as git counts them. */
  readonly added: number;
  readonly removed: number;
}

/** What is kept of a file besides itself; empty where there is nothing. */
export interface KeptTexts {
  readonly committed: string;
  /** In any branch of a remote. */
  readonly pushed: string;
}

/** Git failed where it had to tell something: it took too long, told too much, or has not all objects here. */
export class GitFailed extends Error {}

/** A repository that git knows around a file: it is only read. */
export class Repository {
  /** The folder that is checked out, as the system names it. */
  readonly root: string;
  /** By commits, what was renamed since: git looks through all files for that. */
  readonly #renamed = new Map<string, ReadonlyMap<string, string>>();

  private constructor(root: string) {
    this.root = root;
  }

  /** The repository around a folder; undefined where git knows none, or is not there. */
  static async around(folder: string, signal?: AbortSignal): Promise<Repository | undefined> {
    const told = await ask(folder, ['rev-parse', '--show-toplevel'], { signal });
    const root = told?.toString('utf8').replace(/\r?\n$/, '');
    return root === undefined || root === '' ? undefined : new Repository(await realpath(root));
  }

  /** The path of a file as git names it; undefined for one that is elsewhere. */
  pathOf(file: string): string | undefined {
    const path = relative(this.root, file);
    return path === '' || isAbsolute(path) || path.startsWith('..') ? undefined : path.split(sep).join('/');
  }

  /** The branch that others go out from, as far as names tell it: that of the remote, main or master; undefined where there is none. */
  async mainBranch(signal?: AbortSignal): Promise<string | undefined> {
    for (const name of ['refs/remotes/origin/HEAD', 'refs/heads/main', 'refs/heads/master'])
      if ((await this.commit(name, signal)) !== undefined) return name;
    return undefined;
  }

  /** The name of the branch that is checked out; undefined where none is. */
  async branch(signal?: AbortSignal): Promise<string | undefined> {
    const told = await ask(this.root, ['symbolic-ref', '-q', '--short', 'HEAD'], { signal });
    return told?.toString('utf8').trim();
  }

  /** The commit that two of them went out from; undefined where there is none. */
  async mergeBase(one: string, other: string, signal?: AbortSignal): Promise<string | undefined> {
    const told = await ask(this.root, ['merge-base', one, other], { signal });
    return told?.toString('latin1').trim();
  }

  /** The commits behind one up to another along its first parents, the oldest first, with what each changed. Rejects with GitFailed. */
  async commits(base: string, tip: string, signal?: AbortSignal): Promise<readonly BranchCommit[]> {
    const words = [
      'log',
      '--first-parent',
      '-m',
      '--numstat',
      '--no-renames',
      '-z',
      '--no-ext-diff',
      '--no-textconv',
    ];
    const format = '--format=tformat:%x01%H%x02%ct%x02%an%x02%s';
    const told = await insist(this.root, [...words, '--no-notes', format, tip, `^${base}`, '--'], { signal });
    return commitsIn(told.toString('utf8')).toReversed();
  }

  /** The paths that differ between two commits and are there in the second. Rejects with GitFailed. */
  async changed(base: string, tip: string, signal?: AbortSignal): Promise<readonly string[]> {
    const words = [
      'diff-tree',
      '-r',
      '-z',
      '--name-only',
      '--no-renames',
      '--diff-filter=AMT',
      '--no-ext-diff',
    ];
    const told = await insist(this.root, [...words, base, tip, '--'], { signal });
    return told
      .toString('utf8')
      .split('\0')
      .filter((path) => path !== '');
  }

  /**
   * The versions of a file until a commit, the oldest first, through renames; of a merge, what it brought as a whole. Undefined
   * where git fails.
   */
  async versions(
    path: string,
    tip: string,
    signal?: AbortSignal,
  ): Promise<readonly FileVersion[] | undefined> {
    return this.#versions('--follow', [path], tip, signal);
  }

  /** What became of paths until a commit, whichever files were there, the oldest first. Undefined where git fails. */
  async uses(
    paths: readonly string[],
    tip: string,
    signal?: AbortSignal,
  ): Promise<readonly FileVersion[] | undefined> {
    return this.#versions('--no-renames', paths, tip, signal);
  }

  /** What some commits did to files, against their first parents. Rejects with GitFailed. */
  async changes(commits: readonly string[], signal?: AbortSignal): Promise<readonly FileVersion[]> {
    if (commits.length === 0) return [];
    const words = [...LOG_OF_VERSIONS, '--no-renames', '--no-walk=unsorted', '--stdin'];
    const told = await insist(this.root, words, {
      input: commits.map((commit) => `${commit}\n`).join(''),
      signal,
    });
    return versionsIn(told.toString('utf8'));
  }

  async #versions(
    how: string,
    paths: readonly string[],
    tip: string,
    signal?: AbortSignal,
  ): Promise<readonly FileVersion[] | undefined> {
    const meant = [`--max-count=${MAX_VERSIONS}`, tip, '--', ...paths.map((path) => `:(literal)${path}`)];
    const told = await ask(this.root, [...LOG_OF_VERSIONS, how, ...meant], { signal });
    return told && versionsIn(told.toString('utf8')).toReversed();
  }

  /** The paths that files had in a commit, by those they are renamed to since, as far as git was told so; of a commit it is asked once. */
  async renamedSince(tip: string, signal?: AbortSignal): Promise<ReadonlyMap<string, string>> {
    const known = this.#renamed.get(tip);
    if (known) return known;
    const words = ['diff-index', '--cached', '-M', '-z', '--name-status', '--diff-filter=R'];
    const told = await ask(this.root, [...words, '--no-ext-diff', '--no-textconv', tip, '--'], { signal });
    const parts = told?.toString('utf8').split('\0') ?? [];
    const found = new Map<string, string>();
    for (let at = 0; at + 2 < parts.length; at += 3) found.set(parts[at + 2] ?? '', parts[at + 1] ?? '');
    if (told) this.#renamed.set(tip, found);
    return found;
  }

  /** The commit that a name means; without one, that which is checked out. Undefined where there is none. Rejects with GitFailed. */
  async commit(name = 'HEAD', signal?: AbortSignal): Promise<string | undefined> {
    // A name that begins with a hyphen would be an option.
    if (!/^[^-\0\s][^\0]*$/.test(name)) return undefined;
    const told = await run(this.root, ['rev-parse', '-q', '--verify', `${name}^{commit}`], { signal });
    if ('answer' in told) return told.answer.toString('latin1').trim();
    // So it ends for a name that means none.
    if (told.code === 1) return undefined;
    throw new GitFailed(told.failed);
  }

  /** Whether git-ai has put notes on commits. */
  async hasNotes(signal?: AbortSignal): Promise<boolean> {
    return (await this.commit(NOTES, signal)) !== undefined;
  }

  /** The notes that git-ai has put on some commits, by their commits. Rejects with GitFailed. */
  async notes(commits: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, string>> {
    if (commits.length === 0) return new Map();
    const words = ['log', '--no-walk=unsorted', '--stdin', '--no-notes', `--notes=${NOTES}`, '-z'];
    const told = await insist(this.root, [...words, '--format=tformat:%H%n%N', '--no-patch'], {
      input: commits.map((commit) => `${commit}\n`).join(''),
      signal,
    });
    const found = told
      .toString('utf8')
      .split('\0')
      .map((each) => each.split(/\n(.*)/s));
    return new Map(found.flatMap(([commit = '', note = '']) => (note.trim() === '' ? [] : [[commit, note]])));
  }

  /** The objects of files at revisions, such as `<commit>:src/a.ts`; undefined for each that is not there. Rejects with GitFailed. */
  async objects(names: readonly string[], signal?: AbortSignal): Promise<readonly (string | undefined)[]> {
    const plain = names.map((name) => name.replaceAll(/[\n\r]/g, ' '));
    if (plain.length === 0) return [];
    const told = await insist(this.root, ['cat-file', '--batch-check=%(objectname) %(objecttype)'], {
      input: plain.map((name) => `${name}\n`).join(''),
      signal,
    });
    const lines = told.toString('utf8').split('\n');
    return plain.map((_, at) => /^([\da-f]{40,64}) blob$/.exec(lines[at] ?? '')?.[1]);
  }

  /** The other folders in which a branch of the repository is checked out. Rejects with GitFailed. */
  async worktrees(signal?: AbortSignal): Promise<readonly string[]> {
    const told = await insist(this.root, ['worktree', 'list', '--porcelain'], { signal });
    const lines = told.toString('utf8').split('\n');
    const folders = lines.flatMap((line) => (line.startsWith('worktree ') ? [line.slice(9)] : []));
    return folders.filter((folder) => folder !== this.root);
  }

  /** The files that git knows or would take, as it names them: none that is ignored. Rejects with what git says. */
  async files(signal?: AbortSignal): Promise<readonly string[]> {
    const words = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
    const told = await insist(this.root, words, { signal });
    return [...new Set(told.toString('utf8').split('\0'))].filter((path) => path !== '');
  }

  /**
   * Makes another folder of the repository, at the commit that is checked out here and on no branch. No file of it is written, so
   * that no filter of the repository runs: that is for whoever asked. Rejects with what git says.
   */
  async addWorktree(folder: string, signal?: AbortSignal): Promise<void> {
    await insist(this.root, ['worktree', 'add', '--no-checkout', '--detach', folder, 'HEAD'], { signal });
    await insist(folder, ['read-tree', 'HEAD'], { signal });
  }

  /** Removes a folder that `addWorktree` has made, with all that is in it. Rejects with what git says. */
  async removeWorktree(folder: string): Promise<void> {
    await insist(this.root, ['worktree', 'remove', '--force', folder], {});
  }

  /**
   * What a file holds in the commit that is checked out, and in the branches of remotes as they were when git spoke to these last.
   * Rejects with GitFailed.
   */
  async keptTexts(path: string, signal?: AbortSignal): Promise<KeptTexts> {
    const format = '--format=%(refname) %(symref)';
    const told = await insist(this.root, ['for-each-ref', format, 'refs/remotes/'], { signal });
    // What only leads to another branch may lead to one that is not of a remote.
    const branches = told
      .toString('utf8')
      .split('\n')
      .flatMap((line) => /^(\S+) $/.exec(line)?.[1] ?? []);
    const [own, ...others] = await this.objects(
      ['HEAD', ...branches].map((name) => `${name}:${path}`),
      signal,
    );
    const ids = [...new Set([own, ...others])].filter((id) => id !== undefined);
    const texts = await this.contents(ids, signal);
    const textsOf = (of: readonly (string | undefined)[]) =>
      ids
        .filter((id) => of.includes(id))
        .map((id) => texts.get(id) ?? '')
        .join('\n');
    return { committed: textsOf([own]), pushed: textsOf(others) };
  }

  /** The contents of objects, by their ids; one that is not here is left out, one that is no text undefined. */
  async contents(
    ids: readonly string[],
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<string, string | undefined>> {
    const wanted = [...new Set(ids)];
    if (wanted.length === 0) return new Map();
    const input = wanted.map((id) => `${id}\n`).join('');
    const told = await ask(this.root, ['cat-file', '--batch'], { input, signal });
    return told ? objectsIn(told) : new Map<string, string>();
  }
}

/** What git keeps of a file, see `Repository.keptTexts`; undefined where no repository is around it. Rejects with GitFailed. */
export async function keptTexts(file: string, signal?: AbortSignal): Promise<KeptTexts | undefined> {
  // What comes through a pipe has no place.
  const whole = await realpath(file).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (whole === undefined) return undefined;
  const repository = await Repository.around(dirname(whole), signal);
  const path = repository?.pathOf(whole);
  return path === undefined ? undefined : await repository?.keptTexts(path, signal);
}

interface Asked {
  readonly input?: string;
  readonly signal?: AbortSignal | undefined;
}

/** What git answers; undefined where it fails. */
async function ask(folder: string, words: readonly string[], asked: Asked): Promise<Buffer | undefined> {
  const told = await run(folder, words, asked);
  return 'failed' in told ? undefined : told.answer;
}

/** The same where it must not fail: rejects with what git says. */
async function insist(folder: string, words: readonly string[], asked: Asked): Promise<Buffer> {
  const told = await run(folder, words, asked);
  if ('failed' in told) throw new GitFailed(told.failed);
  return told.answer;
}

function run(
  folder: string,
  words: readonly string[],
  { input, signal }: Asked,
): Promise<{ readonly answer: Buffer } | { readonly failed: string; readonly code: unknown }> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      'git',
      [...HARMLESS, '-C', folder, ...words],
      {
        // Some systems look for programs in the folder that they are started in.
        cwd: dirname(process.execPath),
        env: environment(folder),
        encoding: 'buffer',
        maxBuffer: MAX_BYTES,
        timeout: MAX_MS,
        windowsHide: true,
        ...(signal && { signal }),
      },
      (error, stdout, stderr) => {
        if (signal?.aborted === true)
          reject(signal.reason instanceof Error ? signal.reason : new Error('cancelled'));
        else
          resolve(
            error
              ? { failed: stderr.toString('utf8').trim() || error.message, code: error.code }
              : { answer: stdout },
          );
      },
    );
    // It may end before it has read what it is asked.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input ?? '');
  });
}

/** Nothing of the environment but where programs and the person's settings are; no program of the repository itself. */
function environment(folder: string): NodeJS.ProcessEnv {
  const { PATH = '', HOME, USERPROFILE, SystemRoot, XDG_CONFIG_HOME } = process.env;
  const programs = PATH.split(delimiter).filter(
    (path) => isAbsolute(path) && path !== folder && !path.startsWith(`${folder}${sep}`),
  );
  return {
    PATH: programs.join(delimiter),
    ...(HOME !== undefined && { HOME }),
    ...(USERPROFILE !== undefined && { USERPROFILE }),
    ...(SystemRoot !== undefined && { SystemRoot }),
    ...(XDG_CONFIG_HOME !== undefined && { XDG_CONFIG_HOME }),
    LC_ALL: 'C',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    // A repository may allow single ones beside `protocol.allow`, and older versions of git fetch what is not here.
    GIT_ALLOW_PROTOCOL: '',
    NoDefaultCurrentDirectoryInExePath: '1',
  };
}

function versionsIn(text: string): FileVersion[] {
  const versions: FileVersion[] = [];
  const words = text.split('\0');
  let head: { commit: string; time: number; authored: number } | undefined;
  for (let at = 0; at < words.length; at++) {
    const word = words[at]?.replace(/^\n/, '') ?? '';
    const [isHead, commit = '', seconds, authored] = /^\x01([\da-f]{40,64}) (\d+) (-?\d*)$/.exec(word) ?? [];
    if (isHead !== undefined) {
      const time = Number(seconds) * 1_000;
      head = { commit, time, authored: Math.min(Number(authored) * 1_000, time) };
    }
    const [isChange, mode, before = '', blob = '', kind] =
      /^:\d+ (\d+) ([\da-f]+) ([\da-f]+) ([A-Z])\d*$/.exec(word) ?? [];
    if (isChange === undefined || !head) continue;
    const isMoved = kind === 'R' || kind === 'C';
    const path = words[at + (isMoved ? 2 : 1)] ?? '';
    at += isMoved ? 2 : 1;
    // The commit of a submodule is no content of this repository.
    versions.push({
      ...head,
      blob: /^0+$/.test(blob) || mode === SUBMODULE ? undefined : blob,
      path,
      ...(!/^0+$/.test(before) && { before }),
    });
  }
  return versions;
}

function commitsIn(text: string): BranchCommit[] {
  const found: { -readonly [Name in keyof BranchCommit]: BranchCommit[Name] }[] = [];
  for (const word of text.split('\0').map((each) => each.replace(/^\n+/, ''))) {
    const [isHead, commit = '', seconds, author = '', subject = ''] =
      /^\x01([\da-f]{40,64})\x02(\d+)\x02([^\x02]*)\x02(.*)$/s.exec(word) ?? [];
    if (isHead !== undefined)
      found.push({ commit, time: Number(seconds) * 1_000, author, subject, files: 0, added: 0, removed: 0 });
    const [isFile, added, removed] = /^(\d+|-)\t(\d+|-)\t/.exec(word) ?? [];
    const last = found.at(-1);
    if (isFile === undefined || !last) continue;
    last.files++;
    // Of what is no text, git tells no lines.
    last.added += Number(added) || 0;
    last.removed += Number(removed) || 0;
  }
  return found;
}

function objectsIn(told: Buffer): ReadonlyMap<string, string | undefined> {
  const found = new Map<string, string | undefined>();
  for (let at = 0; at < told.length;) {
    const end = told.indexOf(0x0a, at);
    if (end < 0) break;
    const [, id, kind, size] = /^([\da-f]+) (\w+) (\d+)$/.exec(told.toString('latin1', at, end)) ?? [];
    at = end + 1;
    if (id === undefined) continue;
    const bytes = told.subarray(at, at + Number(size));
    at += Number(size) + 1;
    found.set(id, kind === 'blob' && !bytes.includes(0) ? bytes.toString('utf8') : undefined);
  }
  return found;
}
