import type { Program, ProgramRows } from './program.js';

/** Whether some words are exactly flags of one kind and operands of another. */
const all =
  (flags: RegExp, operands: RegExp = /^[^-]/s) =>
  (words: readonly string[]): boolean =>
    words.every((word) => (word.startsWith('-') ? flags : operands).test(word));

/** What subcommands, of one word or two, may be followed by. */
const subcommands =
  (names: string, flags: RegExp, operands: RegExp) =>
  (words: readonly string[]): boolean => {
    const known = new Set(names.split(' '));
    const count = known.has(words.slice(0, 2).join('/')) ? 2 : known.has(words[0] ?? '') ? 1 : 0;
    return count > 0 && all(flags, operands)(words.slice(count));
  };

/** Read, write and run for oneself or for all: nothing by which a program acts as another user. */
const mode = /^([ugoa]*[+-][rwx]+|[4567][0457][0457])$/;

const chmod = ([first = '', ...files]: readonly string[]): boolean =>
  mode.test(first) && files.length > 0 && files.every((file) => !file.startsWith('-'));

const archive = /^[\w./-]+\.(tar|tgz|tar\.(gz|xz|bz2|zst)|tbz2?|txz)$/;

/** An archive that is listed, or made of what is named; a colon in its name would be another machine. */
function tar([letters = '', file = '', ...paths]: readonly string[]): boolean {
  if (!archive.test(file) || paths.some((path) => /^[-@]/.test(path))) return false;
  return /^-?t[vzjJ]*f$/.test(letters) || (/^-?c[vzjJ]*f$/.test(letters) && paths.length > 0);
}

function zip(words: readonly string[]): boolean {
  const named = words.filter((word) => !word.startsWith('-'));
  return /^[\w./-]+\.zip$/.test(named[0] ?? '') && named.length > 1 && all(/^-[rq9]+$/)(words);
}

/** What is packed into an archive: everything in the folders that are named. */
const packed = (words: readonly string[]): readonly string[] =>
  words
    .filter((word) => !word.startsWith('-'))
    .filter((word) => !archive.test(word) && !/^c[a-zA-Z]*f$|\.zip$/.test(word));

/** Programs that only count or show names, so that it does not matter which files they are given. */
const counting = new Set(['wc', 'ls', 'stat', 'basename', 'dirname', 'echo']);

function xargs(words: readonly string[]): boolean {
  const at = words.findIndex(
    (word, position) => !word.startsWith('-') && !/^-[nLPI]$/.test(words[position - 1] ?? ''),
  );
  return (
    all(/^-(0|r|t|[nLP]\d*|I(\{\})?)$/, /^(\d+|\{\})$/)(words.slice(0, Math.max(at, 0))) &&
    counting.has(words[at] ?? '')
  );
}

const limited = (unless: NonNullable<Program['unless']>): Program => ({ unless });

/**
 * Programs that ask, but for calls that are looked at here: they show what is there, or change what they are told by name.
 * Where they speak with a service it is one that the person signed in to, and no text of the agent's goes there.
 */
export const limitedPrograms: ProgramRows = [
  ['chmod', limited(chmod)],
  ['tar', { ...limited(tar), packs: packed }],
  ['zip', { confirm: 'it can run anything (zip)', ...limited(zip), packs: packed }],
  ['unzip', limited((words) => words[0] === '-l' && all(/^-l$/)(words))],
  ['less more', limited(all(/^-[NSRFX]+$/, /^[^-+]/))],
  ['xargs', limited(xargs)],
  [
    'docker podman',
    limited(
      subcommands(
        'ps images version info logs container/ls image/ls volume/ls network/ls compose/ps compose/ls compose/version',
        /^(-[aqn]|--(all|quiet|no-trunc|tail(=\d+)?))$/,
        /^[\w.-]{1,64}$/,
      ),
    ),
  ],
  [
    'gh',
    limited(
      subcommands(
        'pr/list pr/view pr/checks pr/status pr/diff issue/list issue/view issue/status run/list run/view release/list repo/view auth/status',
        /^(-L|--(limit|state|json|comments)(=[a-z,\d]+)?|--(log|log-failed))$/,
        /^(\d{1,12}|open|closed|merged|all|[a-zA-Z]+(,[a-zA-Z]+)+)$/,
      ),
    ),
  ],
  ['lsof', { riskyFlags: /^-.*[DrS]/ }],
  ['ss', { riskyFlags: /^-[a-zA-Z]*[KDFN]|^--(kill|diag|filter|net)/ }],
];
