import { posix } from 'node:path';
import { appendAll } from '../../../core/lists.js';
import { argumentPaths } from './arguments.js';
import { isPlainPath, type CheckedPath, type GitListing, type Look } from './policy/program.js';
import { quietGitWords } from './policy/git.js';
import { programs } from './policy/programs.js';
import {
  parsePlainCommands,
  PATTERN,
  readPlainCommands,
  renderCommands,
  VARIABLE,
  type PlainCommand,
  isSingleLoop,
} from './shell/plainCommands.js';
import { influentialVariables } from './policy/variables.js';

/** A loop over more names is not written out. */
const MAX_ROUNDS = 50;

/** One loop, on one line or on several: `for f in a b; do …; done`. */
const loop =
  /^\s*for ([a-z]\w*) in ([A-Za-z0-9_./* \t-]+?)[ \t]*[;\n]\s*do[ \t\n]+(.+?)[ \t]*[;\n]\s*done\s*$/s;

/** Words by which a loop or a condition begins, goes on or ends. */
const keyword =
  /(^|[\s;|&])(for|in|do|done|while|until|if|then|elif|else|fi|case|esac|select|function|time|coproc|\{|\}|!)(?=[\s;|&]|$)/;

/** A command line that only looks: what it looks at, from the folder where it starts. */
export interface AllowedCommand {
  readonly programs: readonly string[];
  readonly checked: readonly CheckedPath[];
  /** What git must be asked for: which files a call of it shows. */
  readonly listings: readonly GitListing[];
  /** The line that is run for it: the same, but git is told to run no other program. */
  readonly line: string;
  /** The line as it was given, its loop written out. */
  readonly writtenOut: string;
  /** Whether the shell does all of it by itself: then it does not matter where programs are looked for. */
  readonly isBuiltin: boolean;
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
export function allowedCommand(line: string): AllowedCommand | undefined {
  if (line.length > MAX_LENGTH) return undefined;
  const single = expandLoop(line);
  const commands = readPlainCommands(single);
  if (commands === undefined || commands.length === 0) return undefined;
  if (JSON.stringify(commands) !== JSON.stringify(parsePlainCommands(single))) return undefined;
  const looks: Look[] = [];
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
    if (programs.get(name)?.isVaried) lookedUp.push(name);
    if (lookingUp.has(name))
      appendAll(
        lookedUp,
        words.filter((word) => !word.startsWith('-')),
      );
    appendAll(
      looks,
      looked.map((look) => ('git' in look ? look : { ...look, path: from(folder, look.path) })),
    );
  }
  const isBuiltin = commands.every(({ words }) => builtins.has(words[0] ?? ''));
  // Programs that only look are looked for in fewer folders.
  const showsPath = commands.some(({ words }) =>
    words.some((word) => word.includes(`${VARIABLE}PATH${VARIABLE}`)),
  );
  if (showsPath && !isBuiltin) return undefined;
  const quiet = quietLine(commands);
  return quiet === undefined
    ? undefined
    : {
        programs: [...new Set(commands.map(({ words }) => words[0] ?? ''))],
        checked: looks.filter((look): look is CheckedPath => !('git' in look)),
        listings: looks.filter((look): look is GitListing => 'git' in look),
        entered,
        lookedUp,
        isBuiltin,
        writtenOut: single,
        line: commands.some(({ words }) => words[0] === 'git') ? quiet : line,
      };
}

/** The commands as a line in which git runs no other program; undefined where it would not read the same. */
function quietLine(commands: readonly PlainCommand[]): string | undefined {
  const quiet = commands.map((command) => {
    const [name = '', ...words] = command.words;
    return name === 'git' ? { ...command, words: [name, ...quietGitWords(words)] } : command;
  });
  const line = renderCommands(quiet);
  return JSON.stringify(readPlainCommands(line)) === JSON.stringify(quiet) ? line : undefined;
}

const builtins = new Set('echo printf test [ pwd cd true false'.split(' '));

/** Programs that say where others are. */
const lookingUp = new Set(['which', 'command', 'type']);

/** Programs that take a variable for a text, and no text for more. */
const sayingOnly = new Set(['echo', 'test', '[']);

function pathsOf(name: string, words: readonly string[]): readonly Look[] | undefined {
  const program = programs.get(name);
  if (words.some((word) => word.includes(VARIABLE)) && !sayingOnly.has(name)) return undefined;
  // They print how they are called, and nothing else.
  if (program?.reads && words.length === 1 && /^--(?:help|version)$/.test(words[0] ?? '')) return [];
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

/**
 * A line that is one loop over plain names, written out as the commands that it runs; any other line as it is. The variable
 * may stand for whole words only, and nowhere else may there be a `$`.
 */
function expandLoop(line: string): string {
  const [, name = '', list = '', body = ''] = loop.exec(line) ?? [];
  const words = list.split(/[ \t]+/).filter((word) => word !== '');
  if (name === '' || words.length === 0 || words.length > MAX_ROUNDS) return line;
  const hasPattern = words.some((word) => word.includes('*'));
  const isPlain = words.every((word) => /^(?!-)[A-Za-z0-9_./-]*(\*[A-Za-z0-9_.-]+)?$/.test(word));
  const bare = String.raw`\$${name}(?!\w)|\$\{${name}\}`;
  const token = String.raw`'[^'$]*'|"\$${name}"|"\$\{${name}\}"|"[^"$'\\!]*"|[A-Za-z0-9_./,:=@%+~^[\]\- \t\n;|&><]`;
  const isKnown = new RegExp(`^(?:${token}${hasPattern ? '' : `|${bare}`})*$`).test(body);
  if (!isPlain || !isKnown || keyword.test(body) || influentialVariables.test(name)) return line;
  // The variable is a word by itself, so that it can be put in its place as it stands.
  const uses = new RegExp(String.raw`(?<=^|[ \t\n])"?\$\{?${name}\}?"?(?=$|[ \t\n;|&])`, 'g');
  if (body.replace(uses, '').includes('$') || !isSingleLoop(line, name, words.length)) return line;
  return words.map((word) => body.replace(uses, () => word)).join('\n');
}
