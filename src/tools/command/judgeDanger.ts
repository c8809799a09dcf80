import { approvalText } from '../approvalText.js';
import { allow, ask } from '../verdict.js';
import type { Verdict } from '../verdict.js';
import { isSecretPath, isStorePath, writeRule } from '../paths/protectedPaths.js';
import { alwaysAsked, interpreters, shells, wrappers, wrappingSubcommands } from './alwaysAsked.js';
import { destructiveRules } from './destructive.js';
import type { Words } from './destructive.js';
import { editedBySed } from './judgeSed.js';
import { judgePartly } from './partlyAsked.js';
import { quietModules } from './quietSubcommands.js';
import { judgeStarted } from './startedPrograms.js';
import { changesSteering, steeringVariables } from './steeringVariables.js';
import { tolerates } from './unknownWords.js';
import { readOnlyPrograms } from './readOnlyPrograms.js';
import { readShellTree } from './shellTree.js';
import type { ShellCommand, ShellTree } from './shellTree.js';
import { specialPrograms } from './specialPrograms.js';

const MAX_DEPTH = 4;

/** Programs of which the name of a protected file is no news: they record or read it. */
const reading = new Set([...readOnlyPrograms.keys(), ...'echo printf test [ cd rg jq find date'.split(' ')]);
const gitReading = new Set(['add', 'commit', 'diff', 'log', 'show', 'status', 'blame', 'ls-files']);

/**
 * Why a command must be asked about even where everything else is approved: it can lose much, send data away, change
 * what decides the rights of agents, or cannot be read to the end.
 */
export function commandRisk(line: string): Verdict {
  const [reason] = dangersOf(line);
  return reason === undefined ? allow : ask(reason);
}

/** All such reasons, each once: those of the programs in their order, then those of files written and read. */
export function dangersOf(line: string, { depth = 0, placesKnown = false } = {}): readonly string[] {
  if (approvalText(line) !== line) return ['it holds characters that cannot be seen, or long blanks'];
  if (/\/dev\/(tcp|udp)\//i.test(line)) return ['it opens a connection (/dev/tcp)'];
  if (depth > MAX_DEPTH) return ['it is nested too deep to be looked through'];
  const tree = readShellTree(line);
  if (tree.problem !== undefined) return [tree.problem];
  const reasons = [
    ...tree.assigned.map(judgeAssigned),
    ...tree.commands.map((command) => judgeCommand(command, depth, placesKnown)),
    ...tree.redirects.map(judgeRedirect),
  ];
  return [...new Set(reasons.filter((reason) => reason !== undefined))];
}

function firstOf<T>(items: readonly T[], judge: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const reason = judge(item);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

function judgeRedirect({ operator, target }: ShellTree['redirects'][number]): string | undefined {
  const path = target?.value;
  if (path === undefined) {
    return `${operator === '<' ? 'what it reads' : 'where it writes'} is known only when it runs`;
  }
  if (/^[0-9-]+$/.test(path) && operator.includes('&')) return undefined;
  if (path === '/dev/null' || path === '/dev/stdout' || path === '/dev/stderr') return undefined;
  if (operator === '<') return isSecretPath(path) ? `'${path}' may hold keys or passwords` : undefined;
  if (path.startsWith('/') || path.split('/').includes('..')) return `it writes to '${path}'`;
  const rule = writeRule({ relative: path });
  return rule && `'${path}' ${rule.reason}`;
}

const judgeAssigned = (name: string) => (steeringVariables.test(name) ? changesSteering(name) : undefined);

function judgeCommand(command: ShellCommand, depth: number, placesKnown: boolean): string | undefined {
  const steering = firstOf(command.assigned, judgeAssigned);
  if (steering !== undefined) return steering;
  const words = command.words.map(({ value }) => value);
  if (words.length === 0) return undefined;
  const name = programOf(words[0]);
  if (name === undefined) return 'which program it starts is known only when it runs';
  if (!placesKnown && words.includes(undefined) && !tolerates(name, command.words.slice(1))) {
    return `what ${name} is told is known only when it runs`;
  }
  // The folder `.` is no program, except as the very first word.
  const behind = wrapsBehind(name, words);
  const later = [...words.keys()].filter((at) => at > behind && words[at] !== '.');
  const starts = [0, ...later];
  return (
    firstOf(starts, (start) => judgeProgram(words.slice(start), depth)) ??
    firstOf(placesOfPrograms(name, words), (start) => judgeDestruction(words.slice(start))) ??
    judgeStarted(words) ??
    (placesKnown ? undefined : judgeNames(name, words.slice(1)))
  );
}

/** Where the name of a destructive program can be one: nowhere where a program runs none of its words. */
function placesOfPrograms(name: string, words: Words): readonly number[] {
  if (name === 'git') return [0];
  return reading.has(name) && !['find', 'rg', 'date'].includes(name) ? [] : [...words.keys()];
}

/** The place of the word behind which the rest may be a command of its own; infinite where there is none. */
function wrapsBehind(name: string, words: Words): number {
  if (isSpecial(name, words.slice(1))) return Infinity;
  if (wrappers.has(name)) return 0;
  const subcommand = wrappingSubcommands.get(name);
  const at = words.findIndex((word) => subcommand?.test(programOf(word) ?? ''));
  if (at < 0) return Infinity;
  return words[at + 1] === 'exec' ? at + 1 : at;
}

/** The name of a program without its folder; undefined where it is known only when it runs. */
export function programOf(word: string | undefined): string | undefined {
  return word?.slice(word.lastIndexOf('/') + 1);
}

function judgeDestruction([first, ...words]: Words): string | undefined {
  const hidden = first !== undefined && /\s/.test(first) && /\brm\s+(\S+\s+)*-\w*[rR]/.test(first);
  if (hidden) return 'it deletes whole folders (rm -r)';
  return destructiveRules.get(programOf(first)?.toLowerCase() ?? '')?.(words);
}

function judgeProgram([first, ...words]: Words, depth: number): string | undefined {
  const name = programOf(first) ?? '';
  const folded = name.toLowerCase();
  if (isSpecial(folded, words) || (folded === 'sed' && editedBySed(words))) return undefined;
  const module = moduleIn(folded, words);
  if (module) return judgeProgram(module, depth);
  const asked = alwaysAsked.get(folded) ?? judgePartly(folded, words);
  if (asked !== undefined) return asked;
  if (folded.startsWith('mkfs') || folded.startsWith('fsck')) return `it changes disks (${name})`;
  if (folded === 'env' && words.some((word) => word === undefined || /^(-S|--split|-)/.test(word))) {
    return 'it can run anything (env with flags)';
  }
  if (shells.has(folded)) return judgeShell(name, words, depth);
  const code = interpreters.get(name) ?? interpreters.get(folded.replace(/[\d.]+$/, ''));
  if (code && words.some((word) => word === undefined || code.test(word))) {
    return `it runs code that stands in the command (${name})`;
  }
  const fromPipe = code && !namesScript(folded, words);
  return fromPipe && words.every((word) => !/^(-v|-V|--version|--help|-h|--test)$/.test(word ?? ''))
    ? `it can run code that comes from elsewhere (${name})`
    : undefined;
}

/** Flags of interpreters that take a word of their own. */
const valued =
  /^(-[CDFIQTWXcdz]|--(conditions|title|input-type|env-file.*|test-.*|watch-path|icu-.*|diagnostic-.*|openssl-.*|max-.*|stack-.*|disable-warning|unhandled-.*|dns-.*|tls-.*|heap.*|cpu-.*|redirect-.*|trace-event-.*|report-.*|secure-heap.*|check-.*))$/;

/** Whether the words of an interpreter hold a file that it runs: without one, with `-`, or with PHP's `--`, it reads code. */
function namesScript(name: string, words: Words): boolean {
  if (words.includes('-') || (name.startsWith('php') && words.includes('--'))) return false;
  return words.some((word, at) => word?.startsWith('-') === false && !valued.test(words[at - 1] ?? ''));
}

/** Whether a program with these words is one that only looks; `git` says more in its own table. */
function isSpecial(name: string, words: Words): boolean {
  const known = words.filter((word) => word !== undefined);
  return known.length === words.length && specialPrograms.get(name)?.(known) !== undefined;
}

/** The program that `python -m` runs, with its words. */
function moduleIn(name: string, words: Words): Words | undefined {
  const [flag, module = ''] = words;
  return /^(python|pypy)[\d.]*$/.test(name) && flag === '-m' && quietModules.test(module)
    ? words.slice(1)
    : undefined;
}

/** The script that a command gives to a shell in its words, if it does and its place is certain. */
export function scriptIn(words: Words): string | undefined {
  const shell = words.findIndex((word) => shells.has(programOf(word)?.toLowerCase() ?? ''));
  return shell < 0 ? undefined : scriptBehindFlag(words.slice(shell + 1))?.script;
}

/** The letter may stand anywhere among others; some shells have long names for it. */
const isScriptFlag = /^(-[a-z]*c[a-z]*|--(init-)?com.*)$/i;

/** The script among the words of a shell; without a text where it can be another word than the one behind the flag. */
function scriptBehindFlag(words: Words): { readonly script: string | undefined } | undefined {
  const at = words.findIndex((word) => word !== undefined && isScriptFlag.test(word));
  if (at < 0) return undefined;
  const script = words[at + 1];
  // The letter o takes a word of its own, which comes first; further flags may, too.
  const certain = !/o/i.test(words[at] ?? '') && script !== undefined && !/^[-+]/.test(script);
  return { script: certain ? script : undefined };
}

/** A shell with a script in the command is judged by that script; one that reads from a pipe is not known. */
function judgeShell(name: string, words: Words, depth: number): string | undefined {
  const end = words.findIndex((word) => word?.startsWith('-') === false);
  const flags = end < 0 ? words : words.slice(0, end);
  const first = flags.find((word) => /^(--(rcfile|init-file|login)|-[a-z]*[il][a-z]*$)/.test(word ?? ''));
  if (first !== undefined) return `${name} runs other files first (${first})`;
  const given = scriptBehindFlag(words);
  if (given) {
    return given.script === undefined
      ? `what ${name} runs is known only when it runs`
      : dangersOf(given.script, { depth: depth + 1 })[0];
  }
  const file = words.find((word) => word?.startsWith('-') === false && word !== '/dev/stdin');
  const fromInput = words.some((word) => word === undefined || /^-[a-zA-Z]*s/.test(word));
  return file === undefined || fromInput ? `${name} can run what comes from elsewhere` : undefined;
}

/** An address, or a version of something that is elsewhere, as Go writes it. */
const addressOf =
  /(^|[=,;"'])(git\+)?(https?|ftps?|wss?|ssh|git):\/\/[\w[]|^[\w.-]+\.[a-z]+\/[^\s]*@[\w.]+$/i;

/** Whether a program with these words records or reads the files that it names, and changes none of them. */
export function onlyReads(name: string, words: Words): boolean {
  return reading.has(name) || (name === 'git' && gitReading.has(words[0] ?? ''));
}

/** Names of files that decide rights, hold secrets or belong to the store, also inside of words like `--to=.env`. */
function judgeNames(name: string, words: Words): string | undefined {
  const quiet = onlyReads(name, words);
  const address = quiet ? undefined : words.find((word) => addressOf.test(word ?? ''));
  if (address !== undefined) return `it names a place elsewhere (${name} ${address})`;
  return firstOf(
    words.flatMap((word) => (word ?? '').split(/[=:,;\s'"()[\]{}<>|&]/)),
    (path) => {
      if (isStorePath(path)) return `'${path}' belongs to the record of the conversations`;
      if (isSecretPath(path, true)) return `'${path}' may hold keys or passwords`;
      const rule = quiet ? undefined : writeRule({ relative: path, isWord: true });
      return rule && `'${path}' ${rule.reason}`;
    },
  );
}
