import { parse } from 'unbash';
import type { Command, Script, Statement, Word, WordPart } from 'unbash';
import { namePattern, PATTERN, starredFlag } from './plainCommands.js';
import type { PlainCommand } from './plainCommands.js';

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

export type { Script };
