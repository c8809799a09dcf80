import { expect, test } from 'vitest';
import { proseOfPart } from '../../../src/core/prose.js';
import { exportMessages } from '../../../src/export/exportMessages.js';
import { allTextOf } from '../../../src/query/textTest.js';

const part = {
  type: 'compaction',
  id: 'cmp_0123456789abcdef0123456789',
  body: [{ words: 'They asked for rye and got two loaves.' }, { data: 'aGVsbG8gdGhlcmU='.repeat(9) }],
};
const message = { role: 'assistant', content: [part, { type: 'text', text: 'Done.' }] };

test('what somebody wrote in a part of an unknown kind is found and exported, its ids and bytes are not', () => {
  expect(proseOfPart(part)).toBe('They asked for rye and got two loaves.');
  expect(allTextOf(message)).toBe('Done.\nThey asked for rye and got two loaves.');
  for (const format of ['markdown', 'html'] as const)
    expect(exportMessages([message], format)).toContain(
      '(compaction) They asked for rye and got two loaves.',
    );
});

test('texts and pictures are no such parts', () => {
  const words = 'They asked for rye and got two loaves.';
  expect(proseOfPart({ type: 'text', text: words })).toBe('');
  expect(proseOfPart({ type: 'image_url', image_url: { url: words } })).toBe('');
  expect(proseOfPart(words)).toBe('');
});
