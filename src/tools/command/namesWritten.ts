import { normalize } from 'node:path';
import { readShellTree } from './shellTree.js';

/** The first word of a command line that names a file which an agent has written; undefined where none does. */
export function namesWritten(line: string, isWritten: (path: string) => boolean): string | undefined {
  const { commands, redirects } = readShellTree(line);
  const words = commands.flatMap((command) => command.words.map(({ value }) => value));
  const targets = redirects.filter(({ operator }) => operator === '<').map(({ target }) => target?.value);
  return [...words, ...targets]
    .flatMap((word) => (word === undefined ? [] : [word, ...word.split(/[=:,]/)]))
    .find((word) => word !== '' && isWritten(normalize(word)));
}
