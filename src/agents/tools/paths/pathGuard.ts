import { errorCode } from '../../../core/errorCode.js';
import { lstat, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { messageOf } from '../../../core/text.js';
import type { FileOutcome, GuardedPath } from '../../../core/ports/workspaceFiles.js';
import { isInside, shownPath } from './pathNames.js';

/** A path that may be opened, or why it may not. */
export type GuardOutcome = FileOutcome<{ readonly place: GuardedPath }>;

const MAX_PATH_LENGTH = 4096;

/** Resolves paths from models to real places in the workspace, and refuses everything else. */
export class PathGuard {
  /** The workspace's folders, as the person knows them. */
  readonly folders: readonly string[];
  /** The store's folder, if it is known; a folder with its usual name counts as one anywhere. */
  readonly store: string | undefined;

  /** `folders`: the absolute paths of the workspace's folders; relative paths start at the first. */
  constructor(folders: readonly string[], store?: string) {
    this.store = store === undefined ? undefined : resolve(store);
    this.folders = folders.map((folder) => resolve(folder));
  }

  /**
   * The real place of `path`, with every link resolved; for a file that does not exist yet, the real place of its deepest
   * existing folder plus the rest. Never rejects.
   */
  async resolve(path: string): Promise<GuardOutcome> {
    const problem = malformed(path);
    if (problem !== undefined) return refused(`'${shownPath(path)}' ${problem}.`);
    const written = this.#absolute(path);
    for (const folder of this.folders) {
      const root = await realOf(folder);
      if (root === undefined || !(isInside(folder, written, sep) || isInside(root, written, sep))) continue;
      return this.#resolveInside(root, written, path);
    }
    return refused(`'${shownPath(path)}' lies outside of the workspace.`);
  }

  /** Where several folders are open, the first name of a relative path may be a folder's name. */
  #absolute(path: string): string {
    if (isAbsolute(path)) return resolve(path);
    const [first = '', ...rest] = path.split(/[\\/]/);
    const named = this.folders.length > 1 && this.folders.find((folder) => basename(folder) === first);
    return named ? resolve(join(named, rest.join(sep))) : resolve(this.folders[0] ?? sep, path);
  }

  async #isInStore(path: string): Promise<boolean> {
    if (this.store === undefined) return false;
    const real = (await realOf(this.store)) ?? this.store;
    return isInside(real, path, sep) || isInside(this.store, path, sep);
  }

  async #resolveInside(root: string, written: string, shown: string): Promise<GuardOutcome> {
    const real = await realLocation(written);
    if (!real.ok) return refused(`'${shownPath(shown)}' ${real.problem}.`);
    if (!isInside(root, real.path, sep)) {
      return refused(`'${shownPath(shown)}' leads out of the workspace, to '${shownPath(real.path)}'.`);
    }
    const kind = await kindOf(real.path, real.exists);
    if (kind === undefined) return refused(`'${shownPath(shown)}' is neither a file nor a folder.`);
    const way = relative(root, real.path).split(sep).join('/');
    const place = { path: real.path, root, relative: way, ...kind };
    return { ok: true, place: (await this.#isInStore(real.path)) ? { ...place, inStore: true } : place };
  }
}

function malformed(path: string): string | undefined {
  if (path === '') return 'is empty';
  if (path.length > MAX_PATH_LENGTH) return 'is too long';
  if (/\p{Cc}/u.test(path)) return 'holds control characters';
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(path)) return 'is a URL; write a path of the workspace';
  if (/^~([\\/]|$)/.test(path)) return 'lies outside of the workspace';
  return /\p{Cs}/u.test(path) ? 'is no valid text' : undefined;
}

type RealLocation =
  | { readonly ok: true; readonly path: string; readonly exists: boolean }
  | { readonly ok: false; readonly problem: string };

async function realLocation(written: string): Promise<RealLocation> {
  const missing: string[] = [];
  for (let path = written; ; path = dirname(path)) {
    try {
      await lstat(path);
    } catch (error) {
      if (errorCode(error) === 'ENOTDIR') return { ok: false, problem: 'leads through a file' };
      if (errorCode(error) !== 'ENOENT' || dirname(path) === path) {
        return { ok: false, problem: `cannot be reached: ${messageOf(error)}` };
      }
      missing.unshift(basename(path));
      continue;
    }
    return continueFrom(path, missing);
  }
}

/** Continues from `existing`, which is a file, a folder or a link, which may lead to nothing. */
async function continueFrom(existing: string, missing: readonly string[]): Promise<RealLocation> {
  try {
    const real = await realpath(existing);
    if (missing.length === 0) return { ok: true, path: real, exists: true };
    if (!(await stat(real)).isDirectory()) return { ok: false, problem: 'leads through a file' };
    return { ok: true, path: join(real, missing.join(sep)), exists: false };
  } catch (error) {
    const dangling = errorCode(error) === 'ENOENT';
    return {
      ok: false,
      problem: dangling ? 'is a link to nothing' : `cannot be reached: ${messageOf(error)}`,
    };
  }
}

async function kindOf(
  path: string,
  exists: boolean,
): Promise<Pick<GuardedPath, 'kind' | 'names'> | undefined> {
  if (!exists) return { kind: 'absent', names: 0 };
  try {
    const found = await lstat(path);
    if (found.isDirectory()) return { kind: 'folder', names: 1 };
    return found.isFile() ? { kind: 'file', names: found.nlink } : undefined;
  } catch (error) {
    // It was removed after its real path was resolved; opening it will notice again.
    return errorCode(error) === 'ENOENT' ? { kind: 'absent', names: 0 } : undefined;
  }
}

async function realOf(folder: string): Promise<string | undefined> {
  try {
    return await realpath(folder);
  } catch {
    // A missing folder contains nothing that could be opened.
    return undefined;
  }
}

function refused(message: string): GuardOutcome {
  return { ok: false, why: 'refused', message };
}
