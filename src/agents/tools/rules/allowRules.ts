import { isObject } from '../../../core/message.js';
import { preview, singleLine } from '../../../core/text.js';
import type { AllowedBy, ApprovalAction } from '../../../core/ports/approvals.js';
import type { Log } from '../../../core/ports/log.js';
import { approvalText } from '../approvalText.js';
import { allowedCommand } from '../command/allowedCommand.js';
import { interpreter, isKnown, programs } from '../command/policy/programs.js';
import {
  parsePlainCommands,
  PATTERN,
  readPlainCommands,
  renderCommands,
  VARIABLE,
  type PlainCommand,
} from '../command/shell/plainCommands.js';

/**
 * What a person allows without being asked again. `command`: a program and the first words that it is given, each exactly as
 * the shell reads it; more words may follow. `path`: a file, or with a `/` at its end a folder with everything below it,
 * from the workspace folder. A rule for a tool of another extension names the tool alone.
 */
export type AllowRule =
  | { readonly tool: 'run_command'; readonly command: string }
  | { readonly tool: 'write_file' | 'edit_file'; readonly path: string }
  | { readonly tool: string };

/** Rules as they are used: read from settings, each with what was wrong with the others. */
export interface ReadRules {
  readonly rules: readonly ParsedRule[];
  /** A sentence for each entry that is no rule; it allows nothing. */
  readonly problems: readonly string[];
}

/** A rule that is understood. */
export type ParsedRule =
  | {
      readonly kind: 'command';
      readonly tool: string;
      readonly words: readonly string[];
      readonly text: string;
    }
  | { readonly kind: 'write'; readonly tool: string; readonly path: string; readonly text: string }
  | { readonly kind: 'call'; readonly tool: string; readonly text: string };

/** More rules than this are not read: nobody has looked at them one by one. */
export const MAX_RULES = 500;
/** The longest command or path of a rule, in UTF-16 code units. */
const MAX_RULE_LENGTH = 500;
/** A longer command line, in UTF-16 code units, is allowed by no rule. */
const MAX_LINE = 8_000;

const WRITING = new Set(['write_file', 'edit_file']);
/** What names of tools may hold, as with tools of other extensions. */
const usableTool = /^[a-zA-Z0-9_-]{1,64}$/;
const FIELDS: ReadonlySet<string> = new Set(['tool', 'command', 'path']);

/** Reads the setting; never throws. What is not understood allows nothing. */
export function readAllowRules(value: unknown): ReadRules {
  if (!Array.isArray(value)) return { rules: [], problems: value === undefined ? [] : ['It is no list.'] };
  const rules: ParsedRule[] = [];
  const problems: string[] = [];
  for (const [index, entry] of value.slice(0, MAX_RULES).entries()) {
    const rule = readRule(entry);
    if (typeof rule === 'string') problems.push(`Entry ${index + 1}: ${rule}`);
    else rules.push(rule);
  }
  if (value.length > MAX_RULES) problems.push(`There are more than ${MAX_RULES}; the others allow nothing.`);
  return { rules, problems };
}

/** A rule as it is understood, or why it is none. */
export function readRule(entry: unknown): ParsedRule | string {
  if (!isObject(entry)) return 'it is no object with "tool".';
  const other = Object.keys(entry).find((key) => !FIELDS.has(key));
  if (other !== undefined) return `"${preview(singleLine(other), 40)}" is no part of a rule.`;
  const { tool, command, path } = entry;
  if (typeof tool !== 'string' || !usableTool.test(tool)) return '"tool" is no name of a tool.';
  if (tool === 'run_command') {
    if (path !== undefined) return 'a rule for run_command has "command" and no "path".';
    return typeof command === 'string'
      ? commandRule(tool, command)
      : 'a rule for run_command needs "command".';
  }
  if (command !== undefined) return '"command" is for run_command alone.';
  if (WRITING.has(tool)) {
    return typeof path === 'string' ? pathRule(tool, path) : `a rule for ${tool} needs "path".`;
  }
  if (path !== undefined) return '"path" is for write_file and edit_file alone.';
  return { kind: 'call', tool, text: tool };
}

function commandRule(tool: string, command: string): ParsedRule | string {
  if (command.length > MAX_RULE_LENGTH) return '"command" is too long.';
  const [only, ...more] = plainCommands(command) ?? [];
  if (only === undefined || more.length > 0 || only.redirects.length > 0 || !isPlain(only))
    return '"command" is not one program with plain words.';
  const [name = '', ...words] = only.words;
  const problem = programProblem(name, words);
  return problem ?? { kind: 'command', tool, words: only.words, text: `${tool}: ${renderCommands([only])}` };
}

/** Why no rule may begin with this program. */
function programProblem(name: string, words: readonly string[]): string | undefined {
  if (name.includes('/'))
    return `"${name}" names a program by its path; only a program's name can be allowed.`;
  const program = programs.get(name);
  if (!isKnown(name) || program?.confirm !== undefined)
    return `"${name}" always asks, so no rule can allow it.`;
  if (program?.shell === true || program?.wraps === 'all' || name === 'eval' || name === 'exec')
    return `"${name}" runs other programs; name those.`;
  const needsWord = interpreter(name) !== undefined || program?.starts !== undefined;
  if (needsWord && (words[0] === undefined || words[0].startsWith('-')))
    return `"${name}" can run anything: the rule must name what it runs.`;
  return undefined;
}

function pathRule(tool: string, path: string): ParsedRule | string {
  if (path.length > MAX_RULE_LENGTH) return '"path" is too long.';
  const parts = path.replace(/\/$/, '').split('/');
  const isBelow = !parts.some((part) => part === '' || part === '.' || part === '..');
  if (!isBelow || /[\\*?[\]{}:]|^~/.test(path) || approvalText(path) !== path)
    return '"path" is no plain path below the workspace folder, like src/ or docs/guide.md.';
  return { kind: 'write', tool, path, text: `${tool}: ${path}` };
}

/**
 * The rules by which an action is allowed, in words; undefined where they do not name all of it. It says nothing about what
 * always asks: whoever calls it has to have asked that before.
 */
export function allowedByRules(
  rules: readonly ParsedRule[],
  toolName: string,
  action: ApprovalAction,
): string | undefined {
  const own = rules.filter(({ tool }) => tool === toolName);
  if (own.length === 0) return undefined;
  switch (action.kind) {
    case 'command':
      return commandAllowed(own, action.line);
    case 'write':
      return own.find((rule) => rule.kind === 'write' && isBelow(action.path, rule.path))?.text;
    case 'call':
      return own.find((rule) => rule.kind === 'call')?.text;
  }
}

/** Whether a path is the one of a rule, or below it. Letter by letter: what is written otherwise asks. */
function isBelow(path: string, ruled: string): boolean {
  if (path === '' || path.startsWith('/') || path.includes('\\') || path.split('/').includes('..'))
    return false;
  return ruled.endsWith('/') ? path.startsWith(ruled) && path.length > ruled.length : path === ruled;
}

/**
 * Every program of the line is named by a rule, or takes texts from one that is and looks at nothing: like the `tail` in
 * `npm test | tail -20`. At least one is named.
 */
function commandAllowed(rules: readonly ParsedRule[], line: string): string | undefined {
  const commands = line.length > MAX_LINE ? undefined : plainCommands(line);
  if (commands === undefined || commands.length === 0) return undefined;
  const used = new Set<string>();
  for (const command of commands) {
    const rule = isPlain(command)
      ? rules.find((each) => each.kind === 'command' && beginsWith(command.words, each.words))
      : undefined;
    if (rule) used.add(rule.text);
    else if (!looksAtNothing(command)) return undefined;
  }
  return used.size > 0 ? [...used].join(', ') : undefined;
}

/** The programs of a line that rules have to name, each with its words; undefined where no rule can, or none needs to. */
export function namedCommands(line: string): readonly (readonly string[])[] | undefined {
  const commands = line.length > MAX_LINE ? undefined : plainCommands(line);
  const named = commands?.filter((command) => !looksAtNothing(command));
  return named === undefined || named.length === 0 || !named.every(isPlain)
    ? undefined
    : named.map(({ words }) => words);
}

/** A line in the small grammar in which nothing can hide, read in two ways that agree; undefined for any other. */
function plainCommands(line: string): readonly PlainCommand[] | undefined {
  const commands = readPlainCommands(line);
  return commands && JSON.stringify(commands) === JSON.stringify(parsePlainCommands(line))
    ? commands
    : undefined;
}

/** Whether all words are known before it runs. */
function isPlain({ words }: PlainCommand): boolean {
  return words.every((word) => !word.includes(PATTERN) && !word.includes(VARIABLE));
}

function beginsWith(words: readonly string[], first: readonly string[]): boolean {
  return first.every((word, at) => words[at] === word);
}

function looksAtNothing(command: PlainCommand): boolean {
  const look = allowedCommand(renderCommands([{ ...command, joined: '' }]));
  return (
    look !== undefined &&
    look.checked.length + look.listings.length + look.entered.length + look.lookedUp.length === 0
  );
}

/** The allow rules of a setting, as they are when they are asked; what is wrong with an entry is logged once. */
export function allowedBySetting(setting: () => unknown, log: Log): AllowedBy {
  let text = '';
  let read: ReadRules = { rules: [], problems: [] };
  return (toolName, action) => {
    const value = setting();
    const now = JSON.stringify([value]);
    if (now !== text) {
      text = now;
      read = readAllowRules(value);
      for (const problem of read.problems) log.warn(`The setting agentLogbook.allowRules: ${problem}`);
    }
    return allowedByRules(read.rules, toolName, action);
  };
}
