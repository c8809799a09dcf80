import { dirname } from 'node:path';
import { atMost, headOf, KnownParents, type SidecarPaths, type Tool } from '../tool.js';
import { codexEvents } from './codexEvents.js';
import { codexSessions } from './codexSessions.js';
import { codexTelemetry } from './codexTelemetry.js';
import { rolloutsAround, rolloutsIn, rolloutName, rolloutsOnce } from './rolloutFolders.js';

/** How much of a rollout's first line is read, in bytes; it may contain long instructions. */
const MAX_META = 256 * 1024;

/** Codex: rollouts with those of their threads and of subagents, what `codex exec` and the app server print, and telemetry. */
export const codex: Tool = {
  formats: [codexSessions, codexEvents],
  telemetry: [codexTelemetry],
  owned: { is: isRollout, sidecarFiles: sidecarRollouts },
  placesBeside,
  sessionsOver,
  folderOf: (path) => (isRollout(path) ? dirname(path) : undefined),
};

/** Rollouts of one that may go on elsewhere lie in any folder; in its own, which others belong to it stays once their first lines are whole. */
async function placesBeside(
  path: string,
  known = new KnownParents(),
): Promise<readonly string[] | undefined> {
  const { parts, before, around } = await historyOf(path, known);
  const all = rolloutsOnce(await rolloutsIn(dirname(path)));
  const { left } = descendantsOf(path, all, known);
  const isAlone = parts.length + before.length + around.length + left === 0;
  const areWhole = known.beginnings.has(path) && !all.some((each) => known.open.has(each));
  return isAlone && areWhole ? [dirname(path)] : undefined;
}

function isRollout(path: string): boolean {
  return rolloutName(path) !== undefined;
}

/**
 * The other rollouts of the same thread, wherever they lie, those that it was forked from, and those in their folders (Codex has one
 * per day) of threads that this one started, directly or indirectly.
 */
async function sidecarRollouts(path: string, known = new KnownParents()): Promise<SidecarPaths> {
  const history = await historyOf(path, known);
  const folders = new Set([path, ...history.parts].map((each) => dirname(each)));
  const all = (await Promise.all(Array.from(folders, rolloutsIn))).flat();
  const { paths, left } = descendantsOf(path, rolloutsOnce(all), known);
  const threads = new Set(paths.map((each) => rolloutName(each)?.thread));
  const further = history.around.filter((each) => threads.has(rolloutName(each)?.thread));
  return { paths: [...new Set([...history.parts, ...history.before, ...paths, ...further])], left };
}

/** The other files of a rollout's thread, those of others that say what was said before it, and all that lie around. */
async function historyOf(
  path: string,
  known: KnownParents,
): Promise<Record<'parts' | 'before' | 'around', readonly string[]>> {
  const own = rolloutName(path);
  const isAlone = own?.rollout === own?.thread && !firstLineOf(path, known).isContinued;
  if (!own || isAlone) return { parts: [], before: [], around: [] };
  const byRollout = new Map<string, string>();
  const around = await rolloutsAround(path);
  for (const each of around) byRollout.set(rolloutName(each)?.rollout ?? each, each);
  const parts = [...byRollout.values()].filter((each) => {
    const name = rolloutName(each);
    return name?.thread === own.thread && name.plain !== own.plain;
  });
  const before = new Set<string>();
  const open = [path, ...parts];
  for (const each of open) {
    const base = byRollout.get(firstLineOf(each, known).base ?? '');
    if (base === undefined || rolloutName(base)?.thread === own.thread || before.has(base)) continue;
    before.add(base);
    open.push(base);
  }
  return { parts, before: [...before], around };
}

/** The files of the thread that started a rollout's, as far as they lie in the folders of this one. */
async function sessionsOver(path: string): Promise<readonly string[]> {
  if (!isRollout(path)) return [];
  const known = new KnownParents();
  const { parts } = await historyOf(path, known);
  const own = [path, ...parts];
  const parent = own.map((each) => parentThread(each, known)).find((each) => each !== undefined);
  if (parent === undefined) return [];
  const folders = new Set(own.map((each) => dirname(each)));
  const all = (await Promise.all(Array.from(folders, rolloutsIn))).flat();
  return rolloutsOnce(all).filter((each) => rolloutName(each)?.thread === parent);
}

/** The rollouts among others of threads that one started, directly or indirectly. */
function descendantsOf(path: string, all: readonly string[], known: KnownParents): SidecarPaths {
  const own = rolloutName(path);
  const begun = own?.begun ?? '';
  const others = all.filter((each) => rolloutName(each)?.thread !== own?.thread);
  // A thread starts after its parent, unless the clock was set back; within one second the names have no order.
  const isLater = (each: string) => (rolloutName(each)?.begun ?? '') >= begun;
  const later = others.filter(isLater);
  const earlier = others.filter((each) => !isLater(each));
  const parents = new Map<string, string | undefined>();
  const { paths, left } = atMost([...later, ...earlier]);
  for (const each of paths) parents.set(each, parentThread(each, known));
  const found = [path];
  for (const each of found) {
    const thread = rolloutName(each)?.thread;
    for (const [other, parent] of parents) {
      const isPart = rolloutName(other)?.thread === thread;
      if ((isPart || parent === thread) && !found.includes(other)) found.push(other);
    }
  }
  return { paths: found.slice(1), left };
}

/** The thread that started a rollout, according to its first line, which never changes once it is whole. */
function parentThread(path: string, known: KnownParents): string | undefined {
  if (known.of.has(path)) return known.of.get(path);
  const head = headOf(path, MAX_META);
  const [first = ''] = head.split('\n', 1);
  const parent = /"parent_thread_id"\s*:\s*"([^"]+)"/.exec(first)?.[1];
  if (parent !== undefined || first.length < head.length) known.know(path, parent);
  else known.open.add(path);
  return parent;
}

/** Whether a rollout may go on in further files, or goes on from others, and from which, by its first line. */
function firstLineOf(path: string, known: KnownParents) {
  const before = known.beginnings.get(path);
  if (before) return before;
  const head = headOf(path, MAX_META);
  const [first = ''] = head.split('\n', 1);
  const base = /"history_base"\s*:\s*\{[^{}]*"thread_id"\s*:\s*"([^"]+)"/.exec(first)?.[1];
  const found = { isContinued: base !== undefined || /"history_mode"\s*:\s*"paginated"/.test(first), base };
  if (first.length < head.length) known.beginnings.set(path, found);
  return found;
}
