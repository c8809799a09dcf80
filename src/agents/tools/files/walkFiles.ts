import { readdir } from 'node:fs/promises';
import type { Dirent } from 'node:fs';
import { join } from 'node:path';
import { RE2JS } from 're2js';
import type { GuardedPath } from '../../../core/ports/workspaceFiles.js';
import { readDiskText } from './diskFiles.js';
import { hasProc, openGuarded } from '../paths/openGuarded.js';
import { globSource } from './glob.js';
import { STORE_FOLDER } from '../paths/protectedPaths.js';

interface IgnoreRule {
  readonly matches: (relative: string) => boolean;
  readonly negated: boolean;
  readonly foldersOnly: boolean;
}

const always = new Set(['.git', 'node_modules', '.hg', '.svn', STORE_FOLDER]);
const MAX_RULES = 2_000;

/** What listing and searching skip: version control, dependencies, the store, and what `.gitignore` names. */
export class IgnoreRules {
  readonly #rules: readonly IgnoreRule[];

  constructor(rules: readonly IgnoreRule[] = []) {
    this.#rules = rules;
  }

  /** These rules and those of a `.gitignore` in `folder` (from the root, with `/`, empty for the root itself). */
  with(gitignore: string, folder: string): IgnoreRules {
    const added = gitignore.split(/\r?\n/).flatMap((line) => readRule(line, folder));
    return new IgnoreRules([...this.#rules, ...added].slice(-MAX_RULES));
  }

  /** Whether a path (from the root, with `/`) is skipped. A skipped folder hides everything in it. */
  ignores(relative: string, kind: 'file' | 'folder'): boolean {
    if (always.has(relative.slice(relative.lastIndexOf('/') + 1))) return true;
    const rule = this.#rules.findLast(
      ({ matches, foldersOnly }) => (!foldersOnly || kind === 'folder') && matches(relative),
    );
    return rule !== undefined && !rule.negated;
  }
}

function readRule(line: string, folder: string): IgnoreRule[] {
  const text = line.replace(/(?<!\\)[ \t]+$/, '');
  if (text === '' || text.startsWith('#') || text.length > 1_000) return [];
  const negated = text.startsWith('!');
  const foldersOnly = text.endsWith('/');
  const body = text.slice(negated ? 1 : 0, foldersOnly ? -1 : undefined);
  const source = globSource(body.includes('/') ? body.replace(/^\//, '') : `**/${body}`);
  const base = folder === '' ? '' : `${RE2JS.quote(folder)}/`;
  try {
    const matches = base === '' ? simpleRule(body) : undefined;
    const pattern = matches ? undefined : RE2JS.compile(base + source, RE2JS.DOTALL);
    return [{ matches: matches ?? ((path) => pattern?.matches(path) === true), negated, foldersOnly }];
  } catch {
    // An invalid pattern hides nothing, as in git.
    return [];
  }
}

/** A fast path for lines that are a plain name or an extension, as most are. */
function simpleRule(body: string): IgnoreRule['matches'] | undefined {
  const [, star = '', plain = ''] = /^(\*?)([^*?[\]{}\\/]+)$/.exec(body) ?? [];
  if (plain === '') return undefined;
  return star === ''
    ? (path) => path === plain || path.endsWith(`/${plain}`)
    : (path) => path.slice(path.lastIndexOf('/') + 1).endsWith(plain);
}

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
