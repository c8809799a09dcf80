import { expect, test } from 'vitest';
import type { ChatMessage } from '../../../src/core/message.js';
import { LmTokens } from '../../../src/app/models/readParts.js';
import { ManualTime } from '../../support/manualTime.js';

const call = { id: 't', type: 'function', function: { name: 'look', arguments: '{}' } } as const;
const history: readonly ChatMessage[] = [
  { role: 'user', content: '12345678' },
  { role: 'assistant', content: null, tool_calls: [call] },
];

test('each message is counted once, its tool calls too, and the sum is an estimate', async () => {
  const counted: string[] = [];
  const tokens = new LmTokens(async (text) => Promise.resolve(counted.push(text) * 0 + text.length), {
    after: () => ({ dispose: () => undefined }),
  });
  const usage = { inputTokens: 14, outputTokens: 2, estimated: true };
  expect(await tokens.usage(history, 'hi')).toEqual(usage);
  expect(await tokens.usage(history, 'ho')).toEqual(usage);
  expect(counted).toEqual(['12345678', 'look{}', 'hi', 'ho']);
});

test.each<[string, () => Promise<number>]>([
  ['fails', async () => Promise.reject(new Error('no counter'))],
  ['hangs', () => new Promise(() => undefined)],
  ['counts nonsense', async () => Promise.resolve(NaN)],
])('where the counter %s the tokens are guessed, and it is asked no more', async (_, count) => {
  const time = new ManualTime();
  let asked = 0;
  const tokens = new LmTokens(() => (asked++, count()), time);
  expect(await time.passUntil(tokens.usage(history, 'hi'))).toEqual({
    inputTokens: 4,
    outputTokens: 1,
    estimated: true,
  });
  expect(asked).toBe(1);
});
