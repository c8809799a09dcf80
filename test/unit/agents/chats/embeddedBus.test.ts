import { expect, test } from 'vitest';
import { EmbeddedBus, type EmbeddedPost } from '../../../../src/agents/chats/embeddedBus.js';
import { busBench, quiet } from '../../../support/busBench.js';

function editorChat() {
  const failures: unknown[] = [];
  const bus = new EmbeddedBus((error) => failures.push(error));
  const bench = busBench({ bus, allowedSenders: () => 'everyone' });
  const posts: EmbeddedPost[] = [];
  bus.onDidPost((post) => posts.push(post));
  return { ...bench, bus, posts };
}

test('what is said in the panel goes on with its conversation and is answered there', async () => {
  const { bus, executor, posts, runner, time } = editorChat();
  await time.advance(1_000);
  await executor.start();
  await bus.say('20261121-093015-5f0c2a9e', 'and now?');
  await quiet();
  expect(runner.asked).toEqual(['20261121-093015-5f0c2a9e -: and now?']);
  expect(posts).toEqual([{ chat: 'editor:20261121-093015-5f0c2a9e', text: 'answer to and now?' }]);
});

test('its state is heard, and a chat that is off says so', async () => {
  const { bus, executor } = editorChat();
  const states: string[] = [];
  bus.onDidChangeState(({ kind }) => states.push(kind));
  await executor.start();
  await executor.stop();
  expect(states).toEqual(['on', 'off']);
  await expect(bus.say('c', 'hello?')).rejects.toThrow('not running');
});
