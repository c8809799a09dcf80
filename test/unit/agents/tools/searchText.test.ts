import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type {
  PatternAnswer,
  PatternMatcher,
  PatternQuestion,
} from '../../../../src/core/ports/patternMatcher.js';
import { DiskWorkspaceFiles } from '../../../../src/agents/tools/files/writeDiskText.js';
import { searchTextTool } from '../../../../src/agents/tools/files/searchText.js';
import { SeenFiles } from '../../../../src/agents/tools/files/seenFiles.js';
import { PathGuard } from '../../../../src/agents/tools/paths/pathGuard.js';
import { toolContext, toolWorkspace } from './toolHarness.js';

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

/** Searches a file with a matcher that only writes down what it is asked. */
async function askedOf(args: object, answer: PatternAnswer) {
  const asked: PatternQuestion[] = [];
  const patterns: PatternMatcher = {
    find: async (question) => {
      if (question.text !== '') asked.push(question);
      return question.text === '' ? { ok: true, matches: [] } : answer;
    },
  };
  const { root } = await toolWorkspace({ 'a.txt': 'salt', 'b.txt': 'pepper' });
  const shared = {
    guard: new PathGuard([root]),
    files: new DiskWorkspaceFiles(),
    seen: new SeenFiles(),
    patterns,
  };
  const { content } = await searchTextTool(shared).execute({ ...args }, toolContext());
  return { asked, content };
}

const none: PatternAnswer = { ok: true, matches: [] };

test.each([
  { pattern: 's', regex: true },
  { pattern: 's', ignore_case: true },
])('each file goes to the thread for patterns in one piece: %j', async (args) => {
  const { asked } = await askedOf(args, none);
  expect(asked.map(({ text, find }) => `${find} ${text}`)).toEqual(['lines salt', 'lines pepper']);
});

test('a plain text needs no pattern', async () => {
  expect((await askedOf({ pattern: 'a' }, none)).asked).toEqual([]);
});

test('files on which a pattern takes too long are counted', async () => {
  const { content } = await askedOf(
    { pattern: '[a-z]{1000}[0-9]', regex: true },
    { ok: false, why: 'tooSlow', message: '' },
  );
  expect(content).toBe('(Nothing found.)\n(2 files not searched: the pattern takes too long there.)');
});

test('a match behind 20,000 characters of its line is found', async () => {
  await expectFound({ pattern: 's[a]lt', regex: true, path: 'a.txt' }, [`a.txt:2: …${'x'.repeat(296)}salt`], {
    'a.txt': `\n${'x'.repeat(30_000)}salt`,
  });
});
