import { lstat, readdir, readFile } from 'node:fs/promises';
import type { Dirent } from 'node:fs';
import { join } from 'node:path';
import type { GuardedPath } from '../../ports/workspaceFiles.js';
import { namesReason } from '../paths/accessRights.js';
import { isUnreadableName, shownPath } from '../paths/pathNames.js';
import { readRule } from '../paths/protectedPaths.js';
import type { LookedAt } from './judgeArguments.js';

/** A folder that holds more is not looked through. */
const MAX_ENTRIES = 10_000;

/** What package managers have fetched is nobody's secret. */
const FETCHED = 'node_modules';

type Place = Pick<GuardedPath, 'path' | 'relative'>;

/**
 * Why reading everything in a folder must be asked about: one of its files may hold secrets, or has another name.
 * Links are not followed, as the programs do not follow them.
 */
export async function lookAtTree(
  { path, relative }: Place,
  { without = [], heedsIgnoreFiles }: Pick<LookedAt, 'without' | 'heedsIgnoreFiles'>,
): Promise<string | undefined> {
  const open: Place[] = [{ path, relative }];
  let seen = 0;
  for (let folder = open.pop(); folder; folder = open.pop()) {
    const entries = await entriesOf(folder.path);
    seen += entries.length;
    if (seen > MAX_ENTRIES) return `'${relative || '.'}' holds more than ${MAX_ENTRIES} files.`;
    const skipped = [
      FETCHED,
      ...(heedsIgnoreFiles && (await bringsBack(folder.path, entries)) ? [] : without),
    ];
    for (const entry of entries) {
      const way = folder.relative === '' ? entry.name : `${folder.relative}/${entry.name}`;
      const place = { path: join(folder.path, entry.name), relative: way };
      if (isUnreadableName(entry.name) && !entry.isSymbolicLink()) return unreadable(way);
      if (entry.isDirectory() && !skipped.includes(entry.name)) open.push(place);
      const reason = entry.isFile() ? await lookAtFile(place) : undefined;
      if (reason !== undefined) return reason;
    }
  }
  return undefined;
}

async function lookAtFile(place: Place): Promise<string | undefined> {
  const rule = readRule(place);
  if (rule) return `'${place.relative}' ${rule.reason}.`;
  const names = await namesOf(place.path);
  return names > 1 ? `'${place.relative}' ${namesReason({ names })}.` : undefined;
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
export const unreadable = (path: string): string => `The name of '${shownPath(path)}' is no valid text.`;

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
