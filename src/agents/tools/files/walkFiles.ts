import { readdir } from 'node:fs/promises';
import type { Dirent } from 'node:fs';
import { join } from 'node:path';
import type { GuardedPath } from '../../../core/ports/workspaceFiles.js';
import { readDiskText } from './diskFiles.js';
import { IgnoreRules } from './ignoreRules.js';
import { hasProc, openGuarded } from '../paths/openGuarded.js';

/** An entry of a folder. Links are listed and never followed. */
export interface FolderEntry {
  /** Relative to the folder where the walk started, separated by `/`. */
  readonly relative: string;
  readonly place: Pick<GuardedPath, 'path' | 'relative' | 'root'>;
  readonly kind: 'file' | 'folder' | 'link';
}

/** How a folder is walked. */
export interface WalkOptions {
  readonly recursive: boolean;
  readonly signal: AbortSignal;
  /** The real path of a folder to skip. */
  readonly skip?: string | undefined;
}

type Folder = Pick<GuardedPath, 'path' | 'relative' | 'root'>;

const MAX_DEPTH = 64;
const MAX_GITIGNORE_BYTES = 128 * 1024;

/**
 * The entries of a folder, sorted by name within each folder, a folder before its content. Skips what the workspace's
 * ignore rules skip, unless the walk starts within it. A folder that cannot be read counts as empty. Ends early when the
 * signal is aborted.
 */
export async function* walkFiles(start: Folder, options: WalkOptions): AsyncGenerator<FolderEntry> {
  const rules = await rulesAbove(start);
  yield* walkFolder(start, '', rules, options, 0);
}

async function* walkFolder(
  folder: Folder,
  prefix: string,
  above: IgnoreRules,
  options: WalkOptions,
  depth: number,
): AsyncGenerator<FolderEntry> {
  const entries = await readFolder(folder);
  const hasRules = entries.some((entry) => entry.name === '.gitignore' && entry.isFile());
  const rules = hasRules ? await withRulesOf(folder, above) : above;
  for (const entry of entries) {
    if (options.signal.aborted) return;
    const kind = kindOf(entry);
    const relative = folder.relative === '' ? entry.name : `${folder.relative}/${entry.name}`;
    if (kind === undefined || rules.ignores(relative, kind === 'folder' ? 'folder' : 'file')) continue;
    const place = { path: join(folder.path, entry.name), relative, root: folder.root };
    if (place.path === options.skip) continue;
    const seen = prefix + entry.name;
    yield { relative: seen, place, kind };
    if (kind === 'folder' && options.recursive && depth < MAX_DEPTH) {
      yield* walkFolder(place, `${seen}/`, rules, options, depth + 1);
    }
  }
}

function kindOf(entry: Dirent): FolderEntry['kind'] | undefined {
  if (entry.isDirectory()) return 'folder';
  if (entry.isSymbolicLink()) return 'link';
  return entry.isFile() ? 'file' : undefined;
}

async function readFolder(folder: Folder): Promise<Dirent[]> {
  const opened = await openGuarded(folder, 'folder');
  if (!opened.ok) return [];
  try {
    const path = hasProc ? `/proc/self/fd/${opened.handle.fd}` : folder.path;
    const entries = await readdir(path, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    // It no longer exists or may not be read: there is nothing to show of it.
    return [];
  } finally {
    await opened.handle.close();
  }
}

async function rulesAbove(start: Folder): Promise<IgnoreRules> {
  let rules = new IgnoreRules();
  if (start.relative === '') return rules;
  const names = start.relative.split('/');
  for (let count = 0; count < names.length; count++) {
    const relative = names.slice(0, count).join('/');
    rules = await withRulesOf({ path: join(start.root, relative), relative, root: start.root }, rules);
  }
  return rules;
}

async function withRulesOf(folder: Folder, rules: IgnoreRules): Promise<IgnoreRules> {
  const relative = folder.relative === '' ? '.gitignore' : `${folder.relative}/.gitignore`;
  const path = join(folder.path, '.gitignore');
  const file = await readDiskText({ path, relative }, MAX_GITIGNORE_BYTES);
  return file.ok ? rules.with(file.text, folder.relative) : rules;
}
