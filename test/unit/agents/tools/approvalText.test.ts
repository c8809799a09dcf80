import { expect, test } from 'vitest';
import { approvalText } from '../../../../src/agents/tools/approvalText.js';
import { changeText } from '../../../../src/agents/tools/files/editFile.js';

test.each([
  ['a plain text', 'npm test && echo "ü 🥒 👩‍🍳 ❤️"\n\tdone', 'npm test && echo "ü 🥒 👩‍🍳 ❤️"\n\tdone'],
  ['a turned direction', 'a\u202eb', 'a⟨U+202E⟩b'],
  ['a tag', 'a\u{e0061}b', 'a⟨U+E0061⟩b'],
  ['a joiner between letters', 'r\u200dm', 'r⟨U+200D⟩m'],
  ['a selector behind a letter', 'a\ufe0f', 'a⟨U+FE0F⟩'],
  ['a blank that is none', 'rm\u00a0x', 'rm⟨U+00A0⟩x'],
  ['an escape', '\u001b[2K', '⟨U+001B⟩[2K'],
  ['a line that is written over', 'rm -rf /\rls', 'rm -rf /⟨U+000D⟩ls'],
  ['what is pushed out of sight', `ls${' '.repeat(300)}; rm x`, 'ls⟨300 spaces⟩; rm x'],
  ['what is pushed down', `ls${'\n'.repeat(50)}rm x`, 'ls⟨50 line ends⟩rm x'],
  ['a Cyrillic letter in a name', 'c\u0430t a.txt', 'c\u0430⟨U+0430⟩t a.txt'],
  [
    'a name of lookalikes alone',
    'curl \u0441\u043e\u0440.com',
    'curl \u0441⟨U+0441⟩\u043e⟨U+043E⟩\u0440⟨U+0440⟩.com',
  ],
  ['another script', 'git commit -m "фикс: оса в README"', 'git commit -m "фикс: оса в README"'],
  ['letters with marks', 'grep naïve größe.md', 'grep naïve größe.md'],
  ['a private character', '\ue000', '⟨U+E000⟩'],
])('%s', (_, text, expected) => expect(approvalText(text)).toBe(expected));

test.each([
  ['a new file', undefined, 'a\nb', 'new file\n+a\n+b'],
  ['a line', 'a\nb\nc', 'a\nB\nc', 'line 2\n-b\n+B'],
  ['lines that go', 'a\nb\nc', 'a\nc', 'line 2\n-b'],
  ['lines that come', 'a\nc', 'a\nb\nc', 'line 2\n+b'],
  ['a repeated line', 'a\na', 'a\na\na', 'line 3\n+a'],
  ['nothing', 'a', 'a', 'no change'],
])('the change of %s', (_, before, after, expected) => expect(changeText(before, after)).toBe(expected));
