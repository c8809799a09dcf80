import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { DIRECT, discordTest as test, story } from '../../../support/discordBench.js';
import { soon } from '../../../support/soon.js';

vi.setConfig({ testTimeout: 20_000 });

const TEAM = '204200000000000002';
const guild = { guild_id: '7000', mentions: [{ id: '900', username: 'logbook' }] };

test('a whole conversation, as the user sees it', async ({ bench }) => {
  const { executor, connector } = bench.logbook();
  await executor.start();
  expect(connector.state).toEqual({ kind: 'on', account: '@logbook' });
  bench.server.says(DIRECT, 'cookies please');
  await bench.eventually(() => expect(bench.server.channel(DIRECT)).toEqual(story('cookies please')));
  bench.server.says(DIRECT, 'more');
  await bench.eventually(() =>
    expect(bench.server.channel(DIRECT)).toEqual([...story('cookies please'), ...story('more')]),
  );
});

test('in channels the bot hears what mentions it; other bots and what Discord reports it does not', async ({
  bench,
}) => {
  const messages = await bench.delivered(bench.connector());
  const robot = { author: { id: '5', username: 'robot', bot: true } };
  bench.server.says(TEAM, 'just talking', { guild_id: '7000' });
  bench.server.says(TEAM, '<@900> what is up?', guild);
  bench.server.says(TEAM, 'well, <@!900>?', guild);
  bench.server.says(DIRECT, 'beep', robot);
  bench.server.says(DIRECT, 'hooked', { webhook_id: '8' });
  bench.server.says(DIRECT, '', { type: 6 });
  bench.server.says(DIRECT, 'a reply', { type: 19 });
  await soon(() => expect(messages).toHaveLength(3));
  expect(messages.map(({ chat, text }) => `${chat}: ${text}`).sort()).toEqual([
    `discord:${DIRECT}: a reply`,
    `discord:${TEAM}: well, <@!900>?`,
    `discord:${TEAM}: what is up?`,
  ]);
  expect(messages[0]?.sender).toEqual({ id: 'discord:42', name: 'Ada L.' });
});

test('a cut connection is resumed, and what was said meanwhile is answered once', async ({ bench }) => {
  const { executor, connector } = bench.logbook();
  await executor.start();
  bench.server.gateway.cut();
  bench.server.says(DIRECT, 'one');
  await bench.eventually(() => expect(bench.server.channel(DIRECT)).toEqual(story('one')));
  expect(bench.server.gateway.heard).toEqual(['identify', 'resume']);
  expect(connector.state.kind).toBe('on');
});

test('when Discord asks to connect again, the session goes on', async ({ bench }) => {
  const { executor } = bench.logbook();
  await executor.start();
  bench.server.gateway.askToReconnect();
  await soon(() => expect(bench.server.gateway.heard).toContain('resume'));
  bench.server.says(DIRECT, 'one');
  await bench.eventually(() => expect(bench.server.channel(DIRECT)).toEqual(story('one')));
});

test('a session that Discord has forgotten is begun anew, and what was missed is asked for', async ({
  bench,
}) => {
  const { executor } = bench.logbook();
  await executor.start();
  bench.server.says(DIRECT, 'one');
  await bench.eventually(() => expect(bench.server.channel(DIRECT)).toEqual(story('one')));
  bench.server.gateway.forget();
  bench.server.gateway.cut();
  bench.server.says(DIRECT, 'two');
  await bench.eventually(() => expect(bench.server.channel(DIRECT).at(-1)).toBe('logbook: answer to two'));
  expect(bench.server.gateway.heard).toEqual(['identify', 'resume', 'identify']);
  expect(bench.server.channel(DIRECT).filter((line) => line.includes('answer to'))).toHaveLength(2);
});

test('a connection without heartbeats is given up and opened again', async ({ bench }) => {
  bench.server.gateway.heartbeatMs = 50;
  bench.server.gateway.acks = false;
  await bench.delivered(bench.connector());
  await soon(() => expect(bench.server.gateway.beats).toBeGreaterThan(0));
  await soon(() => expect(bench.server.gateway.heard).toContain('resume'));
});

test('Discord is gone for a while: everything arrives once and in order when it is back', async ({
  bench,
}) => {
  const { executor, connector } = bench.logbook();
  await executor.start();
  bench.server.says(DIRECT, 'one');
  await bench.eventually(() => expect(bench.server.channel(DIRECT)).toEqual(story('one')));
  await bench.server.down();
  await soon(() => expect(connector.state.kind).toBe('waiting'));
  bench.server.says(DIRECT, 'two');
  await bench.time.advance(60_000);
  await bench.server.up();
  await bench.eventually(() =>
    expect(bench.server.channel(DIRECT)).toEqual([...story('one'), ...story('two')]),
  );
  expect(connector.state.kind).toBe('on');
});

test('what was said while the bus was off is answered after a restart, in its conversation', async ({
  bench,
}) => {
  const folder = await mkdtemp(join(tmpdir(), 'discord-'));
  const first = bench.logbook(join(folder, 'discord.json'));
  await first.executor.start();
  bench.server.says(DIRECT, 'one');
  await bench.eventually(() => expect(bench.server.channel(DIRECT)).toEqual(story('one')));
  await first.executor.stop();
  bench.server.says(DIRECT, 'two');
  const second = bench.logbook(join(folder, 'discord.json'));
  await second.executor.start();
  await bench.eventually(() =>
    expect(bench.server.channel(DIRECT)).toEqual([...story('one'), ...story('two')]),
  );
  expect(second.runner.asked).toEqual(['c -: two']);
  await second.executor.stop();
  await rm(folder, { recursive: true });
});

test('more posts than Discord allows wait for the next window, in order', async ({ bench }) => {
  const { executor, runner } = bench.logbook();
  const numbers = Array.from({ length: 12 }, (_, n) => `${n}`);
  runner.script = ({ frontend }) => {
    for (const n of numbers) void frontend.showDispatchStart('Pickle', 'Cookie', n);
    return { conversation: 'c', answer: 'done' };
  };
  await executor.start();
  bench.server.says(DIRECT, 'go');
  await bench.eventually(() => expect(bench.server.channel(DIRECT).at(-1)).toBe('logbook: done'));
  expect(bench.server.channel(DIRECT).slice(1, -1)).toEqual(
    numbers.map((n) => `logbook: Pickle: @cookie ${n}`),
  );
});

test('too many requests: nothing is posted before the time that Discord asks for', async ({ bench }) => {
  const { executor } = bench.logbook();
  await executor.start();
  bench.server.faults.push({ status: 429, retryAfter: 17 });
  bench.server.says(DIRECT, 'one');
  const posts = () => bench.server.calls.filter((call) => call.startsWith('POST'));
  await soon(() => expect(posts()).toHaveLength(1));
  await bench.time.advance(16_000);
  expect(posts()).toHaveLength(1);
  await bench.eventually(() => expect(bench.server.channel(DIRECT)).toEqual(story('one')));
});

test('a post that Discord answered with an error of its own is tried again', async ({ bench }) => {
  const { executor } = bench.logbook();
  await executor.start();
  bench.server.faults.push({ status: 500 }, { status: 503 });
  bench.server.says(DIRECT, 'one');
  await bench.eventually(() => expect(bench.server.channel(DIRECT)).toEqual(story('one')));
});

test.for(['cutBefore', 'cutAfter'] as const)(
  'an answer whose connection is %s is there once',
  async (fault, { bench }) => {
    const { executor, runner } = bench.logbook();
    runner.script = () => ({ conversation: 'c', answer: 'the answer' });
    await executor.start();
    bench.server.faults.push(fault);
    bench.server.says(DIRECT, 'one');
    await bench.eventually(() => {
      expect(bench.server.calls.filter((call) => call.startsWith('POST'))).toHaveLength(2);
      expect(bench.server.channel(DIRECT)).toEqual(['Ada: one', 'logbook: the answer']);
    });
  },
);

test('a token that is not accepted is said in words without it', async ({ bench }) => {
  const connector = bench.connector({ token: 'MTk4.wrong.secret' });
  await expect(bench.delivered(connector)).rejects.toThrow('Discord does not accept the token of the bot.');
});

test('a token of nothing but its kind is refused at once, as a wrong one is', async ({ bench }) => {
  await expect(bench.delivered(bench.connector({ token: 'Bot ' }))).rejects.toThrow(
    'does not accept the token',
  );
});

test.for([
  [4004, 'does not accept the token'],
  [4014, 'allow its intents'],
  [4012, 'code 4012'],
] as const)('a gateway that closes with %i is said in words', async ([code, words], { bench }) => {
  bench.server.gateway.refuseWith = code;
  const connector = bench.connector();
  await expect(bench.delivered(connector)).rejects.toThrow(words);
  expect(bench.server.gateway.heard).toEqual(['identify']);
});

test('a token that is taken back later is a failure that says so', async ({ bench }) => {
  const connector = bench.connector();
  await bench.delivered(connector);
  bench.server.gateway.closeWith(4004);
  await soon(() => expect(connector.state).toMatchObject({ kind: 'failed' }));
});

test('a start while Discord is away waits for it', async ({ bench }) => {
  await bench.server.down();
  const connector = bench.connector();
  const started = bench.delivered(connector);
  await soon(() => expect(connector.state.kind).toBe('waiting'));
  await bench.server.up();
  await bench.eventually(() => expect(connector.state.kind).toBe('on'));
  await started;
});

test('a stop while Discord is away is final', async ({ bench }) => {
  const connector = bench.connector();
  await bench.delivered(connector);
  await bench.server.down();
  await soon(() => expect(connector.state.kind).toBe('waiting'));
  await connector.stop();
  expect(connector.state).toEqual({ kind: 'off' });
  const calls = bench.server.gateway.heard.length;
  await bench.server.up();
  // Twice as long as discord.js waits before it opens a lost connection again.
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect(bench.server.gateway.heard).toHaveLength(calls);
  expect(bench.server.gateway.sockets.clients.size).toBe(0);
});

test('a stop ends a start that is still waiting', async ({ bench }) => {
  await bench.server.down();
  const connector = bench.connector();
  const started = bench.delivered(connector).catch((error: unknown) => error);
  await soon(() => expect(connector.state.kind).toBe('waiting'));
  await connector.stop();
  expect(await started).toBeInstanceOf(Error);
  expect(connector.state).toEqual({ kind: 'off' });
  await bench.server.up();
});

test('the gateway can be another one than Discord names', async ({ bench }) => {
  const messages = await bench.delivered(bench.connector({ gateway: bench.server.gatewayUrl }));
  bench.server.gateway.cut();
  bench.server.says(DIRECT, 'still there?');
  await soon(() => expect(messages).toHaveLength(1));
});

test.for([{ apiRoot: 'http://example.org/api' }, { gateway: 'ws://example.org' }])(
  'the addresses %j get no token',
  async (addresses, { bench }) => {
    await expect(bench.delivered(bench.connector(addresses))).rejects.toThrow('must begin with https');
  },
);

test('the token is in no error, no state and no log line', async ({ bench }) => {
  const { connector, executor } = bench.logbook();
  const states: string[] = [];
  connector.onDidChangeState((state) => states.push(JSON.stringify(state)));
  await executor.start();
  await bench.server.down();
  await soon(() => expect(connector.state.kind).toBe('waiting'));
  const error = await connector.post(`discord:${DIRECT}`, 'hi').catch((reason: unknown) => reason);
  expect(error).toMatchObject({ failure: 'later' });
  expect([...states, ...bench.log.lines, String(error)].join('\n')).not.toContain('secret');
  await bench.server.up();
});
