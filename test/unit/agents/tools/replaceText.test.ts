import fc from 'fast-check';
import { expect, test } from 'vitest';
import { replaceText } from '../../../../src/agents/tools/files/editFile.js';

test.each([
  ['a\r\nb\r\nc', 'a\nb', 'x\ny', 'x\r\ny\r\nc'],
  ['a\r\nb\r\nc', 'b', 'x\ny', 'a\r\nx\r\ny\r\nc'],
  ['a\r\nb\r\nc', 'a\r\nb', 'x\ny', 'x\r\ny\r\nc'],
  ['a\r\nb\nc', 'b', 'x\ny', 'a\r\nx\ny\nc'],
  ['a\nb', 'b', 'x\r\ny', 'a\nx\r\ny'],
])('Windows line ends stay, and others do not become such: %j', (text, oldText, newText, after) => {
  expect(replaceText(text, oldText, newText, false)).toMatchObject({ ok: true, text: after });
});

test('a replacement is what a careful reader would do by hand', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n'), maxLength: 30 });
  fc.assert(
    fc.property(text, text, text, (before, middle, after) => {
      fc.pre(middle !== '' && middle !== 'X');
      const outcome = replaceText(before + middle + after, middle, 'X', false);
      const again = (before + middle + after).indexOf(middle, before.length + 1);
      const unique = (before + middle + after).indexOf(middle) === before.length && again < 0;
      expect(outcome.ok).toBe(unique);
      if (outcome.ok) expect(outcome.text).toBe(`${before}X${after}`);
    }),
  );
});
