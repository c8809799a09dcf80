import { join } from 'node:path';
import type { PathGuard } from '../paths/pathGuard.js';
import { allow, ask } from '../verdict.js';
import type { Verdict } from '../verdict.js';
import { programOf } from './policy/program.js';
import { onlyReads, scriptIn } from './risk.js';
import { readShellTree } from '../../../core/shell/shellTree.js';

/** Programs that run another one, which they fetch where the project has none of that name. */
const runners = new Set(['npx', 'pnpx', 'bunx']);
/** Package managers that do the same by a subcommand, or then take a program of the system. */
const managers = new Set(['npm', 'bun', 'pnpm', 'yarn']);
/** npm takes any beginning of a subcommand that is no other's. */
const subcommands = /^(exec?|x)$/;

const MAX_DEPTH = 4;

/** Whether a command line may run a program that is not the project's own, but fetched from elsewhere. */
export async function downloadRisk(
  guard: PathGuard,
  root: string,
  line: string,
  depth = 0,
): Promise<Verdict> {
  if (depth > MAX_DEPTH) return ask('It is nested too deep to be looked through.');
  for (const { words } of readShellTree(line).commands) {
    const values = words.map(({ value }) => value ?? '');
    const script = scriptIn(words.map(({ value }) => value));
    const inside = script === undefined ? allow : await downloadRisk(guard, root, script, depth + 1);
    if (inside.kind !== 'allow') return inside;
    if (onlyReads(programOf(values[0]) ?? '', values.slice(1))) continue;
    for (const [at, word] of values.entries()) {
      const name = programOf(word) ?? '';
      const begin = managers.has(name)
        ? behindSubcommand(values, at)
        : runners.has(name)
          ? at + 1
          : undefined;
      if (begin === undefined) continue;
      const steering = name === 'npm' ? flagOfNpm(values.slice(begin)) : undefined;
      if (steering !== undefined) return ask(`It tells npm what to fetch and run (${steering}).`);
      const rest = values.slice(begin).filter((one) => !/^--(no|no-install|offline)?$/.test(one));
      const [program = ''] = rest;
      if (/^(-v|--version|-h|--help)$/.test(program)) continue;
      if (!(await isInstalled(guard, root, program))) {
        return ask(
          `The project has no program '${program}'; ${name} may fetch it from elsewhere and run it.`,
        );
      }
    }
  }
  return allow;
}

/** What npm takes for its own flag, `--package` or `--call`, also behind the program that it runs; not behind `--`. */
function flagOfNpm(words: readonly string[]): string | undefined {
  const end = words.indexOf('--');
  return words.slice(0, end < 0 ? undefined : end).find((word) => /^-+(pack|cal)/.test(word));
}

/** Where the command that a manager at this place runs begins; undefined: it does something else. */
function behindSubcommand(values: readonly string[], manager: number): number | undefined {
  const isFlag = (word: string | undefined) => word?.startsWith('-') === true;
  // A word behind a flag can be its value, and then the next one is the subcommand.
  const at = values.findIndex(
    (word, position) =>
      position > manager && !isFlag(word) && (subcommands.test(word) || !isFlag(values[position - 1])),
  );
  return at >= 0 && subcommands.test(values[at] ?? '') ? at + 1 : undefined;
}

/** Whether the project has a program of this name; whatever is no plain name is not. */
async function isInstalled(guard: PathGuard, root: string, name: string): Promise<boolean> {
  if (!/^[\w][\w.-]*$/.test(name)) return false;
  const found = await guard.resolve(join(root, 'node_modules/.bin', name));
  return found.ok && found.place.kind === 'file';
}
