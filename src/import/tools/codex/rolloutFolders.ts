import { basename, dirname, join } from 'node:path';
import { namesIn } from '../tool.js';

/** What the name of a rollout says of it. */
interface RolloutName {
  /** When it began, as Codex writes it: names sort by it. */
  readonly begun: string;
  /** The thread that it is of. */
  readonly thread: string;
  /** By what others name this file: the thread's id of its first one, an id of its own of one that goes on. */
  readonly rollout: string;
  /** Its name without what tells whether it is packed. */
  readonly plain: string;
  readonly isPacked: boolean;
}

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const NAME = new RegExp(`^((rollout-.*?)(${UUID})(?:_(${UUID}))?\\.jsonl)(\\.zst)?$`);

/** What a path's name says of the rollout there; undefined for a file of any other name. */
export function rolloutName(path: string): RolloutName | undefined {
  const [, plain, begun, thread, further, packed] = NAME.exec(basename(path)) ?? [];
  if (plain === undefined || begun === undefined || thread === undefined) return undefined;
  return { begun, thread, rollout: further ?? thread, plain, isPacked: packed !== undefined };
}

/**
 * The files among some that hold a rollout each, in the order in which these began: a packed one beside the plain one, and one in a
 * later folder of the list, as the archive, say the same.
 */
export function rolloutsOnce(paths: readonly string[]): readonly string[] {
  const found = new Map<string, string>();
  for (const path of paths) {
    const name = rolloutName(path)?.plain ?? basename(path).replace(/\.zst$/, '');
    const before = found.get(name);
    const isPlainOf = before?.endsWith('.zst') === true && dirname(before) === dirname(path);
    if (before === undefined || isPlainOf) found.set(name, path);
  }
  return Array.from(found)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, path]) => path);
}

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
