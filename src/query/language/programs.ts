import { argumentsOf } from '../../analysis/toolCalls.js';
import { readShellTree } from '../../shell/shellTree.js';

/** The names that tools commonly give to a command line, or to the list of its words. */
const COMMAND_KEYS = ['command', 'cmd', 'commands', 'script', 'command_line', 'commandLine', 'argv'];

const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'zsh', 'dash', 'ksh']);

/** Programs that run the program among their words, and their flags that take the next word. */
const STARTERS: ReadonlyMap<string, RegExp> = new Map([
  ['sudo', /^(?:-[ugpCDhRTU]|--(?:user|group|prompt|chdir|host))$/],
  ['doas', /^-[uC]$/],
  ['env', /^(?:-[uCS]|--(?:unset|chdir))$/],
  ['nohup', /^$/],
  ['nice', /^(?:-n|--adjustment)$/],
  ['ionice', /^-[cnp]$/],
  ['time', /^-[fo]$/],
  ['command', /^$/],
  ['builtin', /^$/],
  ['exec', /^-a$/],
  ['setsid', /^$/],
  ['stdbuf', /^-[ioe]$/],
  ['timeout', /^(?:-[ks]|--(?:signal|kill-after))$/],
  ['xargs', /^-[aEdILnPs]$/],
]);

/** Longer lines, in UTF-16 code units, are not taken apart: nobody writes them, and reading them would take seconds. */
const MAX_LINE = 100_000;
/** How deep scripts within scripts are followed. */
const MAX_DEPTH = 4;

/**
 * The programs that the arguments of a tool call run, each once, without their folders: as the shell reads its command
 * line. Those are among them that `sudo`, `env`, `xargs` and their like start, and those of `sh -c '…'`. A program that
 * is known only when the line runs is none, and so is what an interpreter of another language would run.
 */
export function programsOf(input: unknown): ReadonlySet<string> {
  const programs = new Set<string>();
  const args = argumentsOf(input);
  for (const key of COMMAND_KEYS) {
    const value = Object.hasOwn(args, key) ? args[key] : undefined;
    if (typeof value === 'string') addLine(programs, value, 0);
    else if (Array.isArray(value) && value.every((word) => typeof word === 'string'))
      addWords(programs, value, 0);
  }
  return programs;
}

function addLine(programs: Set<string>, line: string, depth: number): void {
  if (line.length > MAX_LINE || depth > MAX_DEPTH) return;
  for (const { words } of readShellTree(line).commands)
    addWords(
      programs,
      words.map(({ value }) => value),
      depth,
    );
}

/** Adds the program that words begin with, and whatever it starts. */
function addWords(programs: Set<string>, given: readonly (string | undefined)[], depth: number): void {
  let words = given;
  for (;;) {
    const [first, ...rest] = words;
    if (first === undefined) return;
    const name = first.slice(first.lastIndexOf('/') + 1);
    if (name !== '') programs.add(name);
    if (SHELLS.has(name)) {
      const at = rest.findIndex((word) => word !== undefined && /^-[a-z]*c$/.test(word));
      const script = at < 0 ? undefined : rest[at + 1];
      if (script !== undefined) addLine(programs, script, depth + 1);
      return;
    }
    const valued = STARTERS.get(name);
    if (!valued) return;
    words = started(name, rest, valued);
  }
}

/** The words of the program that a starter starts: behind its flags, variables and, of `timeout`, its duration. */
function started(
  name: string,
  words: readonly (string | undefined)[],
  valued: RegExp,
): readonly (string | undefined)[] {
  let at = 0;
  for (; at < words.length; at++) {
    const word = words[at];
    if (word === undefined) return [];
    if (word === '--') return words.slice(at + 1);
    if (valued.test(word)) at++;
    else if (!word.startsWith('-') && !(name === 'env' && word.includes('='))) break;
  }
  return words.slice(name === 'timeout' ? at + 1 : at);
}
