import { readdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { PathGuard } from '../paths/pathGuard.js';
import { namesReason } from '../paths/accessRights.js';
import { isUnreadableName } from '../paths/pathNames.js';
import { readRule } from '../paths/protectedPaths.js';
import type { LookedAt } from './judgeArguments.js';
import type { HarmlessCommand } from './judgeHarmless.js';
import { lookAtTree, unreadable } from './lookAtTree.js';

/** More names than this are not looked at for one pattern. */
const MAX_NAMES = 1_000;

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
  for (const look of command.lookedAt) {
    const reason = look.pattern ? await lookAtPattern(guard, root, look) : await lookAt(guard, root, look);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

async function lookAt(guard: PathGuard, root: string, look: LookedAt): Promise<string | undefined> {
  const { path, what } = look;
  const checked = await guard.resolve(resolve(root, path));
  if (!checked.ok) return checked.message;
  const { relative, kind, names } = checked.place;
  const rule = readRule(checked.place) ?? readRule({ relative: path });
  if (rule) return `'${relative}' ${rule.reason}.`;
  if (what === 'names') return undefined;
  if (kind === 'folder') {
    return what === 'tree'
      ? lookAtTree(checked.place, look)
      : `'${relative}' is a folder; which of its files are read is not known.`;
  }
  return names > 1 ? `'${relative}' ${namesReason({ names })}.` : undefined;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch {
    // Whoever may not read it is told no names by the shell either.
    return [];
  }
}

/** Everything that the shell may put in the place of a pattern, and perhaps more. */
async function lookAtPattern(guard: PathGuard, root: string, look: LookedAt): Promise<string | undefined> {
  const folder = dirname(look.path);
  const checked = await guard.resolve(resolve(root, folder));
  if (!checked.ok) return checked.message;
  if (checked.place.kind !== 'folder') return undefined;
  const [before = '', after = ''] = basename(look.path).split('*');
  const names = (await namesIn(checked.place.path)).filter(
    (name) => name.length >= before.length + after.length && name.startsWith(before) && name.endsWith(after),
  );
  if (names.length > MAX_NAMES) return `'${look.path}' stands for more than ${MAX_NAMES} files.`;
  const flag = names.find((name) => name.startsWith('-'));
  if (flag !== undefined) return `'${flag}' would be taken for a flag.`;
  for (const name of names) {
    if (isUnreadableName(name)) return unreadable(join(folder, name));
    const reason = await lookAt(guard, root, { ...look, path: join(folder, name) });
    if (reason !== undefined) return reason;
  }
  return undefined;
}
