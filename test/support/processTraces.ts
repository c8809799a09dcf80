import { readdir, readFile } from 'node:fs/promises';
import { queryObjects } from 'node:v8';

/** How many files, sockets and pipes this process has open; undefined where the system does not tell. */
export async function openFiles(): Promise<number | undefined> {
  const files = await readdir('/proc/self/fd').catch(() => undefined);
  return files?.length;
}

/** How many timers keep or could keep this process busy. */
export function runningTimers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
}

/** The command lines of all processes of this machine in whose environment or command line a text stands. */
export async function processesWith(text: string): Promise<string[]> {
  const found: string[] = [];
  for (const pid of await readdir('/proc').catch(() => [])) {
    if (!/^\d+$/.test(pid)) continue;
    const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
    const line = await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '');
    if (environment.includes(text) || line.includes(text)) found.push(line.replaceAll('\0', ' '));
  }
  return found;
}

/** A class whose objects can be counted. */
type Countable = abstract new (...args: never[]) => object;

/** How many objects of each class are alive, after the garbage is gone; by the name of the class. */
export function livingObjects(...classes: readonly Countable[]): Readonly<Record<string, number>> {
  return Object.fromEntries(
    classes.map((one) => [one.name, queryObjects(one as never, { format: 'count' })]),
  );
}
