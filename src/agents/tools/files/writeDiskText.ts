import { constants } from 'node:fs';
import { open, unlink, type FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import { messageOf } from '../../../core/text.js';
import type { FileOutcome, GuardedPath, WorkspaceFiles } from '../../../core/ports/workspaceFiles.js';
import { readWhole, versionOf, readDiskText } from './diskFiles.js';
import { openFolder, pathIn } from '../paths/openFolder.js';
import { errorCode } from '../../../core/errorCode.js';
import { createFile, replaceFile, type OpenedFile } from './replaceFile.js';

type Written = FileOutcome<{ readonly version: string }>;

/**
 * Writes a checked file atomically: to a new file beside it, which then takes its name and mode.
 * Everything is done relative to the opened folder, so that a folder swapped for a link leads nowhere else.
 */
export async function writeDiskText(place: GuardedPath, text: string, expected: string): Promise<Written> {
  const folder = await openFolder(place);
  if (!folder.ok) return folder;
  const target = pathIn(folder.handle, place, basename(place.path));
  const free = pathIn(folder.handle, place, `.agent-logbook-${crypto.randomUUID()}`);
  const names = { target, fresh: `${free}.tmp`, spare: `${free}.old` };
  let current: OpenedFile | undefined;
  try {
    current = await openCurrent(target);
    if ((current?.version ?? 'absent') !== expected) return changed(place);
    await writeNew(names.fresh, text, current?.handle);
    const version = versionOf(text);
    const done = await (current ? replaceFile(names, current, version) : createFile(names));
    return done ? { ok: true, version } : changed(place);
  } catch (error) {
    return {
      ok: false,
      why: 'failed',
      message: `'${place.relative}' cannot be written: ${messageOf(error)}`,
    };
  } finally {
    await current?.handle.close();
    await removeLeft(names.fresh);
    await removeLeft(names.spare);
    await folder.handle.close();
  }
}

async function openCurrent(target: string): Promise<OpenedFile | undefined> {
  try {
    const handle = await open(target, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    return { handle, version: versionOf(await readWhole(handle)) };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function writeNew(path: string, content: string, like: FileHandle | undefined): Promise<void> {
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
    // Only root may change the owner; for everybody else the new file is simply theirs.
    await handle.chown(uid, gid).catch(() => undefined);
  }
  await handle.chmod(mode & 0o7777);
}

function changed(place: GuardedPath): Written {
  const message = `'${place.relative}' has changed meanwhile; read it again. Nothing was written.`;
  return { ok: false, why: 'changed', message };
}

async function removeLeft(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch {
    // Gone already: it became the file, or never was.
  }
}

/** The files of the workspace on disk, without regard to editors. */
export class DiskWorkspaceFiles implements WorkspaceFiles {
  read(place: GuardedPath, maxBytes: number) {
    return readDiskText(place, maxBytes);
  }

  write(place: GuardedPath, text: string, expected: string) {
    return writeDiskText(place, text, expected);
  }
}
