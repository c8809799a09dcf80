import { normalize } from 'node:path';
import { readShellTree } from './shellTree.js';

/** The first path in the words of a command line of which something is true; undefined where there is none. */
export function firstNamed(line: string, isSo: (path: string) => boolean): string | undefined {
  const { commands, redirects } = readShellTree(line);
  const words = commands.flatMap((command) => command.words.map(({ value }) => value));
  const targets = redirects.filter(({ operator }) => operator === '<').map(({ target }) => target?.value);
  return [...words, ...targets]
    .flatMap((word) => (word === undefined ? [] : [word, ...word.split(/[=:,]/)]))
    .find((word) => word !== '' && isSo(normalize(word)));
}
