import { expect, test } from 'vitest';
import { EmbeddedConnector, type EmbeddedPost } from '../../../../src/agents/chats/embeddedConnector.js';
import { connectorBench, quiet } from '../../../support/connectorBench.js';

function editorChat() {
  const failures: unknown[] = [];
  const connector = new EmbeddedConnector((error) => failures.push(error));
  const bench = connectorBench({ connector, allowedSenders: () => 'everyone' });
  const posts: EmbeddedPost[] = [];
  connector.onDidPost((post) => posts.push(post));
  return { ...bench, connector, posts };
}

test('what is said in the panel goes on with its conversation and is answered there', async () => {
  const { connector, executor, posts, runner, time } = editorChat();
  await time.advance(1_000);
  await executor.start();
  await connector.say('20261121-093015-5f0c2a9e', 'and now?');
  await quiet();
  expect(runner.asked).toEqual(['20261121-093015-5f0c2a9e -: and now?']);
  expect(posts).toEqual([{ chat: 'editor:20261121-093015-5f0c2a9e', text: 'answer to and now?' }]);
});

test('its state is heard, and a chat that is off says so', async () => {
  const { connector, executor } = editorChat();
  const states: string[] = [];
  connector.onDidChangeState(({ kind }) => states.push(kind));
  await executor.start();
  await executor.stop();
  expect(states).toEqual(['on', 'off']);
  await expect(connector.say('c', 'hello?')).rejects.toThrow('not running');
});
