import { appendAll } from '../../core/lists.js';
import { lstat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { GuardedPath } from '../../ports/workspaceFiles.js';
import { type PathGuard } from '../paths/pathGuard.js';
import { errorCode } from '../../core/errorCode.js';
import { namesReason } from '../paths/accessRights.js';
import { readRule, writeRule } from '../paths/protectedPaths.js';
import { isSystemFolder } from '../process/environment.js';
import { onlyReads, scriptIn } from './judgeDanger.js';
import { editedBySed } from './judgeSed.js';
import { enteredFolders, leadsBack } from './enteredFolders.js';
import { readShellTree } from './shellTree.js';

/** What a command line names on the disk, as far as its text tells. */
export interface NamedPlaces {
  /** Why it must be asked about for what it names; undefined: no reason. */
  readonly reason: string | undefined;
  /** What it names to run or to read, by real path. */
  readonly used: readonly GuardedPath[];
  /** What it writes by name, by real path; its content is then an agent's. */
  readonly written: readonly string[];
}

/** More names than this are not looked at one by one. */
const MAX_NAMES = 500;

const MAX_DEPTH = 4;

/** Programs that move files about and run none of them. */
const movers = new Set(['cp', 'mv', 'tee', 'rm', 'rmdir', 'mkdir', 'touch', 'git']);

/**
 * Looks at everything that a command line names, from each folder in which it may stand then, followed through every
 * link: nobody but a person allows what lies outside of the workspace, decides rights or holds secrets.
 */
export async function lookAtNames(guard: PathGuard, root: string, line: string): Promise<NamedPlaces> {
  const look = new Look(guard, root);
  await look.atLine(line, ['.'], 0);
  return look.result();
}

type Use = 'runs' | 'reads' | 'writes';

class Look {
  readonly #guard: PathGuard;
  readonly #root: string;
  readonly #used: GuardedPath[] = [];
  readonly #written = new Set<string>();
  /** What is used in a way that its content matters, apart from what is only shown or moved. */
  readonly #run: GuardedPath[] = [];
  #reason: string | undefined;
  #names = 0;

  constructor(guard: PathGuard, root: string) {
    this.#guard = guard;
    this.#root = root;
  }

  /** A line that begins in one of these folders, and the scripts that it gives to shells. */
  async atLine(line: string, begins: readonly string[], depth: number): Promise<void> {
    if (depth > MAX_DEPTH) this.#reason ??= 'It is nested too deep to be looked through.';
    if (this.#reason !== undefined) return;
    const { commands, redirects } = readShellTree(line);
    const { folders, reason } = enteredFolders(commands, begins);
    this.#reason ??= reason;
    await this.#enter(folders);
    for (const { operator, target } of redirects) {
      if (target?.value === undefined) continue;
      if (operator.endsWith('&') && /^[0-9-]+$/.test(target.value)) continue;
      const places = await this.#at(target.value, operator === '<' ? 'reads' : 'writes', folders);
      if (operator === '<') appendAll(this.#used, places);
      else this.#write(places);
    }
    for (const command of commands) {
      const words = command.words.map(({ value }) => value);
      const script = scriptIn(words);
      const others = script === undefined ? words : words.filter((word) => word !== script);
      await this.#atWords(
        others.map((word) => word ?? ''),
        folders,
      );
      if (script !== undefined) await this.atLine(script, folders, depth + 1);
    }
  }

  async #enter(folders: readonly string[]): Promise<void> {
    for (const folder of folders) {
      const written = resolve(this.#root, folder);
      const checked = await this.#guard.resolve(written);
      if (!checked.ok) this.#reason ??= checked.message;
      // Behind a link the shell's `..` and ours are not the same.
      else if (checked.place.path !== written) this.#reason ??= `'${folder}' leads through a link.`;
    }
  }

  async #atWords([first, ...rest]: readonly string[], folders: readonly string[]): Promise<void> {
    const name = first?.slice(first.lastIndexOf('/') + 1) ?? '';
    if (first === undefined || name === 'cd' || name === 'pushd') return;
    if (first.includes('/') && !isSystemFolder(dirname(first)))
      this.#use(await this.#at(first, 'runs', folders), true);
    const use = onlyReads(name, rest) ? 'reads' : 'writes';
    const edited = name === 'sed' ? editedBySed(rest) : undefined;
    const named: GuardedPath[][] = [];
    for (const word of rest) {
      const places = (
        await Promise.all(pathsIn(word, use).map((path) => this.#at(path, use, folders)))
      ).flat();
      if (!word.startsWith('-')) named.push(places);
      this.#use(places, use === 'writes' && !movers.has(name) && !edited);
      if (edited?.files.includes(word)) {
        this.#write(places.flatMap(({ path }) => [{ path }, { path: path + edited.backup }]));
      }
    }
    // Behind programs that run others, too.
    const names = [first, ...rest].map((word) => word.slice(word.lastIndexOf('/') + 1));
    if (names.includes('tee')) this.#write(named.flat());
    if (names.includes('cp') || names.includes('mv')) this.#write(targetsOf(named));
    if (names.includes('git') && names.includes('checkout') && !rest.includes('-b'))
      this.#putBack(named.flat());
  }

  /** The places that a path may mean; none where it is no path. */
  async #at(path: string, use: Use, folders: readonly string[]): Promise<GuardedPath[]> {
    if (this.#names > MAX_NAMES) {
      this.#reason ??= `It names more than ${MAX_NAMES} files.`;
      return [];
    }
    if (/^\/dev\/(null|stdout|stderr)$/.test(path)) return [];
    if (leadsBack.test(path)) this.#reason ??= `'${path}' leads back through another folder.`;
    const places: GuardedPath[] = [];
    for (const folder of folders) {
      this.#names++;
      const written = resolve(this.#root, folder, path);
      const checked = await this.#guard.resolve(written);
      if (!checked.ok) {
        const isPath = use === 'reads' ? await isThere(written) : await this.#isPath(folder, path);
        if (isPath) this.#reason ??= checked.message;
        continue;
      }
      this.#judge(checked.place, use);
      places.push(checked.place);
    }
    return places;
  }

  /** Texts look like paths too: those with blanks count where something is that they begin with. */
  async #isPath(folder: string, path: string): Promise<boolean> {
    if (!/\s/.test(path) || /^\.{0,2}\//.test(path)) return true;
    return isThere(resolve(this.#root, folder, path.split('/')[0] ?? ''));
  }

  #use(places: readonly GuardedPath[], runs: boolean): void {
    appendAll(this.#used, places);
    if (runs) appendAll(this.#run, places);
  }

  #write(places: readonly Pick<GuardedPath, 'path'>[]): void {
    for (const { path } of places) this.#written.add(path);
  }

  /** What is no branch is a file or a folder to `git checkout`. */
  #putBack(places: readonly GuardedPath[]): void {
    const lost = places.find(({ kind, relative }) => kind !== 'absent' && relative !== '');
    if (lost) this.#reason ??= `'${lost.relative}' may lose what git has not saved (git checkout).`;
  }

  result(): NamedPlaces {
    const own = this.#run.find(({ path }) => isWritten(this.#written, path));
    if (own) this.#reason ??= `It runs or reads '${own.relative}', which it writes itself.`;
    return { reason: this.#reason, used: this.#used, written: [...this.#written] };
  }

  #judge(place: GuardedPath, use: Use): void {
    // A word of which there is no file may be none.
    const named = { ...place, isWord: place.kind === 'absent' };
    const rule = (use === 'writes' ? writeRule(named) : undefined) ?? readRule(named);
    if (rule) this.#reason ??= `'${place.relative}' ${rule.reason}.`;
    else if (use === 'writes' && place.names > 1) {
      this.#reason ??= `'${place.relative}' ${namesReason(place)}.`;
    }
  }
}

/**
 * What may be a path in a word: the whole, and what stands behind `=`, `:`, `,` or the letters of a flag; for a program
 * that does more than to show it, also what stands in quotes or brackets, since the word may be code.
 */
function pathsIn(word: string, use: Use): string[] {
  if (word.length > 4_096 || /[\p{Cc}\p{Cs}]|^(?!file:)[a-z][a-z0-9+.-]*:\/\//iu.test(word)) return [];
  const parts = [word, ...word.split(use === 'reads' ? /[=:,]/ : /[=:,'"()[\]{}]/)];
  // Many programs take more words from a file that stands behind `@`.
  if (word.startsWith('@')) parts.push(word.slice(1));
  if (/^-[^-=]*[/.]/.test(word)) parts.push(word.slice(word.search(/[/.]/)));
  return [...new Set(parts)].filter((part) => part !== '' && !part.startsWith('-'));
}

/** Where copied or moved files go: the last place, or into it where it is a folder. */
function targetsOf(named: readonly GuardedPath[][]): Pick<GuardedPath, 'path'>[] {
  const sources = named.slice(0, -1).flat();
  return (named.at(-1) ?? []).flatMap((target) =>
    target.kind === 'folder'
      ? sources.map(({ path }) => ({ path: join(target.path, basename(path)) }))
      : [target],
  );
}

/** Whether a path is among those that were written, or lies in one of them: a folder that was moved there. */
export function isWritten(written: ReadonlySet<string>, path: string): boolean {
  for (let at = path; ; at = dirname(at)) {
    if (written.has(at)) return true;
    if (at === dirname(at)) return false;
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    // A folder that may not be looked into may well hold it.
    return errorCode(error) === 'EACCES';
  }
}
