import { lstat } from 'node:fs/promises';
import { basename, dirname, join, resolve, isAbsolute, normalize } from 'node:path';
import { appendAll } from '../../../core/lists.js';
import { errorCode } from '../../../core/errorCode.js';
import type { GuardedPath } from '../../../core/ports/workspaceFiles.js';
import { namesReason } from '../paths/accessRights.js';
import type { PathGuard } from '../paths/pathGuard.js';
import { readRule, writeRule } from '../paths/protectedPaths.js';
import { isSystemFolder } from '../process/environment.js';
import { editedBySed, type EditedBySed } from './policy/sed.js';
import { isSettingsFile, onlyReads, scriptIn } from './risk.js';
import { readShellTree, type ShellCommand } from '../../../core/shell/shellTree.js';

/** A way back out of a folder, which may be a link; at the very beginning of a path it is none. */
const leadsBack = /(^|\/)(?!\.\.?(\/|$))[^/]+(\/\.?)*\/\.\.(\/|$)/;

/** More folders than this are not followed. */
const MAX_FOLDERS = 32;

/** What a command line names on the disk, as far as its text tells. */
export interface ReferencedPaths {
  /** Why it must be asked about for what it names, the first reason found; undefined: no reason. */
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
const movers = new Set('cp mv tee rm rmdir mkdir touch git chmod tar zip gzip'.split(' '));

type Use = 'runs' | 'reads' | 'writes';

/** What was found about some of the names of a line. */
interface Findings {
  readonly reasons: readonly string[];
  readonly used: readonly GuardedPath[];
  /** What is used in a way that its content matters, apart from what is only shown or moved. */
  readonly run: readonly GuardedPath[];
  readonly written: readonly string[];
}

const nothing: Findings = { reasons: [], used: [], run: [], written: [] };
const because = (reasons: readonly string[]): Findings => ({ ...nothing, reasons });

const together = (findings: readonly Findings[]): Findings => ({
  reasons: findings.flatMap(({ reasons }) => reasons),
  used: findings.flatMap(({ used }) => used),
  run: findings.flatMap(({ run }) => run),
  written: findings.flatMap(({ written }) => written),
});

/** From where the paths of a line are looked at. */
interface Standpoint {
  readonly guard: PathGuard;
  readonly root: string;
  /** All folders in which the line may stand. */
  readonly folders: readonly string[];
}

/**
 * Looks at everything that a command line names, from each folder in which it may stand then, followed through every
 * link: nobody but a person allows what lies outside of the workspace, decides rights or holds secrets.
 */
export async function referencedPaths(
  guard: PathGuard,
  root: string,
  line: string,
): Promise<ReferencedPaths> {
  const { reasons, used, run, written } = await lineFindings({ guard, root, folders: ['.'] }, line, 0);
  const all = new Set(written);
  const own = run.find(({ path }) => isWritten(all, path));
  const ownReason = own && `It runs or reads '${own.relative}', which it writes itself.`;
  return { reason: reasons[0] ?? ownReason, used, written: [...all] };
}

/** A line that begins in one of these folders, and the scripts that it gives to shells. */
async function lineFindings(begin: Standpoint, line: string, depth: number): Promise<Findings> {
  if (depth > MAX_DEPTH) return because(['It is nested too deep to be looked through.']);
  const { commands, redirects } = readShellTree(line);
  const { folders, reason } = workingFolders(commands, begin.folders);
  const from = { ...begin, folders };
  const words = commands.map((command) => command.words.map(({ value }) => value));
  const count = words.reduce((sum, { length }) => sum + length, redirects.length);
  const found = [because(reason === undefined ? [] : [reason]), await enteredFindings(from)];
  if (count * folders.length > MAX_NAMES)
    return together([...found, because([`It names more than ${MAX_NAMES} files.`])]);
  for (const redirect of redirects) found.push(await redirectFindings(from, redirect));
  for (const values of words) {
    const script = scriptIn(values);
    const others = script === undefined ? values : values.filter((word) => word !== script);
    found.push(
      await commandFindings(
        from,
        others.map((word) => word ?? ''),
      ),
    );
    if (script !== undefined) found.push(await lineFindings(from, script, depth + 1));
  }
  return together(found);
}

async function enteredFindings({ guard, root, folders }: Standpoint): Promise<Findings> {
  const reasons: string[] = [];
  for (const folder of folders) {
    const written = resolve(root, folder);
    const checked = await guard.resolve(written);
    if (!checked.ok) reasons.push(checked.message);
    // Behind a link the shell's `..` and ours are not the same.
    else if (checked.place.path !== written) reasons.push(`'${folder}' leads through a link.`);
  }
  return because(reasons);
}

async function redirectFindings(
  from: Standpoint,
  { operator, target }: ReturnType<typeof readShellTree>['redirects'][number],
): Promise<Findings> {
  if (target?.value === undefined || (operator.endsWith('&') && /^[0-9-]+$/.test(target.value)))
    return nothing;
  const isRead = operator === '<';
  const { reasons, paths } = await resolved(from, target.value, isRead ? 'reads' : 'writes');
  return isRead
    ? { ...nothing, reasons, used: paths }
    : { ...nothing, reasons, written: paths.map(({ path }) => path) };
}

async function commandFindings(from: Standpoint, words: readonly string[]): Promise<Findings> {
  const [first, ...rest] = words;
  const name = first?.slice(first.lastIndexOf('/') + 1) ?? '';
  if (first === undefined || name === 'cd' || name === 'pushd') return nothing;
  const found: Findings[] = [];
  if (first.includes('/') && !isSystemFolder(dirname(first))) {
    const { reasons, paths } = await resolved(from, first, 'runs');
    found.push({ ...nothing, reasons, used: paths, run: paths });
  }
  const use = onlyReads(name, rest) ? 'reads' : 'writes';
  const edited = name === 'sed' ? editedBySed(rest) : undefined;
  const named: (readonly GuardedPath[])[] = [];
  for (const [at, word] of rest.entries()) {
    const how = isSettingsFile(name, rest, at) ? 'runs' : use;
    const each = await Promise.all(pathsIn(word, use).map((path) => resolved(from, path, how)));
    const paths = each.flatMap((one) => one.paths);
    if (!word.startsWith('-')) named.push(paths);
    const runs = use === 'writes' && !movers.has(name) && !edited;
    found.push({
      reasons: each.flatMap(({ reasons }) => reasons),
      used: paths,
      run: runs ? paths : [],
      written: edited?.files.includes(word) ? editedPaths(paths, edited) : [],
    });
  }
  return together([...found, ...effects(words, named)]);
}

const editedPaths = (paths: readonly GuardedPath[], { backup }: EditedBySed): string[] =>
  paths.flatMap(({ path }) => [path, path + backup]);

/** What a command does to the files that it names, also behind programs that run others. */
function effects(words: readonly string[], named: readonly (readonly GuardedPath[])[]): Findings[] {
  const names = words.map((word) => word.slice(word.lastIndexOf('/') + 1));
  const found: Findings[] = [];
  const written = (paths: readonly string[]) => found.push({ ...nothing, written: paths });
  if (names.includes('tee')) written(named.flat().map(({ path }) => path));
  if (names.includes('cp') || names.includes('mv')) written(targetsOf(named));
  if (names.includes('git') && names.includes('checkout') && !words.includes('-b')) {
    // What is no branch is a file or a folder to `git checkout`.
    const lost = named.flat().find(({ kind, relative }) => kind !== 'absent' && relative !== '');
    if (lost) found.push(because([`'${lost.relative}' may lose what git has not saved (git checkout).`]));
  }
  return found;
}

/** The places that a path may mean, and why they must be asked about; none where it is no path. */
async function resolved(
  { guard, root, folders }: Standpoint,
  path: string,
  use: Use,
): Promise<{ readonly paths: readonly GuardedPath[]; readonly reasons: readonly string[] }> {
  if (/^\/dev\/(null|stdout|stderr)$/.test(path)) return { paths: [], reasons: [] };
  const reasons = leadsBack.test(path) ? [`'${path}' leads back through another folder.`] : [];
  const paths: GuardedPath[] = [];
  for (const folder of folders) {
    const written = resolve(root, folder, path);
    const checked = await guard.resolve(written);
    if (checked.ok) {
      paths.push(checked.place);
      appendAll(reasons, reasonsFor(checked.place, use));
    } else if (use === 'reads' ? await isThere(written) : await isPath(resolve(root, folder), path)) {
      reasons.push(checked.message);
    }
  }
  return { paths, reasons };
}

/** Texts look like paths too: those with blanks count where something is that they begin with. */
async function isPath(folder: string, path: string): Promise<boolean> {
  if (!/\s/.test(path) || /^\.{0,2}\//.test(path)) return true;
  return isThere(resolve(folder, path.split('/')[0] ?? ''));
}

function reasonsFor(place: GuardedPath, use: Use): readonly string[] {
  // A word of which there is no file may be none.
  const named = { ...place, isWord: place.kind === 'absent' };
  const rule = (use === 'writes' ? writeRule(named) : undefined) ?? readRule(named);
  if (rule) return [`'${place.relative}' ${rule.reason}.`];
  return use === 'writes' && place.names > 1 ? [`'${place.relative}' ${namesReason(place)}.`] : [];
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
function targetsOf(named: readonly (readonly GuardedPath[])[]): string[] {
  const sources = named.slice(0, -1).flat();
  return (named.at(-1) ?? []).flatMap((target) =>
    target.kind === 'folder' ? sources.map(({ path }) => join(target.path, basename(path))) : [target.path],
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

/**
 * All folders in which the commands of a line may stand that begins in one of `begins`: each `cd` may have been
 * done or not. `reason`: why that cannot be told.
 */
function workingFolders(
  commands: readonly ShellCommand[],
  begins: readonly string[],
): { readonly folders: readonly string[]; readonly reason: string | undefined } {
  let folders = begins;
  for (const { words } of commands) {
    const [name, ...rest] = words.map(({ value }) => value);
    if (name !== 'cd' && name !== 'pushd') continue;
    const targets = rest.filter((word) => word === undefined || !/^-(-|[LPen@]+)$/.test(word));
    const [target] = targets;
    if (target === '-') continue;
    if (targets.length !== 1 || target === undefined) {
      return { folders, reason: `Where it goes (${name}) is known only when it runs.` };
    }
    // By a flag or an option of the shell, the way back begins behind the link.
    if (leadsBack.test(target)) return { folders, reason: `'${target}' leads back through another folder.` };
    const next = folders.map((folder) => (isAbsolute(target) ? normalize(target) : join(folder, target)));
    folders = [...new Set([...folders, ...next])];
    if (folders.length > MAX_FOLDERS) return { folders, reason: 'It goes through too many folders.' };
  }
  return { folders, reason: undefined };
}
