import { t } from '../../core/l10n.js';

/** Words of which all hold: `a and b`. */
export function andWords(words: readonly string[]): string {
  return words.join(t` and `);
}

/** Words of which any will do: `a or b`. */
export function orWords(words: readonly string[]): string {
  return words.join(t` or `);
}
