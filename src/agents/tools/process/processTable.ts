import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { readdir, readFile, readlink } from 'node:fs/promises';

/** A living process, as the system describes it. */
export interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Clock ticks from the start of the system to its own. */
  readonly since: number;
}

/** Of the fields behind the program's name in /proc/…/stat, counted from 0; see proc(5). */
const SINCE_FIELD = 19;

const isNumber = (name: string) => /^\d+$/.test(name);

/** All living processes; none where the system has no /proc. */
export async function readProcesses(): Promise<Process[]> {
  const names = await readdir('/proc').catch(() => []);
  const found = await Promise.all(
    names.filter(isNumber).map(async (name) => {
      const stat = await readFile(`/proc/${name}/stat`, 'latin1').catch(() => '');
      return processIn(stat, Number(name));
    }),
  );
  return found.filter((one) => one !== undefined);
}

/** The same synchronously, for a process that is exiting. */
export function readProcessesSync(): Process[] {
  const pids = namesIn('/proc').filter(isNumber).map(Number);
  return pids.flatMap((pid) => processIn(textOf(`/proc/${pid}/stat`), pid) ?? []);
}

/** When a process began, in clock ticks; 0 where that is not known. */
export function startOf(pid: number): number {
  return Number(fieldsIn(textOf(`/proc/${pid}/stat`))[SINCE_FIELD] ?? 0);
}

/** What the links of some open files of a process say, like `socket:[4711]`; without those that cannot be read. */
export function linksOf(pid: number, files: readonly number[]): string[] {
  return files.map((file) => linkOf(`/proc/${pid}/fd/${file}`)).filter((link) => link !== '');
}

/** Whether a process has the variable `entry` (`NAME=value`), or one of the files that `links` lead to. */
export async function carries(pid: number, entry: string, links: readonly string[]): Promise<boolean> {
  const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
  if (hasEntry(environment, entry)) return true;
  if (links.length === 0) return false;
  const files = await readdir(`/proc/${pid}/fd`).catch(() => []);
  const read = files.map((file) => readlink(`/proc/${pid}/fd/${file}`).catch(() => ''));
  return (await Promise.all(read)).some((link) => links.includes(link));
}

/** The same without a pause. */
export function carriesSync(pid: number, entry: string, links: readonly string[]): boolean {
  if (hasEntry(textOf(`/proc/${pid}/environ`), entry)) return true;
  const files = links.length > 0 ? namesIn(`/proc/${pid}/fd`) : [];
  return files.some((file) => links.includes(linkOf(`/proc/${pid}/fd/${file}`)));
}

const hasEntry = (environment: string, entry: string) => environment.split('\0').includes(entry);

/** The program's name is in parentheses and may contain anything. */
const fieldsIn = (stat: string) => stat.slice(stat.lastIndexOf(')') + 2).split(' ');

/** Undefined where it has ended: also the dead that wait for their parent are left out. */
function processIn(stat: string, pid: number): Process | undefined {
  const fields = fieldsIn(stat);
  const [state, parent, group, session] = fields;
  if (stat === '' || state === 'Z' || state === 'X') return undefined;
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    since: Number(fields[SINCE_FIELD]),
  };
}

// Whatever cannot be read below has ended meanwhile, belongs to somebody else, or there is no /proc.

function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

function namesIn(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
