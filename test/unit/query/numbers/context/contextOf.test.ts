import { expect, test } from 'vitest';
import { contextOf } from '../../../../../src/library.js';
import { contextStory } from '../../../../support/contextStory.js';

test('programs are told what filled each window, as the panel is', async () => {
  const { records } = contextStory();
  const contexts = await contextOf(records);
  expect(contexts.length).toBeGreaterThan(0);
  const compacted = contexts.filter(({ compactions }) => compactions.length > 0);
  expect(compacted.length).toBeGreaterThan(0);
  for (const { requests, sentWith } of contexts)
    for (const [index, { total, parts }] of requests.entries()) {
      expect(parts.reduce((sum, tokens) => sum + tokens, 0)).toBe(total);
      expect(sentWith(index).reduce((sum, { tokens }) => sum + tokens, 0)).toBe(total);
    }
  for (const { compactions, droppedBy } of compacted)
    for (const [index, { messages, tokens }] of compactions.entries()) {
      const dropped = droppedBy(index);
      expect(dropped).toHaveLength(messages);
      expect(dropped.reduce((sum, each) => sum + each.tokens, 0)).toBe(tokens);
    }
});

test('it takes records as they are read', async () => {
  const { records } = contextStory();
  async function* read() {
    for (const record of records) yield await Promise.resolve(record);
  }
  const told = async (items: Parameters<typeof contextOf>[0]) =>
    (await contextOf(items)).map(({ call, requests }) => [call, requests]);
  expect(await told(read())).toEqual(await told(records));
});
