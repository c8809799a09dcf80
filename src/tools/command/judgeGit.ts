import { isPlainPath } from './judgeArguments.js';
import type { LookedAt } from './judgeArguments.js';

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
        /^(-\d{1,6}|-n\d{0,6}|--(oneline|graph|all|decorate|stat|shortstat|name-only|name-status|no-merges|merges|reverse|first-parent|max-count=\d+|since=.*|until=.*|author=.*|grep=.*|date=(short|iso|relative|local)|follow|no-decorate|abbrev-commit|(format|pretty)=(?=[^%]*%)(?:(?!%[-+ ]*[G(]).)*|format=(oneline|short|medium|full|fuller)|pretty=(oneline|short|medium|full|fuller)))$/,
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
  ['describe', { flags: /^--(tags|always|all|long|dirty|abbrev=\d+)$/, operands: true }],
  ['merge-base', { flags: /^--(is-ancestor|fork-point|all)$/, operands: true }],
  ['rev-list', { flags: /^(-\d{1,6}|-n\d{0,6}|--(count|all|no-merges|max-count=\d+))$/, operands: true }],
  // Without a commit it would wait for a list of them.
  ['shortlog', { flags: /^(-[sne]+|--(summary|numbered|email|all|no-merges))$/, operands: true }],
  ['ls-tree', { flags: /^(-[rdtl]+|--(name-only|long))$/, operands: true }],
  ['reflog', { flags: /^(-\d{1,6}|-n\d{0,6})$/, operands: false }],
  ['stash', { flags: /^$/, operands: true, named: /^list$/, needs: /^list$/ }],
  ['worktree', { flags: /^$/, operands: true, named: /^list$/, needs: /^list$/ }],
  // With a flag it shows addresses, in which passwords may stand.
  ['remote', { flags: /^$/, operands: false }],
  ['--version', { flags: /^$/, operands: false }],
]);

/** What a call of git looks at: names and numbers of a repository, no contents, which may hold secrets of any age. */
export function judgeGit([name = '', ...words]: readonly string[]): readonly LookedAt[] | undefined {
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
