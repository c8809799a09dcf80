import { setTimeout as wait } from 'node:timers/promises';
import { hasProc } from '../paths/openGuarded.js';

import { errorCode } from '../../core/errorCode.js';
import { COMMAND_MARK } from './environment.js';
import { carries, carriesSync, linksOf, readProcesses, readProcessesSync, startOf } from './processTable.js';
import type { Process } from './processTable.js';

/** How long processes may take to exit after they were asked to, in milliseconds. */
const GRACE_MS = 700;
/** When nothing may be left, in milliseconds after the first signal; on a busy machine a few rounds more. */
const END_MS = 1_900;
const MIN_KILL_ROUNDS = 5;
const LOOK_EVERY_MS = 50;
/** How often a process that itself ends looks again for what was begun while it looked. */
const LAST_ROUNDS = 3;

/** How the processes of one command are recognised, also those that left its group and its environment. */
export interface Family {
  /** The first process; it leads a group of its own. */
  readonly leader: number;
  /** The variable that every process inherits, as `NAME=value`. */
  readonly entry: string;
  /** What the links of the pipes to us say, like `socket:[4711]`: who holds one belongs to the family. */
  readonly pipes: readonly string[];
  /** When the first process began, as the system counts; nothing older belongs to the family. */
  readonly since: number;
}

/** The outcome of ending a family. */
export interface FamilyEnd {
  /** How many processes had to be ended. */
  readonly ended: number;
  /** Processes that could not be ended in time. */
  readonly left: readonly number[];
}

/** Describes the family of a process that was just started; `pipes` are the numbers of its files that lead to us. */
export function familyOf(leader: number, mark: string, pipes: readonly number[]): Family {
  const links = linksOf(leader, pipes);
  return { leader, entry: `${COMMAND_MARK}=${mark}`, pipes: links, since: startOf(leader) };
}

/** Ends all processes of a command: asks first, then kills, until none is found. Never rejects. */
export async function endFamily(family: Family): Promise<FamilyEnd> {
  const start = performance.now();
  const known = new Set<number>();
  for (let rounds = 0; ;) {
    const alive = await membersOf(family, known);
    if (alive.length === 0 && (hasProc || !groupLives(family.leader))) return { ended: known.size, left: [] };
    const elapsed = performance.now() - start;
    if (elapsed > END_MS && rounds >= MIN_KILL_ROUNDS) return { ended: known.size, left: alive };
    const kill = elapsed > GRACE_MS;
    if (kill) rounds++;
    if (kill || known.size === 0) signal(-family.leader, kill ? 'SIGKILL' : 'SIGTERM');
    for (const pid of alive) {
      if (kill || !known.has(pid)) signal(pid, kill ? 'SIGKILL' : 'SIGTERM');
      known.add(pid);
    }
    await wait(LOOK_EVERY_MS);
  }
}

/** Kills all processes of a command without a pause, for a process that itself ends now. */
export function killFamily(family: Family): void {
  for (let round = 0; round < LAST_ROUNDS; round++) {
    signal(-family.leader, 'SIGKILL');
    const { near, far } = relatives(family, readProcessesSync(), new Set());
    const found = new Set([...near, ...far.filter((pid) => carriesSync(pid, family.entry, family.pipes))]);
    if (found.size === 0) return;
    for (const pid of found) signal(pid, 'SIGKILL');
  }
}

/** The living processes of a family. */
async function membersOf(family: Family, known: ReadonlySet<number>): Promise<number[]> {
  const processes = await readProcesses();
  const { near, far } = relatives(family, processes, known);
  const found = new Set(near);
  for (const pid of far) if (await carries(pid, family.entry, family.pipes)) found.add(pid);
  for (let size = -1; size !== found.size;) {
    size = found.size;
    for (const { pid, parent } of processes) if (found.has(parent)) found.add(pid);
  }
  return [...found];
}

/** Who belongs to a family by group, session or acquaintance, and who may belong to it by what it carries. */
function relatives(
  family: Family,
  processes: readonly Process[],
  known: ReadonlySet<number>,
): { readonly near: readonly number[]; readonly far: readonly number[] } {
  const near: number[] = [];
  const far: number[] = [];
  for (const { pid, group, session, since } of processes) {
    if (since < family.since || pid === process.pid) continue;
    const isNear = group === family.leader || session === family.leader || known.has(pid);
    (isNear ? near : far).push(pid);
  }
  return { near, far };
}

function groupLives(leader: number): boolean {
  try {
    process.kill(-leader, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

function signal(pid: number, name: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, name);
  } catch {
    // It had ended before the signal.
  }
}
