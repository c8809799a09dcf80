import { execFileSync } from 'node:child_process';

/** The resident memory of the extension host that this process has started, in megabytes. */
export function hostMemory(): number {
  const lines = execFileSync('ps', ['-eo', 'pid,ppid,rss,args'], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  }).split('\n');
  const processes = lines.slice(1).map((line) => {
    const [pid, parent, kilobytes, ...args] = line.trim().split(/\s+/);
    return { pid: Number(pid), parent: Number(parent), kilobytes: Number(kilobytes), args: args.join(' ') };
  });
  const parents = new Map(processes.map(({ pid, parent }) => [pid, parent]));
  const isOurs = (pid: number | undefined): boolean =>
    pid === process.pid || (pid !== undefined && pid > 1 && isOurs(parents.get(pid)));
  const host = processes.find(({ pid, args }) => args.includes('--type=extensionHost') && isOurs(pid));
  if (!host) throw new Error('No extension host runs.');
  return host.kilobytes / 1000;
}
