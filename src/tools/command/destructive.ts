/** A program and its words, as far as they are known; undefined for a word that is known only when it runs. */
export type Words = readonly (string | undefined)[];

type Rule = (words: Words) => string | undefined;

const says =
  (reason: string): Rule =>
  () =>
    reason;

/** Whether one of the words is a flag with this letter, or the long flag, however shortened. */
function hasFlag(words: Words, letters: RegExp, long?: string): boolean {
  return words.some((word) => {
    if (word === undefined) return true;
    if (word.startsWith('--')) {
      const name = word.split('=')[0] ?? '';
      return long !== undefined && name.length > 2 && long.startsWith(name);
    }
    return word.startsWith('-') && letters.test(word);
  });
}

const has = (words: Words, ...names: string[]) =>
  words.some((word) => word === undefined || names.includes(word));

function rm(words: Words): string | undefined {
  if (hasFlag(words, /[rR]/, '--recursive')) return 'it deletes whole folders (rm -r)';
  return words.length > 10 || words.includes(undefined) ? 'it deletes many files at once (rm)' : undefined;
}

function find(words: Words): string | undefined {
  return has(words, '-delete') ? 'it deletes what it finds (find -delete)' : undefined;
}

/** Subcommands of git that throw work away or change what git runs; global flags may stand before them. */
function git(words: Words): string | undefined {
  if (words.includes(undefined)) return 'what git shall do is known only when it runs';
  const name = words.find((word) => word?.startsWith('-') === false) ?? '';
  const at = words.indexOf(name);
  if (words.slice(0, at).some((word) => !globalFlags.has(word ?? ''))) {
    return 'git is told to work elsewhere or otherwise (git -c, -C)';
  }
  const rest = words.slice(at + 1);
  if (rest.some(isRunningFlag)) return 'git can write a file or run a program by a flag';
  return gitRules.get(name)?.(rest);
}

/** Why a subcommand of git must be asked about because nothing is known of it: it may be an alias or a program. */
export function judgeGitName(words: Words): string | undefined {
  const name = words.find((word) => word?.startsWith('-') === false) ?? '';
  return name === '' || quietOfGit.has(name) || gitRules.has(name)
    ? undefined
    : `'git ${name}' is not known here; it may be an alias for anything`;
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
const quietOfGit = new Set(
  (
    'add annotate blame branch cat-file check-attr check-ignore check-mailmap cherry checkout commit count-objects ' +
    'describe diff diff-files diff-index diff-tree for-each-ref grep log ls-files ls-tree merge-base mv name-rev ' +
    'range-diff reset rev-list rev-parse shortlog show show-branch show-ref stash status switch tag var ' +
    'verify-commit verify-pack version whatchanged worktree --version'
  ).split(' '),
);

const losesWork = says('it can throw away work that is saved nowhere else');
const gitRules: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['clean', says('it deletes files that git does not know (git clean)')],
  ['checkout', (words) => (isBranchSwitch(words) ? undefined : losesWork(words))],
  [
    'switch',
    (words) =>
      ['--discard-changes', '--force-create'].some((long) => hasFlag(words, /[fC]/, long))
        ? losesWork(words)
        : undefined,
  ],
  ['restore', losesWork],
  [
    'reset',
    (words) => (words.some((word) => /^--(h|me|k)/.test(word ?? '--h')) ? losesWork(words) : undefined),
  ],
  [
    'stash',
    (words) => {
      if (has(words, 'drop', 'clear', 'pop')) return losesWork(words);
      return has(words, 'apply', 'branch')
        ? 'it writes files that the command does not name (git stash)'
        : undefined;
    },
  ],
  ['reflog', (words) => (has(words, 'expire', 'delete', 'drop') ? losesWork(words) : undefined)],
  [
    'branch',
    (words) =>
      hasFlag(words, /[DfMC]/, '--force') || hasFlag(words, /d/, '--delete') ? losesWork(words) : undefined,
  ],
  ['rm', says('it deletes files (git rm)')],
  ['tag', (words) => (hasFlag(words, /[df]/, '--force') ? losesWork(words) : undefined)],
  ['worktree', (words) => (has(words, 'remove', 'prune') ? losesWork(words) : undefined)],
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
  ].map((name): [string, Rule] => [name, losesWork]),
  ...['init', 'clone', 'submodule', 'bisect', 'difftool', 'mergetool', 'hook', 'maintenance', 'daemon'].map(
    (name): [string, Rule] => [name, says(`it can change what git runs, or run it (git ${name})`)],
  ),
  [
    'config',
    (words) =>
      /^(get|list|-l|--(get(-all|-regexp)?|list|show-origin))$/.test(words[0] ?? '')
        ? undefined
        : 'it can change what git runs (git config)',
  ],
  [
    'remote',
    (words) =>
      words.length === 0 || words[0] === 'get-url' || (words.length === 1 && words[0] === '-v')
        ? undefined
        : 'it can send data elsewhere (git remote)',
  ],
  ...['apply', 'am', 'merge', 'cherry-pick', 'revert', 'archive', 'bundle'].map((name): [string, Rule] => [
    name,
    says(`it writes files that the command does not name (git ${name})`),
  ]),
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
  ].map((name): [string, Rule] => [name, says(`it can send data elsewhere (git ${name})`)]),
]);

/** `git checkout branch`, `git checkout -b branch start`: names that look like no file; of two, one would be a file. */
function isBranchSwitch(words: Words): boolean {
  const isNew = words[0] === '-b';
  const names = isNew ? words.slice(1) : words;
  const few = names.length === 1 || (isNew && names.length === 2);
  return few && names.every((name) => /^[\w][\w/-]*$/.test(name ?? ''));
}

const deletes = says('it deletes many files at once');

/** What can lose much at once. Asked about always, wherever in a command the program's name stands. */
export const destructiveRules: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['rm', rm],
  ['find', find],
  [
    'fd',
    (words) =>
      hasFlag(words, /[xX]/, '--exec-batch') ? 'it runs a program for what it finds (fd --exec)' : undefined,
  ],
  ['git', git],
  ['rsync', says('it writes or deletes files that the command does not name (rsync)')],
  ...['rimraf', 'del-cli', 'trash', 'trash-put', 'shred', 'srm', 'wipe', 'unlink'].map(
    (name): [string, Rule] => [name, deletes],
  ),
  ...['dd', 'mkfs', 'fdisk', 'parted', 'wipefs', 'blkdiscard', 'truncate', 'fallocate'].map(
    (name): [string, Rule] => [name, says(`it writes over what is there (${name})`)],
  ),
]);
