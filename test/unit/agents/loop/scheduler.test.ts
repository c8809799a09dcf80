import { expect, test } from 'vitest';
import { Scheduler } from '../../../../src/agents/loop/limits/scheduler.js';
import { settle } from '../../../support/manualTime.js';
import { aTeam, aTool, use } from '../../../support/scriptedTeam.js';

const forever = new AbortController().signal;

test('slots are given in the order in which they were asked for', async () => {
  const scheduler = new Scheduler({ requestsAtOnce: 1 });
  const order: string[] = [];
  const first = await scheduler.acquire(forever);
  const others = ['b', 'c', 'd'].map(async (name) => {
    const release = await scheduler.acquire(forever);
    order.push(name);
    release?.();
  });
  expect(scheduler.load).toEqual({ held: 1, waiting: 3 });
  first?.();
  await Promise.all(others);
  expect(order).toEqual(['b', 'c', 'd']);
  expect(scheduler.load).toEqual({ held: 0, waiting: 0 });
});

test('giving a slot back twice gives it back once', async () => {
  const scheduler = new Scheduler({ requestsAtOnce: 2 });
  const [a, b] = [await scheduler.acquire(forever), await scheduler.acquire(forever)];
  a?.();
  a?.();
  expect(scheduler.load).toEqual({ held: 1, waiting: 0 });
  b?.();
  expect(scheduler.load.held).toBe(0);
});

test('who no longer wants a slot leaves the line', async () => {
  const scheduler = new Scheduler({ requestsAtOnce: 1 });
  const release = await scheduler.acquire(forever);
  const controller = new AbortController();
  const waiting = scheduler.acquire(controller.signal);
  const next = scheduler.acquire(forever);
  controller.abort();
  expect(await waiting).toBeUndefined();
  expect(await scheduler.acquire(controller.signal)).toBeUndefined();
  release?.();
  expect(await next).toBeDefined();
});

test('never more requests than allowed are under way, over all conversations', async () => {
  let running = 0;
  let most = 0;
  const model = {
    id: 'm',
    label: 'm',
    kind: 'http',
    endpoint: 'e',
    async *stream() {
      most = Math.max(most, ++running);
      await settle();
      running--;
      yield { type: 'end', finishReason: 'stop' } as const;
    },
  } as const;
  const scheduler = new Scheduler({ requestsAtOnce: 3 });
  const teams = Array.from({ length: 10 }, () => aTeam(['Pickle'], { model, scheduler }));
  await Promise.all(teams.map(({ session }) => session.run('go')));
  expect(most).toBe(3);
});

test('work without a pause gives the event loop its turns', async () => {
  let turns = 0;
  const state = { isOver: false };
  const count = () => {
    turns++;
    if (!state.isOver) setImmediate(count);
  };
  setImmediate(count);
  const busy = aTool('busy', () => {
    const end = performance.now() + 9;
    while (performance.now() < end);
    return 'ok';
  });
  const script = { Pickle: [...Array.from({ length: 10 }, (_, n) => use('busy', { n })), { text: 'ok' }] };
  await aTeam(['Pickle'], { script, tools: [busy] }).session.run('go');
  state.isOver = true;
  expect(turns).toBeGreaterThanOrEqual(10);
});

test('a hundred loops at once share the turns', async () => {
  const scheduler = new Scheduler({ requestsAtOnce: 100 });
  const script = { Pickle: [...Array.from({ length: 5 }, (_, n) => use('t', { n })), { text: 'ok' }] };
  const order: number[] = [];
  const teams = Array.from({ length: 100 }, (_, index) =>
    aTeam(['Pickle'], { scheduler, script, tools: [aTool('t', () => (order.push(index), 'ok'))] }),
  );
  const results = await Promise.all(teams.map(({ session }) => session.run('go')));
  expect(results.every(({ outcome }) => outcome === 'done')).toBe(true);
  const firstRound = new Set(order.slice(0, 250));
  expect(firstRound.size).toBe(100);
});
