import { parse } from 'unbash';
import type { Command, Statement, Word, WordPart } from 'unbash';
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

/** A pattern that means the same to us as to bash: one star in the last name, which begins with no dot. */
export const namePattern = /^([A-Za-z0-9_.+-]+\/)*(?![.-])[A-Za-z0-9_.+-]*\*[A-Za-z0-9_.+-]+$/;

/** A flag with a star that no name of a file begins with. */
export const starredFlag = /^--(in|ex)clude=\*\.\w+$/;

const operator = /(?:&&|\|\||[;|\n])/y;
const redirect = /(?:2>&1|[12]?>\/dev\/null)(?=[ \t\n;|&]|$)/y;
const bare = /([A-Za-z0-9_./,:=@%+-]+)/y;
const starred = /([A-Za-z0-9_./+*=-]+)(?=[ \t\n;|&]|$)/y;
const singleQuoted = /'([^'\p{Cc}]*)'/uy;
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
  let end = at;
  let value = '';
  for (;;) {
    const part = match(bare, line, end) ?? match(singleQuoted, line, end) ?? match(doubleQuoted, line, end);
    if (!part) break;
    value += part[1] ?? '';
    end += part[0].length;
  }
  const over = end >= line.length || /[ \t\n;|&]/.test(line.charAt(end));
  return end > at && over ? { value, end } : undefined;
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
    if (part.type === 'Word') words.push(plainValue(part) ?? patternValue(part));
    else if (part.type === 'Redirect' && part.target) redirects.push(redirectText(part));
    else return undefined;
  }
  return words.every((word) => word !== undefined) ? { joined, words, redirects } : undefined;
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

/** The text of a word that is the same whenever it is run; undefined where it is found out only then. */
export function plainValue(word: Word): string | undefined {
  if (word.parts === undefined) return /^~|[=:]~/.test(word.text) ? undefined : word.value;
  return word.parts.every(isPlain) ? word.value : undefined;
}

function isPlain(part: WordPart): boolean {
  if (part.type === 'DoubleQuoted') return part.parts.every(({ type }) => type === 'Literal');
  if (part.type === 'Literal') return !part.text.startsWith('~');
  return part.type === 'SingleQuoted' || part.type === 'AnsiCQuoted';
}
