import { secretWords } from './commandWords.js';
import type { Span } from './span.js';
import type { SecretRow } from './secretRow.js';

/** A list of words in JSON, also within JSON. */
const LIST =
  /\[\s{0,40}(\\{0,8})"(?:[^"\\\n]{0,300}\1"\s{0,40},\s{0,40}\1"){1,40}[^"\\\n]{0,300}\1"\s{0,40}\]/g;
const WORD = /"([^"\\\n]*)(?=\\{0,8}")\\{0,8}"/g;

/** Secrets in the words of commands that are written as lists of JSON. */
export const COMMAND_LISTS: SecretRow = {
  name: 'words of a command',
  sign: {
    before: '"',
    at: '-',
    after: '(?:[a-zA-Z]\\\\{0,8}"|p[^"\\s-]|-(?:user|pass|token|secret|auth|api|access))',
  },
  find: inLists,
  example: '["mysql","-u","root","-p{12}","shop"]',
  counterExample: '["mysql","-u","root","-p","shop"]',
};

function inLists(text: string): readonly Span[] {
  const spans: Span[] = [];
  for (const { index, 0: list } of text.matchAll(LIST)) {
    const words = [...list.matchAll(WORD)];
    const found = secretWords(words.map(([, word = '']) => word)).toSorted((a, b) => a.word - b.word);
    for (const { word, start } of found) {
      const at = words[word];
      if (at)
        spans.push({ start: index + at.index + 1 + start, end: index + at.index + 1 + (at[1]?.length ?? 0) });
    }
  }
  return spans;
}
