import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { rolloutName, rolloutsOnce } from './rolloutName.js';

/** How long a folder must have been left alone before its time tells that it holds what it held, in milliseconds. */
const SETTLED_MS = 3_000;

/** How many folders are remembered at most. */
const MAX_FOLDERS = 5_000;

interface Names {
  readonly changed: number;
  readonly readAt: number;
  readonly names: readonly string[];
}

/** What folders held when they were read last: of a thread all days are looked through, and of every thread the same ones. */
const remembered = new Map<string, Names>();

/**
 * All rollouts where the one at a path may go on or begin, each once: in its folder, and where that is one for a day, in those of all
 * days and in the archive beside these.
 */
export async function rolloutsAround(path: string): Promise<readonly string[]> {
  const folder = dirname(path);
  const [, days] = /^(.*)[\\/]\d{4}[\\/]\d\d[\\/]\d\d$/.exec(folder) ?? [];
  const root = days ?? folder;
  const isCodex = /^(?:archived_)?sessions$/.test(basename(root));
  const roots = isCodex ? ['sessions', 'archived_sessions'].map((name) => join(dirname(root), name)) : [root];
  const found: string[] = [];
  for (const each of roots) await rolloutsBelow(each, days === undefined && !isCodex ? 0 : 3, found);
  return rolloutsOnce(found);
}

/** The rollouts in a folder. */
export async function rolloutsIn(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  await rolloutsBelow(folder, 0, found);
  return found;
}

/** Adds the rollouts in a folder, and in those of years, months and days below it. */
async function rolloutsBelow(folder: string, depth: number, found: string[]): Promise<void> {
  const names = await namesIn(folder);
  for (const name of names) if (rolloutName(name)) found.push(join(folder, name));
  const below = depth === 0 ? [] : names.filter((name) => /^\d{2,4}$/.test(name));
  for (const name of below) await rolloutsBelow(join(folder, name), depth - 1, found);
}

/** The names in a folder; none where there is no such folder: whoever reads a file in it reports why. */
async function namesIn(folder: string): Promise<readonly string[]> {
  const about = await stat(folder).catch(() => undefined);
  if (!about?.isDirectory()) return [];
  const known = remembered.get(folder);
  if (known?.changed === about.mtimeMs && known.readAt - about.mtimeMs > SETTLED_MS) return known.names;
  const readAt = Date.now();
  const names = await readdir(folder).catch(() => []);
  if (remembered.size >= MAX_FOLDERS) remembered.clear();
  remembered.set(folder, { changed: about.mtimeMs, readAt, names });
  return names;
}
