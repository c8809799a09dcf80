import { expect, test } from 'vitest';
import { terminalText } from '../../../webview/content/terminalText.js';

const ESC = '\u001b';

test.each([
  ['a text without control characters', 'one\r\ntwo\tthree', 'one\r\ntwo\tthree'],
  ['a progress bar', ' 10 %\r 50 %\r100 %\ndone', '100 %\ndone'],
  ['a line that was only returned from', 'kept\r\nnext', 'kept\r\nnext'],
  ['a spinner', '|\b/\b-\bdone', 'done'],
  ['what clears and moves', `${ESC}[2K${ESC}[1Gready${ESC}[?25h`, 'ready'],
  ['a title and a link', `${ESC}]0;title\u0007${ESC}]8;;https://x.y${ESC}\\words${ESC}]8;;${ESC}\\`, 'words'],
  ['colours, which stay', `${ESC}[32mgreen${ESC}[0m`, `${ESC}[32mgreen${ESC}[0m`],
  ['the choice of a character set', `${ESC}(Bplain`, 'plain'],
  ['a sequence that never ends, which is seen', `${ESC}]0;no end`, `${ESC}]0;no end`],
])('%s', (_, written, left) => {
  expect(terminalText(written)).toBe(left);
});
