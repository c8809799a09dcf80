import { NAMED_SECRETS } from './namedSecrets.js';
import { isPlaceholder } from './placeholders.js';
import { isRedactedAt } from './redacted.js';
import type { SecretRow } from './secretRow.js';

const COMMAND_ROWS: ReadonlySet<string> = new Set([
  'option with a password',
  'arguments of commands with passwords',
  'password of curl',
]);

/** Longer lists are no commands. */
const MAX_WORDS = 200;
const MAX_CHARACTERS = 8_000;

/** A secret in a list of the words of a command, up to the end of its word. */
export interface SecretWord {
  readonly row: SecretRow;
  /** Which word, and where in it the secret begins. */
  readonly word: number;
  readonly start: number;
}

/** The secrets in the words of a command that is written as a list, such as `["mysql", "-pX"]`; one for each word at most. */
export function secretWords(words: readonly unknown[]): readonly SecretWord[] {
  if (words.length < 2 || words.length > MAX_WORDS || !words.some(isOption)) return NONE;
  const texts = words.map((word) => (typeof word === 'string' ? word : ''));
  const starts: number[] = [];
  let line = '';
  for (const text of texts) {
    starts.push(line.length + 1);
    line += ` ${text}`;
  }
  if (line.length > MAX_CHARACTERS) return NONE;
  const found = new Map<number, SecretWord>();
  for (const row of NAMED_SECRETS) {
    if (!COMMAND_ROWS.has(row.name) || !(row.find instanceof RegExp)) continue;
    for (const { index, 0: match, 1: kept = '' } of line.matchAll(row.find)) {
      const at = index + kept.length;
      const word = starts.findLastIndex((start) => start <= at);
      const start = at - (starts[word] ?? 0);
      const value = texts[word]?.slice(start) ?? '';
      const isNone =
        isPlaceholder(value) || isRedactedAt(value, 0) || row.accepts?.(match.slice(kept.length)) === false;
      if (!isNone && !found.has(word)) found.set(word, { row, word, start });
    }
  }
  return [...found.values()];
}

const NONE: readonly SecretWord[] = [];

const isOption = (word: unknown): boolean => typeof word === 'string' && word.startsWith('-');
