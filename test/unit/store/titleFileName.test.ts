import { expect, test } from 'vitest';
import { safeFileName, titleFileName } from '../../../src/store/files/safeFileName.js';

test.each([
  ['Why were there so few?', 'Why were there so few.json'],
  ['../../etc/passwd', 'etc passwd.json'],
  ['', 'transcript.json'],
  ['...', 'transcript.json'],
  ['  a . ', 'a.json'],
  ['a\u202e\u0000b', 'a b.json'],
  ['हिन्दी', 'हिन्दी.json'],
])('the title %j becomes %s', (title, name) => {
  expect(titleFileName(title, 'json', 'transcript')).toBe(name);
});

test.each([
  'CON',
  'con',
  'PRN',
  'aux',
  'NUL',
  'COM1',
  'COM¹',
  'lpt9',
  'LPT³',
  'CON ',
  'con.',
  ' nul .. ',
  'CON:',
])('the title %j is no device of Windows', (title) => {
  expect(titleFileName(title, 'json', 'transcript')).toMatch(/^_\S+\.json$/);
});

test.each(['con', 'com1.txt', 'lpt1', 'nul.tar.gz'])('the id %j is no device either', (id) => {
  expect(safeFileName(id)).toContain('~');
});

test('a name fits on every file system, whatever its script', () => {
  const name = titleFileName('漢'.repeat(500), 'markdown', 'transcript');
  expect(Buffer.byteLength(name)).toBeLessThan(200);
  expect(titleFileName('😀漢'.repeat(100), 'md', 'transcript')).toMatch(/^[漢 ]+\.md$/u);
});
