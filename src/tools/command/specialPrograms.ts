import { isPlainPath } from './judgeArguments.js';
import type { LookedAt } from './judgeArguments.js';

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
  ['which', (words) => (words.every((word) => /^\w[\w.+-]*$/.test(word)) ? [] : undefined)],
  ['node', (words) => onlyVersion(words, /^(-v|--version)$/)],
  ['python3', (words) => onlyVersion(words, /^(-V|--version)$/)],
]);

/** Without anything else these print a line and load nothing of the folder they are in. */
const onlyVersion = (words: readonly string[], flag: RegExp) =>
  words.length === 1 && flag.test(words[0] ?? '') ? [] : undefined;

/** Whether a file is there, and of which kind. Everything else that it compares may be looked into further. */
function judgeTest([flag = '', path = '', ...more]: readonly string[]): readonly LookedAt[] | undefined {
  const isPlain =
    /^-[defrswx]$/.test(flag) && more.length === 0 && !path.startsWith('-') && isPlainPath(path);
  return isPlain ? [{ path, what: 'names' }] : undefined;
}

/** Names of files only: what stands in them would be read whatever their names are. */
function judgeRg(words: readonly string[]): readonly LookedAt[] | undefined {
  const flags = words.filter((word) => word.startsWith('-'));
  const paths = words.filter((word) => !word.startsWith('-'));
  const known = flags.every((flag) => /^(--files|--hidden|--no-ignore|--sort=path|--glob=.*)$/.test(flag));
  if (!known || !flags.includes('--files') || !paths.every(isPlainPath)) return undefined;
  return paths.map((path) => ({ path, what: 'names' }));
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

/** Only the printing of some lines: every other script can write files or run programs. */
function judgeSed(words: readonly string[]): readonly LookedAt[] | undefined {
  const [quiet, script = '', ...files] = words;
  if (quiet !== '-n' || !/^\d+(,(\d+|\$))?p$/.test(script)) return undefined;
  if (!files.every((file) => !file.startsWith('-') && isPlainPath(file))) return undefined;
  return files.map((path) => ({ path, what: 'contents' }));
}

/** Setting the clock needs an operand without `+`. */
function judgeDate(words: readonly string[]): readonly LookedAt[] | undefined {
  return words.every((word) => /^(\+.*|-u|-R|-I|--utc|--iso-8601)$/.test(word)) ? [] : undefined;
}

/** The shell's own printf can set variables, with a flag before the format. */
function judgePrintf(words: readonly string[]): readonly LookedAt[] | undefined {
  return words.length > 0 && words[0]?.startsWith('-') === false ? [] : undefined;
}

/** A commit or a file of the repository: with a path elsewhere, git compares files of anywhere. */
const isInsideName = (word: string) => isPlainPath(word) && !word.startsWith('/');

interface GitCommand {
  readonly flags: RegExp;
  /** Whether it may have operands: names of commits and files. */
  readonly operands: boolean;
  /** A flag that must be there, because without it contents are shown. */
  readonly needs?: RegExp;
  /** What an operand must look like, where not every name will do. */
  readonly named?: RegExp;
}

const gitCommands: ReadonlyMap<string, GitCommand> = new Map([
  [
    'status',
    {
      flags: /^(-[sbuz]+|--(short|branch|porcelain|long|ignored|untracked-files=(no|normal|all)))$/,
      operands: false,
    },
  ],
  [
    'log',
    {
      flags:
        /^(-\d{1,6}|-n\d{0,6}|--(oneline|graph|all|decorate|stat|shortstat|name-only|name-status|no-merges|merges|reverse|first-parent|max-count=\d+|since=.*|until=.*|author=.*|grep=.*|format=(oneline|short|medium|full|fuller)|pretty=(oneline|short|medium|full|fuller)))$/,
      operands: true,
    },
  ],
  ['branch', { flags: /^(-[arv]+|--(list|show-current|all|remotes))$/, operands: false }],
  ['tag', { flags: /^(-l|--list)$/, operands: false }],
  ['rev-parse', { flags: /^--(abbrev-ref|short|show-toplevel|is-inside-work-tree|verify)$/, operands: true }],
  [
    'ls-files',
    { flags: /^(-[cdmos]+|--(cached|deleted|modified|others|stage|exclude-standard))$/, operands: false },
  ],
  [
    'diff',
    {
      flags: /^--(stat|shortstat|numstat|name-only|name-status|cached|staged)$/,
      needs: /^--(stat|shortstat|numstat|name-only|name-status)$/,
      operands: true,
    },
  ],
  [
    'show',
    {
      flags: /^--(stat|shortstat|numstat|name-only|name-status|oneline)$/,
      needs: /^--(stat|shortstat|numstat|name-only|name-status)$/,
      operands: true,
      // Other names can be those of contents, and then these are shown whatever the flags say.
      named: /^(HEAD|@)([~^]\d*)*$/,
    },
  ],
  ['--version', { flags: /^$/, operands: false }],
]);

/** Names and numbers of a repository, no contents: these may hold secrets of any age. */
function judgeGit([name = '', ...words]: readonly string[]): readonly LookedAt[] | undefined {
  const command = gitCommands.get(name);
  if (command === undefined) return undefined;
  const { flags, operands, needs, named = /./ } = command;
  const known = words.every((word) =>
    word.startsWith('-')
      ? word === '--' || flags.test(word)
      : operands && isInsideName(word) && named.test(word),
  );
  const afterDashes = words.slice(words.indexOf('--') + 1);
  const hidden = words.includes('--') && afterDashes.some((word) => word.startsWith('-'));
  return known && !hidden && (needs === undefined || words.some((word) => needs.test(word))) ? [] : undefined;
}
