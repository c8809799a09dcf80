import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Who holds a lock, so that others can find out whether it still lives. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When the process started, as the system counts it, so that a reused pid is not mistaken for it; '' where unknown. */
  readonly started: string;
  /** Pids mean the same only where this is the same: host, boot and pid namespace. */
  readonly machine: string;
}

export const ownIdentity: ProcessIdentity = {
  pid: process.pid,
  started: statOf(process.pid)?.started ?? '',
  machine: [
    hostname(),
    tried(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()),
    tried(() => readlinkSync('/proc/self/ns/pid')),
  ].join('/'),
};

/** Whether a process still lives; `unknown` where that cannot be found out from here. */
export function standingOf(
  other: ProcessIdentity,
  self: ProcessIdentity = ownIdentity,
): 'alive' | 'dead' | 'unknown' {
  if (other.machine !== self.machine) return 'unknown';
  try {
    process.kill(other.pid, 0);
  } catch (error) {
    // EPERM says that it lives and belongs to somebody else.
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return 'dead';
  }
  const stat = statOf(other.pid);
  if (!stat || other.started === '') return 'unknown';
  return stat.ended || stat.started !== other.started ? 'dead' : 'alive';
}

/** From /proc/<pid>/stat, which only Linux has: field 3 is the state, field 22 the start in clock ticks after boot. */
function statOf(pid: number): { started: string; ended: boolean } | undefined {
  const stat = tried(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  // The second field is the program's name in parentheses and may itself hold blanks and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state = '', started = ''] = [fields[0], fields[19]];
  return started === '' ? undefined : { started, ended: state === 'Z' || state === 'X' };
}

/** '' where the system has no such file. */
function tried(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
