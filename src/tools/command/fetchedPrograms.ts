import { join } from 'node:path';
import type { PathGuard } from '../paths/pathGuard.js';
import { readShellTree } from './shellTree.js';

/** Programs that run another one, which they fetch where the project has none of that name. */
const runners = new Set(['npx', 'pnpx', 'bunx']);
/** Package managers that do the same by a subcommand. */
const managers = new Set(['npm', 'bun']);
const subcommands = new Set(['exec', 'x']);
/** Programs that always fetch. */
const fetchers = /^(uvx|pipx)$/;

/** Why a command line may fetch a program from elsewhere and run it; undefined: what it runs is in the project. */
export async function judgeFetched(
  guard: PathGuard,
  root: string,
  line: string,
): Promise<string | undefined> {
  for (const { words } of readShellTree(line).commands) {
    const values = words.map(({ value }) => value ?? '');
    for (const [at, word] of values.entries()) {
      const name = word.slice(word.lastIndexOf('/') + 1);
      if (fetchers.test(name) && at === 0) return `It may fetch a program and run it (${name}).`;
      const bySubcommand = at === 0 && managers.has(name) && subcommands.has(values[1] ?? '');
      if (!runners.has(name) && !bySubcommand) continue;
      const rest = values
        .slice(bySubcommand ? 2 : at + 1)
        .filter((one) => !/^--(no|no-install|offline)?$/.test(one));
      const [program = ''] = rest;
      if (/^(-v|--version|-h|--help)$/.test(program)) continue;
      if (!(await isInstalled(guard, root, program)))
        return `It may fetch a program and run it (${name} ${program}).`;
    }
  }
  return undefined;
}

/** Whether the project has a program of this name; whatever is no plain name is not. */
async function isInstalled(guard: PathGuard, root: string, name: string): Promise<boolean> {
  if (!/^[\w][\w.-]*$/.test(name)) return false;
  const found = await guard.resolve(join(root, 'node_modules/.bin', name));
  return found.ok && found.place.kind === 'file';
}
