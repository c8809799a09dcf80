import { randomBytes } from 'node:crypto';
import { link, rename, unlink, utimes } from 'node:fs/promises';
import { isObject } from '../core/message.js';
import { CREATE, openPlainFile, READ } from './plainFile.js';
import { errorCode } from '../core/errorCode.js';
import type { ProcessIdentity } from './processIdentity.js';

/** The holder that a lock file names; the token distinguishes locks of the same process. */
export interface LockHolder extends ProcessIdentity {
  readonly token: string;
}

/** A lock file as found: its holder, where it can be read, and a mark that changes with every heartbeat. */
export interface LockState {
  readonly holder: LockHolder | undefined;
  readonly mark: string;
}

/** How much of a lock file is read, in bytes. */
const MAX_BYTES = 4096;

/** Reads the lock file at a path; undefined where there is none. */
export async function findLock(path: string): Promise<LockState | undefined> {
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
export async function createLock(path: string, holder: LockHolder, isBrief = false): Promise<boolean> {
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
export async function replaceLock(path: string, holder: LockHolder): Promise<void> {
  const temporary = await writeTemporary(path, holder);
  await rename(temporary, path);
}

/** Sends a heartbeat: changes the mark. */
export async function touchLock(path: string): Promise<void> {
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
