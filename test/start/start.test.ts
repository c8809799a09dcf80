import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** How many running processes have `text` in their environment. */
async function countProcessesWith(text: string): Promise<number> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const environments = await Promise.all(
    // A process may be gone by the time it is looked at.
    ids.map((id) => readFile(`/proc/${id}/environ`, 'utf8').catch(() => '')),
  );
  return environments.filter((environment) => environment.includes(text)).length;
}

/** The first address that `output` prints; throws when it ends without one. */
function printedAddress(output: Readable): Promise<URL> {
  return new Promise((resolve, reject) => {
    const lines = createInterface(output);
    lines.on('line', (line) => {
      const address = /http:\/\/127\.0\.0\.1:\S+/.exec(line);
      if (address) resolve(new URL(address[0]));
    });
    lines.on('close', () => reject(new Error('No address was printed.')));
  });
}

test('npm start without a desktop serves the sample workspace until Ctrl+C, then leaves nothing running', async () => {
  const mark = randomUUID();
  const start = spawn(process.execPath, [join(root, 'scripts/start.mjs')], {
    env: { ...process.env, DISPLAY: '', WAYLAND_DISPLAY: '', AGENT_LOGBOOK_START_MARK: mark },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const address = await printedAddress(start.stdout);
  expect(address.searchParams.get('folder')).toBe(join(root, 'samples/team'));
  // The token of the address is traded for a cookie, which fetch does not keep.
  const response = await fetch(address, { redirect: 'manual' });
  expect(response.status).toBe(302);
  expect((await fetch(new URL('/', address))).status).toBe(403);
  expect(await countProcessesWith(mark)).toBeGreaterThan(1);

  start.kill('SIGINT');
  expect(await once(start, 'exit')).toEqual([0, null]);
  await expect(fetch(address)).rejects.toThrow();
  expect(await countProcessesWith(mark)).toBe(0);
});

/** Ends the VS Code server among the processes that have `text` in their environment. */
async function killServerWith(text: string): Promise<void> {
  for (const id of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const read = (file: string) => readFile(`/proc/${id}/${file}`, 'utf8').catch(() => '');
    if (!(await read('environ')).includes(text)) continue;
    // The guard has the server's command among its arguments too; only the server itself begins with it.
    const [, script = ''] = (await read('cmdline')).split('\0');
    if (script.endsWith('server-main.js')) process.kill(Number(id), 'SIGKILL');
  }
}

test('npm start says so when the server ends by itself, and what to do', async () => {
  const mark = randomUUID();
  // What the first test has built.
  const start = spawn(process.execPath, [join(root, 'scripts/start.mjs'), '--no-build'], {
    env: { ...process.env, DISPLAY: '', WAYLAND_DISPLAY: '', AGENT_LOGBOOK_START_MARK: mark },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let problems = '';
  start.stderr.setEncoding('utf8').on('data', (text: string) => (problems += text));
  await printedAddress(start.stdout);
  await killServerWith(mark);
  // By then all that it had to say has been read.
  expect(await once(start, 'close')).toEqual([1, null]);
  expect(problems).toContain('The VS Code server has ended by itself.');
  expect(problems).toContain('Run `npm start` again.');
  expect(await countProcessesWith(mark)).toBe(0);
});
