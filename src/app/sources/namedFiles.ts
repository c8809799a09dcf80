import { lstat, readdir } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { appendAll } from '../../core/lists.js';
import { t } from '../../core/l10n.js';
import { globTest } from '../../query/language/globs.js';
import { UserError } from '../userError.js';

/** The most files that a pattern stands for. */
const MAX_FILES = 50_000;

/** What a pattern of names has in it. */
const PATTERN = /[*?]/;

/**
 * Some names, with the files that a pattern in one stands for in its place, where no shell has put them there. Throws a UserError
 * where none has such a name.
 */
export async function expandedNames(cwd: string, names: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of names) {
    if (!PATTERN.test(name) || (await isThere(resolve(cwd, name)))) found.push(name);
    else appendAll(found, await namesMatching(cwd, name));
  }
  return found;
}

async function namesMatching(cwd: string, pattern: string): Promise<readonly string[]> {
  const names = pattern.split(/[\\/]/);
  const at = names.findIndex((name) => PATTERN.test(name));
  const base = pattern.slice(
    0,
    names.slice(0, at).reduce((sum, { length }) => sum + length + 1, 0),
  );
  const found: string[] = [];
  await matching(isAbsolute(base) ? base : join(cwd, base), base, names.slice(at), found);
  if (found.length === 0) throw new UserError(t`There is no file ${pattern}.`);
  return found.sort();
}

/** Adds what lies in a folder by patterns of names, as a person would name it. */
async function matching(
  folder: string,
  named: string,
  patterns: readonly string[],
  found: string[],
): Promise<void> {
  const [pattern = '', ...further] = patterns;
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const test = globTest(pattern);
  if (pattern === '**') await matching(folder, named, further, found);
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const { name } = entry;
    if (found.length >= MAX_FILES) return;
    if (name.startsWith('.') && !pattern.startsWith('.')) continue;
    const isFolder = entry.isDirectory();
    if (pattern === '**') {
      if (isFolder) await matching(join(folder, name), `${named}${name}/`, patterns, found);
    } else if (test(name)) {
      if (further.length === 0) found.push(`${named}${name}`);
      else if (isFolder) await matching(join(folder, name), `${named}${name}/`, further, found);
    }
  }
}

async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}
