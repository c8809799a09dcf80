import { lstat, readdir, readFile } from 'node:fs/promises';
import type { Dirent } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { GuardedPath } from '../../../core/ports/workspaceFiles.js';
import type { PathGuard } from '../paths/pathGuard.js';
import { namesReason } from '../paths/accessRights.js';
import { isUnreadableName, shownPath } from '../paths/pathNames.js';
import { readRule } from '../paths/protectedPaths.js';
import { allow, ask } from '../verdict.js';
import type { Verdict } from '../verdict.js';
import type { AllowedCommand } from './allowedCommand.js';
import type { CheckedPath } from './policy/program.js';

/** More names than this are not looked at for one pattern. */
const MAX_NAMES = 1_000;

/** Whether a command that only looks, run in the folder `root`, must be asked about all the same: for what it looks at. */
export async function checkPaths(
  guard: PathGuard,
  root: string,
  command: Pick<AllowedCommand, 'entered' | 'checked'>,
): Promise<Verdict> {
  for (const folder of command.entered) {
    const written = resolve(root, folder);
    const checked = await guard.resolve(written);
    if (!checked.ok) return ask(checked.message);
    const { kind, path } = checked.place;
    if (kind !== 'folder') return ask(`'${folder}' is not a folder.`);
    // Behind a link the shell's `..` and ours are not the same.
    if (path !== written) return ask(`'${folder}' leads through a link.`);
  }
  for (const look of command.checked) {
    const verdict = look.pattern
      ? await patternVerdict(guard, root, look)
      : await pathVerdict(guard, root, look);
    if (verdict.kind !== 'allow') return verdict;
  }
  return allow;
}

async function pathVerdict(guard: PathGuard, root: string, look: CheckedPath): Promise<Verdict> {
  const { path, what } = look;
  const checked = await guard.resolve(resolve(root, path));
  if (!checked.ok) return ask(checked.message);
  const { relative, kind, names } = checked.place;
  const rule = readRule(checked.place) ?? readRule({ relative: path });
  if (rule) return ask(`'${relative}' ${rule.reason}.`);
  if (what === 'names') return allow;
  if (kind === 'folder') {
    return what === 'tree'
      ? checkTree(checked.place, look)
      : ask(`'${relative}' is a folder; which of its files are read is not known.`);
  }
  return names > 1 ? ask(`'${relative}' ${namesReason({ names })}.`) : allow;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch {
    // Whoever may not read it is told no names by the shell either.
    return [];
  }
}

/** Everything that the shell may put in the place of a pattern, and perhaps more. */
async function patternVerdict(guard: PathGuard, root: string, look: CheckedPath): Promise<Verdict> {
  const folder = dirname(look.path);
  const checked = await guard.resolve(resolve(root, folder));
  if (!checked.ok) return ask(checked.message);
  if (checked.place.kind !== 'folder') return allow;
  const [before = '', after = ''] = basename(look.path).split('*');
  const names = (await namesIn(checked.place.path)).filter(
    (name) => name.length >= before.length + after.length && name.startsWith(before) && name.endsWith(after),
  );
  if (names.length > MAX_NAMES) return ask(`'${look.path}' stands for more than ${MAX_NAMES} files.`);
  const flag = names.find((name) => name.startsWith('-'));
  if (flag !== undefined) return ask(`'${flag}' would be taken for a flag.`);
  for (const name of names) {
    if (isUnreadableName(name)) return unreadable(join(folder, name));
    const verdict = await pathVerdict(guard, root, { ...look, path: join(folder, name) });
    if (verdict.kind !== 'allow') return verdict;
  }
  return allow;
}

/** A folder that holds more is not looked through. */
const MAX_ENTRIES = 10_000;

/** What package managers have fetched is nobody's secret. */
const FETCHED = 'node_modules';

type NamedFile = Pick<GuardedPath, 'path' | 'relative'>;

/**
 * Whether reading everything in a folder must be asked about: one of its files may hold secrets, or has another name.
 * Links are not followed, as the programs do not follow them.
 */
export async function checkTree(
  { path, relative }: NamedFile,
  { without = [], heedsIgnoreFiles }: Pick<CheckedPath, 'without' | 'heedsIgnoreFiles'>,
): Promise<Verdict> {
  const open: NamedFile[] = [{ path, relative }];
  let seen = 0;
  for (let folder = open.pop(); folder; folder = open.pop()) {
    const entries = await entriesOf(folder.path);
    seen += entries.length;
    if (seen > MAX_ENTRIES) return ask(`'${relative || '.'}' holds more than ${MAX_ENTRIES} files.`);
    const skipped = [
      FETCHED,
      ...(heedsIgnoreFiles && (await bringsBack(folder.path, entries)) ? [] : without),
    ];
    for (const entry of entries) {
      const way = folder.relative === '' ? entry.name : `${folder.relative}/${entry.name}`;
      const place = { path: join(folder.path, entry.name), relative: way };
      if (isUnreadableName(entry.name) && !entry.isSymbolicLink()) return unreadable(way);
      if (entry.isDirectory() && !skipped.includes(entry.name)) open.push(place);
      const verdict = entry.isFile() ? await fileVerdict(place) : allow;
      if (verdict.kind !== 'allow') return verdict;
    }
  }
  return allow;
}

async function fileVerdict(place: NamedFile): Promise<Verdict> {
  const rule = readRule(place);
  if (rule) return ask(`'${place.relative}' ${rule.reason}.`);
  const names = await namesOf(place.path);
  return names > 1 ? ask(`'${place.relative}' ${namesReason({ names })}.`) : allow;
}

async function namesOf(path: string): Promise<number> {
  try {
    return (await lstat(path)).nlink;
  } catch {
    // It went away since its folder was read.
    return 0;
  }
}

/** Why something in a folder cannot be looked at before a command does. */
const unreadable = (path: string): Verdict => ask(`The name of '${shownPath(path)}' is no valid text.`);

async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch {
    // What we may not read, the command may not read either.
    return [];
  }
}

/** Whether rules of what to ignore may name hidden folders as an exception. */
async function bringsBack(folder: string, entries: readonly Dirent[]): Promise<boolean> {
  for (const { name } of entries.filter((entry) => /^\.(git|rg)?ignore$/.test(entry.name))) {
    try {
      if (/^\s*!.*([*?[]|\.git(\/|\s*$))/m.test(await readFile(join(folder, name), 'utf8'))) return true;
    } catch {
      return true;
    }
  }
  return false;
}
