import { expect, test } from 'vitest';
import { PostError } from '../../../../src/core/ports/chatConnector.js';
import { connectorBench, quiet } from '../../../support/connectorBench.js';
import { untilCancelled } from '../../../support/scriptedRunner.js';

/** What the chats show after these things were said in them, one after another. */
async function chatsAfter(bench: ReturnType<typeof connectorBench>, ...said: [chat: string, text: string][]) {
  await bench.executor.start();
  for (const [chat, text] of said) {
    await bench.connector.say(chat, text);
    await quiet();
  }
  return bench.connector.posts;
}

test('a chat has one conversation, another chat another one', async () => {
  const bench = connectorBench();
  expect(await chatsAfter(bench, ['a', 'one'], ['b', 'two'], ['a', 'three'])).toEqual([
    'a> answer to one',
    'b> answer to two',
    'a> answer to three',
  ]);
  expect(bench.runner.asked).toEqual(['- -: one', '- -: two', 'c1 -: three']);
});

test('dispatches are said before the answer, in order, and none after it', async () => {
  const bench = connectorBench();
  let late: () => void = () => undefined;
  bench.runner.script = ({ frontend }) => {
    late = () => void frontend.showDispatchStart('Pickle', 'Cookie', 'too late');
    void frontend.showDispatchStart('Pickle', 'Cookie', 'bake');
    void frontend.showDispatchResult('Pickle', 'Cookie', 'baked');
    void frontend.showText('Pickle', 'Cookies are ready.');
    return { conversation: 'c', answer: 'Cookies are ready.' };
  };
  const posts = await chatsAfter(bench, ['a', 'cookies please']);
  late();
  await quiet();
  expect(posts).toEqual(['a> Pickle: @cookie bake', 'a> Cookie: - baked', 'a> Cookies are ready.']);
});

test('a flood of 10,000 dispatches: the newest lines, how many are missing, then the answer', async () => {
  const bench = connectorBench();
  bench.runner.script = ({ frontend }) => {
    for (let n = 0; n < 10_000; n++) void frontend.showDispatchStart('Pickle', 'Cookie', `${n}`);
    return { conversation: 'c', answer: 'done' };
  };
  const posts = await chatsAfter(bench, ['a', 'go']);
  expect(posts.length).toBeLessThan(500);
  expect(posts.join('\n')).toMatch(/\d+ (older )?lines were left out/);
  expect(posts).toContain('a> Pickle: @cookie 9999');
  expect(posts.at(-1)).toBe('a> done');
  const numbers = posts.map((post) => /@cookie (\d+)$/.exec(post)?.[1]).filter((n) => n !== undefined);
  expect(numbers).toEqual([...numbers].sort((a, b) => Number(a) - Number(b)));
});

test('what is to be left out is posted nowhere: not in an answer, not where it is cut, not in a line', async () => {
  const clean = (text: string) => text.replaceAll('SECRET', '[REDACTED]');
  const bench = connectorBench({ clean });
  const long = `${'x'.repeat(97)}SECRET${'y'.repeat(50)}`;
  bench.runner.script = ({ frontend }) => {
    void frontend.showDispatchStart('Pickle', 'Cookie', 'with SECRET');
    return { conversation: 'c', answer: long };
  };
  const posts = await chatsAfter(bench, ['a', 'go'], ['a', '/again']);
  expect(posts.map((post) => post.replace('a> ', '')).join('')).not.toMatch(/SECRET|SECR$|^CRET/);
  expect(posts[0]).toBe('a> Pickle: @cookie with [REDACTED]');
});

test('a chat whose run hangs delays no other', async () => {
  const bench = connectorBench();
  bench.runner.script = (request) =>
    request.prompt === 'hang' ? untilCancelled(request) : { conversation: 'c', answer: 'prompt' };
  expect(await chatsAfter(bench, ['a', 'hang'], ['b', 'hello'])).toEqual(['b> prompt']);
});

test('a chat that cannot be posted to delays no other', async () => {
  const bench = connectorBench();
  bench.connector.answer = (chat) => (chat === 'a' ? new Promise(() => undefined) : undefined);
  expect(await chatsAfter(bench, ['a', 'one'], ['b', 'two'])).toEqual(['b> answer to two']);
});

test.each([
  ['says why', () => ({ failure: 'no model' }), 'a> This could not be finished: no model'],
  ['rejects', () => Promise.reject(new Error('broken')), 'a> This could not be finished: broken'],
  [
    'throws',
    () => {
      throw new Error('broken');
    },
    'a> This could not be finished: broken',
  ],
  [
    'says nothing',
    () => ({ conversation: 'c', answer: ' \n' }),
    'a> (The agent ended without saying anything.)',
  ],
])('a run that %s is told to the chat, and the next one goes on', async (_, script, expected) => {
  const bench = connectorBench();
  bench.runner.script = (request) =>
    request.prompt === 'one' ? script() : { conversation: 'c', answer: 'next' };
  expect(await chatsAfter(bench, ['a', 'one'], ['a', 'two'])).toEqual([expected, 'a> next']);
});

test('the same message twice is one message', async () => {
  const bench = connectorBench();
  await bench.executor.start();
  await bench.connector.say('a', 'one', { id: 'same' });
  await bench.connector.say('a', 'one', { id: 'same' });
  await quiet();
  await bench.connector.say('a', 'one', { id: 'same' });
  await quiet();
  expect(bench.connector.posts).toEqual(['a> answer to one']);
});

test('strangers are told once, with the id to add, and are not answered', async () => {
  const allowed = ['test:ada'];
  const bench = connectorBench({ allowedSenders: () => allowed });
  const eve = { sender: { id: 'test:eve', name: 'Eve' } };
  await bench.executor.start();
  await bench.connector.say('e', 'let me in', eve);
  await bench.connector.say('e', '/help', eve);
  await quiet();
  expect(bench.connector.posts).toEqual([
    'e> Sorry, I answer only people I know. The owner of this bot can add you to its allowed senders:',
    'e> test:eve',
  ]);
  expect(bench.runner.asked).toEqual([]);
  allowed.push('test:eve');
  await bench.connector.say('e', 'now?', eve);
  await quiet();
  expect(bench.connector.posts.at(-1)).toBe('e> answer to now?');
});

test('a chat with too many waiting messages is told once, until there is room again', async () => {
  const bench = connectorBench({ maxWaiting: 2 });
  bench.runner.script = untilCancelled;
  const posts = await chatsAfter(bench, ['a', '1'], ['a', '2'], ['a', '3'], ['a', '4']);
  expect(posts.join(' ')).toContain('2 messages wait here already');
  const refusals = () => posts.filter((post) => post.includes('Sorry'));
  expect(refusals()).toHaveLength(1);
  bench.runner.script = undefined;
  await bench.connector.say('a', '/stop');
  await bench.connector.say('a', '5');
  await quiet();
  expect(bench.runner.asked).toEqual(['- -: 1', '- -: 5']);
  bench.runner.script = untilCancelled;
  for (const text of ['6', '7', '8']) await bench.connector.say('a', text);
  await quiet();
  expect(refusals()).toHaveLength(2);
});

test('/stop ends the run, forgets what waits and says so once', async () => {
  const bench = connectorBench();
  bench.runner.script = untilCancelled;
  expect(await chatsAfter(bench, ['a', 'long'], ['a', 'next'], ['a', '/stop'], ['a', '/stop'])).toEqual([
    'a> Stopped; 1 waiting message was forgotten.',
    'a> Nothing is running here.',
  ]);
  expect(bench.runner.asked).toEqual(['- -: long']);
});

test('a run that does not listen to /stop is no longer waited for', async () => {
  const bench = connectorBench();
  bench.runner.script = ({ prompt }) =>
    prompt === 'deaf' ? new Promise(() => undefined) : { conversation: 'c', answer: 'next' };
  await chatsAfter(bench, ['a', 'deaf'], ['a', '/stop'], ['a', 'next']);
  expect(bench.connector.posts).toEqual(['a> Stopped.']);
  await bench.time.advance(5_000);
  await quiet();
  expect(bench.connector.posts).toEqual(['a> Stopped.', 'a> next']);
});

test('a conversation in which nothing can be begun any more is not the end', async () => {
  const bench = connectorBench();
  await chatsAfter(bench, ['a', 'one']);
  bench.runner.script = () => ({ failure: 'The conversation is gone.' });
  await bench.connector.say('a', 'two');
  await quiet();
  expect(bench.connector.posts.slice(1).join(' ')).toMatch(/is gone\..*\/new begins/s);
});

test('/new begins a new conversation, with the same agent', async () => {
  const bench = connectorBench();
  await chatsAfter(bench, ['a', '/agent cookie'], ['a', 'one'], ['a', '!new'], ['a', 'two']);
  expect(bench.runner.asked).toEqual(['- Cookie: one', '- Cookie: two']);
});

test('/agent lists, chooses and refuses what is not there', async () => {
  const bench = connectorBench();
  expect(
    await chatsAfter(bench, ['a', '/agent'], ['a', '/agent@my_bot COOKIE'], ['a', '/agent Eve']),
  ).toEqual([
    'a> You can talk to: Pickle (now), Cookie. Choose with /agent NAME.',
    'a> Cookie answers from now on, in a new conversation.',
    "a> There is no agent 'Eve'. You can talk to: Pickle, Cookie. Choose with /agent NAME.",
  ]);
});

test('/again says the last answer again, /help tells the commands', async () => {
  const bench = connectorBench();
  const posts = await chatsAfter(bench, ['a', '/again'], ['a', 'one'], ['a', '/again'], ['a', '/start']);
  expect(posts.slice(0, 3)).toEqual([
    'a> There is no answer yet that I could say again.',
    'a> answer to one',
    'a> answer to one',
  ]);
  expect(posts.slice(3).join('\n')).toContain('/agent NAME');
});

test('what looks like a command and is none is a prompt', async () => {
  const bench = connectorBench();
  await chatsAfter(bench, ['a', '/etc/hosts says what?'], ['a', 'what does /stop do']);
  expect(bench.runner.asked).toEqual(['- -: /etc/hosts says what?', 'c1 -: what does /stop do']);
});

test('a message that names its conversation goes there, commands and all', async () => {
  const bench = connectorBench();
  await bench.executor.start();
  await bench.connector.say('a', '/stop', { conversation: 'c-of-panel' });
  await quiet();
  expect(bench.runner.asked).toEqual(['c-of-panel -: /stop']);
});

test('what is not text is answered politely', async () => {
  expect(await chatsAfter(connectorBench(), ['a', ' '])).toEqual(['a> I can read text only.']);
});

test('a message that comes a day late is not acted on', async () => {
  const bench = connectorBench();
  await bench.time.advance(25 * 60 * 60_000);
  const posts = await chatsAfter(bench, ['a', 'delete everything']);
  expect(posts.join(' ')).toContain('more than a day late');
  expect(bench.runner.asked).toEqual([]);
});

test('a long answer comes in pieces, in order', async () => {
  const bench = connectorBench();
  bench.runner.script = () => ({ conversation: 'c', answer: `${'a'.repeat(90)}\n\n${'b'.repeat(90)}` });
  expect(await chatsAfter(bench, ['a', 'go'])).toEqual([`a> ${'a'.repeat(90)}`, `a> ${'b'.repeat(90)}`]);
});

test('a refused post is a warning, and the next one goes on', async () => {
  const bench = connectorBench();
  bench.connector.answer = (_, text) =>
    text.includes('one') ? new PostError('refused', 'blocked') : undefined;
  expect(await chatsAfter(bench, ['a', 'one'], ['a', 'two'])).toEqual(['a> answer to two']);
  expect(bench.log.lines).toEqual(['warn: a did not take an answer: blocked']);
});

test('start and stop can be called any number of times', async () => {
  const { executor, connector } = connectorBench();
  await executor.stop();
  await Promise.all([executor.start(), executor.start()]);
  expect(connector.starts).toBe(1);
  await Promise.all([executor.stop(), executor.stop()]);
  await executor.stop();
  expect(connector.stops).toBe(1);
  await executor.start();
  expect(connector.starts).toBe(2);
  await executor.stop();
});

test('a start that fails tells why, cleans up and can be tried again', async () => {
  const { executor, connector } = connectorBench();
  const start = connector.start.bind(connector);
  connector.start = () => Promise.reject(new Error('The token is not accepted.'));
  await expect(executor.start()).rejects.toThrow('The token is not accepted.');
  connector.start = start;
  await executor.start();
  await connector.say('a', 'one');
  await quiet();
  expect(connector.posts).toEqual(['a> answer to one']);
});

test('a bus that failed since can be started again', async () => {
  const { executor, connector } = connectorBench();
  await executor.start();
  connector.state = { kind: 'failed', problem: 'the token was taken back' };
  const again = executor.start();
  connector.state = { kind: 'off' };
  await again;
  expect([connector.starts, connector.stops]).toEqual([2, 1]);
});

test('a stop cancels what runs and leaves no timer', async () => {
  const { executor, connector, runner, time } = connectorBench();
  let cancelled = false;
  runner.script = async (request) => {
    const outcome = await untilCancelled(request);
    cancelled = true;
    return outcome;
  };
  await executor.start();
  await connector.say('a', 'long');
  await quiet();
  await executor.stop();
  expect(cancelled).toBe(true);
  expect(connector.posts).toEqual([]);
  expect(time.waiting).toBe(0);
});

test('a stop does not wait for ever for a run that does not end', async () => {
  const { executor, connector, runner, time } = connectorBench();
  runner.script = () => new Promise(() => undefined);
  await executor.start();
  await connector.say('a', 'deaf');
  await quiet();
  const stopped = executor.stop();
  await expect(connector.say('a', 'too late')).rejects.toThrow('stopped');
  await time.advance(6_000);
  await stopped;
  expect(connector.stops).toBe(1);
});
