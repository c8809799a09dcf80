import { statfsSync, statSync } from 'node:fs';
import { errorCode } from '../../core/errorCode.js';
import { t } from '../../core/l10n.js';
import { fileOfPath } from '../../core/sessionInDatabase.js';
import { UserError } from '../userError.js';
import { whyUnread } from './whyUnread.js';

/** What a path leads to: a plain file, a folder, or a pipe that a shell has made; undefined where there is nothing. */
export type FileKind = 'file' | 'folder' | 'pipe' | undefined;

/** Where a shell's own pipes are, as of `<(command)`; any other pipe may have nobody who writes into it. */
const PIPES_OF_SHELLS = /^\/(?:dev\/(?:fd\/\d+|stdin)|proc\/(?:self|\d+)\/fd\/\d+)$/;

/** A file from this size on, in bytes, of which less than a thousandth is on the disk, holds nothing but holes. */
const SPARSE_BYTES = 64 * 1024 * 1024;

/** The file systems of Linux whose files hold what the kernel tells at that moment: proc, sysfs, debugfs and tracefs. */
const OF_KERNEL: ReadonlySet<number> = new Set([0x9fa0, 0x62656572, 0x64626720, 0x74726163]);

/** Whether a file of no length is one that the kernel makes, as /proc/kmsg, which never ends. */
function isOfKernel(path: string): boolean {
  return process.platform === 'linux' && OF_KERNEL.has(statfsSync(path).type);
}

/**
 * Looks at what is named before it is opened, because some of it never ends, or never begins. Throws a UserError for a device, a named
 * pipe, a socket, a file of holes, and what may not be looked at; `name` is what a person calls it.
 */
export function fileKind(path: string, name: string): FileKind {
  let about;
  try {
    about = statSync(fileOfPath(path));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(errorCode(error)) || name.includes('\0'))
      return undefined;
    throw new UserError(t`${name} cannot be read: ${whyUnread(error)}.`);
  }
  if (about.isDirectory()) return 'folder';
  if (about.isFile()) {
    const isSparse = about.size >= SPARSE_BYTES && about.blocks * 512 < about.size / 1000;
    if (isSparse && process.platform !== 'win32')
      throw new UserError(t`${name} is nearly nothing but holes, and is not read.`);
    if (about.size === 0 && isOfKernel(path))
      throw new UserError(
        t`${name} is made by the system while it is read, perhaps without end, and is not read.`,
      );
    return 'file';
  }
  if (about.isFIFO() && PIPES_OF_SHELLS.test(path)) return 'pipe';
  if (about.isFIFO())
    throw new UserError(
      t`${name} is a named pipe, into which perhaps nobody writes; give what comes from it as standard input: - < ${name}`,
    );
  throw new UserError(t`${name} is a device or a socket and no file, and is not read.`);
}
