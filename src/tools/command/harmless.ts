import { appendAll } from '../../core/lists.js';
import { posix } from 'node:path';
import { argumentPaths } from './arguments.js';
import { isPlainPath } from './policy/program.js';
import type { CheckedPath } from './policy/program.js';
import { programs } from './policy/programs.js';
import { parsePlainCommands, PATTERN, readPlainCommands } from './shell/plainCommands.js';
import type { PlainCommand } from './shell/plainCommands.js';

/** A command line that only looks: what it looks at, from the folder where it starts. */
export interface HarmlessCommand {
  readonly programs: readonly string[];
  readonly checked: readonly CheckedPath[];
  /** Folders that it enters; each must be what its name says, no link. */
  readonly entered: readonly string[];
  /** Programs that must be the system's own wherever they are looked for: else it does, or says, something else. */
  readonly lookedUp: readonly string[];
}

/** A longer line is not looked into; it asks. */
const MAX_LENGTH = 8_000;

/**
 * What a command line looks at, if it does nothing else; undefined for everything that is not known to be harmless.
 * Pure: whether the paths themselves may be looked at is another question.
 */
export function harmlessCommand(line: string): HarmlessCommand | undefined {
  if (line.length > MAX_LENGTH) return undefined;
  const commands = readPlainCommands(line);
  if (commands === undefined || commands.length === 0) return undefined;
  if (JSON.stringify(commands) !== JSON.stringify(parsePlainCommands(line))) return undefined;
  const checked: CheckedPath[] = [];
  const entered: string[] = [];
  const lookedUp: string[] = [];
  let folder = '.';
  for (const [index, command] of commands.entries()) {
    const [name = '', ...words] = command.words;
    if (name === 'cd') {
      const next = enter(commands, index, words);
      if (next === undefined) return undefined;
      folder = next;
      entered.push(folder);
      continue;
    }
    const looked = pathsOf(name, words);
    if (looked === undefined) return undefined;
    // git finds its repository by the folder it stands in, and a folder can be made to look like one.
    if (name === 'git' && folder !== '.') return undefined;
    if (outside.has(name)) lookedUp.push(name);
    if (lookingUp.has(name))
      appendAll(
        lookedUp,
        words.filter((word) => !word.startsWith('-')),
      );
    for (const look of looked) checked.push({ ...look, path: from(folder, look.path) });
  }
  return { programs: [...new Set(commands.map(({ words }) => words[0] ?? ''))], checked, entered, lookedUp };
}

/** Programs that people have of their own, in other versions or as scripts that choose one by files of the folder. */
const outside = new Set(['rg', 'node', 'python3', 'jq']);
/** Programs that say where others are. */
const lookingUp = new Set(['which', 'command', 'type']);

function pathsOf(name: string, words: readonly string[]): readonly CheckedPath[] | undefined {
  const program = programs.get(name);
  if (program?.reads) return argumentPaths(program.reads, words);
  if (name !== 'rg' && words.some((word) => word.startsWith(PATTERN))) return undefined;
  return program?.looks?.(words);
}

/** `cd folder && …` at the very beginning, so that whatever follows runs there or not at all. */
function enter(
  commands: readonly PlainCommand[],
  index: number,
  words: readonly string[],
): string | undefined {
  const [folder = '', ...more] = words;
  const [next, ...rest] = commands.slice(1);
  const certain = next?.joined === '&&' && rest.every(({ joined }) => joined === '&&' || joined === '|');
  return index === 0 &&
    certain &&
    more.length === 0 &&
    !folder.startsWith('-') &&
    !folder.startsWith(PATTERN) &&
    isPlainPath(folder)
    ? folder
    : undefined;
}

const from = (folder: string, path: string) => (posix.isAbsolute(path) ? path : posix.join(folder, path));
