import { randomBytes } from 'node:crypto';
import { link, rename, unlink, utimes } from 'node:fs/promises';
import { isObject } from '../../core/message.js';
import { codeOf, CREATE, openPlainFile, READ } from '../plainFiles.js';
import type { ProcessIdentity } from './processIdentity.js';

/** What a lock file says of its holder; the token tells two locks of one process apart. */
export interface LockHolder extends ProcessIdentity {
  readonly token: string;
}

/** A lock file as found: who holds it, where that can be read, and a mark that changes with every beat. */
export interface FoundLock {
  readonly holder: LockHolder | undefined;
  readonly mark: string;
}

/** A lock file is small; more is not read. */
const MAX_BYTES = 4096;

/** The lock file at a path, undefined where there is none. */
export async function findLock(path: string): Promise<FoundLock | undefined> {
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
    if (codeOf(error) === 'ENOENT') return undefined;
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

/** Puts a lock file there unless there is one already; whether it did. It never shows half written. */
export async function createLock(path: string, holder: LockHolder): Promise<boolean> {
  const temporary = await writeTemporary(path, holder);
  try {
    await link(temporary, path);
    return true;
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EEXIST') return false;
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'UNKNOWN'].includes(code)) throw error;
    return await createWithoutLink(path, holder);
  } finally {
    await unlink(temporary).catch(() => undefined);
  }
}

/** For file systems without hard links: for a moment the file may be found empty, which counts as held. */
async function createWithoutLink(path: string, holder: LockHolder): Promise<boolean> {
  try {
    const handle = await openPlainFile(path, CREATE);
    await handle.writeFile(JSON.stringify(holder)).finally(() => handle.close());
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Puts a lock file over the one that is there. */
export async function replaceLock(path: string, holder: LockHolder): Promise<void> {
  const temporary = await writeTemporary(path, holder);
  await rename(temporary, path);
}

/** Shows that the holder lives: changes the mark. */
export async function touchLock(path: string): Promise<void> {
  const now = new Date();
  await utimes(path, now, now);
}

async function writeTemporary(path: string, holder: LockHolder): Promise<string> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  const handle = await openPlainFile(temporary, CREATE);
  try {
    await handle.writeFile(JSON.stringify(holder));
    // After a power cut an empty lock would have to be watched before it may be taken.
    await handle.sync();
  } finally {
    await handle.close();
  }
  return temporary;
}
