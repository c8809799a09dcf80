import { resolve } from 'node:path';
import type { PathGuard } from '../paths/pathGuard.js';
import { readRule } from '../paths/protectedPaths.js';
import type { HarmlessCommand } from './judgeHarmless.js';

/**
 * Why a command that only looks, run in the folder `root`, must be asked about all the same: for what it looks at.
 * Undefined: no reason.
 */
export async function lookAtPaths(
  guard: PathGuard,
  root: string,
  command: HarmlessCommand,
): Promise<string | undefined> {
  for (const folder of command.entered) {
    const written = resolve(root, folder);
    const checked = await guard.resolve(written);
    if (!checked.ok) return checked.message;
    const { kind, path } = checked.place;
    if (kind !== 'folder') return `'${folder}' is not a folder.`;
    // Behind a link the shell's `..` and ours are not the same.
    if (path !== written) return `'${folder}' leads through a link.`;
  }
  for (const { path, what } of command.lookedAt) {
    const checked = await guard.resolve(resolve(root, path));
    if (!checked.ok) return checked.message;
    const { relative, kind, names } = checked.place;
    const rule = readRule(checked.place) ?? readRule({ relative: path });
    if (rule) return `'${relative}' ${rule.reason}.`;
    if (what === 'names') continue;
    if (kind === 'folder') return `'${relative}' is a folder; which of its files are read is not known.`;
    if (names > 1) return `'${relative}' has ${names} names (hard links).`;
  }
  return undefined;
}
