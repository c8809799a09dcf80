import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { searchPath, SYSTEM_PATH } from './environment.js';

/**
 * Whether programs of these names are the same ones, or none, in the system's folders and in all where commands are
 * looked for. `path` is the host's variable, `folders` are those of the workspace.
 */
export async function areSystemPrograms(
  names: readonly string[],
  path: string,
  folders: readonly string[],
): Promise<boolean> {
  for (const name of names) {
    if (!/^[\w][\w.+-]*$/.test(name)) return false;
    const [own, system] = [await find(name, searchPath(path, folders)), await find(name, SYSTEM_PATH)];
    if (own !== system) return false;
  }
  return true;
}

async function find(name: string, folders: readonly string[]): Promise<string | undefined> {
  for (const folder of folders) {
    const path = join(folder, name);
    if (await isProgram(path)) return path;
  }
  return undefined;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    // Not there, or not to be run: the next folder is looked into.
    return false;
  }
}
