import { allow, ask } from '../../verdict.js';
import { argumentPaths } from '../arguments.js';
import { PATTERN, VARIABLE } from '../shell/plainCommands.js';
import {
  isPlainPath,
  type CheckedPath,
  type Program,
  type ProgramRows,
  type ReadOnlyProgram,
  type RiskyWord,
  type Words,
  type WordRule,
} from './program.js';
import { looksOfSed } from './sed.js';

/** A longer program is not looked into. */
const MAX_PROGRAM = 300;

/** Between slashes, where no operand stands before them: there a slash begins a pattern, and no division. */
const pattern = String.raw`\/(?:[^/\\[\n]|\\[^/\n])+\/`;

const text = String.raw`"(?:[^"\\\n]|\\[nt"])*"`;

const field = String.raw`(?:\$\d+|\$NF|NR|NF|FNR)`;

const value = String.raw`(?:${field}|${text}|\d+(?:\.\d+)?|length\(${field}\)|[a-z](?![A-Za-z_(]))`;

const condition = String.raw`(?:!?${pattern}|${field} *!?~ *${pattern}|${field} *(?:==|!=|<=|>=|<|>) *(?:\d+|${text}|NF|NR)|NR *% *\d+ *== *\d+)`;

const when = String.raw`(?:BEGIN|END|${condition}(?: *(?:&&|\|\||,) *${condition})*)`;

/** No `>`, `|` or call: what is printed goes to the output. */
const statement = String.raw`(?:print(?![A-Za-z_0-9])(?: *${value}(?:[ ,+*-]+${value})*)?|[a-z] *(?:\+=|=) *${value}|[a-z]\+\+)`;

const action = String.raw`\{ *${statement}(?: *; *${statement})* *;? *\}`;

const rule = String.raw`(?:${when} *)?${action}`;

/** A condition alone stands at the end: what came behind it could belong to it, and a slash be a division. */
const program = new RegExp(`^ *(?:${rule} *;? *){0,3}(?:${rule}|${when}) *$`);

const contents = (letters: string, more: Partial<ReadOnlyProgram> = {}): ReadOnlyProgram => ({
  operands: 'contents',
  letters,
  ...more,
});
const words = (text: string) => text.split(' ');

/** The programs, from the manuals of GNU coreutils, grep, diffutils and findutils. */
const readOnlyPrograms: readonly (readonly [string, ReadOnlyProgram])[] = [
  ['cat', contents('AbEensTtuv', { long: words('--number --show-all --squeeze-blank') })],
  ['head', contents('qv', { valueLetters: 'nc', longValues: words('--lines --bytes'), numbers: true })],
  ['tail', contents('qv', { valueLetters: 'nc', longValues: words('--lines --bytes'), numbers: true })],
  ['wc', contents('lwcmL', { long: words('--lines --words --bytes --chars') })],
  ['nl', contents('p', { valueLetters: 'bhfinsvw' })],
  ['rev', contents('')],
  ['cut', contents('sn', { valueLetters: 'bcdf', longValues: words('--delimiter --fields --characters') })],
  [
    'sort',
    contents('bdfghiMnRrVuzsc', { valueLetters: 'kt', long: words('--reverse --numeric-sort --unique') }),
  ],
  [
    'uniq',
    contents('cdiDu', { valueLetters: 'fsw', maxOperands: 1, long: words('--count --repeated --unique') }),
  ],
  ['tac', contents('')],
  ['fold', contents('s', { valueLetters: 'w' })],
  ['column', contents('t', { valueLetters: 'sc' })],
  ['paste', contents('s', { valueLetters: 'd' })],
  ['join', contents('i', { valueLetters: 't12', maxOperands: 2 })],
  ['od', contents('bcdox', { valueLetters: 'AtNj' })],
  ['hexdump', contents('C', { valueLetters: 'ns' })],
  ['xxd', contents('abp', { valueLetters: 'cgls', maxOperands: 1, apart: true })],
  // It takes more words from a file that stands behind `@`, also where a pattern stands for its name.
  ['strings', contents('a', { valueLetters: 'n', maxOperands: 1, refused: /^@/ })],
  ['base64', contents('di', { valueLetters: 'w', maxOperands: 1 })],
  ['cksum', contents('')],
  ['md5sum', contents('bt')],
  ['sha1sum', contents('bt')],
  ['sha256sum', contents('bt')],
  ['sha512sum', contents('bt')],
  ['cmp', contents('bls', { maxOperands: 2 })],
  ['comm', contents('123', { maxOperands: 2 })],
  [
    'diff',
    contents('uqwbBiysca', {
      valueLetters: 'UW',
      maxOperands: 2,
      long: words('--unified --brief --side-by-side'),
    }),
  ],
  ['file', contents('bi', { long: words('--brief --mime --mime-type --mime-encoding') })],
  ...['grep', 'egrep', 'fgrep'].map((name): readonly [string, ReadOnlyProgram] => [
    name,
    contents('EFGHhinclLoqsvwxaz', {
      textsFirst: 1,
      valueLetters: 'ABCme',
      textLetters: 'e',
      treeLetter: 'r',
      long: words(
        '--recursive --ignore-case --invert-match --line-number --count --word-regexp --line-regexp --extended-regexp ' +
          '--fixed-strings --only-matching --files-with-matches --files-without-match --no-filename --with-filename',
      ),
      longValues: words(
        '--regexp --max-count --after-context --before-context --context --include --exclude --exclude-dir',
      ),
      longOptional: words('--color'),
    }),
  ]),
  [
    'ls',
    {
      operands: 'names',
      letters: '1aAbBcCdDFgGhiklmnNopqQrRsStuUvxXZ',
      long: words(
        '--all --almost-all --human-readable --recursive --reverse --size --directory --group-directories-first',
      ),
      longValues: words('--sort --time --format'),
      longOptional: words('--color'),
    },
  ],
  [
    'du',
    {
      operands: 'names',
      letters: 'abchkmsSx',
      valueLetters: 'd',
      long: words('--all --human-readable --summarize --apparent-size'),
      longValues: words('--max-depth'),
    },
  ],
  ['stat', { operands: 'names', valueLetters: 'c', longValues: words('--format') }],
  ['tree', { operands: 'names', letters: 'adfis', valueLetters: 'LI', apart: true }],
  ['realpath', { operands: 'names', letters: 'emsqz' }],
  ['readlink', { operands: 'names', letters: 'efmnqsvz' }],
  ['basename', { operands: 'texts', letters: 'az', valueLetters: 's' }],
  ['dirname', { operands: 'texts', letters: 'z' }],
  ['tr', { operands: 'texts', letters: 'cCdst', maxOperands: 2 }],
  ['seq', { operands: 'texts', letters: 'w', valueLetters: 's', maxOperands: 3 }],
  ['pwd', { operands: 'none', letters: 'LP' }],
  ['true', { operands: 'none' }],
  ['false', { operands: 'none' }],
  ['whoami', { operands: 'none' }],
  ['id', { operands: 'none', letters: 'Ggnru' }],
  ['uname', { operands: 'none', letters: 'amnoprsv' }],
  ['hostname', { operands: 'none' }],
  ['nproc', { operands: 'none' }],
  ['arch', { operands: 'none' }],
  ['lscpu', { operands: 'none', letters: 'abcey' }],
  ['locale', { operands: 'none', letters: 'ak' }],
  ['getconf', { operands: 'texts', letters: 'a', maxOperands: 1 }],
  ['expr', { operands: 'texts' }],
  // Which ports are open; what listens there, and who, are letters of their own.
  ['ss', { operands: 'none', letters: '046alntux' }],
  ['iconv', contents('cl', { valueLetters: 'ft' })],
  ['uptime', { operands: 'none', letters: 'ps' }],
  ['free', { operands: 'none', letters: 'bghkm' }],
  ['df', { operands: 'names', letters: 'ahHikTP' }],
];

const areNames = (words: readonly string[]) => words.every((word) => /^\w[\w.+-]*$/.test(word));

/** A program of jq can read others files only by `import` and `include`. */
function looksOfJq(words: readonly string[]): readonly CheckedPath[] | undefined {
  const at = words.findIndex((word) => !/^-[rcesnSRCMa]+$/.test(word));
  const [program = '', ...files] = at < 0 ? [] : words.slice(at);
  if (program.startsWith('-') || /import|include/.test(program)) return undefined;
  if (!files.every((file) => !file.startsWith('-') && isPlainPath(file))) return undefined;
  return files.map((path) => ({ path, what: 'contents' }));
}

/** Without anything else these print a line and load nothing of the folder they are in. */
const onlyVersion = (words: readonly string[], flag: RegExp) =>
  words.length === 1 && flag.test(words[0] ?? '') ? [] : undefined;

/** Whether a file is there, and of which kind, or a text is empty. Everything else that it compares may be looked into further. */
function looksOfTest(words: readonly string[]): readonly CheckedPath[] | undefined {
  const [flag = '', operand = '', ...more] = words[0] === '!' ? words.slice(1) : words;
  if (more.length > 0 || operand.startsWith('-')) return undefined;
  if (/^-[nz]$/.test(flag)) return operand.includes('[') ? undefined : [];
  const isPlain = /^-[defrswx]$/.test(flag) && !operand.includes(VARIABLE) && isPlainPath(operand);
  return isPlain ? [{ path: operand, what: 'names' }] : undefined;
}

const findAlone = new Set(
  '-empty -print -print0 -ls -not -a -and -o -or -prune ! ( ) -true -false -executable -readable -writable -mount -xdev -daystart -quit'.split(
    ' ',
  ),
);
const findWithValue = new Set(
  '-name -iname -path -ipath -regex -iregex -type -maxdepth -mindepth -size -mtime -mmin -newer -perm -user -group -links -printf'.split(
    ' ',
  ),
);

function looksOfFind(words: readonly string[]): readonly CheckedPath[] | undefined {
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
function looksOfDate(words: readonly string[]): readonly CheckedPath[] | undefined {
  return words.every((word) => /^(\+.*|-u|-R|-I|--utc|--iso-8601)$/.test(word)) ? [] : undefined;
}

/** The shell's own printf can set variables, with a flag before the format and by the format itself. */
function looksOfPrintf([format]: readonly string[]): readonly CheckedPath[] | undefined {
  return format !== undefined && !format.startsWith('-') && !countsIntoVariable(format) ? [] : undefined;
}

/** Whether a format of the shell's printf puts how much it has said so far into a variable: with `%n`. */
const countsIntoVariable = (format: string): boolean =>
  /%[-+ #'*.\d]*[hlLjzt]*n/.test(format.replaceAll('%%', ''));

/** From the manual of ripgrep, without what runs programs, follows links or reads what is packed. */
const rgSearch: ReadOnlyProgram = {
  operands: 'contents',
  textsFirst: 1,
  letters: 'nNilwcSFovHIxsUP',
  valueLetters: 'egtTABCm',
  textLetters: 'e',
  long: (
    '--ignore-case --smart-case --case-sensitive --line-number --no-line-number --files-with-matches --word-regexp --count ' +
    '--count-matches --fixed-strings --only-matching --no-heading --heading --hidden --no-ignore --pcre2 --multiline --column ' +
    '--trim --invert-match --no-filename --with-filename --stats'
  ).split(' '),
  longValues:
    '--regexp --glob --iglob --type --type-not --max-count --max-depth --after-context --before-context --context --color --sort'.split(
      ' ',
    ),
};

/** What a call of ripgrep looks at: names of files only, or all that stands in files and folders. */
function looksOfRg(words: readonly string[]): readonly CheckedPath[] | undefined {
  if (words.includes('--files')) return looksOfRgFiles(words);
  const looked = argumentPaths(rgSearch, words);
  const hasText = words.some((word) => !word.startsWith('-'));
  if (looked === undefined || !hasText) return undefined;
  const hidden = words.some((word) => /^--(hidden|no-ignore|i?glob)|^-[a-zA-Z]*g/.test(word));
  return (looked.length > 0 ? looked : [{ path: '.' }]).map((look) => ({
    ...look,
    what: 'tree',
    ...(!hidden && { without: ['.git'], heedsIgnoreFiles: true as const }),
  }));
}

function looksOfRgFiles(words: readonly string[]): readonly CheckedPath[] | undefined {
  const flags = words.filter((word) => word.startsWith('-'));
  const paths = words.filter((word) => !word.startsWith('-'));
  const known = flags.every((flag) => /^(--files|--hidden|--no-ignore|--sort=path|--glob=.*)$/.test(flag));
  const plain = paths.every((path) => isPlainPath(path) && !path.startsWith(PATTERN));
  return known && plain ? paths.map((path) => ({ path, what: 'names' })) : undefined;
}

const version = (flag: RegExp): Program => ({ isVaried: true, looks: (words) => onlyVersion(words, flag) });

/** More than so many files named to a program that writes the last of them, where these flags take a number. */
const atMostOneFile =
  (numbered: RegExp, reason: string): WordRule =>
  (words) =>
    countOperands(words, numbered) > 1 ? ask(reason) : allow;

/** How many files are named to a program of which these flags take a number: at least so many. */
function countOperands(words: Words, numbered: RegExp): number {
  const operands = words.filter((word, at) => {
    if (/^\d+$/.test(word ?? '') && numbered.test(words[at - 1] ?? '')) return false;
    return word === undefined || word === '-' || !word.startsWith('-') || words.slice(0, at).includes('--');
  });
  return operands.length;
}

const printf: WordRule = ([first = '-', second = '-']) =>
  /^-(v|$)/.test(first) || countsIntoVariable(first === '--' ? second : first)
    ? ask('it sets a variable (printf -v, %n)')
    : allow;

const testWords = (name: string): Program => ({
  mentions: true,
  riskyWords: [{ word: /^-v$/, reason: `it can run what stands in the name of a variable (${name} -v)` }],
});

const risky = (word: RegExp, reason: string): { readonly riskyWords: readonly RiskyWord[] } => ({
  riskyWords: [{ word, reason }],
});

/** Programs that look: at files, at the system, or at nothing but their words. */
export const readOnlyRows: ProgramRows = [
  ...readOnlyPrograms.map(([name, reads]): [string, Program] => [name, { reads, mentions: true }]),
  ['tree', { anyWords: false, ...risky(/^-[^-]*[oR]|^--output/, 'it writes files (tree -o, -R)') }],
  ['hostname', { anyWords: false, riskyFlags: /^[^-]|^-[bF]|^--(boot|file)/ }],
  ['sort', risky(/^-[^-]*[oT]|^--(o|co|f|t)/, 'it writes or runs (sort)')],
  ['uniq', { rule: atMostOneFile(/^-[a-zA-Z]*[fsw]$/, 'it writes a file (uniq)') }],
  [
    'xxd',
    {
      riskyFlags: /^--?[a-z]*r/,
      rule: atMostOneFile(/^--?(c|cols|g|group(size)?|l|len|o|s|seek|skip)$/, 'it writes a file (xxd)'),
    },
  ],
  ['file', risky(/^-[^-]*C|^--c/, 'it writes a file (file -C)')],
  [
    'find',
    {
      looks: looksOfFind,
      mentions: true,
      ...risky(
        /^-(exec|execdir|ok|okdir|fprint|fprint0|fprintf|fls|files0-from)$/,
        'it writes files or runs a program for what it finds (find)',
      ),
      loses: (words) =>
        words.some((word) => word === undefined || word === '-delete')
          ? ask('it deletes what it finds (find -delete)')
          : allow,
    },
  ],
  ['sed', { looks: looksOfSed, code: /./ }],
  ['date', { looks: looksOfDate, mentions: true, ...risky(/^-[uR]*s|^--s/, 'it sets the clock (date -s)') }],
  ['printf', { looks: looksOfPrintf, mentions: true, rule: printf }],
  ['echo', { looks: () => [], mentions: true, anyWords: true }],
  ['test', { looks: looksOfTest, ...testWords('test') }],
  [
    '[',
    {
      looks: (words) => (words.at(-1) === ']' ? looksOfTest(words.slice(0, -1)) : undefined),
      ...testWords('['),
    },
  ],
  [
    'rg',
    {
      isVaried: true,
      looks: looksOfRg,
      mentions: true,
      ...risky(
        /^--(pre|hostname-bin|search-zip)|^-[a-zA-Z]*z/,
        'it can run a program for each file (rg --pre)',
      ),
    },
  ],
  ['jq', { isVaried: true, looks: looksOfJq, mentions: true }],
  ['which', { looks: (words) => (areNames(words) ? [] : undefined) }],
  // With the flag it says only which program is meant.
  [
    'command',
    { looks: ([flag, ...words]) => (/^-[vV]$/.test(flag ?? '') && areNames(words) ? [] : undefined) },
  ],
  ['type', { looks: (words) => (areNames(words.filter((word) => !/^-[apt]$/.test(word))) ? [] : undefined) }],
  // What commands get is the same few variables each time, none of them secret.
  ['env', { looks: (words) => (words.length === 0 ? [] : undefined) }],
  ['printenv', { looks: (words) => (words.every((word) => /^\w+$/.test(word)) ? [] : undefined) }],
  ['node', version(/^(-v|--version)$/)],
  ['python python3', version(/^(-V|--version)$/)],
  ['perl', version(/^(-v|--version)$/)],
  ['bash gcc g++ cc clang make cmake', version(/^--version$/)],
  ['awk', { isVaried: true, looks: looksOfAwk }],
  ['cd', { mentions: true, anyWords: true }],
  [': exit return sleep', { anyWords: true }],
];

/** What a call of awk looks at, if it picks and prints; undefined where its program may do more. */
function looksOfAwk(words: readonly string[]): readonly CheckedPath[] | undefined {
  const at = words[0] === '-F' ? 2 : /^-F[^\\]{1,3}$/.test(words[0] ?? '') ? 1 : 0;
  const [code = '', ...files] = words.slice(at);
  if (code.length > MAX_PROGRAM || !program.test(code)) return undefined;
  // `name=text` sets a variable of awk.
  const arePlain = files.every((file) => !/^-|=/.test(file) && isPlainPath(file));
  return arePlain ? files.map((path) => ({ path, what: 'contents' })) : undefined;
}
