import { expect, test } from 'vitest';
import type { SearchHit } from '../../../src/store/search/scanQuestion.js';
import { groupHits } from '../../../src/app/views/hitGroups.js';

const hit = (conversation: string, position: number) => ({ conversation, position }) as SearchHit;
const known = new Map([
  ['old', { title: 'Old', endedAt: 1_000 }],
  ['new', { title: 'New', endedAt: 9_000 }],
]);
const grouped = (hits: readonly SearchHit[], most = 100) =>
  groupHits(hits, most, (conversation) => known.get(conversation)).map(({ title, hits: found }) => [
    title,
    found.map(({ position }) => position),
  ]);

test('hits stand by conversation, the newest first, in the order of the transcript', () => {
  expect(grouped([hit('old', 4), hit('new', 7), hit('old', 2), hit('new', 9)])).toEqual([
    ['New', [7, 9]],
    ['Old', [2, 4]],
  ]);
});

test('a conversation that is not known any more stands last, under its id', () => {
  expect(grouped([hit('gone', 1), hit('old', 2)])).toEqual([
    ['Old', [2]],
    ['gone', [1]],
  ]);
});

test('of more hits than are listed, those that were found first are', () => {
  expect(grouped([hit('old', 1), hit('old', 2), hit('new', 3)], 2)).toEqual([['Old', [1, 2]]]);
});
