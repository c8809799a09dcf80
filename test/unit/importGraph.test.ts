import { expect, test } from 'vitest';
import { problemWith } from '../../layers.mjs';
import { importGraph } from '../../scripts/importGraph.mjs';
import { circlesIn } from '../support/importGraph.js';

test('no files import each other in a circle, not even for types', () => {
  const graph = importGraph('src', 'webview');
  expect(graph.size).toBeGreaterThan(400);
  expect(circlesIn(graph)).toEqual([]);
});

test('a circle is found', () => {
  const graph = new Map([
    ['s/files/a.ts', ['s/read/b.ts', 's/files/d.ts']],
    ['s/read/b.ts', ['s/files/c.ts']],
    ['s/files/c.ts', ['s/files/a.ts']],
    ['s/files/d.ts', []],
  ]);
  expect(circlesIn(graph)).toEqual([['s/files/a.ts', 's/files/c.ts', 's/read/b.ts']]);
});

test.each([
  ['src/store/read/a.ts', '../../node/b.js', undefined],
  ['src/node/a.ts', '../store/b.js', 'node stands before store'],
  ['src/store/read/a.ts', '../write/b.js', 'store/read stands before store/write'],
  ['src/store/write/a.ts', '../read/b.js', undefined],
  ['src/store/new/a.ts', '../read/b.js', 'the floor of store/new is missing'],
  ['src/import/a.ts', '../agents/loop/b.js', 'import does without agents/loop'],
  [
    'src/page/panel/a.ts',
    '../../query/pricing/b.js',
    'page/panel runs in a page, and query/pricing does not',
  ],
  ['src/core/a.ts', 'node:fs', 'core may not use Node'],
  ['src/query/tokens/a.ts', 'node:fs', undefined],
  ['src/store/a.ts', 'vscode', "store may not use the package 'vscode'"],
  ['src/surfaces/cli/a.ts', '../vscode/b.js', 'surfaces/cli stands before surfaces/vscode'],
  ['src/surfaces/vscode/a.ts', '../cli/b.js', 'surfaces/vscode does without surfaces/cli'],
  ['src/surfaces/vscode/a.ts', 'vscode', undefined],
  ['webview/a.ts', '../src/core/b.js', undefined],
  ['webview/a.ts', '../src/app/b.js', 'webview runs in a page, and app does not'],
  ['src/new/a.ts', '../core/b.js', "the room 'new' is missing"],
])('%s that imports %s: %s', (file, specifier, problem) => {
  expect(problemWith('/house', `/house/${file}`, specifier)).toBe(problem);
});
