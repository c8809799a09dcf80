import { approvalText } from '../approvalText.js';
import { isSecretPath, isStorePath, writeRule } from '../paths/protectedPaths.js';
import { isSystemFolder } from '../process/environment.js';
import { allow, ask, firstObjection } from '../verdict.js';
import type { Verdict } from '../verdict.js';
import { gitMentions, gitNameRisk } from './policy/git.js';
import { safeModules, subcommandRisk } from './policy/packages.js';
import { programOf } from './policy/program.js';
import type { Program, Words } from './policy/program.js';
import { interpreter, isKnown, programs } from './policy/programs.js';
import { editedBySed } from './policy/sed.js';
import { changesVariable, influentialIn, influentialVariables } from './policy/variables.js';
import { readShellTree } from '../../../core/shell/shellTree.js';
import type { ShellCommand, ShellTree, ShellWord } from '../../../core/shell/shellTree.js';

/** Scripts within scripts, and programs that start others, are followed so far. */
const MAX_DEPTH = 4;
const MAX_STARTED = 8;

/**
 * Whether a command must be asked about even where everything else is approved: it can lose much, send data away, change
 * what decides the rights of agents, or cannot be read to the end.
 */
export function commandRisk(line: string): Verdict {
  const [reason] = risksOf(line);
  return reason === undefined ? allow : ask(reason);
}

/**
 * All such reasons, each once: those of the programs in their order, then those of files written and read. `pathsKnown`:
 * what it looks at is known, and is looked at one by one.
 */
export function risksOf(line: string, { depth = 0, pathsKnown = false } = {}): readonly string[] {
  if (approvalText(line) !== line)
    return ['it holds characters that cannot be seen or look like others, or long blanks'];
  if (/\/dev\/(tcp|udp)\//i.test(line)) return ['it opens a connection (/dev/tcp)'];
  if (depth > MAX_DEPTH) return ['it is nested too deep to be looked through'];
  const tree = readShellTree(line);
  if (tree.problem !== undefined) return [tree.problem];
  const verdicts = [
    ...tree.assigned.map(assignmentRisk),
    ...tree.commands.map((command) => startRisk(command, depth, pathsKnown)),
    ...tree.redirects.map(redirectRisk),
  ];
  return [...new Set(verdicts.flatMap((verdict) => (verdict.kind === 'allow' ? [] : [verdict.reason])))];
}

/** The first of some checks that objects. */
const checked = (...checks: readonly (() => Verdict)[]): Verdict =>
  firstObjection(checks, (check) => check());

function redirectRisk({ operator, target }: ShellTree['redirects'][number]): Verdict {
  const path = target?.value;
  if (path === undefined) {
    return ask(`${operator === '<' ? 'what it reads' : 'where it writes'} is known only when it runs`);
  }
  if (/^[0-9-]+$/.test(path) && operator.includes('&')) return allow;
  if (path === '/dev/null' || path === '/dev/stdout' || path === '/dev/stderr') return allow;
  if (operator === '<') return isSecretPath(path) ? ask(`'${path}' may hold keys or passwords`) : allow;
  if (path.startsWith('/') || path.split('/').includes('..')) return ask(`it writes to '${path}'`);
  const rule = writeRule({ relative: path });
  return rule ? ask(`'${path}' ${rule.reason}`) : allow;
}

const assignmentRisk = (name: string): Verdict =>
  influentialVariables.test(name) ? changesVariable(name) : allow;

function startRisk(command: ShellCommand, depth: number, pathsKnown: boolean): Verdict {
  const words = command.words.map(({ value }) => value);
  const name = programOf(words[0]);
  const known = checked(
    () => firstObjection(command.assigned, assignmentRisk),
    () =>
      words.length > 0 && name === undefined
        ? ask('which program it starts is known only when it runs')
        : allow,
  );
  if (known.kind !== 'allow' || name === undefined) return known;
  if (!pathsKnown && words.includes(undefined) && !allowsDynamicWords(name, command.words.slice(1))) {
    return ask(`what ${name} is told is known only when it runs`);
  }
  // The folder `.` is no program, except as the very first word.
  const behind = wrapsBehind(name, words);
  const starts = [0, ...[...words.keys()].filter((at) => at > behind && words[at] !== '.')];
  return checked(
    () => firstObjection(starts, (start) => programRisk(words.slice(start), depth)),
    () => firstObjection(lossPositions(name, words), (start) => lossRisk(words.slice(start))),
    () => startedRisk(words),
    () => (pathsKnown ? allow : nameRisk(name, words.slice(1))),
  );
}

/** Whether a program may have words that are known only when it runs. */
function allowsDynamicWords(name: string, words: readonly ShellWord[]): boolean {
  if (name === 'test' || name === '[') return words.every(isHarmlessInTest);
  // A format that begins with a dash can be a flag, by which it sets a variable.
  if (name === 'printf') return words[0]?.value?.startsWith('-') === false;
  // `NAME=text` is no unknown word here, since the name is there.
  if (name === 'export') {
    return words.every(({ value, text }) => value !== undefined || /^\w+\+?=/.test(text));
  }
  const program = programs.get(name);
  return program?.anyWords ?? (program?.reads !== undefined && program.reads.operands !== 'contents');
}

/**
 * Bash runs what stands in brackets behind `-v`, and an unknown word can be a `-v`: with one word for itself and
 * no bracket behind it, there is nothing to run.
 */
function isHarmlessInTest({ value, splits }: ShellWord, at: number, words: readonly ShellWord[]): boolean {
  if (value !== undefined) return true;
  const next = words[at + 1];
  return !splits && (next === undefined || next.value === ']' || next.value?.includes('[') === false);
}

/** Where the name of a destructive program can be one: nowhere where a program runs none of its words. */
function lossPositions(name: string, words: Words): readonly number[] {
  if (name === 'git') return [0];
  const runsNone = programs.get(name)?.mentions === true && !['find', 'rg', 'date'].includes(name);
  return runsNone ? [] : [...words.keys()];
}

/** The position of the word behind which the rest may be a command of its own; infinite where there is none. */
function wrapsBehind(name: string, words: Words): number {
  const wraps = programs.get(name)?.wraps;
  if (onlyLooks(name, words.slice(1)) || wraps === undefined) return Infinity;
  if (wraps === 'all') return 0;
  const at = words.findIndex((word) => wraps.test(programOf(word) ?? ''));
  if (at < 0) return Infinity;
  return words[at + 1] === 'exec' ? at + 1 : at;
}

function lossRisk([first, ...words]: Words): Verdict {
  const hidden = first !== undefined && /\s/.test(first) && /\brm\s+(\S+\s+)*-\w*[rR]/.test(first);
  if (hidden) return ask('it deletes whole folders (rm -r)');
  return programs.get(programOf(first)?.toLowerCase() ?? '')?.loses?.(words) ?? allow;
}

function programRisk([first, ...words]: Words, depth: number): Verdict {
  const name = programOf(first) ?? '';
  const lower = name.toLowerCase();
  const program = programs.get(lower) ?? {};
  if (onlyLooks(lower, words) || (lower === 'sed' && editedBySed(words))) return allow;
  const module = moduleIn(lower, words);
  if (module) return programRisk(module, depth);
  return checked(
    () => confirmation(program, words),
    () => (program.safeSubcommands ? subcommandRisk(lower, program.safeSubcommands, words) : allow),
    () => program.rule?.(words) ?? allow,
    () => wordsRisk(lower, program, words),
    () => systemRisk(name, words),
    () => (program.shell ? shellRisk(name, words, depth) : interpreterRisk(name, words)),
  );
}

function confirmation({ confirm, unless }: Program, words: Words): Verdict {
  if (confirm === undefined) return allow;
  const known = words.filter((word) => word !== undefined);
  return known.length === words.length && unless?.(known) === true ? allow : ask(confirm);
}

const sendingScript = /^(deploy|publish|release|upload)([:_-].*)?$/;

/** What is asked about of a program because of one of its words. */
function wordsRisk(name: string, program: Program, words: Words): Verdict {
  const { riskyFlags, riskyWords = [], runsScripts } = program;
  const flag = riskyFlags && words.find((word) => riskyFlags.test(word ?? ''));
  if (flag !== undefined) return ask(`with '${flag}' it can run, load or send something else (${name})`);
  const named = words.filter((word) => word?.startsWith('-') === false).slice(0, 2);
  const sends = runsScripts && named.find((word) => sendingScript.test(word ?? ''));
  if (sends !== undefined) return ask(`its name says that it sends something elsewhere (${name} ${sends})`);
  return firstObjection(riskyWords, ({ word, reason }) =>
    words.some((one) => word.test(one ?? '-')) ? ask(reason) : allow,
  );
}

function systemRisk(name: string, words: Words): Verdict {
  if (/^(mkfs|fsck)/i.test(name)) return ask(`it changes disks (${name})`);
  return name.toLowerCase() === 'env' &&
    words.some((word) => word === undefined || /^(-S|--split|-)/.test(word))
    ? ask('it can run anything (env with flags)')
    : allow;
}

function interpreterRisk(name: string, words: Words): Verdict {
  const lower = name.toLowerCase();
  const code = (interpreter(name) ?? interpreter(lower))?.code;
  if (code === undefined) return allow;
  if (words.some((word) => word === undefined || code.test(word))) {
    return ask(`it runs code that stands in the command (${name})`);
  }
  const onlyTells = words.some((word) => /^(-v|-V|--version|--help|-h|--test)$/.test(word ?? ''));
  return namesScript(lower, words) || onlyTells
    ? allow
    : ask(`it can run code that comes from elsewhere (${name})`);
}

/** Flags of interpreters that take a word of their own. */
const valued =
  /^(-[CDFIQTWXcdz]|--(conditions|title|input-type|env-file.*|test-.*|watch-path|icu-.*|diagnostic-.*|openssl-.*|max-.*|stack-.*|disable-warning|unhandled-.*|dns-.*|tls-.*|heap.*|cpu-.*|redirect-.*|trace-event-.*|report-.*|secure-heap.*|check-.*))$/;

/** Whether the words of an interpreter hold a file that it runs: without one, with `-`, or with PHP's `--`, it reads code. */
function namesScript(name: string, words: Words): boolean {
  if (words.includes('-') || (name.startsWith('php') && words.includes('--'))) return false;
  return words.some((word, at) => word?.startsWith('-') === false && !valued.test(words[at - 1] ?? ''));
}

/** Whether a program with these words only looks, as its row says without a table of flags. */
function onlyLooks(name: string, words: Words): boolean {
  const known = words.filter((word) => word !== undefined);
  return known.length === words.length && programs.get(name)?.looks?.(known) !== undefined;
}

/** The program that `python -m` runs, with its words. */
function moduleIn(name: string, words: Words): Words | undefined {
  const [flag, module = ''] = words;
  return /^(python|pypy)[\d.]*$/.test(name) && flag === '-m' && safeModules.test(module)
    ? words.slice(1)
    : undefined;
}

const isShell = (word: string | undefined) =>
  programs.get(programOf(word)?.toLowerCase() ?? '')?.shell === true;

/** The script that a command gives to a shell in its words, if it does and its position is certain. */
export function scriptIn(words: Words): string | undefined {
  const shell = words.findIndex(isShell);
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
function shellRisk(name: string, words: Words, depth: number): Verdict {
  const end = words.findIndex((word) => word?.startsWith('-') === false);
  const flags = end < 0 ? words : words.slice(0, end);
  const first = flags.find((word) => /^(--(rcfile|init-file|login)|-[a-z]*[il][a-z]*$)/.test(word ?? ''));
  if (first !== undefined) return ask(`${name} runs other files first (${first})`);
  const given = scriptBehindFlag(words);
  if (given) {
    if (given.script === undefined) return ask(`what ${name} runs is known only when it runs`);
    const [reason] = risksOf(given.script, { depth: depth + 1 });
    return reason === undefined ? allow : ask(reason);
  }
  const file = words.find((word) => word?.startsWith('-') === false && word !== '/dev/stdin');
  const fromInput = words.some((word) => word === undefined || /^-[a-zA-Z]*s/.test(word));
  return file === undefined || fromInput ? ask(`${name} can run what comes from elsewhere`) : allow;
}

/** Flags, times and variables in front of a program. */
const isPreamble = /^([-+].*|\d+(\.\d+)?[smhd]?|[A-Za-z_]\w*=.*)$/s;

/** The verdict on a program that a command starts, also through others: of each something must be known. */
function startedRisk(words: Words, depth = 0): Verdict {
  const [first] = words;
  if (depth > MAX_STARTED || first === undefined) return ask('it is nested too deep to be looked through');
  const slash = first.lastIndexOf('/');
  const name = first.slice(slash + 1);
  // A program with a folder is the project's, or lies where the path guard finds it out.
  if (slash >= 0 && !isSystemFolder(first.slice(0, slash))) return allow;
  if (!isKnown(name)) {
    return ask(`the program '${name}' is not known here; it may fetch, send or run anything`);
  }
  if (name === 'git') return gitNameRisk(words.slice(1));
  const { starts, wraps, startsOfProject } = programs.get(name) ?? {};
  const begin = starts
    ? words.findIndex((word) => starts.test(word ?? '')) + 1
    : Number(wraps === 'all' && !startsOfProject);
  if (begin === 0) return allow;
  const rest = words.slice(begin);
  const influential = rest.map(influentialIn).find((found) => found !== undefined);
  if (influential !== undefined) return changesVariable(influential);
  const at = rest.findIndex((word) => word === undefined || !isPreamble.test(word));
  const isScript = starts !== undefined && (rest[at] ?? '').endsWith('.py');
  return at < 0 || isScript ? allow : startedRisk(rest.slice(at), depth + 1);
}

/** An address, or a version of something that is elsewhere, as Go writes it. */
const addressOf =
  /(^|[=,;"'])(git\+)?(https?|ftps?|wss?|ssh|git):\/\/[\w[]|^[\w.-]+\.[a-z]+\/[^\s]*@[\w.]+$/i;

/** Whether a program with these words records or reads the files that it names, and changes none of them. */
export function onlyReads(name: string, words: Words): boolean {
  const { mentions, checksWith } = programs.get(name) ?? {};
  if (mentions || (name === 'git' && gitMentions(words))) return true;
  const checks = checksWith !== undefined && words.some((word) => checksWith.test(word ?? ''));
  return checks && !words.some((word) => word === undefined || /^(-w|--(write|fix))/.test(word));
}

/** Whether the word at this position is a file from which a program reads its settings. */
export function isSettingsFile(name: string, words: Words, at: number): boolean {
  return programs.get(name)?.settingsFlags?.test(words[at - 1] ?? '') === true;
}

/** Names of files that decide rights, hold secrets or belong to the store, also inside of words like `--to=.env`. */
function nameRisk(name: string, words: Words): Verdict {
  const reads = onlyReads(name, words);
  const address = reads ? undefined : words.find((word) => addressOf.test(word ?? ''));
  if (address !== undefined) return ask(`it names a place elsewhere (${name} ${address})`);
  return firstObjection(words, (word, at) =>
    firstObjection((word ?? '').split(/[=:,;\s'"()[\]{}<>|&]/), (path) => {
      if (isStorePath(path)) return ask(`'${path}' belongs to the record of the conversations`);
      if (isSecretPath(path, true)) return ask(`'${path}' may hold keys or passwords`);
      const onlyRead = reads || isSettingsFile(name, words, at);
      const rule = onlyRead ? undefined : writeRule({ relative: path, isWord: true });
      return rule ? ask(`'${path}' ${rule.reason}`) : allow;
    }),
  );
}
