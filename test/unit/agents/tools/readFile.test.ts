import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { approve, deny, toolWorkspace } from './toolHarness.js';

const numbers = (count: number) =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('');

test.each([
  ['a small file is given as it is', 'a\nb\n', {}, 'a\nb\n'],
  ['without a last line end too', 'a\nb', {}, 'a\nb'],
  ['an empty file is called so', '', {}, "('f.txt' is empty.)"],
  [
    'some lines, and which',
    numbers(9),
    { start_line: 3, end_line: 4 },
    "line 3\nline 4\n(Lines 3 to 4 of 9 of 'f.txt'.)",
  ],
  ['the last lines', numbers(9), { start_line: 9 }, "line 9\n(Lines 9 to 9 of 9 of 'f.txt'.)"],
  ['an end behind the last line', 'a\nb\n', { end_line: 99 }, 'a\nb\n'],
  ['a start behind the last line', 'a\nb\n', { start_line: 3 }, "('f.txt' has 2 lines; there is no line 3.)"],
])('%s', async (_, content, lines, expected) => {
  const { call } = await toolWorkspace({ 'f.txt': content });
  expect(await call('read_file', { path: 'f.txt', ...lines })).toEqual({ content: expected, asked: [] });
});

test('a long file is cut at whole lines and says where to go on', async () => {
  const { call } = await toolWorkspace({ 'f.txt': numbers(5_000) });
  const { content } = await call('read_file', { path: 'f.txt' });
  expect(content).toMatch(
    /line 2000\n\(Lines 1 to 2000 of 5000 of 'f\.txt'\. Go on with start_line 2001\.\)$/,
  );
});

test('a very long line is cut at a whole character and says how much is missing', async () => {
  const { call } = await toolWorkspace({ 'f.txt': `x${'🥒'.repeat(30_000)}\n` });
  const { content } = await call('read_file', { path: 'f.txt' });
  expect(content).toMatch(/🥒\n\(Line 1 of 'f\.txt' is cut: 12002 more characters\.\)$/);
});

test.each([
  ['gone.txt', "'gone.txt' does not exist."],
  ['src', "'src' is a folder; use list_files."],
  ['../outside.txt', "'../outside.txt' lies outside of the workspace."],
  ['image.png', "'image.png' is a binary file of 4 bytes, not text."],
  ['latin1.txt', "'latin1.txt' is a binary file of 3 bytes, not text."],
])('read_file %s: %s', async (path, message) => {
  const { call } = await toolWorkspace({
    'src/a.txt': 'a',
    'image.png': new Uint8Array([0x89, 0x50, 0, 1]),
    'latin1.txt': new Uint8Array([0x66, 0xfc, 0x72]),
  });
  expect(await call('read_file', { path })).toEqual({ content: message, isError: true, asked: [] });
});

test('a file with secrets is read after a question only', async () => {
  const { call } = await toolWorkspace({ '.env': 'KEY=1' });
  const allowed = await call('read_file', { path: '.env' }, { decide: approve });
  expect(allowed).toMatchObject({
    content: 'KEY=1',
    asked: [{ title: 'Read .env', askReason: "'.env' may hold keys or passwords." }],
  });
  const denied = await call('read_file', { path: '.env' }, { decide: deny('not this one') });
  expect(denied).toMatchObject({ content: 'This was not allowed: not this one', isError: true });
});

test('a file that has another name, perhaps outside, is read after a question only', async () => {
  const { call, top, hardLinkTo } = await toolWorkspace();
  await writeFile(join(top, 'secret.txt'), 'secret');
  await hardLinkTo(join(top, 'secret.txt'), 'f.txt');
  const { content, asked } = await call('read_file', { path: 'f.txt' }, { decide: deny() });
  expect(content).toBe('This was not allowed.');
  expect(asked[0]?.askReason).toContain('2 names (hard links)');
});

test('a folder is listed without what nobody wants to see, links are named and not followed', async () => {
  const { call, linkTo } = await toolWorkspace({
    'b.txt': '',
    'a/c.txt': '',
    'a/.hidden': '',
    '.git/config': '',
    'node_modules/x/index.js': '',
    '.agent-logbook/state.json': '',
    '.gitignore': '*.log\n/build/\n!keep.log\n',
    'noise.log': '',
    'keep.log': '',
    'build/out.js': '',
    'a/build/fine.js': '',
  });
  await linkTo('/etc', 'door');
  const top = ['.gitignore', 'a/', 'b.txt', 'door', 'keep.log'];
  expect((await call('list_files', {})).content.split('\n')).toEqual(top);
  expect((await call('list_files', { recursive: true })).content.split('\n')).toEqual([
    '.gitignore',
    'a/',
    'a/.hidden',
    'a/build/',
    'a/build/fine.js',
    'a/c.txt',
    'b.txt',
    'door',
    'keep.log',
  ]);
  expect((await call('list_files', { path: 'a', pattern: '**/*.{js,txt}' })).content).toBe(
    'build/fine.js\nc.txt',
  );
  expect((await call('list_files', { pattern: '*.md' })).content).toBe("(Nothing like *.md in '.'.)");
});

test('a name with a line end in it is one line', async () => {
  const { call } = await toolWorkspace({ 'a\nb\u202e.txt': '' });
  expect((await call('list_files', {})).content).toBe('a�b⟨U+202E⟩.txt');
});

test('a long list is cut and says so', async () => {
  const files = Object.fromEntries(Array.from({ length: 1_005 }, (_, index) => [`f${index}.txt`, '']));
  const { call } = await toolWorkspace(files);
  const lines = (await call('list_files', {})).content.split('\n');
  expect(lines).toHaveLength(1_001);
  expect(lines.at(-1)).toBe('(Only the first 1000; there are more. Name a folder or a pattern.)');
});

test.each([
  ['gone', "'gone' does not exist."],
  ['b.txt', "'b.txt' is a file; use read_file."],
  ['..', "'..' lies outside of the workspace."],
])('list_files %s: %s', async (path, message) => {
  const { call } = await toolWorkspace({ 'b.txt': '' });
  expect(await call('list_files', { path })).toEqual({ content: message, isError: true, asked: [] });
});
