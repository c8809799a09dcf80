import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** A child process that serves or follows while its parent does something to it. */
export interface RunningChild<Ready, Figures> {
  /** What it said when it was ready. */
  readonly ready: Ready;
  /** Tells it that all is done; gives what it has measured. */
  end(): Promise<Figures>;
}

/**
 * Starts one of a bench's `child*.ts` in a fresh process: it prints a line of JSON when it is ready, and another one when its
 * standard input ends. Rejects where it ends before.
 */
export async function startChild<Ready, Figures>(
  script: string,
  args: readonly string[],
): Promise<RunningChild<Ready, Figures>> {
  const file = `bench/node_modules/.bench/${script}.mjs`;
  const child = spawn(process.execPath, ['--expose-gc', file, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const line: IteratorResult<string, undefined> = await lines.next();
    if (line.done === true) throw new Error(`${script} ended without saying what it measured.`);
    return JSON.parse(line.value) as unknown;
  };
  return {
    ready: (await next()) as Ready,
    end: async () => {
      child.stdin.end();
      return (await next()) as Figures;
    },
  };
}

/** For such a child: resolves when its parent is done. */
export function parentIsDone(): Promise<void> {
  return new Promise((resolve) => {
    process.stdin.resume().once('end', resolve);
  });
}
