import { expect, test } from 'vitest';
import { foreignAnswer, type ForeignPart } from '../../../../src/agents/tools/foreignTool.js';

const bytes = (length: number) => new Uint8Array(length).fill(7);
const picture = (mimeType = 'image/png', length = 3): ForeignPart => ({ mimeType, data: bytes(length) });
const urls = (parts: readonly ForeignPart[]) =>
  foreignAnswer(parts).pictures?.map(({ image_url: { url } }) => url) ?? [];

test('texts are joined, and a text in the form of data is a text', () => {
  const data = new TextEncoder().encode('{"salt":12}');
  expect(foreignAnswer(['Cheese!', { mimeType: 'application/json', data }])).toEqual({
    content: 'Cheese!\n{"salt":12}',
  });
});

test('a picture goes with the text, which says where it was', () => {
  const { content } = foreignAnswer(['Before.', picture(), 'After.']);
  expect(content).toBe('Before.\n(image/png of 3 bytes)\nAfter.');
  expect(urls(['Before.', picture(), 'After.'])).toEqual(['data:image/png;base64,BwcH']);
});

test.each([
  ['of a type that no model takes', picture('image/svg+xml')],
  ['of a type that is none', picture('image/png;x="')],
  ['that is too large for any model', picture('image/png', 3_500_001)],
  ['that is empty', picture('image/png', 0)],
  ['that is a sound', picture('audio/wav')],
])('data %s is told of and not passed on', (_, part) => {
  const { content } = foreignAnswer([part]);
  expect(content).toMatch(/^\(.* of \d+ bytes, which is not passed on\)$/);
  expect(urls([part])).toEqual([]);
});

test('a flood of pictures ends at eight', () => {
  const parts = Array.from({ length: 20 }, () => picture());
  expect(urls(parts)).toHaveLength(8);
  expect(foreignAnswer(parts).content.match(/not passed on/g)).toHaveLength(12);
});
