import { isAbsolute, join, normalize } from 'node:path';
import type { ShellCommand } from '../../../../core/shell/shellTree.js';

/** A way back out of a folder, which may be a link; at the very beginning of a path it is none. */
export const leadsBack = /(^|\/)(?!\.\.?(\/|$))[^/]+(\/\.?)*\/\.\.(\/|$)/;

/** More folders than this are not followed. */
const MAX_FOLDERS = 32;

/**
 * All folders in which the commands of a line may stand that begins in one of `begins`: each `cd` may have been
 * done or not. `reason`: why that cannot be told.
 */
export function workingFolders(
  commands: readonly ShellCommand[],
  begins: readonly string[],
): { readonly folders: readonly string[]; readonly reason: string | undefined } {
  let folders = begins;
  for (const { words } of commands) {
    const [name, ...rest] = words.map(({ value }) => value);
    if (name !== 'cd' && name !== 'pushd') continue;
    const targets = rest.filter((word) => word === undefined || !/^-(-|[LPen@]+)$/.test(word));
    const [target] = targets;
    if (target === '-') continue;
    if (targets.length !== 1 || target === undefined) {
      return { folders, reason: `Where it goes (${name}) is known only when it runs.` };
    }
    // By a flag or an option of the shell, the way back begins behind the link.
    if (leadsBack.test(target)) return { folders, reason: `'${target}' leads back through another folder.` };
    const next = folders.map((folder) => (isAbsolute(target) ? normalize(target) : join(folder, target)));
    folders = [...new Set([...folders, ...next])];
    if (folders.length > MAX_FOLDERS) return { folders, reason: 'It goes through too many folders.' };
  }
  return { folders, reason: undefined };
}
