import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const STALE_AFTER_MS = 15 * 60_000;

/**
 * Runs `act` while this process holds the folder `path` as a lock; waits for a living holder and takes over from a
 * dead one. Two takeovers at once may both succeed, so `act` must be harmless when run twice.
 * @template T
 * @param {string} path
 * @param {() => void} onWait called once, when somebody else holds the lock
 * @param {() => Promise<T>} act
 * @returns {Promise<T>}
 */
export async function withLock(path, onWait, act) {
  await mkdir(dirname(path), { recursive: true });
  for (let waiting = false; !(await take(path));) {
    if (await isStale(path)) {
      await rm(path, { recursive: true, force: true });
      continue;
    }
    if (!waiting) onWait();
    waiting = true;
    await sleep(250);
  }
  try {
    return await act();
  } finally {
    await rm(path, { recursive: true, force: true });
  }
}

/** @param {string} path */
async function take(path) {
  try {
    await mkdir(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
  await writeFile(join(path, 'pid'), String(process.pid));
  return true;
}

/** @param {string} path */
async function isStale(path) {
  try {
    const { mtimeMs } = await stat(path);
    if (Date.now() - mtimeMs > STALE_AFTER_MS) return true;
    const pid = Number(await readFile(join(path, 'pid'), 'utf8'));
    process.kill(pid, 0);
    return false;
  } catch (error) {
    // ESRCH: the holder is dead. Anything else: the lock is being taken or given back right now.
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}
