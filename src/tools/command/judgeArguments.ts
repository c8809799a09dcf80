import type { OperandKind, ReadOnlyProgram } from './readOnlyPrograms.js';

/** A path that a harmless program will look at. */
export interface LookedAt {
  readonly path: string;
  readonly what: 'contents' | 'names';
}

/** What a program's words mean, or undefined where one of them is not known to be harmless. */
export function judgeArguments(
  program: ReadOnlyProgram,
  words: readonly string[],
): readonly LookedAt[] | undefined {
  const operands: string[] = [];
  let textsFirst = program.textsFirst ?? 0;
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? '';
    if (word === '--') {
      operands.push(...words.slice(index + 1));
      break;
    }
    if (!word.startsWith('-') || word === '-') {
      operands.push(word);
      continue;
    }
    const flag = word.startsWith('--') ? readLong(program, word) : readLetters(program, word);
    if (flag === undefined) return undefined;
    if (flag.takesNext && ++index >= words.length) return undefined;
    if (flag.givesText) textsFirst = 0;
  }
  if (operands.length > (program.maxOperands ?? Infinity)) return undefined;
  return lookedAt(program.operands, operands.slice(textsFirst), operands.length);
}

interface Flag {
  /** Whether the next word is the flag's value. */
  readonly takesNext: boolean;
  readonly givesText: boolean;
}

function readLong(program: ReadOnlyProgram, word: string): Flag | undefined {
  const [name, value] = splitOnce(word);
  const takesValue = program.longValues?.includes(name) === true;
  if (value === undefined && program.long?.includes(name)) return { takesNext: false, givesText: false };
  if (!takesValue) return undefined;
  // The value of --color and its like may be left out, and then the next word is no value.
  if (value === undefined && optionalValue.has(name)) return { takesNext: false, givesText: false };
  return { takesNext: value === undefined, givesText: name === '--regexp' };
}

const optionalValue = new Set(['--color']);

function splitOnce(word: string): [string, string | undefined] {
  const at = word.indexOf('=');
  return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}

function readLetters(program: ReadOnlyProgram, word: string): Flag | undefined {
  if (program.numbers && /^-\d{1,9}$/.test(word)) return { takesNext: false, givesText: false };
  for (let at = 1; at < word.length; at++) {
    const letter = word.charAt(at);
    if (program.letters?.includes(letter)) continue;
    if (!program.valueLetters?.includes(letter)) return undefined;
    return { takesNext: at === word.length - 1, givesText: program.textLetters?.includes(letter) === true };
  }
  return { takesNext: false, givesText: false };
}

function lookedAt(
  kind: OperandKind,
  paths: readonly string[],
  count: number,
): readonly LookedAt[] | undefined {
  if (kind === 'texts') return [];
  if (kind === 'none') return count === 0 ? [] : undefined;
  const files = paths.filter((path) => path !== '-');
  return files.every(isPlainPath) ? files.map((path) => ({ path, what: kind })) : undefined;
}

/** Whether a path means the same for the program as for us: `..` behind a link does not. */
export function isPlainPath(path: string): boolean {
  return path !== '' && !path.split('/').includes('..');
}
