import { expect, test } from 'vitest';
import type { ChatMessage } from '../../../../src/core/message.js';
import { bytesOfMessages, PLAIN_HISTORY } from '../../../../src/agents/models/wireHistory.js';

const written = (messages: readonly ChatMessage[], options = PLAIN_HISTORY) =>
  Buffer.from(bytesOfMessages(messages, options)).toString();

/** What a history comes to that was never sent before. */
const afresh = (messages: readonly ChatMessage[], options = PLAIN_HISTORY) => written([...messages], options);

const user = (content: string): ChatMessage => ({ role: 'user', content });
const answer = (id: string, ...more: object[]): ChatMessage => ({
  role: 'tool',
  tool_call_id: id,
  content: [{ type: 'text', text: id }, ...(more as { type: string }[])],
});
const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };

test('a history that grows is written message by message: each is looked at once, however often it is sent', () => {
  let looks = 0;
  const messages: ChatMessage[] = [];
  for (let turn = 0; turn < 1_000; turn++) {
    const content = `« turn ${turn} »`;
    messages.push({
      role: 'user',
      get content() {
        looks++;
        return content;
      },
    });
    bytesOfMessages(messages, PLAIN_HISTORY);
  }
  expect(looks).toBe(1_000);
  expect(written(messages)).toBe(afresh(messages));
  expect(JSON.parse(`[${written(messages)}]`)).toHaveLength(1_000);
});

test('what was handed out stays as it was while the history grows', () => {
  const messages = [user('one')];
  const bytes = bytesOfMessages(messages, PLAIN_HISTORY);
  const before = Buffer.from(bytes).toString();
  for (let more = 0; more < 500; more++) {
    messages.push(user('more '.repeat(50)));
    bytesOfMessages(messages, PLAIN_HISTORY);
  }
  expect(Buffer.from(bytes).toString()).toBe(before);
});

test('a history that was changed before its end, or cut, is written anew', () => {
  const messages = [user('one'), user('two'), user('three')];
  bytesOfMessages(messages, PLAIN_HISTORY);
  messages[1] = user('another');
  expect(written(messages)).toBe(afresh(messages));
  messages.splice(0, 2);
  expect(written(messages)).toBe('{"role":"user","content":"three"}');
});

test('an answer that joins others takes their pictures behind itself', () => {
  const messages = [user('look'), answer('a', picture)];
  bytesOfMessages(messages, PLAIN_HISTORY);
  messages.push(answer('b'));
  expect(written(messages)).toBe(afresh(messages));
});

test('an endpoint that takes no pictures gets the same history without them', () => {
  const messages = [user('look'), answer('a', picture)];
  expect(written(messages)).toContain('image_url');
  const without = { ...PLAIN_HISTORY, withPictures: false };
  expect(written(messages, without)).toBe(afresh(messages, without));
  expect(written(messages, without)).not.toContain('image_url');
});
