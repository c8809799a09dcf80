import { errorCode } from '../../../core/errorCode.js';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { isInside } from '../paths/pathNames.js';
import { programOf } from './policy/program.js';
import { readShellTree } from '../../../core/shell/shellTree.js';

/** Sections by which the settings of a repository name programs for its files, or other settings. */
const steering = /\[\s*(filter|include)/i;

/** Longer settings are not looked through, in bytes. */
const MAX_BYTES = 1_000_000;

/**
 * Whether the settings of the repository in the folder `root` may name programs that git runs while it compares files:
 * filters have names of their own, and cannot be turned off like the rest. `folders` are those of the workspace: what a
 * repository outside of them names is the person's.
 */
export async function namesFilters(root: string, folders: readonly string[]): Promise<boolean> {
  const folder = await gitFolder(join(root, '.git'), root);
  if (folder === undefined || !folders.some((one) => isInside(one, folder, sep))) return false;
  for (const name of ['config', 'config.worktree']) {
    const text = await textOf(join(folder, name));
    if (text === undefined || steering.test(text)) return true;
  }
  return false;
}

/** Subcommands before or behind which git runs hooks of the repository. */
const hooked = /^(commit|merge|rebase|cherry-pick|revert|checkout|switch|am|push|pull|worktree|stash)$/;

/** Whether a command line lets git run hooks that the repository in the folder `root` has; those run the project's code. */
export async function runsHooks(root: string, line: string): Promise<boolean> {
  const isHooked = readShellTree(line).commands.some(({ words }) => {
    const values = words.map(({ value }) => programOf(value));
    return values.includes('git') && values.some((word) => word === undefined || hooked.test(word));
  });
  const folder = isHooked ? await gitFolder(join(root, '.git'), root) : undefined;
  if (folder === undefined) return false;
  const config = await textOf(join(folder, 'config'));
  if (config === undefined || /hookspath/i.test(config)) return true;
  try {
    return (await readdir(join(folder, 'hooks'))).some((name) => !name.endsWith('.sample'));
  } catch {
    // Without the folder there are no hooks.
    return false;
  }
}

/** Where git keeps what it knows: in `.git`, or where a file of that name leads. */
async function gitFolder(path: string, root: string): Promise<string | undefined> {
  try {
    if ((await stat(path)).isDirectory()) return path;
  } catch {
    // Without a repository here, git looks further up, outside of the workspace.
    return undefined;
  }
  const way = /^gitdir: (.*)/.exec((await textOf(path)) ?? '')?.[1];
  return way === undefined ? undefined : resolve(root, way);
}

/** The text of a file, empty where there is none; undefined where it cannot be known. */
async function textOf(path: string): Promise<string | undefined> {
  try {
    if ((await stat(path)).size > MAX_BYTES) return undefined;
    return await readFile(path, 'latin1');
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? '' : undefined;
  }
}
