import { basename, dirname } from 'node:path';

/** What the name of a rollout says of it. */
export interface RolloutName {
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
