import { spawn } from 'node:child_process';
import { resolve } from 'node:path';

/** What a program took. */
export interface Took {
  /** The most memory, in megabytes; NaN where that was not asked for. */
  readonly megabytes: number;
  readonly milliseconds: number;
}

/** Has a process tell the most memory that it took: Linux counts that of whoever started it into `maxRSS`. */
const TELL = `data:text/javascript,${encodeURIComponent(`import { readFileSync } from 'node:fs';
process.on('exit', () => {
  let status = '';
  try { status = readFileSync('/proc/self/status', 'utf8'); } catch {}
  process.stderr.write('\\npeak ' + (/VmHWM:\\s*(\\d+)/.exec(status)?.[1] ?? process.resourceUsage().maxRSS));
});`)}`;

/**
 * Runs Node with some words in a folder, and drops what it writes. `what`: whether it is asked for its memory, which makes its
 * start longer. Rejects where it fails.
 */
export function runProgram(
  [script = '', ...words]: readonly string[],
  cwd: string,
  what: 'time' | 'memory',
): Promise<Took> {
  const file = script === '-e' ? script : resolve(script);
  const start = performance.now();
  const child = spawn(process.execPath, [...(what === 'memory' ? ['--import', TELL] : []), file, ...words], {
    cwd,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let told = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (told += text));
  return new Promise((done, fail) => {
    child.once('error', fail).once('close', (code) => {
      const milliseconds = performance.now() - start;
      const kilobytes = Number(/peak (\d+)$/.exec(told)?.[1]);
      if (code === 0) done({ megabytes: kilobytes / 1024, milliseconds });
      else fail(new Error(`${words.join(' ')} ended with ${code}: ${told}`));
    });
  });
}
