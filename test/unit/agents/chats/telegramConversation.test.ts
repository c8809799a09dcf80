import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { FrontendHub } from '../../../../src/agents/frontends/frontendHub.js';
import { aTeam, ask } from '../../../support/scriptedTeam.js';
import { soon } from '../../../support/soon.js';
import { ADA, story, telegramTest as test } from '../../../support/telegramBench.js';

test('a whole conversation, as the user sees it', async ({ bench }) => {
  const { executor, connector } = bench.logbook();
  await executor.start();
  expect(connector.state).toEqual({ kind: 'on', account: '@logbook_bot' });
  bench.server.says(ADA, 'cookies please');
  await soon(() => expect(bench.server.chat(ADA)).toEqual(story('cookies please')));
  bench.server.says(ADA, 'more');
  await soon(() => expect(bench.server.chat(ADA)).toEqual([...story('cookies please'), ...story('more')]));
});

test('a whole conversation with a real team, as the user sees it', async ({ bench }) => {
  const { executor, runner } = bench.logbook();
  const team = aTeam(['Pickle', 'Cookie'], {
    script: {
      Pickle: [ask('Cookie', 'Bake a cake.'), { text: 'Cookie has baked.' }, { text: 'A lemon cake.' }],
      Cookie: [{ text: 'A lemon cake,\nstill warm.' }],
    },
  });
  runner.script = async ({ prompt, frontend, signal }) => {
    const hub = new FrontendHub({ log: bench.log });
    hub.add('chat', frontend);
    const { text } = await team.session.run(prompt, { signal, config: { ...team.config, frontend: hub } });
    return { conversation: team.session.conversation, answer: text };
  };
  await executor.start();
  bench.server.says(ADA, 'cake please');
  await soon(() => expect(bench.server.chat(ADA)).toHaveLength(4));
  bench.server.says(ADA, 'which one?');
  await soon(() =>
    expect(bench.server.chat(ADA)).toEqual([
      'Ada: cake please',
      'Logbook: Pickle: @cookie Bake a cake.',
      'Logbook: Cookie: - A lemon cake, still warm.',
      'Logbook: Cookie has baked.',
      'Ada: which one?',
      'Logbook: A lemon cake.',
    ]),
  );
});

test('what was said before the start is answered, and a webhook does not stand in the way', async ({
  bench,
}) => {
  bench.server.webhook = 'https://example.org/hook';
  bench.server.says(ADA, 'early');
  const { executor } = bench.logbook();
  await executor.start();
  await soon(() => expect(bench.server.chat(ADA)).toEqual(story('early')));
});

test('Telegram is gone for a minute: everything arrives once and in order when it is back', async ({
  bench,
}) => {
  const { executor, connector } = bench.logbook();
  await executor.start();
  bench.server.says(ADA, 'one');
  await soon(() => expect(bench.server.chat(ADA)).toEqual(story('one')));
  await bench.server.down();
  await soon(() => expect(connector.state).toMatchObject({ kind: 'waiting' }));
  await bench.time.advance(60_000);
  bench.server.says(ADA, 'two');
  await bench.server.up();
  await bench.eventually(() => expect(bench.server.chat(ADA)).toEqual([...story('one'), ...story('two')]));
  expect(connector.state.kind).toBe('on');
});

test('when Telegram is back that is seen at once, without anybody saying anything', async ({ bench }) => {
  const { executor, connector } = bench.logbook();
  await executor.start();
  await bench.server.down();
  await soon(() => expect(connector.state).toMatchObject({ kind: 'waiting' }));
  await bench.server.up();
  await bench.time.advance(60_000);
  await soon(() => expect(connector.state.kind).toBe('on'));
});

test('Telegram goes while an agent works: its lines and answer are there when it is back', async ({
  bench,
}) => {
  const { executor, runner } = bench.logbook();
  const script = runner.script;
  let work: () => void = () => undefined;
  const worked = new Promise<void>((resolve) => (work = resolve));
  runner.script = async (request) => {
    await worked;
    return script?.(request) ?? { failure: 'no script' };
  };
  await executor.start();
  bench.server.says(ADA, 'one');
  await soon(() => expect(runner.asked).toHaveLength(1));
  await bench.server.down();
  work();
  await bench.time.advance(30_000);
  await bench.server.up();
  await bench.eventually(() => expect(bench.server.chat(ADA)).toEqual(story('one')));
});

test('too many requests: nothing is posted before the time that Telegram asks for', async ({ bench }) => {
  const { executor } = bench.logbook();
  await executor.start();
  bench.server.faults.push({ method: 'sendMessage', fault: { status: 429, retryAfter: 17 } });
  bench.server.says(ADA, 'one');
  await soon(() => expect(bench.server.calls.filter((call) => call === 'sendMessage')).toHaveLength(1));
  await bench.time.advance(16_000);
  expect(bench.server.calls.filter((call) => call === 'sendMessage')).toHaveLength(1);
  await bench.eventually(() => expect(bench.server.chat(ADA)).toEqual(story('one')));
});

test.for([{ status: 500 }, { status: 502 }, 'proxyPage'] as const)(
  'after an answer %j a post is tried again',
  async (fault, { bench }) => {
    const { executor } = bench.logbook();
    await executor.start();
    bench.server.faults.push({ method: 'sendMessage', fault }, { method: 'sendMessage', fault });
    bench.server.says(ADA, 'one');
    await bench.eventually(() => expect(bench.server.chat(ADA)).toEqual(story('one')));
  },
);

test('a connection cut after the answer was posted: it is not posted twice, and the user is asked', async ({
  bench,
}) => {
  const { executor, runner } = bench.logbook();
  runner.script = () => ({ conversation: 'c', answer: 'the answer' });
  await executor.start();
  bench.server.faults.push({ method: 'sendMessage', fault: 'cutAfter' });
  bench.server.says(ADA, 'one');
  await bench.eventually(() => expect(bench.server.chat(ADA)).toHaveLength(3));
  expect(bench.server.chat(ADA).slice(0, 2)).toEqual(['Ada: one', 'Logbook: the answer']);
  expect(bench.server.chat(ADA)[2]).toContain('/again');
});

test('a connection cut before the answer was posted: the user is asked, and /again brings it', async ({
  bench,
}) => {
  const { executor, runner } = bench.logbook();
  runner.script = () => ({ conversation: 'c', answer: 'the answer' });
  await executor.start();
  bench.server.faults.push({ method: 'sendMessage', fault: 'cutBefore' });
  bench.server.says(ADA, 'one');
  await bench.eventually(() => expect(bench.server.chat(ADA).at(-1)).toContain('/again'));
  bench.server.says(ADA, '/again');
  await bench.eventually(() => expect(bench.server.chat(ADA).at(-1)).toBe('Logbook: the answer'));
});

test('a user who blocked the bot is a warning and nothing else', async ({ bench }) => {
  const { executor } = bench.logbook();
  await executor.start();
  bench.server.blocked.add(ADA);
  bench.server.says(ADA, 'one');
  await bench.eventually(() =>
    expect(bench.log.lines.join('\n')).toContain('did not take an answer: Forbidden'),
  );
  bench.server.blocked.clear();
  bench.server.says(ADA, 'two');
  await bench.eventually(() => expect(bench.server.chat(ADA)).toEqual(['Ada: one', ...story('two')]));
});

test('a stop lets the post in flight end, so that nobody has to ask about it', async ({ bench }) => {
  const folder = await mkdtemp(join(tmpdir(), 'telegram-'));
  const path = join(folder, 'telegram.json');
  const { executor, runner } = bench.logbook(path);
  runner.script = () => ({ conversation: 'c', answer: 'the answer' });
  await executor.start();
  let open: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  bench.server.onCall = (method) => (method === 'sendMessage' ? gate : undefined);
  bench.server.says(ADA, 'one');
  await soon(() => expect(bench.server.calls).toContain('sendMessage'));
  const stopped = executor.stop();
  await bench.time.advance(1_000);
  open();
  await stopped;
  expect(bench.server.chat(ADA)).toEqual(['Ada: one', 'Logbook: the answer']);
  expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ inbox: [], outbox: [] });
  await rm(folder, { recursive: true });
});
