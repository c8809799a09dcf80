import { isPlainPath } from './judgeArguments.js';
import type { LookedAt } from './judgeArguments.js';
import { judgeGit } from './judgeGit.js';
import { judgeRg } from './judgeRg.js';
import { judgeSed } from './judgeSed.js';

/** Programs whose words no table can describe. Each says what a call looks at, or undefined where it may do more. */
export const specialPrograms: ReadonlyMap<
  string,
  (words: readonly string[]) => readonly LookedAt[] | undefined
> = new Map([
  ['find', judgeFind],
  ['sed', judgeSed],
  ['git', judgeGit],
  ['date', judgeDate],
  ['printf', judgePrintf],
  ['echo', () => []],
  ['test', judgeTest],
  ['rg', judgeRg],
  ['jq', judgeJq],
  ['which', (words) => (areNames(words) ? [] : undefined)],
  // With the flag it says only which program is meant.
  ['command', ([flag, ...words]) => (/^-[vV]$/.test(flag ?? '') && areNames(words) ? [] : undefined)],
  ['type', (words) => (areNames(words.filter((word) => !/^-[apt]$/.test(word))) ? [] : undefined)],
  // What commands get is the same few variables each time, none of them secret.
  ['env', (words) => (words.length === 0 ? [] : undefined)],
  ['printenv', (words) => (words.every((word) => /^\w+$/.test(word)) ? [] : undefined)],
  ['node', (words) => onlyVersion(words, /^(-v|--version)$/)],
  ['python3', (words) => onlyVersion(words, /^(-V|--version)$/)],
]);

const areNames = (words: readonly string[]) => words.every((word) => /^\w[\w.+-]*$/.test(word));

/** A program of jq can read others files only by `import` and `include`. */
function judgeJq(words: readonly string[]): readonly LookedAt[] | undefined {
  const at = words.findIndex((word) => !/^-[rcesnSRCMa]+$/.test(word));
  const [program = '', ...files] = at < 0 ? [] : words.slice(at);
  if (program.startsWith('-') || /import|include/.test(program)) return undefined;
  if (!files.every((file) => !file.startsWith('-') && isPlainPath(file))) return undefined;
  return files.map((path) => ({ path, what: 'contents' }));
}

/** Without anything else these print a line and load nothing of the folder they are in. */
const onlyVersion = (words: readonly string[], flag: RegExp) =>
  words.length === 1 && flag.test(words[0] ?? '') ? [] : undefined;

/** Whether a file is there, and of which kind. Everything else that it compares may be looked into further. */
function judgeTest([flag = '', path = '', ...more]: readonly string[]): readonly LookedAt[] | undefined {
  const isPlain =
    /^-[defrswx]$/.test(flag) && more.length === 0 && !path.startsWith('-') && isPlainPath(path);
  return isPlain ? [{ path, what: 'names' }] : undefined;
}

const findAlone = new Set('-empty -print -print0 -not -a -and -o -or -prune ! ( ) -true -false'.split(' '));
const findWithValue = new Set(
  '-name -iname -path -ipath -type -maxdepth -mindepth -size -mtime -mmin -perm -user -group'.split(' '),
);

function judgeFind(words: readonly string[]): readonly LookedAt[] | undefined {
  const begin = words.findIndex((word) => word.startsWith('-') || word === '!' || word === '(');
  const starts = begin < 0 ? words : words.slice(0, begin);
  const expression = begin < 0 ? [] : words.slice(begin);
  for (let index = 0; index < expression.length; index++) {
    const word = expression[index] ?? '';
    if (findWithValue.has(word)) {
      if (++index >= expression.length) return undefined;
    } else if (!findAlone.has(word)) return undefined;
  }
  return starts.every(isPlainPath) ? starts.map((path) => ({ path, what: 'names' })) : undefined;
}

/** Setting the clock needs an operand without `+`. */
function judgeDate(words: readonly string[]): readonly LookedAt[] | undefined {
  return words.every((word) => /^(\+.*|-u|-R|-I|--utc|--iso-8601)$/.test(word)) ? [] : undefined;
}

/** The shell's own printf can set variables, with a flag before the format and by the format itself. */
function judgePrintf([format]: readonly string[]): readonly LookedAt[] | undefined {
  return format !== undefined && !format.startsWith('-') && !countsIntoVariable(format) ? [] : undefined;
}

/** Whether a format of the shell's printf puts how much it has said so far into a variable: with `%n`. */
export const countsIntoVariable = (format: string): boolean =>
  /%[-+ #'*.\d]*[hlLjzt]*n/.test(format.replaceAll('%%', ''));
