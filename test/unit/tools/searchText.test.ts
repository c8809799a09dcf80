import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toolWorkspace } from './toolHarness.js';

const kitchen = {
  'a.txt': 'Salt\nsugar\nsalt and salt\n',
  'sub/b.txt': 'pepper (salt-free)\n',
  '.env': 'salt=1',
  'node_modules/x.txt': 'salt',
  'c.bin': new Uint8Array([0x73, 0x61, 0x6c, 0x74, 0]),
};

async function expectFound(
  args: object,
  lines: string[],
  files: Record<string, string | Uint8Array> = kitchen,
) {
  const { call } = await toolWorkspace(files);
  expect((await call('search_text', args)).content.split('\n')).toEqual(lines);
}

const secret = '(1 file not searched: may hold secrets.)';

test('a text is found in the lines where it stands', async () => {
  await expectFound({ pattern: 'salt' }, [
    'a.txt:3: salt and salt',
    'sub/b.txt:1: pepper (salt-free)',
    secret,
  ]);
});

test.each([
  [
    'letter case',
    { pattern: 'SALT', ignore_case: true },
    ['a.txt:1: Salt', 'a.txt:3: salt and salt', 'sub/b.txt:1: pepper (salt-free)', secret],
  ],
  ['a text is no pattern', { pattern: '(salt' }, ['sub/b.txt:1: pepper (salt-free)', secret]],
  ['a pattern', { pattern: '^s\\w+$', regex: true }, ['a.txt:2: sugar', secret]],
  ['one folder', { pattern: 'salt', path: 'sub' }, ['sub/b.txt:1: pepper (salt-free)']],
  ['one file', { pattern: 'salt', path: 'a.txt' }, ['a.txt:3: salt and salt']],
  ['some files', { pattern: 'salt', include: 'sub/**' }, ['sub/b.txt:1: pepper (salt-free)']],
  ['nothing', { pattern: 'basil' }, ['(Nothing found.)', secret]],
])('%s', (_, args, lines) => expectFound(args, lines));

test('a pattern that cannot be is an error in words', async () => {
  const { call } = await toolWorkspace(kitchen);
  expect(await call('search_text', { pattern: '(?=a)', regex: true })).toMatchObject({
    isError: true,
    content: expect.stringMatching(/^The pattern cannot be used: .*Look-around/) as string,
  });
});

test('many lines are cut, and it is said', async () => {
  const { call } = await toolWorkspace({ 'a.txt': 'x\n'.repeat(500) });
  const lines = (await call('search_text', { pattern: 'x' })).content.split('\n');
  expect(lines).toHaveLength(201);
  expect(lines.at(-1)).toBe('(Only the first 200 lines; narrow the search.)');
});

test('a long line is shown around its place', async () => {
  const { call } = await toolWorkspace({ 'a.txt': `${'🥒'.repeat(1_000)}salt${'🥒'.repeat(1_000)}` });
  const { content } = await call('search_text', { pattern: 'salt' });
  expect(content).toMatch(/^a\.txt:1: …🥒{25}salt🥒+…$/u);
});

test('a file with another name, perhaps outside, is not searched', async () => {
  const { call, top, hardLinkTo } = await toolWorkspace();
  await writeFile(join(top, 'outside.txt'), 'salt');
  await hardLinkTo(join(top, 'outside.txt'), 'f.txt');
  expect((await call('search_text', { pattern: 'salt' })).content).toBe('(Nothing found.)');
  expect((await call('search_text', { pattern: 'salt', path: 'f.txt' })).content).toBe(
    `(Nothing found.)\n${secret}`,
  );
});

test('patterns that kill others end', async () => {
  const { call } = await toolWorkspace({ 'a.txt': `${'a'.repeat(50_000)}!` });
  expect((await call('search_text', { pattern: '^(a+)+$', regex: true })).content).toBeTypeOf('string');
});
