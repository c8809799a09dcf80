import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Locks held by this process: a lock file with our process id that is not among them is a leftover. */
const held = new Set<string>();

/**
 * Makes this process the only owner of `path`, by a file beside it that names the process. Gives the function that
 * releases it, or the id of the process that owns it. The lock of a process that no longer exists is ignored.
 */
export async function lockFor(
  path: string,
): Promise<{ readonly release: () => Promise<void> } | { readonly owner: number }> {
  const lock = `${path}.lock`;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  for (;;) {
    if (held.has(lock)) return { owner: process.pid };
    if (await create(lock)) return { release: () => release(lock) };
    const owner = Number.parseInt(await readFile(lock, 'utf8').catch(() => ''), 10);
    if (owner !== process.pid && isAlive(owner)) return { owner };
    await rm(lock, { force: true });
  }
}

/** Whether the lock could be created. It appears together with its content, so that nobody takes an empty one for stale. */
async function create(lock: string): Promise<boolean> {
  const temporary = `${lock}.${randomUUID()}.tmp`;
  held.add(lock);
  try {
    await writeFile(temporary, `${process.pid}\n`, { flag: 'wx', mode: 0o600 });
    await link(temporary, lock);
    return true;
  } catch (error) {
    held.delete(lock);
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}

async function release(lock: string): Promise<void> {
  if (held.delete(lock)) await rm(lock, { force: true });
}

function isAlive(processId: number): boolean {
  if (!Number.isSafeInteger(processId) || processId <= 0) return false;
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    // EPERM: the process belongs to another user, but it exists.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
