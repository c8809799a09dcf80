import { COMMAND_KEYS } from '../numbers/namedPaths.js';
import { argumentsOf } from '../numbers/toolCalls.js';
import { readShellTree, type ShellWord } from '../../core/shell/shellTree.js';
import {
  isIdle,
  LINE_MAKERS,
  readFlag,
  SHELLS,
  STARTERS,
  STARTING_FLAGS,
  type LineMaker,
  type Starter,
} from './starters.js';

/** Those of the names of command lines whose lists are lists of command lines. */
const LISTS_OF_LINES: ReadonlySet<string> = new Set(['commands', 'script']);

/** Longer lines, in UTF-16 code units, are not taken apart: nobody writes them, and reading them would take seconds. */
const MAX_LINE = 100_000;
/** How deep scripts within scripts are followed. */
const MAX_DEPTH = 4;

/**
 * The programs that the arguments of a tool call run, each once, without their folders: as the shell reads its command
 * line. Those are among them that `sudo`, `env`, `xargs`, `find -exec` and their like start, and those of `sh -c '…'`,
 * `eval '…'`, `trap '…' EXIT`, `watch` and `parallel`. A program that is known only when the line runs is none, and so is what an interpreter of another language
 * would run.
 */
export function programsOf(input: unknown): ReadonlySet<string> {
  const found = new Programs();
  const args = argumentsOf(input);
  for (const key of COMMAND_KEYS) {
    const value = Object.hasOwn(args, key) ? args[key] : undefined;
    if (typeof value === 'string') found.addLine(value, 0);
    else if (Array.isArray(value) && value.every((word) => typeof word === 'string')) {
      if (LISTS_OF_LINES.has(key)) for (const line of value) found.addLine(line, 0);
      else found.addWords(value.map(plainWord), 0);
    }
  }
  return found.names;
}

/** A word of a command line as far as it is known before it runs. */
interface KnownWord {
  /** What the program gets; of a path of which only the folder is unknown, the path as it is written. */
  readonly value: string | undefined;
  /** What it is where it is read as a command line, of which parts may be unknown. */
  readonly line: string;
}

/** Gathers the programs of command lines. */
class Programs {
  readonly names = new Set<string>();

  addLine(line: string, depth: number): void {
    if (line.length > MAX_LINE || depth > MAX_DEPTH) return;
    for (const { words } of readShellTree(line).commands) this.addWords(words.map(knownWord), depth);
  }

  /** Adds the program that words begin with, and whatever it starts. */
  addWords(words: readonly KnownWord[], depth: number): void {
    if (depth > MAX_DEPTH) return;
    let at = 0;
    for (;;) {
      const program = words[at++]?.value;
      if (program === undefined) return;
      const name = program.slice(program.lastIndexOf('/') + 1);
      if (name !== '') this.names.add(name);
      const starter = STARTERS.get(name);
      if (!starter) {
        this.#addScripts(name, words.slice(at), depth + 1);
        return;
      }
      const start = readStart(words, at, starter);
      if (name === 'env' && start.split !== undefined) {
        this.#addSplit(start.split, words.slice(start.at), depth + 1);
        return;
      }
      at = start.at;
    }
  }

  /** Adds what a program runs that takes command lines among its words. */
  #addScripts(name: string, words: readonly KnownWord[], depth: number): void {
    const maker = LINE_MAKERS.get(name);
    if (maker) this.addLine(lineOf(words, maker), depth);
    const shell = SHELLS.get(name);
    if (shell) {
      const { at, letters } = readStart(words, 0, shell);
      const script = letters.includes('c') ? words[at]?.line : undefined;
      if (script !== undefined) this.addLine(script, depth);
    }
    const flags = STARTING_FLAGS.get(name);
    if (flags) for (const started of startedBy(flags, words)) this.addWords(started, depth);
  }

  /** Adds what `env` runs whose flag `S` holds its words. */
  #addSplit(text: string, rest: readonly KnownWord[], depth: number): void {
    if (text.length > MAX_LINE) return;
    const [command] = readShellTree(`env ${text}`).commands;
    if (command) this.addWords([...command.words.map(knownWord), ...rest], depth);
  }
}

/** A folder that is known only when the line runs, and a path in it. */
const PATH_IN_UNKNOWN = /^(?:~[\w.+-]*|\$\w+|\$\{\w+\})(?:\/[\w.+@%-]+)+$/;
/** A text between double quotes, alone. */
const DOUBLE_QUOTED = /^"((?:[^"\\]|\\.)*)"$/s;

function knownWord({ text, value }: ShellWord): KnownWord {
  if (value !== undefined) return { value, line: value };
  const path = text.replaceAll('"', '');
  const inner = DOUBLE_QUOTED.exec(text)?.[1];
  return {
    value: PATH_IN_UNKNOWN.test(path) ? path : undefined,
    line: inner?.replace(/\\(["\\$`\n])/g, '$1') ?? text,
  };
}

/** A word that a list of words holds. */
const plainWord = (value: string): KnownWord => ({ value, line: value });

/** What stands between the name of a starter and the program that it starts. */
interface Start {
  /** Where the program or the script stands, or a word of which nothing is known; behind all words where there is none. */
  readonly at: number;
  /** The letters of its flags without a value. */
  readonly letters: string;
  /** The value of the flag `S` of `env`. */
  readonly split: string | undefined;
}

/** Reads what stands behind the name of a starter from a place on: its flags, variables and own words. */
function readStart(words: readonly KnownWord[], from: number, starter: Starter): Start {
  const nowhere = { at: words.length, letters: '', split: undefined };
  let letters = '';
  let hasFlags = true;
  let at = from;
  for (let word = words[at]; word; word = words[++at]) {
    const { value, line } = word;
    if (starter.setsVariables && /^[A-Za-z_]\w*=/.test(line)) {
      hasFlags = false;
    } else if (value === undefined) return { at, letters, split: undefined };
    else if (!hasFlags || value === '' || !starter.signs.includes(value.charAt(0))) break;
    else if (value === '--') hasFlags = false;
    else {
      const flag = readFlag(value, starter);
      if (isIdle(flag, starter)) return nowhere;
      letters += flag.letters;
      if (flag.takesNext) at++;
      const split = flag.takesNext ? words[at]?.line : flag.value;
      if (/^(?:S|--split-string)$/.test(flag.name) && split !== undefined)
        return { at: at + 1, letters, split };
    }
  }
  return { at: at + starter.operands, letters, split: undefined };
}

/** The command line that a program makes of its words; '' where it makes none. */
function lineOf(words: readonly KnownWord[], { starter, isFirst, end }: LineMaker): string {
  const own = words.slice(readStart(words, 0, starter).at);
  if (isFirst) return own.length < 2 || own[0]?.value === '-' ? '' : (own[0]?.line ?? '');
  const last = own.findIndex(({ value }) => value !== undefined && end?.has(value) === true);
  return own
    .slice(0, last < 0 ? own.length : last)
    .map(({ line }) => line)
    .join(' ');
}

/** The command lines behind the flags with which a program takes them, as their words. */
function startedBy(
  flags: ReadonlySet<string>,
  words: readonly KnownWord[],
): readonly (readonly KnownWord[])[] {
  const lines: KnownWord[][] = [];
  let line: KnownWord[] | undefined;
  for (const [at, word] of words.entries()) {
    const isEnd = word.value === ';' || (word.value === '+' && words[at - 1]?.value === '{}');
    if (line && isEnd) line = undefined;
    else if (line) line.push(word);
    else if (word.value !== undefined && flags.has(word.value)) lines.push((line = []));
  }
  return lines;
}
