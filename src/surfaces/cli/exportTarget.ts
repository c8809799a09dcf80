import { lstat, open, realpath, stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { NamedSession } from '../../app/stores/namedSessions.js';
import { UserError } from '../../app/userError.js';
import { errorCode } from '../../core/errorCode.js';
import { fileOfPath } from '../../core/sessionInDatabase.js';

/** Where an export goes. */
export interface ExportTarget {
  /** Absolute; where a link was named, that of the file behind it. */
  readonly path: string;
  /** What is told of it: as it was named, and what is behind it where that is another. */
  readonly words: string;
  /** Whether it is a device or a pipe, which is written to and never replaced. */
  readonly isStream: boolean;
}

/** The folders of the system in which files stand for open ones, such as /dev/stdout. */
const OPEN_FILES = /^\/(?:dev|proc)\//;

/**
 * Where an export goes that was named. Rejects with a UserError where that is what is exported, a folder, or a link to nothing; what exists is no
 * matter here.
 */
export async function exportTarget(named: string, cwd: string, session: NamedSession): Promise<ExportTarget> {
  const path = resolve(cwd, named);
  const about = await stat(path).catch(() => undefined);
  if (
    (OPEN_FILES.test(path) && about?.isDirectory() !== true) ||
    (about && !about.isFile() && !about.isDirectory())
  )
    return { path, words: named, isStream: true };
  if (about?.isDirectory()) throw new UserError(`${named} is a folder; name a file to write in it.`);
  const isLink = (await lstat(path).catch(() => undefined))?.isSymbolicLink() === true;
  if (isLink && !about)
    throw new UserError(`${named} is a link to a file that is not there; nothing was written.`);
  const real = isLink ? await realpath(path) : path;
  if (about && (await isSource(real, cwd, session)))
    throw new UserError(`${named} is what is exported; name another file to write.`);
  return { path: real, words: isLink ? `${named}, a link to ${real}` : named, isStream: false };
}

/** Whether a file that is there is the one that is exported, or stands in the store that is. */
async function isSource(path: string, cwd: string, { kind, where }: NamedSession): Promise<boolean> {
  try {
    const source = await realpath(fileOfPath(resolve(cwd, where)));
    const target = await realpath(path);
    const way = relative(source, target);
    if (kind === 'stored') return !way.startsWith(`..${sep}`) && !isAbsolute(way);
    const [one, other] = await Promise.all([stat(source), stat(target)]);
    return one.ino === other.ino && one.dev === other.dev;
  } catch (error) {
    // What is exported came from elsewhere, such as standard input.
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Writes to a device or a pipe. Rejects with errors of the system. */
export async function writeInto(path: string, chunks: AsyncIterable<string>): Promise<void> {
  const file = await open(path, 'w');
  try {
    for await (const chunk of chunks) await file.writeFile(chunk);
  } finally {
    await file.close();
  }
}
