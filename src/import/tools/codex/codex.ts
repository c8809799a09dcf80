import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { atMost, headOf, KnownParents, type SidecarPaths, type Tool } from '../tool.js';
import { codexEvents } from './codexEvents.js';
import { codexSessions } from './codexSessions.js';
import { codexTelemetry } from './codexTelemetry.js';
import { rolloutName, rolloutsOnce } from './rolloutName.js';

/** How much of a rollout's first line is read, in bytes; it may contain long instructions. */
const MAX_META = 256 * 1024;

/** Codex: rollouts with those of subagents beside them, what `codex exec` and the app server print, and telemetry. */
export const codex: Tool = {
  formats: [codexSessions, codexEvents],
  telemetry: [codexTelemetry],
  owned: { is: isRollout, sidecarFiles: descendantsOf },
  folderOf: (path) => (isRollout(path) ? dirname(path) : undefined),
};

function isRollout(path: string): boolean {
  return rolloutName(path) !== undefined;
}

/** The rollouts in the same folder (Codex has one per day) of threads that this one started, directly or indirectly. */
async function descendantsOf(path: string, known = new KnownParents()): Promise<SidecarPaths> {
  const folder = dirname(path);
  const own = rolloutName(path);
  const begun = own?.begun ?? '';
  const all = rolloutsOnce((await readdir(folder)).map((name) => join(folder, name)));
  const others = all.filter((each) => (rolloutName(each)?.plain ?? own?.plain) !== own?.plain);
  // A thread starts after its parent, unless the clock was set back; within one second the names have no order.
  const isLater = (each: string) => (rolloutName(each)?.begun ?? '') >= begun;
  const later = others.filter(isLater);
  const earlier = others.filter((each) => !isLater(each));
  const parents = new Map<string, string | undefined>();
  const { paths, left } = atMost([...later, ...earlier]);
  for (const each of paths) parents.set(each, await parentThread(each, known));
  const found = [path];
  for (const each of found) {
    const thread = rolloutName(each)?.thread;
    for (const [other, parent] of parents) {
      if (parent === thread && !found.includes(other)) found.push(other);
    }
  }
  return { paths: found.slice(1), left };
}

/** The thread that started a rollout, according to its first line, which never changes once it is whole. */
async function parentThread(path: string, known: KnownParents): Promise<string | undefined> {
  if (known.of.has(path)) return known.of.get(path);
  const head = await headOf(path, MAX_META);
  const [first = ''] = head.split('\n', 1);
  const parent = /"parent_thread_id"\s*:\s*"([^"]+)"/.exec(first)?.[1];
  if (parent !== undefined || first.length < head.length) known.know(path, parent);
  else known.open.add(path);
  return parent;
}
