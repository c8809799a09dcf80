import { allow, ask } from '../../verdict.js';
import type { Verdict } from '../../verdict.js';
import { hasFlag } from './confirmed.js';
import { isPlainPath } from './program.js';
import type { GitListing, Look, ProgramRows, WordRule, Words } from './program.js';
import { readRule } from '../../paths/protectedPaths.js';

const asks =
  (reason: string): WordRule =>
  () =>
    ask(reason);

const has = (words: Words, ...names: string[]) =>
  words.some((word) => word === undefined || names.includes(word));

/** Subcommands of git that throw work away or change what git runs; global flags may stand before them. */
const gitRisk: WordRule = (words) => {
  if (words.includes(undefined)) return ask('what git is asked to do is known only when it runs');
  const { name, before, rest } = subcommandOf(words);
  if (before.some((word) => !globalFlags.has(word ?? ''))) {
    return ask('git works in another folder or with other settings (git -c, -C)');
  }
  if (rest.some(isRunningFlag)) return ask('git can write a file or run a program by a flag');
  return gitRules.get(name)?.(rest) ?? allow;
};

/** The subcommand of git, the flags in front of it, and what stands behind it. */
function subcommandOf(words: Words) {
  const name = words.find((word) => word?.startsWith('-') === false) ?? '';
  const at = words.indexOf(name);
  return { name, before: words.slice(0, Math.max(at, 0)), rest: words.slice(at + 1) };
}

/** The verdict on a subcommand of git of which nothing is known: it may be an alias or a program. */
export function gitNameRisk(words: Words): Verdict {
  const { name } = subcommandOf(words);
  return name === '' || safeSubcommands.has(name) || gitRules.has(name)
    ? allow
    : ask(`'git ${name}' is not known here; it may be an alias for anything`);
}

const globalFlags = new Set(['--no-pager', '-P', '--no-optional-locks', '--literal-pathspecs']);
const runningFlags =
  '--output --ext-diff --textconv --exec --upload-pack --open-files-in-pager --no-index --template'.split(
    ' ',
  );

/** git takes a long flag also where its end is missing; `--text` is one of its own. */
function isRunningFlag(word = ''): boolean {
  const name = word.split('=')[0] ?? '';
  if (name.startsWith('-O')) return true;
  return runningFlags.some(
    (flag) => name.startsWith(flag) || (name.length > 3 && name !== '--text' && flag.startsWith(name)),
  );
}

/** What git does with the repository alone; the other tables say more of some. An unknown word may be an alias. */
const safeSubcommands = new Set(
  (
    'add annotate blame branch cat-file check-attr check-ignore check-mailmap cherry checkout commit count-objects ' +
    'describe diff diff-files diff-index diff-tree for-each-ref grep log ls-files ls-tree merge-base mv name-rev ' +
    'range-diff reset rev-list rev-parse shortlog show show-branch show-ref stash status switch tag var ' +
    'verify-commit verify-pack version whatchanged worktree --version'
  ).split(' '),
);

const losesWork = asks('it can throw away work that is saved nowhere else');
const gitRules: ReadonlyMap<string, WordRule> = new Map<string, WordRule>([
  ['clean', asks('it deletes files that git does not know (git clean)')],
  ['checkout', (words) => (isBranchSwitch(words) ? allow : losesWork(words))],
  [
    'switch',
    (words) =>
      ['--discard-changes', '--force-create'].some((long) => hasFlag(words, /[fC]/, long))
        ? losesWork(words)
        : allow,
  ],
  [
    'restore',
    // The index alone is made of what is saved already.
    (words) =>
      words.every((word) => word === '--staged' || word === '--' || word?.startsWith('-') === false) &&
      words.includes('--staged')
        ? allow
        : losesWork(words),
  ],
  ['reset', (words) => (words.some((word) => /^--(h|me|k)/.test(word ?? '--h')) ? losesWork(words) : allow)],
  [
    'stash',
    (words) => {
      if (has(words, 'drop', 'clear', 'pop')) return losesWork(words);
      return has(words, 'apply', 'branch')
        ? ask('it writes files that the command does not name (git stash)')
        : allow;
    },
  ],
  ['reflog', (words) => (has(words, 'expire', 'delete', 'drop') ? losesWork(words) : allow)],
  [
    'branch',
    (words) =>
      hasFlag(words, /[DfMC]/, '--force') || hasFlag(words, /d/, '--delete') ? losesWork(words) : allow,
  ],
  ['rm', asks('it deletes files (git rm)')],
  ['tag', (words) => (hasFlag(words, /[df]/, '--force') ? losesWork(words) : allow)],
  ['worktree', (words) => (has(words, 'remove', 'prune') ? losesWork(words) : allow)],
  ...[
    'filter-branch',
    'filter-repo',
    'update-ref',
    'gc',
    'prune',
    'replace',
    'rebase',
    'read-tree',
    'checkout-index',
  ].map((name): [string, WordRule] => [name, losesWork]),
  ...['init', 'clone', 'submodule', 'bisect', 'difftool', 'mergetool', 'hook', 'maintenance', 'daemon'].map(
    (name): [string, WordRule] => [name, asks(`it can change what git runs, or run it (git ${name})`)],
  ),
  [
    'config',
    (words) =>
      /^(get|list|-l|--(get(-all|-regexp)?|list|show-origin))$/.test(words[0] ?? '')
        ? allow
        : ask('it can change what git runs (git config)'),
  ],
  [
    'remote',
    (words) =>
      words.length === 0 || words[0] === 'get-url' || (words.length === 1 && words[0] === '-v')
        ? allow
        : ask('it can send data elsewhere (git remote)'),
  ],
  ...['apply', 'am', 'merge', 'cherry-pick', 'revert', 'archive', 'bundle'].map(
    (name): [string, WordRule] => [
      name,
      asks(`it writes files that the command does not name (git ${name})`),
    ],
  ),
  ...[
    'push',
    'fetch',
    'pull',
    'ls-remote',
    'send-email',
    'credential',
    'lfs',
    'svn',
    'p4',
    'request-pull',
    'imap-send',
    'upload-pack',
    'receive-pack',
  ].map((name): [string, WordRule] => [name, asks(`it can send data elsewhere (git ${name})`)]),
]);

/** `git checkout branch`, `git checkout -b branch start`: names that look like no file; of two, one would be a file. */
function isBranchSwitch(words: Words): boolean {
  const isNew = words[0] === '-b';
  const names = isNew ? words.slice(1) : words;
  const few = names.length === 1 || (isNew && names.length === 2);
  return few && names.every((name) => /^[\w][\w/-]*$/.test(name ?? ''));
}

/** A commit or a file of the repository: with a path elsewhere, git compares files of anywhere. */
const isInsideName = (word: string) => isPlainPath(word) && !word.startsWith('/');

interface GitCommand {
  readonly flags: RegExp;
  /** Whether it may have operands: names of commits and files. */
  readonly operands: boolean;
  /** A flag that must be there. */
  readonly needs?: RegExp;
  /** What an operand must look like, where not every name will do. */
  readonly named?: RegExp;
  /** Flags with which it shows names and numbers alone. */
  readonly namesOnly?: RegExp;
  /** What a call looks at when it shows contents: what git lists, or the files themselves. */
  readonly shows?: (words: readonly string[]) => readonly Look[] | undefined;
}

const onlyNames = /^--(stat|shortstat|numstat|name-only|name-status|summary|compact-summary)(=[\d,]+)?$/;
const diffFlags =
  /^(-U\d+|-[wbRpu]|--(unified=\d+|patch|cached|staged|merge-base|word-diff|minimal|patience|histogram|ignore-all-space|ignore-space-change|ignore-blank-lines|no-renames|check|exit-code|quiet|no-color|color=never|no-ext-diff|no-textconv|diff-filter=[A-Za-z]+|stat|shortstat|numstat|name-only|name-status|summary|compact-summary|stat=[\d,]+))$/;
const logFlags =
  /^(-\d{1,6}|-n\d{0,6}|-[pu]|-U\d+|--(patch|oneline|graph|all|decorate|stat|shortstat|numstat|name-only|name-status|no-merges|merges|reverse|first-parent|max-count=\d+|since=.*|until=.*|author=.*|grep=.*|date=(short|iso|relative|local)|follow|no-decorate|abbrev-commit|(format|pretty)=(?=[^%]*%)(?:(?!%[-+ ]*[G(]).)*|format=(oneline|short|medium|full|fuller)|pretty=(oneline|short|medium|full|fuller)))$/;

/** Flags that say which changes are meant, and so belong to a list of their names, too. */
const choosing =
  /^(-\d{1,6}|-n\d{0,6}|--(cached|staged|merge-base|all|no-merges|merges|first-parent|follow|max-count=\d+|(since|until|author|grep|diff-filter)=.*))$/;

const chosen = (words: readonly string[]) =>
  words.filter(
    (word, at) => !word.startsWith('-') || choosing.test(word) || word === '--' || words[at - 1] === '-n',
  );

const listing = (git: readonly string[]): GitListing => ({ git, lists: 'names' });

/** The files whose changes `git diff` or `git log -p` shows. */
const changedFiles =
  (subcommand: 'diff' | 'log', ...flags: readonly string[]) =>
  (words: readonly string[]): readonly Look[] | undefined => {
    // With a colon it is the content at some commit, or a pattern of names.
    if (words.some((word) => !word.startsWith('-') && word.includes(':'))) return undefined;
    const end = words.indexOf('--');
    const operands = (end < 0 ? words : words.slice(0, end)).filter((word) => !word.startsWith('-'));
    const commits = operands.flatMap((word) => word.split(/\.{2,3}/)).filter((word) => word !== '');
    const names = listing([subcommand, '--name-only', '--no-renames', '-z', ...flags, ...chosen(words)]);
    return [subcommand === 'diff' ? { ...names, commits } : names];
  };

/** What `git show` shows: commits, of which git lists the files, and files at some commit, by their names. */
function shown(words: readonly string[]): readonly Look[] | undefined {
  const operands = words.filter((word) => !word.startsWith('-'));
  const looks = (operands.length === 0 ? ['HEAD'] : operands).map((word): Look | undefined => {
    const [commit = '', path] = word.split(':', 2);
    // Names of other things than commits would show contents whose name nobody knows.
    if (path === undefined) {
      return listing(['show', '--name-only', '--no-renames', '-m', '-z', '--format=', `${commit}^{commit}`]);
    }
    const isPlain =
      path !== '' && isPlainPath(path) && !path.startsWith('/') && !readRule({ relative: path });
    return isPlain && word.split(':').length === 2 ? { path, what: 'names' } : undefined;
  });
  return looks.every((look) => look !== undefined) ? looks : undefined;
}

/** The last operand is the file; one before it is a commit. */
function blamed(words: readonly string[]): readonly Look[] | undefined {
  const operands = words.filter((word, at) => !word.startsWith('-') && words[at - 1] !== '-L');
  const path = operands.at(-1);
  return path !== undefined && operands.length <= 2 ? [{ path, what: 'contents' }] : undefined;
}

/** The working tree, or what stands behind `--` of it; anything else could be another commit. */
function searched(words: readonly string[]): readonly Look[] | undefined {
  const end = words.indexOf('--');
  const before = end < 0 ? words : words.slice(0, end);
  const texts = before.filter(
    (word, at) => !word.startsWith('-') && !/^-[eABCm]$/.test(before[at - 1] ?? ''),
  );
  const hasText = before.includes('-e');
  if (texts.length !== (hasText ? 0 : 1)) return undefined;
  const paths = end < 0 ? ['.'] : words.slice(end + 1);
  return paths.map((path) => ({ path, what: 'tree', without: ['.git'] }));
}

const config =
  /^(--get|user\.(name|email)|core\.(editor|autocrlf|filemode|ignorecase|bare)|init\.defaultbranch|branch\.[\w./-]+|pull\.rebase|push\.default)$/i;

const gitCommands: ReadonlyMap<string, GitCommand> = new Map<string, GitCommand>([
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
      flags: logFlags,
      operands: true,
      namesOnly: /^(?!-([pu]$|U\d)|--patch$)/,
      shows: changedFiles('log', '-m', '--format='),
    },
  ],
  ['branch', { flags: /^(-[arv]+|--(list|show-current|all|remotes))$/, operands: false }],
  ['tag', { flags: /^(-l|--list)$/, operands: false }],
  ['rev-parse', { flags: /^--(abbrev-ref|short|show-toplevel|is-inside-work-tree|verify)$/, operands: true }],
  [
    'ls-files',
    { flags: /^(-[cdmos]+|--(cached|deleted|modified|others|stage|exclude-standard))$/, operands: true },
  ],
  ['diff', { flags: diffFlags, operands: true, namesOnly: onlyNames, shows: changedFiles('diff') }],
  // What a name leads to is for git to say, also where only names and numbers are shown.
  [
    'show',
    {
      flags:
        /^(-U\d+|-[wbspu]|--(patch|no-patch|oneline|stat|shortstat|numstat|name-only|name-status|summary|no-color|color=never|no-renames|first-parent))$/,
      operands: true,
      shows: shown,
    },
  ],
  [
    'blame',
    {
      flags: /^(-[wselnfMC]+|-L(\d+,[+-]?\d+)?|--date=(short|iso|relative)|--show-name|--)$/,
      operands: true,
      shows: blamed,
    },
  ],
  [
    'grep',
    {
      flags:
        /^(-[nilcwEFIhHvqpW]+|-[ABCm]\d*|-e|--(line-number|ignore-case|files-with-matches|count|word-regexp|heading|break|fixed-strings|extended-regexp))$/,
      operands: true,
      shows: searched,
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
  // Passwords can stand in the addresses.
  [
    'remote',
    {
      flags: /^-v$/,
      operands: false,
      namesOnly: /^(?!)/,
      shows: () => [{ git: ['remote', '-v'], lists: 'addresses' }],
    },
  ],
  ['config', { flags: config, operands: true, named: config, needs: /^--get$/ }],
  ['--version', { flags: /^$/, operands: false }],
]);

const quietFlags = new Set(['--no-pager', '-P', '--no-optional-locks']);

/** What a call of git looks at: names and numbers of a repository, or contents whose files it names itself. */
function looksOfGit(call: readonly string[]): readonly Look[] | undefined {
  const [name = '', ...words] = call.slice(call.findIndex((word) => !quietFlags.has(word)));
  const command = gitCommands.get(name);
  if (command === undefined) return undefined;
  const { flags, operands, needs, namesOnly, shows, named = /./ } = command;
  const known = words.every((word) =>
    word.startsWith('-')
      ? word === '--' || flags.test(word)
      : operands && isInsideName(word) && named.test(word),
  );
  const afterDashes = words.slice(words.indexOf('--') + 1);
  const hidden = words.includes('--') && afterDashes.some((word) => word.startsWith('-'));
  if (!known || hidden || (needs !== undefined && !words.some((word) => needs.test(word)))) return undefined;
  const isFlag = (word: string) => word.startsWith('-') && word !== '--';
  const showsNone =
    shows === undefined ||
    (name === 'log'
      ? words.filter(isFlag).every((word) => namesOnly?.test(word))
      : name === 'remote'
        ? words.length === 0
        : words.some((word) => namesOnly?.test(word)) &&
          !words.some((word) => /^-([pu]$|U\d)|^--(patch|unified)/.test(word)));
  return showsNone ? [] : shows(words);
}

/** Subcommands that would run what a repository names for its files, and take a flag against it. */
const convertsFiles = new Set(['diff', 'show', 'log', 'blame', 'reflog']);

/** The words of a call of git that only looks, with everything off by which it could run another program. */
export function quietGitWords(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word) => !quietFlags.has(word));
  const name = words[at] ?? '';
  const off =
    name === 'grep' ? ['--no-textconv'] : convertsFiles.has(name) ? ['--no-ext-diff', '--no-textconv'] : [];
  return [...words.slice(0, at), name, ...off, ...words.slice(at + 1)];
}

/** Subcommands that record or show files, and change none of them. */
const recording = new Set(['add', 'commit', 'diff', 'log', 'show', 'status', 'blame', 'ls-files']);

/** Whether a call of git records or shows the files that it names. */
export const gitMentions = (words: Words): boolean => recording.has(words[0] ?? '');

/** git, by its subcommands. */
export const gitRows: ProgramRows = [['git', { looks: looksOfGit, loses: gitRisk }]];
