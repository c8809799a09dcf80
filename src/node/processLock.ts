import { randomBytes } from 'node:crypto';
import { unlink, link, rename, utimes } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { CREATE, entryAt, openPlainFile, READ } from './plainFile.js';
import { errorCode } from '../core/errorCode.js';
import { delay, systemTimers } from '../core/timers.js';
import { ownIdentity, processState, type ProcessIdentity } from './processIdentity.js';
import { isObject } from '../core/message.js';

/** The holder that a lock file names; the token distinguishes locks of the same process. */
interface LockHolder extends ProcessIdentity {
  readonly token: string;
}

/** A lock file as found: its holder, where it can be read, and a mark that changes with every heartbeat. */
interface LockState {
  readonly holder: LockHolder | undefined;
  readonly mark: string;
}

/** How much of a lock file is read, in bytes. */
const MAX_BYTES = 4096;

/** Reads the lock file at a path; undefined where there is none. */
async function findLock(path: string): Promise<LockState | undefined> {
  try {
    const handle = await openPlainFile(path, READ);
    try {
      const { mtimeMs, ino } = await handle.stat();
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, 0);
      return { holder: parseHolder(buffer.toString('utf8', 0, bytesRead)), mark: `${ino} ${mtimeMs}` };
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function parseHolder(text: string): LockHolder | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const { pid, started, machine, token } = value;
  const whole =
    typeof pid === 'number' &&
    Number.isSafeInteger(pid) &&
    pid > 0 &&
    typeof started === 'string' &&
    typeof machine === 'string' &&
    typeof token === 'string';
  return whole ? { pid, started, machine, token } : undefined;
}

/** Creates a lock file unless there is one; whether it did. The file is never visible half-written. */
async function createLock(path: string, holder: LockHolder, isBrief = false): Promise<boolean> {
  const temporary = await writeTemporary(path, holder, isBrief);
  try {
    await link(temporary, path);
    return true;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST') return false;
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'UNKNOWN'].includes(code)) throw error;
    return await createWithoutLink(path, holder);
  } finally {
    await unlink(temporary).catch(() => undefined);
  }
}

/** For file systems without hard links: the file may be seen empty for a moment, which counts as held. */
async function createWithoutLink(path: string, holder: LockHolder): Promise<boolean> {
  try {
    const handle = await openPlainFile(path, CREATE);
    try {
      await handle.writeFile(JSON.stringify(holder));
    } finally {
      await handle.close();
    }
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Replaces an existing lock file. */
async function replaceLock(path: string, holder: LockHolder): Promise<void> {
  const temporary = await writeTemporary(path, holder);
  await rename(temporary, path);
}

/** Sends a heartbeat: changes the mark. */
async function touchLock(path: string): Promise<void> {
  const now = new Date();
  await utimes(path, now, now);
}

async function writeTemporary(path: string, holder: LockHolder, isBrief = false): Promise<string> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  const handle = await openPlainFile(temporary, CREATE);
  try {
    await handle.writeFile(JSON.stringify(holder));
    // Without a sync, a power cut could leave an empty lock, which others would have to watch before taking it.
    if (!isBrief) await handle.sync();
  } finally {
    await handle.close();
  }
  return temporary;
}

/** How long a lock must show no heartbeat to be stale where its holder cannot be checked (another machine, no /proc). */
const STALE_MS = 3000;
/** The interval between two heartbeats of a holder, in milliseconds. */
export const BEAT_MS = 800;
/** A takeover takes milliseconds; a guard file older than this was left by a crash. */
const TAKEOVER_MS = 1000;

/** How long is waited between two tries to take a lock that is held for a moment, in milliseconds. */
const RETRY_MS = 20;

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

  /**
   * Takes a lock that is held for a moment, and waits for whoever has it. Rejects with the signal's reason and with errors of the
   * file system. After a power cut an empty lock is watched for three seconds, which costs less than a sync each.
   */
  static async acquireBriefly(path: string, signal?: AbortSignal): Promise<ProcessLock> {
    for (;;) {
      signal?.throwIfAborted();
      const acquired = await ProcessLock.acquire(path, { isBrief: true });
      if ('lock' in acquired) {
        acquired.lock.keepBeating(
          () => undefined,
          () => undefined,
        );
        return acquired.lock;
      }
      await delay(systemTimers, RETRY_MS, signal);
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
