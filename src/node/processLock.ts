import { randomBytes } from 'node:crypto';
import { unlink } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLock, findLock, replaceLock, touchLock, type LockState, type LockHolder } from './lockFile.js';
import { CREATE, entryAt, openPlainFile } from './plainFile.js';
import { errorCode } from '../core/errorCode.js';
import { ownIdentity, processState } from './processIdentity.js';

/** How long a lock must show no heartbeat to be stale where its holder cannot be checked (another machine, no /proc). */
const STALE_MS = 3000;
/** The interval between two heartbeats of a holder, in milliseconds. */
export const BEAT_MS = 800;
/** A takeover takes milliseconds; a guard file older than this was left by a crash. */
const TAKEOVER_MS = 1000;

/** The lock, or who holds it; `holder` is undefined where the lock file cannot be understood. */
export type Acquired =
  | { readonly lock: ProcessLock }
  | { readonly holder: LockHolder | undefined; readonly isOnThisMachine: boolean };

/**
 * The right to write something, held by one process; others can take it over within 5 s of the holder's end.
 * Its holder must `beat` every `BEAT_MS`, or have that done by `keepBeating`: only Linux can tell a living process from
 * one that reuses its id.
 */
export class ProcessLock {
  readonly #path: string;
  readonly #holder: LockHolder;
  #heart: NodeJS.Timeout | undefined;

  private constructor(path: string, holder: LockHolder) {
    this.#path = path;
    this.#holder = holder;
  }

  /** Takes the lock at a path, or tells who has it. The folder must exist. One that `isBrief` is not synced to the disk. */
  static async acquire(
    path: string,
    { staleMs = STALE_MS, isBrief = false }: { readonly staleMs?: number; readonly isBrief?: boolean } = {},
  ): Promise<Acquired> {
    const holder = { ...ownIdentity, token: randomBytes(12).toString('hex') };
    for (;;) {
      if (await createLock(path, holder, isBrief)) return { lock: new ProcessLock(path, holder) };
      const found = await findLock(path);
      if (!found) continue;
      if (await isHeld(path, found, staleMs)) return heldBy(found);
      if (await takeOver(path, found, holder)) return { lock: new ProcessLock(path, holder) };
    }
  }

  /** Sends a heartbeat, and takes the lock again where its file is gone; false when another process has it. */
  async beat(): Promise<boolean> {
    const found = await findLock(this.#path);
    if (!found) return await createLock(this.#path, this.#holder);
    if (found.holder?.token !== this.#holder.token) return false;
    await touchLock(this.#path);
    return true;
  }

  /**
   * Sends the heartbeats until the release. Calls `onLost` once, when another process has taken the lock over because
   * this one slept, and `onTrouble` where the lock cannot be reached at the moment.
   */
  keepBeating(onLost: () => void, onTrouble: (error: unknown) => void): void {
    const stop = () => clearInterval(this.#heart);
    stop();
    let isBusy = false;
    const once = async () => {
      if (isBusy) return;
      isBusy = true;
      try {
        if (await this.beat()) return;
        stop();
        onLost();
      } catch (error) {
        onTrouble(error);
      } finally {
        isBusy = false;
      }
    };
    this.#heart = setInterval(() => void once(), BEAT_MS);
    this.#heart.unref();
  }

  /** Releases the lock; another process's lock stays. */
  async release(): Promise<void> {
    clearInterval(this.#heart);
    const found = await findLock(this.#path);
    if (found?.holder?.token !== this.#holder.token) return;
    await unlink(this.#path).catch((error: unknown) => {
      if (errorCode(error) !== 'ENOENT') throw error;
    });
  }
}

/** Whether a live process holds the lock at a path. Asks the system, and never waits. */
export async function isLocked(path: string): Promise<boolean> {
  const found = await findLock(path);
  return found?.holder !== undefined && processState(found.holder) !== 'dead';
}

async function isHeld(path: string, first: LockState, staleMs: number): Promise<boolean> {
  const standing = first.holder ? processState(first.holder) : 'unknown';
  if (standing !== 'unknown') return standing === 'alive';
  const end = performance.now() + staleMs;
  while (performance.now() < end) {
    await sleep(100);
    const now = await findLock(path);
    if (!now) return false;
    if (now.mark !== first.mark) return true;
  }
  return false;
}

/**
 * Replaces a lock whose holder is dead. Of several processes that try, the one that creates the guard file succeeds, and
 * only if the lock is still the one that was found; the others look again.
 */
async function takeOver(path: string, stale: LockState, holder: LockHolder): Promise<boolean> {
  const guard = `${path}.takeover`;
  try {
    await (await openPlainFile(guard, CREATE)).close();
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    await removeOldGuard(guard);
    await sleep(20);
    return false;
  }
  try {
    const now = await findLock(path);
    if (now?.mark !== stale.mark) return false;
    await replaceLock(path, holder);
    const after = await findLock(path);
    return after?.holder?.token === holder.token;
  } finally {
    await unlink(guard).catch(() => undefined);
  }
}

async function removeOldGuard(guard: string): Promise<void> {
  const entry = await entryAt(guard);
  if (entry && Math.abs(Date.now() - entry.mtimeMs) > TAKEOVER_MS) await unlink(guard).catch(() => undefined);
}

function heldBy({ holder }: LockState): Acquired {
  return { holder, isOnThisMachine: holder?.machine === ownIdentity.machine };
}
