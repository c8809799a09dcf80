import { readOnlyPrograms } from './readOnlyPrograms.js';
import type { ShellWord } from './shellTree.js';

/** Programs that write nothing and show no contents, whatever their words are. */
const indifferent = new Set([
  ...[...readOnlyPrograms].filter(([, { operands }]) => operands !== 'contents').map(([name]) => name),
  ...'echo cd : exit return sleep'.split(' '),
]);
// A flag can make one write, and a word the other.
for (const name of ['tree', 'hostname']) indifferent.delete(name);

/** Whether a program may have words that are known only when it runs. */
export function tolerates(name: string, words: readonly ShellWord[]): boolean {
  if (name === 'test' || name === '[') return words.every(isHarmlessInTest);
  // A format that begins with a dash can be a flag, by which it sets a variable.
  if (name === 'printf') return words[0]?.value?.startsWith('-') === false;
  // `NAME=text` is no unknown word here, since the name is there.
  if (name === 'export')
    return words.every(({ value, text }) => value !== undefined || /^\w+\+?=/.test(text));
  return indifferent.has(name);
}

/**
 * Bash runs what stands in brackets behind `-v`, and an unknown word can be a `-v`: with one word for itself and
 * no bracket behind it, there is nothing to run.
 */
function isHarmlessInTest({ value, splits }: ShellWord, at: number, words: readonly ShellWord[]): boolean {
  if (value !== undefined) return true;
  const next = words[at + 1];
  return !splits && (next === undefined || next.value === ']' || next.value?.includes('[') === false);
}
