import { expect, test } from 'vitest';
import type { ImportOutcome } from '../../../src/store/write/importSession.js';
import { importWords } from '../../../src/app/transcripts/importWords.js';

const outcomes = (kinds: readonly ImportOutcome['kind'][]) =>
  kinds.map((kind) => ({ kind, conversation: 'c', added: 3 }));

test.each<[readonly ImportOutcome['kind'][], string]>([
  [['new'], 'Imported 1 conversation.'],
  [['new', 'new', 'unchanged'], 'Imported 2 conversations. 1 conversation was here already, unchanged.'],
  [['grown', 'grown'], '2 conversations have grown by 6 records.'],
  [
    ['changed'],
    'Imported 1 conversation. 1 conversation had changed other than by growing and is a new version; the one before is kept.',
  ],
  [
    ['reread'],
    'Imported 1 conversation. 1 conversation was read anew, as this version reads more of such files; the one before is kept.',
  ],
  [
    ['namesake'],
    'Imported 1 conversation. 1 conversation has the id of another session and nothing else in common with it; both are kept.',
  ],
])('%j is told', (kinds, words) => {
  expect(importWords(outcomes(kinds))).toBe(words);
});
