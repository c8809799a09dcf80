import { appendAll } from '../../../core/lists.js';
import { PATTERN } from './shell/plainCommands.js';
import { isPlainPath } from './policy/program.js';
import type { CheckedPath, OperandKind, ReadOnlyProgram } from './policy/program.js';

/** What a program's words mean, or undefined where one of them is not known to be harmless. */
export function argumentPaths(
  program: ReadOnlyProgram,
  words: readonly string[],
): readonly CheckedPath[] | undefined {
  const operands: string[] = [];
  const without: string[] = [];
  let isTree = false;
  let textsFirst = program.textsFirst ?? 0;
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? '';
    if (word === '--') {
      appendAll(operands, words.slice(index + 1));
      break;
    }
    if (!word.startsWith('-') || word === '-') {
      operands.push(word);
      continue;
    }
    const flag = word.startsWith('--') ? readLong(program, word) : readLetters(program, word);
    if (flag === undefined) return undefined;
    if (flag.takesNext && (++index >= words.length || isPattern(words[index]))) return undefined;
    if (flag.givesText) textsFirst = 0;
    if (flag.isTree) isTree = true;
    const left = /^--exclude-dir=([\w.-]+)$/.exec(word)?.[1];
    if (left !== undefined) without.push(left);
  }
  if (operands.length > (program.maxOperands ?? Infinity)) return undefined;
  if (operands.some((operand) => program.refused?.test(operand))) return undefined;
  // A pattern can be any number of names.
  const some = operands.slice(0, program.maxOperands === undefined ? textsFirst : undefined);
  if (some.some(isPattern)) return undefined;
  const paths = operands.slice(textsFirst);
  if (!isTree) return lookedAt(program.operands, paths, operands.length);
  const trees = paths.length === 0 ? ['.'] : paths;
  return trees.every((path) => isPlainPath(path) && !isPattern(path) && path !== '-')
    ? trees.map((path) => ({ path, what: 'tree', without }))
    : undefined;
}

interface Flag {
  /** Whether the next word is the flag's value. */
  readonly takesNext: boolean;
  readonly givesText: boolean;
  readonly isTree?: boolean;
}

const isPattern = (word: string | undefined) => word?.startsWith(PATTERN) === true;

function readLong(program: ReadOnlyProgram, word: string): Flag | undefined {
  const [name, value] = splitOnce(word);
  if (program.longOptional?.includes(name)) return { takesNext: false, givesText: false };
  const takesValue = program.longValues?.includes(name) === true;
  if (value === undefined && program.long?.includes(name)) {
    return {
      takesNext: false,
      givesText: false,
      isTree: name === '--recursive' && program.treeLetter !== undefined,
    };
  }
  if (!takesValue) return undefined;
  return { takesNext: value === undefined, givesText: name === '--regexp' };
}

function splitOnce(word: string): [string, string | undefined] {
  const at = word.indexOf('=');
  return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}

function readLetters(program: ReadOnlyProgram, word: string): Flag | undefined {
  if (program.numbers && /^-\d{1,9}$/.test(word)) return { takesNext: false, givesText: false };
  let isTree = false;
  for (let at = 1; at < word.length; at++) {
    const letter = word.charAt(at);
    if (letter === program.treeLetter) isTree = true;
    if (letter === program.treeLetter || program.letters?.includes(letter)) continue;
    if (!program.valueLetters?.includes(letter) || (program.apart && word.length > 2)) return undefined;
    const givesText = program.textLetters?.includes(letter) === true;
    return { takesNext: at === word.length - 1, givesText, isTree };
  }
  return { takesNext: false, givesText: false, isTree };
}

function lookedAt(
  kind: OperandKind,
  paths: readonly string[],
  count: number,
): readonly CheckedPath[] | undefined {
  if (kind === 'texts') return paths.some(isPattern) ? undefined : [];
  if (kind === 'none') return count === 0 ? [] : undefined;
  const files = paths.filter((path) => path !== '-');
  if (!files.every(isPlainPath)) return undefined;
  return files.map((path) =>
    isPattern(path) ? { path: path.slice(PATTERN.length), what: kind, pattern: true } : { path, what: kind },
  );
}
