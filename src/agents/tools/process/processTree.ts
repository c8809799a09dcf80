import { setTimeout as wait } from 'node:timers/promises';
import { hasProc } from '../paths/openGuarded.js';

import { COMMAND_MARK } from './environment.js';
import { carries, carriesSync, linksOf, readProcesses, readProcessesSync, startOf } from './processTable.js';
import type { Process } from './processTable.js';
import { isThere } from '../../../node/processIdentity.js';

/** How long processes may take to exit after they were asked to, in milliseconds. */
const GRACE_MS = 700;
/** When nothing may be left, in milliseconds after the first signal; on a busy machine a few rounds more. */
const END_MS = 1_900;
const MIN_KILL_ROUNDS = 5;
const LOOK_EVERY_MS = 50;
/** How often a process that itself ends looks again for what was begun while it looked. */
const LAST_ROUNDS = 3;

/** How the processes of one command are recognised, also those that left its group and its environment. */
export interface ProcessTree {
  /** The first process; it leads a group of its own. */
  readonly leader: number;
  /** The variable that every process inherits, as `NAME=value`. */
  readonly entry: string;
  /** What the links of the pipes to us say, like `socket:[4711]`: who holds one belongs to the tree. */
  readonly pipes: readonly string[];
  /** When the first process began, as the system counts; nothing older belongs to the tree. */
  readonly since: number;
}

/** The outcome of ending a tree. */
export interface TreeEnd {
  /** How many processes had to be ended. */
  readonly ended: number;
  /** Processes that could not be ended in time. */
  readonly left: readonly number[];
}

/** Describes the tree of a process that was just started; `pipes` are the numbers of its files that lead to us. */
export function treeOf(leader: number, mark: string, pipes: readonly number[]): ProcessTree {
  const links = linksOf(leader, pipes);
  return { leader, entry: `${COMMAND_MARK}=${mark}`, pipes: links, since: startOf(leader) };
}

/** Ends all processes of a command: asks first, then kills, until none is found. Never rejects. */
export async function endTree(tree: ProcessTree): Promise<TreeEnd> {
  const start = performance.now();
  const known = new Set<number>();
  for (let rounds = 0; ;) {
    const alive = await membersOf(tree, known);
    if (alive.length === 0 && (hasProc || !isThere(-tree.leader))) return { ended: known.size, left: [] };
    const elapsed = performance.now() - start;
    if (elapsed > END_MS && rounds >= MIN_KILL_ROUNDS) return { ended: known.size, left: alive };
    const kill = elapsed > GRACE_MS;
    if (kill) rounds++;
    if (kill || known.size === 0) signal(-tree.leader, kill ? 'SIGKILL' : 'SIGTERM');
    for (const pid of alive) {
      if (kill || !known.has(pid)) signal(pid, kill ? 'SIGKILL' : 'SIGTERM');
      known.add(pid);
    }
    await wait(LOOK_EVERY_MS);
  }
}

/** Kills all processes of a command without a pause, for a process that itself ends now. */
export function killTree(tree: ProcessTree): void {
  for (let round = 0; round < LAST_ROUNDS; round++) {
    signal(-tree.leader, 'SIGKILL');
    const { near, far } = relatives(tree, readProcessesSync(), new Set());
    const found = new Set([...near, ...far.filter((pid) => carriesSync(pid, tree.entry, tree.pipes))]);
    if (found.size === 0) return;
    for (const pid of found) signal(pid, 'SIGKILL');
  }
}

/** The running commands, which are killed when this process exits, because nobody would wait for them. */
const running = new Set<ProcessTree>();

const killAll = () => {
  for (const tree of running) killTree(tree);
};

/** Kills a tree when this process exits, unless the returned function was called. It outlives a crash and SIGKILL. */
export function killOnExit(tree: ProcessTree): () => void {
  if (running.size === 0) process.once('exit', killAll);
  running.add(tree);
  return () => {
    running.delete(tree);
    if (running.size === 0) process.off('exit', killAll);
  };
}

/** The running processes of a tree. */
async function membersOf(tree: ProcessTree, known: ReadonlySet<number>): Promise<number[]> {
  const processes = await readProcesses();
  const { near, far } = relatives(tree, processes, known);
  const found = new Set(near);
  for (const pid of far) if (await carries(pid, tree.entry, tree.pipes)) found.add(pid);
  for (let size = -1; size !== found.size;) {
    size = found.size;
    for (const { pid, parent } of processes) if (found.has(parent)) found.add(pid);
  }
  return [...found];
}

/** Who belongs to a tree by group, session or acquaintance, and who may belong to it by what it carries. */
function relatives(
  tree: ProcessTree,
  processes: readonly Process[],
  known: ReadonlySet<number>,
): { readonly near: readonly number[]; readonly far: readonly number[] } {
  const near: number[] = [];
  const far: number[] = [];
  for (const { pid, group, session, since } of processes) {
    if (since < tree.since || pid === process.pid) continue;
    const isNear = group === tree.leader || session === tree.leader || known.has(pid);
    (isNear ? near : far).push(pid);
  }
  return { near, far };
}

function signal(pid: number, name: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, name);
  } catch {
    // It had ended before the signal.
  }
}
