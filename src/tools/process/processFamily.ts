import { readdir, readFile, readlink } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { hasProc } from '../paths/openGuarded.js';
import { codeOf } from '../paths/pathGuard.js';
import { COMMAND_MARK } from './environment.js';

/** How long processes may take to end by themselves after they were asked to, in milliseconds. */
const GRACE_MS = 700;
/** When nothing may be left, in milliseconds after the first signal; on a busy machine a few rounds more. */
const END_MS = 1_900;
const MIN_KILL_ROUNDS = 5;
const LOOK_EVERY_MS = 50;

/** How the processes of one command are recognised, also those that left its group and its environment. */
export interface Family {
  /** The first process; it leads a group of its own. */
  readonly leader: number;
  /** The value of the variable that every process inherits. */
  readonly mark: string;
  /** What the link of an inherited file says, like `socket:[4711]`; undefined where it is not known. */
  readonly inherited: string | undefined;
  /** When the first process began, as the system counts; nothing older belongs to the family. */
  readonly since: number;
}

/** What became of a family. */
export interface FamilyEnd {
  /** How many processes had to be ended. */
  readonly ended: number;
  /** Processes that could not be ended in time. */
  readonly left: readonly number[];
}

/** Describes the family of a process that was just started. */
export async function familyOf(leader: number, mark: string, inheritedFile: number): Promise<Family> {
  const since = (await readProcess(String(leader)))?.since ?? 0;
  const inherited = await readlink(`/proc/${leader}/fd/${inheritedFile}`).catch(() => undefined);
  return { leader, mark, inherited, since };
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

/** The processes of a family that live now, the dead that wait for their parent left out. */
async function membersOf(family: Family, known: ReadonlySet<number>): Promise<number[]> {
  const processes = await readProcesses();
  const found = new Set<number>();
  for (const { pid, group, session, since } of processes) {
    if (since < family.since || pid === process.pid) continue;
    if (group === family.leader || session === family.leader || known.has(pid)) found.add(pid);
    else if (await carriesMark(pid, family)) found.add(pid);
  }
  for (let size = -1; size !== found.size;) {
    size = found.size;
    for (const { pid, parent } of processes) if (found.has(parent)) found.add(pid);
  }
  return [...found];
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Clock ticks from the start of the system to its own. */
  readonly since: number;
}

/** Of the fields behind the program's name in /proc/…/stat, counted from 0; see proc(5). */
const SINCE_FIELD = 19;

/** All living processes; none where the system has no /proc. */
async function readProcesses(): Promise<Process[]> {
  const names = await readdir('/proc').catch(() => []);
  const found = await Promise.all(names.filter((name) => /^\d+$/.test(name)).map(readProcess));
  return found.filter((one) => one !== undefined);
}

async function readProcess(name: string): Promise<Process | undefined> {
  try {
    const stat = await readFile(`/proc/${name}/stat`, 'latin1');
    // The program's name stands in parentheses and may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, parent, group, session] = fields;
    if (state === 'Z' || state === 'X') return undefined;
    return {
      pid: Number(name),
      parent: Number(parent),
      group: Number(group),
      session: Number(session),
      since: Number(fields[SINCE_FIELD]),
    };
  } catch {
    // It ended while we looked.
    return undefined;
  }
}

async function carriesMark(pid: number, { mark, inherited }: Family): Promise<boolean> {
  try {
    const environment = await readFile(`/proc/${pid}/environ`, 'latin1');
    if (environment.split('\0').includes(`${COMMAND_MARK}=${mark}`)) return true;
    if (inherited === undefined) return false;
    const files = await readdir(`/proc/${pid}/fd`);
    const links = await Promise.all(files.map((file) => readlink(`/proc/${pid}/fd/${file}`).catch(() => '')));
    return links.includes(inherited);
  } catch {
    // It ended, or belongs to somebody else and is none of ours.
    return false;
  }
}

function groupLives(leader: number): boolean {
  try {
    process.kill(-leader, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

function signal(pid: number, name: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, name);
  } catch {
    // It ended before the signal came.
  }
}
