import { parse } from 'unbash';
import type { Command, Statement, Word, WordPart } from 'unbash';
import { plainValue } from '../../../../core/shell/shellTree.js';
import { approvalText } from '../../approvalText.js';

/** One program with its words, quotes resolved, and what joins it to the one before. */
export interface PlainCommand {
  readonly joined: '' | ';' | '&&' | '||' | '|';
  readonly words: readonly string[];
  /** Whether its output or errors are thrown away or joined; nothing else may be redirected. */
  readonly redirects: readonly string[];
}

/** Stands in front of a word that is a pattern of names; no word has it in it. */
export const PATTERN = '\0';

/** Stands on both sides of the name of a variable; no word has it in it. */
export const VARIABLE = '\u0001';

/** A pattern that means the same to us as to bash: one star in the last name, which begins with no dot. */
export const namePattern = /^([A-Za-z0-9_.+-]+\/)*(?![.-])[A-Za-z0-9_.+-]*\*[A-Za-z0-9_.+-]+$/;

/** A flag with a star that no name of a file begins with. */
export const starredFlag = /^--(in|ex)clude=\*\.\w+$/;

const operator = /(?:&&|\|\||[;|\n])/y;
const redirect = /(?:2>&1|[12]?>\/dev\/null)(?=[ \t\n;|&]|$)/y;
/** Behind a letter `~` and `^` mean themselves: `HEAD~1`. */
const bare = /((?:[A-Za-z0-9_./,:=@%+-]|(?<=[A-Za-z0-9_./@%+~^-])[~^])+)/y;
/** `[` and what ends it; `!` behind it. */
const bracket = /([[\]!])(?=[ \t\n;|&]|$)/y;
/** What the shell has of a few variables, none of them secret and none set by a command that is understood. */
const variable = /\$(?:([A-Z_]+|\?)|\{([A-Z_]+)\})/y;
const knownVariable = /^(HOME|PATH|PWD|OLDPWD|USER|LOGNAME|SHELL|LANG|TERM|TZ|TMPDIR|HOSTNAME|\?)$/;
const starred = /([A-Za-z0-9_./+*=-]+)(?=[ \t\n;|&]|$)/y;
const singleQuoted = /'([^'\p{Cc}]*)'/uy;
/** A text in double quotes with variables in it. */
const doubleQuotedMix = /"((?:[^"$`\\!\p{Cc}]|\$(?:[A-Z_]+|\?|\{[A-Z_]+\}))*)"/uy;
const doubleQuoted = /"([^"$`\\!\p{Cc}]*)"/uy;

/**
 * Reads a command line of the small grammar in which nothing can hide: programs joined by `;`, `&&`, `||`, `|`
 * or line ends, with plain words and quoted text. Undefined for everything else: expansions, patterns, escapes,
 * assignments, other redirections, background jobs, comments, or characters that are not seen.
 */
export function readPlainCommands(line: string): readonly PlainCommand[] | undefined {
  if (approvalText(line) !== line) return undefined;
  const commands: PlainCommand[] = [];
  let words: string[] = [];
  let redirects: string[] = [];
  let joined: PlainCommand['joined'] = '';
  for (let at = 0; at < line.length;) {
    const blanks = match(/[ \t]+/y, line, at);
    if (blanks) at += blanks[0].length;
    if (at >= line.length) break;
    const joint = match(operator, line, at);
    if (joint) {
      const next = (joint[0] === '\n' ? ';' : joint[0]) as PlainCommand['joined'];
      at += joint[0].length;
      if (words.length > 0) commands.push({ joined, words, redirects });
      else if (joint[0] !== '\n' || redirects.length > 0) return undefined;
      else if (joined !== ';' && joined !== '') continue;
      [words, redirects, joined] = [[], [], commands.length > 0 ? next : ''];
      continue;
    }
    const thrown = match(redirect, line, at);
    if (thrown) {
      redirects.push(thrown[0]);
      at += thrown[0].length;
      continue;
    }
    const word = readWord(line, at);
    if (!word) return undefined;
    words.push(word.value);
    at = word.end;
  }
  if (words.length > 0) commands.push({ joined, words, redirects });
  else if (redirects.length > 0 || (joined !== ';' && joined !== '')) return undefined;
  return commands;
}

/** The word that begins at `at`, its quotes resolved. */
function readWord(line: string, at: number): { readonly value: string; readonly end: number } | undefined {
  const pattern = match(starred, line, at)?.[0];
  if (pattern !== undefined && namePattern.test(pattern)) {
    return { value: PATTERN + pattern, end: at + pattern.length };
  }
  if (pattern !== undefined && starredFlag.test(pattern)) return { value: pattern, end: at + pattern.length };
  const alone = match(bracket, line, at)?.[0];
  if (alone !== undefined) return { value: alone, end: at + 1 };
  let end = at;
  let value = '';
  for (;;) {
    const part = match(bare, line, end) ?? match(singleQuoted, line, end) ?? match(doubleQuoted, line, end);
    const mixed = part ? undefined : (match(variable, line, end) ?? match(doubleQuotedMix, line, end));
    const text = part?.[1] ?? (mixed && withVariables(mixed[0]));
    if (text === undefined) break;
    value += text;
    end += (part ?? mixed)?.[0].length ?? 0;
  }
  const over = end >= line.length || /[ \t\n;|&]/.test(line.charAt(end));
  return end > at && over ? { value, end } : undefined;
}

/** A text in which each variable is marked; undefined where one is not among the few that are known. */
function withVariables(text: string): string | undefined {
  const plain = text.replace(/^"|"$/g, '');
  const names = [...plain.matchAll(/\$(?:([A-Z_]+|\?)|\{([A-Z_]+)\})/g)].map(([, a, b]) => a ?? b ?? '');
  if (!names.every((name) => knownVariable.test(name))) return undefined;
  return plain.replace(/\$\{?([A-Z_]+|\?)\}?/g, `${VARIABLE}$1${VARIABLE}`);
}

function match(pattern: RegExp, line: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(line) ?? undefined;
}

/**
 * The same reading of a command line as `readPlainCommands`, by a whole parser of bash. Undefined where the parser
 * sees anything but plain programs, plain words and the few redirections that are allowed. Only where both
 * readings are equal is a command line understood.
 */
export function parsePlainCommands(line: string): readonly PlainCommand[] | undefined {
  const script = parse(line);
  if (script.errors !== undefined && script.errors.length > 0) return undefined;
  const commands: (PlainCommand | undefined)[] = script.commands.flatMap(readStatement);
  if (script.shebang !== undefined || !commands.every((command) => command !== undefined)) return undefined;
  return commands.map((command, index) => (index === 0 ? { ...command, joined: '' } : command));
}

type Joint = PlainCommand['joined'];

function readStatement(statement: Statement): (PlainCommand | undefined)[] {
  return statement.background ? [undefined] : readNode(statement.command, ';');
}

function readNode(node: Statement['command'], joined: Joint): (PlainCommand | undefined)[] {
  switch (node.type) {
    case 'Command':
      return [readCommand(node, joined)];
    case 'AndOr':
      return node.commands.flatMap((part, index) => {
        return readNode(part, index === 0 ? joined : (node.operators[index - 1] ?? ';'));
      });
    case 'Pipeline': {
      const plain = node.prefixes.length === 0 && node.operators.every((operator) => operator === '|');
      if (!plain) return [undefined];
      return node.commands.flatMap((part, index) => readNode(part, index === 0 ? joined : '|'));
    }
    default:
      return [undefined];
  }
}

function readCommand(node: Command, joined: Joint): PlainCommand | undefined {
  if (node.prefix.length > 0 || node.name === undefined) return undefined;
  const words = [plainValue(node.name)];
  const redirects: string[] = [];
  for (const part of node.suffix) {
    if (part.type === 'Word') words.push(plainValue(part) ?? variableValue(part) ?? patternValue(part));
    else if (part.type === 'Redirect' && part.target) redirects.push(redirectText(part));
    else return undefined;
  }
  return words.every((word) => word !== undefined) ? { joined, words, redirects } : undefined;
}

/** A word with the few variables that are known, in quotes or not, each marked. */
function variableValue({ parts = [] }: Word): string | undefined {
  const values = parts.map(variablePart);
  return values.every((value) => value !== undefined) ? values.join('') : undefined;
}

function variablePart(part: WordPart): string | undefined {
  if (part.type === 'DoubleQuoted') {
    const inner = part.parts.map(variablePart);
    return inner.every((value) => value !== undefined) ? inner.join('') : undefined;
  }
  if (part.type === 'Literal') return part.text.startsWith('~') ? undefined : part.text;
  if (part.type === 'SingleQuoted') return part.value;
  const name = /^\$(?:([A-Z_]+|\?)|\{([A-Z_]+)\})$/.exec(part.text);
  const known = name?.[1] ?? name?.[2] ?? '';
  return knownVariable.test(known) ? VARIABLE + known + VARIABLE : undefined;
}

function patternValue({ text, parts = [] }: Word): string | undefined {
  if (starredFlag.test(text)) return text;
  const isPattern =
    parts.every(({ type }) => type === 'Literal' || type === 'Glob') && namePattern.test(text);
  return isPattern ? PATTERN + text : undefined;
}

function redirectText(redirect: { operator: string; descriptor: unknown; target: Word | undefined }): string {
  const descriptor = redirect.descriptor as { value?: unknown } | undefined;
  return `${typeof descriptor?.value === 'number' ? descriptor.value : ''}${redirect.operator}${redirect.target?.text ?? ''}`;
}

/** Whether a line is, to a whole parser, one loop over so many words by this name, and nothing else. */
export function isSingleLoop(line: string, name: string, count: number): boolean {
  const { commands, errors = [] } = parse(line);
  const [statement] = commands;
  const loop = statement?.command;
  return (
    errors.length === 0 &&
    commands.length === 1 &&
    loop?.type === 'For' &&
    statement?.background !== true &&
    loop.name.text === name &&
    loop.wordlist?.length === count
  );
}

/** Writes plain commands as a line that reads the same. */
export function renderCommands(commands: readonly PlainCommand[]): string {
  return commands
    .map(({ joined, words, redirects }) => {
      const joint = { '': '', ';': '; ', '&&': ' && ', '||': ' || ', '|': ' | ' }[joined];
      return joint + [...words.map(renderWord), ...redirects].join(' ');
    })
    .join('');
}

function renderWord(word: string): string {
  if (word.startsWith(PATTERN)) return word.slice(PATTERN.length);
  if (/^[A-Za-z0-9_./,:=@%+-]+$/.test(word) || /^[[\]!]$/.test(word) || starredFlag.test(word)) return word;
  if (!word.includes(VARIABLE))
    return word
      .split("'")
      .map((part) => `'${part}'`)
      .join('"\'"');
  return `"${word.replace(/\u0001([^\u0001]*)\u0001/g, (_, name: string) => (name === '?' ? '$?' : `\${${name}}`))}"`;
}
