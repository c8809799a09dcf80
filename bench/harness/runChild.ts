import { execFile } from 'node:child_process';

/** What a child process printed as JSON, or why there is nothing. */
export type ChildAnswer<Answer> =
  | { readonly answer: Answer }
  | { readonly failure: 'time' | 'error'; readonly words: string };

/**
 * Runs one of a bench's `child*.ts` in a fresh process and reads the JSON that it prints. Ends it after `limit`
 * milliseconds, which is an answer too.
 */
export function runChild<Answer>(
  script: string,
  args: readonly string[],
  limit: number,
): Promise<ChildAnswer<Answer>> {
  const file = `bench/node_modules/.bench/${script}.mjs`;
  const options = { timeout: limit, killSignal: 'SIGKILL', maxBuffer: 1 << 26 } as const;
  return new Promise((resolve) => {
    execFile(process.execPath, ['--expose-gc', file, ...args], options, (error, stdout, stderr) => {
      if (!error) resolve({ answer: JSON.parse(stdout) as Answer });
      else resolve({ failure: error.killed ? 'time' : 'error', words: stderr.trim() });
    });
  });
}
