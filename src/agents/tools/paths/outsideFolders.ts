import { existsSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, posix, resolve, sep, win32 } from 'node:path';
import { isInside } from './pathNames.js';

/** What a look at this machine tells; a test may have another one. */
export interface Disk {
  /** Whether something has this absolute path. */
  exists(path: string): boolean;
  /** The path with every link resolved; throws where there is nothing. */
  real(path: string): string;
}

const thisDisk: Disk = { exists: existsSync, real: (path) => realpathSync(path) };

/** More folders above a path are not looked at for links. */
const MAX_LEVELS = 64;

/**
 * Whether a word that a tool of others is given leads out of the workspace's `folders`: an absolute path elsewhere, a
 * share of the network, a way up over the first folder, or a link that leads away. What begins with a slash is often a
 * route of the web, so it counts as a path only where this machine has something of its first name.
 */
export function leadsOutside(word: string, folders: readonly string[], disk: Disk = thisDisk): boolean {
  const path = pathIn(word);
  if (path === '' || /[\n\r\0]/.test(path)) return false;
  if (/^[a-z]:(?:[\\/]|$)/i.test(path)) return !isInsideOn(win32, folders, path);
  if (/^\\\\[\w.?-]+\\[\w$.:-]+/.test(path)) return !isInsideOn(win32, folders, path);
  if (path.startsWith('/')) {
    const whole = posix.resolve(path.replace(/^\/+/, '/'));
    if (isInsideOn(posix, folders, whole)) return leavesByLink(whole, folders, disk);
    const [, first = ''] = whole.split('/');
    return first !== '' && disk.exists(`/${first}`);
  }
  if (/^[a-z][a-z0-9+.-]+:/i.test(path)) return false;
  const names = path.split(/[\\/]/);
  const [folder] = folders;
  if (names.includes('..'))
    return folder === undefined || goesAbove(names) || leavesAfterLink(names, folder, folders, disk);
  return (
    names.length > 1 && folder !== undefined && leavesByLink(join(folder, names.join('/')), folders, disk)
  );
}

/** The path in a word: without quotes, the mark of a mention, `file:`, and a place within the file. */
function pathIn(word: string): string {
  const bare = word.trim().replace(/^[@"'`<([{]+|["'`>)\]},;]+$/g, '');
  const place = bare.replace(/(?::\d+){1,2}$|#L\d+(?:-L?\d+)?$/i, '');
  const uri = /^file:(\/\/([^/\\]*))?([/\\].*)$/i.exec(place);
  if (!uri) return place;
  const [, , host = '', path = ''] = uri;
  if (host !== '' && host.toLowerCase() !== 'localhost') return `\\\\${host}${path.replaceAll('/', '\\')}`;
  return path.replace(/^[/\\]+([a-z]:[/\\])/i, '$1');
}

/** Whether names go up further than they went down. */
function goesAbove(names: readonly string[]): boolean {
  let depth = 0;
  for (const name of names) {
    if (name === '..') depth--;
    else if (name !== '' && name !== '.') depth++;
    if (depth < 0) return true;
  }
  return false;
}

function isInsideOn(kind: typeof posix, folders: readonly string[], path: string): boolean {
  const fold = (one: string) => (kind === win32 ? win32.resolve(one).toLowerCase() : one);
  return folders.some((folder) => isAbsoluteOn(kind, folder) && isInside(fold(folder), fold(path), kind.sep));
}

const isAbsoluteOn = (kind: typeof posix, path: string) =>
  kind === win32 ? /^(?:[a-z]:[\\/]|\\\\)/i.test(path) : path.startsWith('/');

/** `..` behind a link goes up from where the link leads, which is looked at name by name. */
function leavesAfterLink(
  names: readonly string[],
  folder: string,
  folders: readonly string[],
  disk: Disk,
): boolean {
  let at = folder;
  for (const name of names.slice(0, MAX_LEVELS)) {
    at = name === '..' ? dirname(at) : join(at, name);
    if (leavesByLink(at, folders, disk)) return true;
  }
  return false;
}

/** Whether the deepest part of a path that exists lies, with its links resolved, in none of the folders. */
function leavesByLink(path: string, folders: readonly string[], disk: Disk): boolean {
  if (!isAbsolute(path)) return false;
  const roots = folders.flatMap((folder) => [resolve(folder), realOf(folder, disk) ?? folder]);
  const isWithin = (one: string) => roots.some((root) => isInside(root, one, sep));
  for (let at = path; isWithin(at); at = dirname(at)) {
    const real = realOf(at, disk);
    if (real !== undefined) return !isWithin(real);
  }
  return false;
}

function realOf(path: string, disk: Disk): string | undefined {
  try {
    return disk.real(path);
  } catch {
    // There is nothing, or a link that leads to nothing: the folder above it tells where it would be.
    return undefined;
  }
}
