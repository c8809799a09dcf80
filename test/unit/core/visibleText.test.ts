import { expect, test } from 'vitest';
import { visibleLine, visibleText } from '../../../src/core/visibleText.js';

test.each([
  ['a terminal escape', '\x1b]52;c;x\x07', '⟨U+001B⟩]52;c;x⟨U+0007⟩'],
  ['a C1 control', '\x9b31m', '⟨U+009B⟩31m'],
  ['a right-to-left override', 'ab\u202edc', 'ab⟨U+202E⟩dc'],
  ['an isolate', '\u2066x\u2069', '⟨U+2066⟩x⟨U+2069⟩'],
  ['a zero-width space', 'rm\u200b -r', 'rm⟨U+200B⟩ -r'],
  ['a byte order mark inside', 'a\ufeffb', 'a⟨U+FEFF⟩b'],
  ['a tag', 'a\u{e0041}', 'a⟨U+E0041⟩'],
  ['a rare variation selector', 'a\u{e0100}', 'a⟨U+E0100⟩'],
  ['a filler that looks like nothing', 'a\u3164', 'a⟨U+3164⟩'],
  ['half a character', 'a\ud83e', 'a⟨U+D83E⟩'],
  ['a lone carriage return', 'safe\rrm', 'safe⟨U+000D⟩rm'],
  ['a line separator', 'a\u2028b', 'a⟨U+2028⟩b'],
])('visibleText writes out %s', (_, text, expected) => {
  expect(visibleText(text)).toBe(expected);
});

test.each(['a\tb\nc\r\nd', '👩🏽‍🌾 🥒 ❤️', 'می‌خواهم', 'देवनागरी', 'e\u0301'])(
  'visibleText leaves %j as it is',
  (text) => {
    expect(visibleText(text)).toBe(text);
  },
);

test('visibleLine folds line ends and writes out the rest', () => {
  expect(visibleLine('  a\r\n\tb\u2028c\u0007\u202e ')).toBe('a b c⟨U+0007⟩⟨U+202E⟩');
});
