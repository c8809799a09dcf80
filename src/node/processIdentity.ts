import { errorCode } from '../core/errorCode.js';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Identifies the process that holds a lock, so that others can find out whether it still exists. */
export interface ProcessIdentity {
  readonly pid: number;
  /** The system's start time of the process, so that a reused pid is not mistaken for it; '' where unknown. */
  readonly started: string;
  /** Host, boot and pid namespace: pids are comparable only where this is equal. */
  readonly machine: string;
}

/** The identity of this process. */
export const ownIdentity: ProcessIdentity = {
  pid: process.pid,
  started: statOf(process.pid)?.started ?? '',
  machine: [
    hostname(),
    tried(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()),
    tried(() => readlinkSync('/proc/self/ns/pid')),
  ].join('/'),
};

/** Whether this machine has a process of this pid, or of a group by its negative number, as far as is seen from here. */
export function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM means that it exists and belongs to another user.
    return errorCode(error) !== 'ESRCH';
  }
}

/** Whether a process still exists; `unknown` where that cannot be determined from here. */
export function processState(
  other: ProcessIdentity,
  self: ProcessIdentity = ownIdentity,
): 'alive' | 'dead' | 'unknown' {
  if (other.machine !== self.machine) return 'unknown';
  if (!isThere(other.pid)) return 'dead';
  const stat = statOf(other.pid);
  if (!stat || other.started === '') return 'unknown';
  return stat.ended || stat.started !== other.started ? 'dead' : 'alive';
}

/** Reads /proc/<pid>/stat, which only Linux has: field 3 is the state, field 22 the start in clock ticks after boot. */
function statOf(pid: number): { started: string; ended: boolean } | undefined {
  const stat = tried(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  // The second field is the program's name in parentheses and may itself contain spaces and parentheses.
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
