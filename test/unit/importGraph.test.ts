import { expect, test } from 'vitest';
import { importGraph } from '../../scripts/importGraph.mjs';
import { arrowsUp, circlesIn } from '../support/importGraph.js';

test('no files import each other in a circle, not even for types', () => {
  const graph = importGraph('src', 'webview');
  expect(graph.size).toBeGreaterThan(400);
  expect(circlesIn(graph)).toEqual([]);
});

test('the shelves of the store point one way', () => {
  const shelves = ['files', 'format', 'notes', 'read', 'catalog', 'search', 'write'];
  expect(arrowsUp(importGraph('src/store'), 'src/store', shelves)).toEqual([]);
});

test('a circle and an arrow up are found', () => {
  const graph = new Map([
    ['s/files/a.ts', ['s/read/b.ts', 's/files/d.ts']],
    ['s/read/b.ts', ['s/files/c.ts']],
    ['s/files/c.ts', ['s/files/a.ts']],
    ['s/files/d.ts', []],
    ['s/new/e.ts', ['s/files/d.ts']],
  ]);
  expect(circlesIn(graph)).toEqual([['s/files/a.ts', 's/files/c.ts', 's/read/b.ts']]);
  expect(arrowsUp(graph, 's', ['files', 'read'])).toEqual([
    's/files/a.ts -> s/read/b.ts',
    's/new/e.ts -> s/files/d.ts',
  ]);
});
