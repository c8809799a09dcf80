import { expect } from 'vitest';
import type { IncomingMessage } from '../../../../src/core/ports/chatConnector.js';
import { soon } from '../../../support/soon.js';
import { ADA, telegramTest as test } from '../../../support/telegramBench.js';

test('an update is confirmed when it was taken, not before', async ({ bench }) => {
  const connector = bench.connector();
  let refuse = true;
  const messages: IncomingMessage[] = [];
  await connector.start((message) => {
    messages.push(message);
    return refuse ? Promise.reject(new Error('the disk is full')) : Promise.resolve();
  }, new AbortController().signal);
  bench.server.says(ADA, 'one');
  await soon(() => expect(messages).toHaveLength(1));
  expect(bench.server.unconfirmed).toBe(1);
  refuse = false;
  await bench.eventually(() => expect(bench.server.unconfirmed).toBe(0));
  expect(messages.map(({ id }) => id)).toEqual([messages[0]?.id, messages[0]?.id]);
});

test('polling goes on after errors, pages of proxies, cut connections and rate limits', async ({ bench }) => {
  const messages = await bench.delivered(bench.connector());
  for (const fault of [
    { status: 500 },
    'proxyPage',
    'cutBefore',
    'cutAfter',
    { status: 429, retryAfter: 3 },
  ] as const) {
    bench.server.faults.push({ method: 'getUpdates', fault });
  }
  bench.server.says(ADA, 'wake up');
  await bench.eventually(() => expect(bench.server.faults).toEqual([]));
  bench.server.says(ADA, 'still there?');
  await bench.eventually(() => expect(messages.at(-1)?.text).toBe('still there?'));
});

test('a conflict is tried again, and given up when it stays', async ({ bench }) => {
  const connector = bench.connector();
  await bench.delivered(connector);
  const conflict = { method: 'getUpdates', fault: { status: 409, description: 'Conflict' } } as const;
  bench.server.faults.push(conflict, conflict);
  bench.server.says(ADA, 'wake up');
  await bench.eventually(() => expect(bench.server.faults).toEqual([]));
  await bench.eventually(() => expect(connector.state.kind).toBe('on'));
  bench.server.faults.push(conflict, conflict, conflict, conflict, conflict);
  bench.server.says(ADA, 'wake up');
  await bench.eventually(() => expect(connector.state).toMatchObject({ kind: 'failed' }));
  expect(JSON.stringify(connector.state)).toContain('Another program');
});

test('two programs with one token: the one that came first is told', async ({ bench }) => {
  const first = bench.connector();
  const second = bench.connector();
  await bench.delivered(first);
  await soon(() => expect(bench.server.calls).toContain('getUpdates'));
  await bench.delivered(second);
  await soon(() => expect(first.state).toMatchObject({ kind: 'waiting' }));
});

test('a token that is not accepted is said in words without it', async ({ bench }) => {
  const connector = bench.connector({ token: '1:wrong-secret' });
  await expect(bench.delivered(connector)).rejects.toThrow('Telegram does not accept the token of the bot.');
  await expect(connector.post('telegram:42', 'hi')).rejects.toMatchObject({ failure: 'later' });
});

test('the token is in no error, no state and no log line', async ({ bench }) => {
  const { connector, executor } = bench.logbook();
  await executor.start();
  const states: string[] = [];
  connector.onDidChangeState((state) => states.push(JSON.stringify(state)));
  bench.server.says(ADA, 'one');
  await soon(() => expect(bench.server.chat(ADA)).toHaveLength(4));
  await bench.server.down();
  await soon(() => expect(connector.state.kind).toBe('waiting'));
  const error = await connector.post(`telegram:${ADA}`, 'hi').catch((reason: unknown) => reason);
  expect(error).toMatchObject({ failure: 'later' });
  const everything = [...states, ...bench.log.lines, String(error), String((error as Error).stack)].join(
    '\n',
  );
  expect(everything).not.toContain(bench.server.token);
  expect(everything).not.toContain('AAE-secret');
  await bench.server.up();
});

test.for(['http://example.org', 'ftp://127.0.0.1', 'nonsense'])(
  'the address %s gets no token',
  async (apiRoot, { bench }) => {
    await expect(bench.delivered(bench.connector({ apiRoot }))).rejects.toThrow(apiRoot);
  },
);

test('a start while Telegram is away waits for it, and can be ended', async ({ bench }) => {
  await bench.server.down();
  const connector = bench.connector();
  const started = bench.delivered(connector);
  await soon(() => expect(connector.state.kind).toBe('waiting'));
  await bench.server.up();
  await bench.eventually(() => expect(connector.state.kind).toBe('on'));
  await started;

  await bench.server.down();
  const other = bench.connector();
  const ended = bench.delivered(other).catch((error: unknown) => error);
  await soon(() => expect(other.state.kind).toBe('waiting'));
  await other.stop();
  expect(await ended).toBeInstanceOf(Error);
  expect(other.state).toEqual({ kind: 'off' });
  await bench.server.up();
});

test('in groups the bot hears what is meant for it, in topics it answers there', async ({ bench }) => {
  const messages = await bench.delivered(bench.connector());
  const group = { chat: { id: -1000, type: 'supergroup', title: 'Team' } };
  bench.server.says(-1000, 'just talking', group);
  bench.server.says(-1000, '@Logbook_Bot what is up?', group);
  bench.server.says(-1000, '/new@logbook_bot', group);
  const mine = { from: { id: 4711, is_bot: true, first_name: 'Logbook' } };
  bench.server.says(-1000, 'and then?', {
    ...group,
    reply_to_message: mine,
    is_topic_message: true,
    message_thread_id: 7,
  });
  await soon(() => expect(messages).toHaveLength(3));
  expect(messages.map(({ chat, text }) => `${chat} ${text}`)).toEqual([
    'telegram:-1000 what is up?',
    'telegram:-1000 /new@logbook_bot',
    'telegram:-1000:7 and then?',
  ]);
});

test('posts go to the topic they are for', async ({ bench }) => {
  const connector = bench.connector();
  await bench.delivered(connector);
  bench.server.says(-1000, '/go', { chat: { id: -1000, type: 'supergroup' } });
  await connector.post('telegram:-1000:7', 'hello');
  expect(bench.server.chat(-1000).at(-1)).toBe('Logbook: [7] hello');
  await expect(connector.post('discord:1', 'hello')).rejects.toMatchObject({ failure: 'refused' });
});

test('other bots and what Telegram reports are not heard; pictures are, without text', async ({ bench }) => {
  const messages = await bench.delivered(bench.connector());
  const chat = { id: ADA, type: 'private' };
  const ada = { id: ADA, is_bot: false, first_name: 'Ada' };
  bench.server.says(ADA, 'beep', { from: { id: 5, is_bot: true, first_name: 'Bot' } });
  bench.server.happens({ chat, from: ada, pinned_message: {} });
  bench.server.happens({ chat, from: ada, photo: [{}] });
  bench.server.happens({ chat, from: ada, photo: [{}], caption: 'look' });
  await soon(() => expect(messages).toHaveLength(2));
  expect(messages.map(({ text }) => text)).toEqual(['', 'look']);
  expect(messages[0]).toMatchObject({
    chat: `telegram:${ADA}`,
    sender: { id: `telegram:${ADA}`, name: 'Ada' },
  });
});
