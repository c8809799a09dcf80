/** What the operands of a program are. */
export type OperandKind =
  /** Files whose content it shows. */
  | 'contents'
  /** Files and folders of which it shows names and sizes. */
  | 'names'
  /** Texts that are no files. */
  | 'texts'
  /** There may be none. */
  | 'none';

/**
 * A program that, called with these flags and no other, neither writes, runs, sends nor asks anything.
 * A flag that is missing here is one that does, or one nobody has looked at.
 */
export interface ReadOnlyProgram {
  readonly operands: OperandKind;
  /** Operands before those of `operands` that are texts, like the pattern of grep. */
  readonly textsFirst?: number;
  readonly maxOperands?: number;
  /** Letters that stand alone. */
  readonly letters?: string;
  /** Letters that take a text. */
  readonly valueLetters?: string;
  /** Value letters that take the place of the first text, like -e of grep. */
  readonly textLetters?: string;
  readonly long?: readonly string[];
  readonly longValues?: readonly string[];
  /** Long flags whose value can only stand behind `=`. */
  readonly longOptional?: readonly string[];
  /** Whether it reads its flags in a way of its own: a letter that takes a text must be the whole word. */
  readonly apart?: true;
  /** Operands that are not what they look like. */
  readonly refused?: RegExp;
  /** The letter by which it reads everything in a folder; its long name is `--recursive`. */
  readonly treeLetter?: string;
  /** Whether `-20` means a number. */
  readonly numbers?: boolean;
}

const contents = (letters: string, more: Partial<ReadOnlyProgram> = {}): ReadOnlyProgram => ({
  operands: 'contents',
  letters,
  ...more,
});
const words = (text: string) => text.split(' ');

/** The programs, from the manuals of GNU coreutils, grep, diffutils and findutils. */
export const readOnlyPrograms: ReadonlyMap<string, ReadOnlyProgram> = new Map<string, ReadOnlyProgram>([
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
  [
    'grep',
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
  ],
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
  ['uptime', { operands: 'none', letters: 'ps' }],
  ['free', { operands: 'none', letters: 'bghkm' }],
  ['df', { operands: 'names', letters: 'ahHikTP' }],
]);
