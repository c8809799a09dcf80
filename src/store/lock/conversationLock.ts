import { randomBytes } from 'node:crypto';
import { unlink } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLock, findLock, replaceLock, touchLock, type FoundLock, type LockHolder } from './lockFile.js';
import { codeOf, CREATE, entryAt, openPlainFile } from '../plainFiles.js';
import { ownIdentity, standingOf } from './processIdentity.js';

/** How long a lock must show no heartbeat to be stale where its holder cannot be checked (another machine, no /proc). */
const STALE_MS = 3000;
/** The interval between two heartbeats of a holder, in milliseconds. */
export const BEAT_MS = 800;
/** A takeover takes milliseconds; a guard file older than this was left by a crash. */
const TAKEOVER_MS = 1000;

/** The lock, or a sentence telling a person who has it. */
export type Acquired = { readonly lock: ConversationLock } | { readonly refused: string };

/** The right to write one conversation, held by one process; others can take it over within 5 s of the holder's end. */
export class ConversationLock {
  readonly #path: string;
  readonly #holder: LockHolder;

  private constructor(path: string, holder: LockHolder) {
    this.#path = path;
    this.#holder = holder;
  }

  /** Takes the lock at a path, or tells a person who has it. The folder must exist. */
  static async acquire(path: string, staleMs = STALE_MS): Promise<Acquired> {
    const holder = { ...ownIdentity, token: randomBytes(12).toString('hex') };
    for (;;) {
      if (await createLock(path, holder)) return { lock: new ConversationLock(path, holder) };
      const found = await findLock(path);
      if (!found) continue;
      if (await isHeld(path, found, staleMs)) return { refused: whoHolds(found) };
      if (await takeOver(path, found, holder)) return { lock: new ConversationLock(path, holder) };
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

  /** Releases the lock; another process's lock stays. */
  async release(): Promise<void> {
    const found = await findLock(this.#path);
    if (found?.holder?.token !== this.#holder.token) return;
    await unlink(this.#path).catch((error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error;
    });
  }
}

/** Whether a live process holds the lock at a path. Asks the system, and never waits. */
export async function isLocked(path: string): Promise<boolean> {
  const found = await findLock(path);
  return found?.holder !== undefined && standingOf(found.holder) !== 'dead';
}

async function isHeld(path: string, first: FoundLock, staleMs: number): Promise<boolean> {
  const standing = first.holder ? standingOf(first.holder) : 'unknown';
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
async function takeOver(path: string, stale: FoundLock, holder: LockHolder): Promise<boolean> {
  const guard = `${path}.takeover`;
  try {
    await (await openPlainFile(guard, CREATE)).close();
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
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

function whoHolds({ holder }: FoundLock): string {
  const who =
    holder?.machine === ownIdentity.machine ? `process ${holder.pid}` : 'another computer or container';
  return `This conversation is being written by another window (${who}). Close it there, or read it here without adding to it.`;
}
