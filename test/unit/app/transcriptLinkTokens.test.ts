import { expect, test } from 'vitest';
import { TranscriptLinkTokens } from '../../../src/app/transcripts/transcriptLinkTokens.js';

const place = { conversation: '20261121-093015-5f0c2a9e', call: 'k_1', toolCallId: 't_1' };
const marks = new TranscriptLinkTokens('a key');

test('a mark stands for its place and no other, in every window that has the key', () => {
  const mark = new TranscriptLinkTokens('a key').of(place);
  expect(marks.isOurs(mark)).toBe(true);
  expect(marks.isIn(mark, place.conversation)).toBe(true);
  expect(marks.isIn(mark, 'another')).toBe(false);
  expect(marks.isFor(mark, place)).toBe(true);
  for (const other of [{ call: 'k_2' }, { toolCallId: 't_2' }, { toolCallId: undefined }]) {
    expect(marks.isFor(mark, { ...place, ...other })).toBe(false);
  }
});

test('a line that ends with a mark is found, and its mark in it', () => {
  const line = `Cookie: done [↗ ${marks.of(place)}]`;
  const [found] = line.matchAll(TranscriptLinkTokens.pattern);
  expect(found?.[1]).toBe(marks.of(place));
});

test('who has not the key makes no mark, and a mark that was changed is none', () => {
  const mark = marks.of(place);
  expect(marks.isOurs(new TranscriptLinkTokens('another key').of(place))).toBe(false);
  for (let at = 0; at < mark.length; at++) {
    const changed = mark.slice(0, at) + (mark[at] === '0' ? '1' : '0') + mark.slice(at + 1);
    expect(marks.isOurs(changed)).toBe(false);
  }
  expect(marks.isOurs('')).toBe(false);
});

test('a mark is judged alike again, also after more of them than are remembered', () => {
  const mine = new TranscriptLinkTokens('one of its own');
  const ours = mine.of(place);
  const foreign = marks.of(place);
  const judged = () => [mine.isOurs(ours), mine.isOurs(foreign)];
  expect(judged()).toEqual([true, false]);
  expect(judged()).toEqual([true, false]);
  for (let n = 0; n < 60_000; n++) mine.isOurs(n.toString(16).padStart(foreign.length, '0'));
  expect(judged()).toEqual([true, false]);
});

test('no two places of a large conversation have the same mark', () => {
  const all = Array.from({ length: 5_000 }, (_, n) => marks.of({ ...place, call: `k_${n}` }));
  expect(new Set(all).size).toBe(5_000);
});
