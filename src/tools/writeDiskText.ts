import { constants } from 'node:fs';
import { link, lstat, open, rename, unlink } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import { messageOf } from '../core/text.js';
import type { FileOutcome, GuardedPath } from '../ports/workspaceFiles.js';
import { readWhole, versionOf } from './diskFiles.js';
import { openFolder, pathIn } from './openFolder.js';
import { codeOf } from './pathGuard.js';

type Written = FileOutcome<{ readonly version: string }>;

/** A file as it is opened now, kept open until it is replaced. */
interface Current {
  readonly handle: FileHandle;
  readonly version: string;
}

/**
 * Writes a checked file as one step: into a new file beside it, which then takes its name and its mode.
 * All work is done inside of the opened folder, so that a folder swapped for a link leads nowhere else.
 */
export async function writeDiskText(place: GuardedPath, text: string, expected: string): Promise<Written> {
  const folder = await openFolder(place);
  if (!folder.ok) return folder;
  const target = pathIn(folder.handle, place, basename(place.path));
  const temporary = pathIn(folder.handle, place, `.agent-logbook-${crypto.randomUUID()}.tmp`);
  let current: Current | undefined;
  try {
    current = await openCurrent(target);
    if ((current?.version ?? 'absent') !== expected) return changed(place);
    await writeNew(temporary, text, current?.handle);
    const done = await (current ? replace(temporary, target, current) : create(temporary, target));
    return done ? { ok: true, version: versionOf(text) } : changed(place);
  } catch (error) {
    return {
      ok: false,
      why: 'failed',
      message: `'${place.relative}' cannot be written: ${messageOf(error)}`,
    };
  } finally {
    await current?.handle.close();
    await removeLeft(temporary);
    await folder.handle.close();
  }
}

async function openCurrent(target: string): Promise<Current | undefined> {
  try {
    const handle = await open(target, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    return { handle, version: versionOf(await readWhole(handle)) };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function writeNew(
  path: string,
  content: string | Uint8Array,
  like: FileHandle | undefined,
): Promise<void> {
  const handle = await open(path, 'wx', like ? 0o600 : 0o666);
  try {
    await handle.writeFile(content);
    if (like) await takeRightsOf(like, handle);
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

async function takeRightsOf(like: FileHandle, handle: FileHandle): Promise<void> {
  const { uid, gid, mode } = await like.stat();
  const own = await handle.stat();
  if (uid !== own.uid || gid !== own.gid) {
    // Only root may give a file away; for everybody else the new file is simply theirs.
    await handle.chown(uid, gid).catch(() => undefined);
  }
  await handle.chmod(mode & 0o7777);
}

/** Gives the new file a name that nobody has; false where somebody has it by now. */
async function create(temporary: string, target: string): Promise<boolean> {
  try {
    await link(temporary, target);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(codeOf(error) ?? '')) throw error;
  }
  // A file system without links: the look just before is all that can be had.
  await rename(temporary, target);
  return true;
}

/** Puts the new file in the old one's place; false, with the other text in place, where somebody wrote meanwhile. */
async function replace(temporary: string, target: string, current: Current): Promise<boolean> {
  const now = await lstat(target);
  const { dev, ino } = await current.handle.stat();
  if (now.dev !== dev || now.ino !== ino) return false;
  if (versionOf(await readWhole(current.handle)) !== current.version) return false;
  await rename(temporary, target);
  const left = await readWhole(current.handle);
  if (versionOf(left) === current.version) return true;
  await writeNew(temporary, left, current.handle);
  await rename(temporary, target);
  return false;
}

function changed(place: GuardedPath): Written {
  const message = `'${place.relative}' has changed meanwhile; read it again. Nothing was written.`;
  return { ok: false, why: 'changed', message };
}

async function removeLeft(temporary: string): Promise<void> {
  try {
    await unlink(temporary);
  } catch {
    // Gone already: it became the file.
  }
}
