import { expect, test } from 'vitest';
import { arrowsUp, circlesIn, importGraph } from '../support/importGraph.js';

/** Circles that are still to be opened, each with its files: the list may only become shorter. */
const KNOWN: readonly (readonly string[])[] = [
  ['src/bus/executor/busMemory.ts', 'src/bus/executor/memoryFormat.ts'],
  [
    'src/analysis/messageStats.ts',
    'src/analysis/analysisText.ts',
    'src/analysis/timeline.ts',
    'src/analysis/timelineLane.ts',
    'src/analysis/toolSummary.ts',
  ],
  ['src/runtime/dispatch.ts', 'src/runtime/runCall.ts'],
  ['src/panel/panelHandlers.ts', 'src/panel/panelSession.ts'],
];

test('no files import each other in a circle, not even for types', () => {
  const graph = importGraph('src', 'webview');
  expect(graph.size).toBeGreaterThan(400);
  const isKnown = (circle: readonly string[]) =>
    KNOWN.some((known) => circle.every((file) => known.includes(file)));
  expect(circlesIn(graph).filter((circle) => !isKnown(circle))).toEqual([]);
});

test('the shelves of the store point one way', () => {
  const shelves = ['files', 'format', 'read', 'catalog', 'search', 'write'];
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
