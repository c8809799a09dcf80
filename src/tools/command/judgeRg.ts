import { isPlainPath, judgeArguments } from './judgeArguments.js';
import type { LookedAt } from './judgeArguments.js';
import { PATTERN } from './plainCommands.js';
import type { ReadOnlyProgram } from './readOnlyPrograms.js';

/** From the manual of ripgrep, without what runs programs, follows links or reads what is packed. */
const search: ReadOnlyProgram = {
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
export function judgeRg(words: readonly string[]): readonly LookedAt[] | undefined {
  if (words.includes('--files')) return judgeNames(words);
  const looked = judgeArguments(search, words);
  const hasText = words.some((word) => !word.startsWith('-'));
  if (looked === undefined || !hasText) return undefined;
  const hidden = words.some((word) => /^--(hidden|no-ignore|i?glob)|^-[a-zA-Z]*g/.test(word));
  return (looked.length > 0 ? looked : [{ path: '.' }]).map((look) => ({
    ...look,
    what: 'tree',
    ...(!hidden && { without: ['.git'], heedsIgnoreFiles: true as const }),
  }));
}

function judgeNames(words: readonly string[]): readonly LookedAt[] | undefined {
  const flags = words.filter((word) => word.startsWith('-'));
  const paths = words.filter((word) => !word.startsWith('-'));
  const known = flags.every((flag) => /^(--files|--hidden|--no-ignore|--sort=path|--glob=.*)$/.test(flag));
  const plain = paths.every((path) => isPlainPath(path) && !path.startsWith(PATTERN));
  return known && plain ? paths.map((path) => ({ path, what: 'names' })) : undefined;
}
