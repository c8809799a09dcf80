import { expect, test } from 'vitest';
import { PostError } from '../../../../src/core/ports/chatConnector.js';
import { connectorBench, quiet } from '../../../support/connectorBench.js';
import { settle } from '../../../support/manualTime.js';
import { soon } from '../../../support/soon.js';

/** A started bench whose platform fails as `failures` says, one per try, and then works. */
async function benchWith(...failures: (Error | 'hang')[]) {
  const bench = connectorBench();
  let tries = 0;
  bench.connector.answer = () => {
    const failure = failures[tries++];
    return failure === 'hang' ? new Promise<undefined>(() => undefined) : failure;
  };
  await bench.executor.start();
  return { ...bench, tries: () => tries };
}

const later = (retryAfterMs?: number) => new PostError('later', 'unreachable', retryAfterMs);
const unknown = new PostError('unknown', 'connection lost');

test('a platform that is down for a minute gets everything once, in order, when it is back', async () => {
  const bench = connectorBench();
  let down = true;
  bench.connector.answer = () => (down ? later() : undefined);
  bench.runner.script = ({ frontend, prompt }) => {
    void frontend.showDispatchStart('Pickle', 'Cookie', prompt);
    void frontend.showDispatchResult('Pickle', 'Cookie', prompt);
    return { conversation: 'c', answer: `answer to ${prompt}` };
  };
  await bench.executor.start();
  await bench.connector.say('a', 'one');
  await bench.connector.say('a', 'two');
  await bench.time.advance(60_000);
  expect(bench.connector.posts).toEqual([]);
  down = false;
  await bench.time.advance(60_000);
  await quiet();
  expect(bench.connector.posts).toEqual(
    ['one', 'two'].flatMap((n) => [`a> Pickle: @cookie ${n}`, `a> Cookie: - ${n}`, `a> answer to ${n}`]),
  );
});

test('tries come at growing distances', async () => {
  const { connector, time, tries } = await benchWith(later(), later(), later(), later());
  await connector.say('a', 'one');
  const seen: number[] = [];
  for (let second = 0; second < 16; second++) {
    await time.advance(second === 0 ? 0 : 1_000);
    seen.push(tries());
  }
  expect(seen).toEqual([1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 5]);
});

test('the platform says how long to wait, and is heard', async () => {
  const { connector, time, tries } = await benchWith(later(30_000));
  await connector.say('a', 'one');
  await time.advance(29_999);
  expect(tries()).toBe(1);
  await time.advance(1);
  expect(connector.posts).toEqual(['a> answer to one']);
});

test('an answer that may have been posted is not posted again, but asked about once', async () => {
  const { connector, time } = await benchWith(unknown);
  await connector.say('a', 'one');
  await time.advance(10_000);
  expect(connector.posts.filter((post) => post === 'a> answer to one')).toHaveLength(1);
  expect(connector.posts.slice(1).join(' ')).toMatch(/connection broke .* \/again/);
  await connector.say('a', '/again');
  await quiet();
  expect(connector.posts.at(-1)).toBe('a> answer to one');
});

test('an error of another copy of the port is understood', async () => {
  const copy = Object.assign(new Error('connection lost'), { name: 'PostError', failure: 'unknown' });
  const { connector, time, tries } = await benchWith(copy);
  await connector.say('a', 'one');
  await time.advance(10_000);
  expect(tries()).toBeGreaterThan(1);
  expect(connector.posts.filter((post) => post === 'a> answer to one')).toHaveLength(1);
});

test('an error that says nothing of posting is taken as not posted', async () => {
  const { connector, time } = await benchWith(new Error('oops'));
  await connector.say('a', 'one');
  await time.advance(10_000);
  expect(connector.keys).toHaveLength(2);
});

test('nobody asks about the asking', async () => {
  const { connector, time } = await benchWith(unknown, unknown);
  await connector.say('a', 'one');
  await time.advance(100_000);
  expect(connector.posts.filter((post) => post.includes('connection broke'))).toHaveLength(1);
});

test('where the platform knows a repetition, the same key is tried again', async () => {
  const { connector, time } = await benchWith(unknown, later());
  connector.repeatableMs = 60_000;
  await connector.say('a', 'one', { id: 'm1' });
  await time.advance(10_000);
  expect(connector.keys).toEqual(['m1#0', 'm1#0', 'm1#0']);
});

test('where the platform no longer knows a repetition, it is asked about', async () => {
  const { connector, time } = await benchWith(unknown, later(90_000));
  connector.repeatableMs = 60_000;
  await connector.say('a', 'one');
  await time.advance(100_000);
  await quiet();
  expect(connector.keys.slice(2).every((key) => key?.endsWith('?'))).toBe(true);
  expect(connector.posts.join(' ')).toContain('connection broke');
});

test('a post that never ends counts as one that may have been posted', async () => {
  const { connector, time } = await benchWith('hang');
  await connector.say('a', 'one');
  await time.advance(62_000);
  await quiet();
  expect(connector.posts.join(' ')).toContain('connection broke');
});

test('a dispatch line is not worth more than ten minutes; the answer is', async () => {
  const bench = connectorBench();
  let down = true;
  bench.connector.answer = () => (down ? later() : undefined);
  bench.runner.script = ({ frontend }) => {
    void frontend.showDispatchStart('Pickle', 'Cookie', 'bake');
    return { conversation: 'c', answer: 'done' };
  };
  await bench.executor.start();
  await bench.connector.say('a', 'one');
  await bench.time.advance(11 * 60_000);
  down = false;
  await bench.time.advance(60_000);
  await quiet();
  expect(bench.connector.posts).toEqual(['a> done']);
  expect(bench.log.lines).toEqual(['warn: A line could not be posted to a: unreachable']);
});

test('while the platform is away only the newest 200 lines wait, and how many are missing is said', async () => {
  const bench = connectorBench();
  let down = true;
  let shown = 0;
  bench.connector.answer = () => (down ? later() : undefined);
  bench.runner.script = async ({ frontend }) => {
    for (let n = 0; n < 500; n++) {
      void frontend.showDispatchStart('Pickle', 'Cookie', `${n}`);
      await settle();
      shown++;
    }
    return { conversation: 'c', answer: 'done' };
  };
  await bench.executor.start();
  await bench.connector.say('a', 'go');
  await soon(() => expect(bench.runner.asked).toHaveLength(1));
  await soon(async () => {
    await bench.time.advance(1_000);
    expect(bench.connector.keys.length).toBeGreaterThan(3);
    expect(shown).toBe(500);
  });
  down = false;
  await soon(async () => {
    await bench.time.advance(60_000);
    expect(bench.connector.posts.at(-1)).toBe('a> done');
  });
  expect(bench.connector.posts.length).toBeLessThan(210);
  expect(bench.connector.posts).toContain('a> Pickle: @cookie 499');
  expect(bench.connector.posts.join(' ')).toMatch(/\(29\d lines were left out here/);
});
