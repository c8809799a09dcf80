import { expect, test } from 'vitest';
import { chatQuestion } from '../../../src/app/chat/chatFrontend.js';
import { escapeMarkdown } from '../../../src/app/text/clipboardText.js';

const agents = ['Pickle', 'Pickle Junior', 'Cookie'];
const run = (text: string) => chatQuestion('run', text, agents);

test('without /run everything is a prompt', () => {
  expect(chatQuestion(undefined, ' Cookie, hello ', agents)).toEqual({
    kind: 'prompt',
    prompt: 'Cookie, hello',
  });
});

test('/run takes the longest name that fits, in any case and with an @', () => {
  expect(run('pickle bake')).toEqual({ kind: 'run', agent: 'Pickle', prompt: 'bake' });
  expect(run('@PICKLE junior  bake\nnow')).toEqual({
    kind: 'run',
    agent: 'Pickle Junior',
    prompt: 'bake\nnow',
  });
  expect(run('Cookie')).toEqual({ kind: 'run', agent: 'Cookie', prompt: '' });
});

test('a name is not taken for the beginning of a longer word', () => {
  expect(run('Cookies bake')).toEqual({ kind: 'unknownAgent' });
  expect(run('')).toEqual({ kind: 'unknownAgent' });
});

test('no sign of Markdown, HTML, an icon or a link is left alone', () => {
  expect(escapeMarkdown('[x](command:y) $(zap) <b> é 😀')).toBe(
    '\\[x\\]\\(command\\:y\\) \\$\\(zap\\) \\<b\\> é 😀',
  );
});
