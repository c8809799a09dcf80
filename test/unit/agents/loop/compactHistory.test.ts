import fc from 'fast-check';
import { expect, test } from 'vitest';
import { textOf, type ChatMessage } from '../../../../src/core/message.js';
import { compactHistory } from '../../../../src/agents/loop/history/compactHistory.js';
import { violationOfHistory } from '../../../support/wireRules.js';

const system: ChatMessage = { role: 'system', content: 'Be kind.' };
const user = (content: string): ChatMessage => ({ role: 'user', content });
const said = (content: string): ChatMessage => ({ role: 'assistant', content });
const used = (id: string, answer: string): ChatMessage[] => [
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id, type: 'function', function: { name: 't', arguments: '{}' } }],
  },
  { role: 'tool', tool_call_id: id, content: answer },
];
const texts = (messages: readonly ChatMessage[] | undefined) => messages?.map(({ content }) => content);

test('the first and the last prompt and the latest messages stay', () => {
  const long = 'x'.repeat(1000);
  const compacted = compactHistory([
    system,
    user('first'),
    said(long),
    user('second'),
    ...used('a', long),
    ...used('b', long),
    ...used('c', long),
  ]);
  expect(compacted).toMatchObject({ dropped: 3, shortened: 0 });
  expect(texts(compacted?.messages)).toEqual([
    'Be kind.',
    'first',
    '[Earlier messages are left out here: they no longer fit.]',
    'second',
    null,
    long,
    null,
    long,
  ]);
});

test('where nothing can be dropped, the long answers of tools are cut', () => {
  const compacted = compactHistory([system, user('go'), ...used('a', '🥒'.repeat(5_000))]);
  expect(compacted).toMatchObject({ dropped: 0, shortened: 1 });
  const answer = textOf(compacted?.messages.at(-1)?.content);
  expect(answer.startsWith('🥒'.repeat(2_000))).toBe(true);
  expect(answer).not.toMatch(/\p{Cs}/u);
  expect(answer).toContain('more characters are left out here.');
});

test('where nothing can be dropped, the pictures of tools are left out, and it is said', () => {
  const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
  const [call, result] = used('a', 'seen');
  const shown = { ...result, content: [{ type: 'text', text: 'seen' }, picture] } as ChatMessage;
  const compacted = compactHistory([system, user('go'), ...(call ? [call] : []), shown]);
  expect(compacted).toMatchObject({ dropped: 0, shortened: 1 });
  expect(texts(compacted?.messages)?.at(-1)).toBe('seen\n[A picture is left out here.]');
});

test('a history that cannot be shorter is said to be so', () => {
  expect(compactHistory([system, user('go')])).toBeUndefined();
  expect(compactHistory([user('go'), said('done'), user('more')].slice(0, 1))).toBeUndefined();
});

test('what is left is valid, and compacting comes to an end', () => {
  const part = fc.oneof(
    fc.string().map((text) => [user(`u${text}`)]),
    fc.string().map((text) => [said(`a${text}`)]),
    fc.tuple(fc.uuid(), fc.string({ maxLength: 9_000 })).map(([id, text]) => used(id, text)),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
      let messages: readonly ChatMessage[] = [system, user('go'), ...parts.flat(), user('end')];
      for (let round = 0; ; round++) {
        const compacted = compactHistory(messages);
        if (!compacted) return;
        expect(round).toBeLessThan(40);
        messages = compacted.messages;
        expect(violationOfHistory(messages)).toBeUndefined();
        expect(texts(messages)).toContain('end');
      }
    }),
  );
});
