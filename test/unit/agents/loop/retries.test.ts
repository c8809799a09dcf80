import { expect, test } from 'vitest';
import type { ScriptStep } from '../../../../src/agents/models/script.js';
import { modelRetryDelay } from '../../../../src/agents/loop/askModel.js';
import { ManualTime, until } from '../../../support/manualTime.js';
import { aTeam, aTool, linesOf, use, type TeamOptions } from '../../../support/scriptedTeam.js';

const busy = (rest: Partial<NonNullable<ScriptStep['error']>> = {}): ScriptStep => ({
  error: { message: 'busy', status: 429, retryable: true, ...rest },
});

/** A run in manual time, moved on until it ends; the delays that were waited for. */
async function waited(steps: ScriptStep[], options: TeamOptions = {}) {
  const clock = new ManualTime();
  const team = aTeam(['Pickle'], { clock, timers: clock, script: { Pickle: steps }, ...options });
  const result = await clock.passUntil(team.session.run('go'));
  const delays = team.events.flatMap((event) => (event.type === 'retry' ? [event.delayMs] : []));
  return { team, result, delays };
}

test('a failure that may pass is tried again, and every try is recorded', async () => {
  const { team, result, delays } = await waited([busy(), busy(), { text: 'There.' }]);
  expect(result).toMatchObject({ outcome: 'done', text: 'There.' });
  expect(delays).toHaveLength(2);
  const requests = team.records.flatMap((record) => (record.type === 'request' ? [record] : []));
  expect(requests.map(({ attempt, error }) => [attempt, error?.status])).toEqual([
    [1, 429],
    [2, 429],
    [3, undefined],
  ]);
});

test('what the provider asks to wait is waited, not less', async () => {
  const { delays } = await waited([busy({ retryAfterMs: 2_000 }), { text: 'There.' }]);
  expect(delays[0]).toBeGreaterThanOrEqual(2_000);
  expect(delays[0]).toBeLessThanOrEqual(2_500);
});

test('a provider that asks for too long a wait has refused', async () => {
  const { result, delays } = await waited([busy({ retryAfterMs: 3_600_000 }), { text: 'never' }]);
  expect(result).toMatchObject({ outcome: 'failed', error: { message: 'busy', status: 429 } });
  expect(delays).toEqual([]);
});

test('tries are bounded', async () => {
  const { team, result } = await waited(
    Array.from({ length: 9 }, () => busy()),
    { limits: { retries: 2 } },
  );
  expect(result.outcome).toBe('failed');
  expect(team.model.requests).toHaveLength(3);
});

test('a failure that stays is not tried again', async () => {
  const { team } = await waited([busy({ retryable: false }), { text: 'never' }]);
  expect(team.model.requests).toHaveLength(1);
});

test('what was said before a further try is recorded with the request and is no message', async () => {
  const { team, result } = await waited([{ text: 'Once up', ...busy() }, { text: 'Once upon a time.' }]);
  expect(result.text).toBe('Once upon a time.');
  const [first] = team.records.flatMap((record) => (record.type === 'request' ? [record] : []));
  expect(first?.superseded).toBe('Once up');
  expect(linesOf(team.records).filter((line) => line.includes('assistant'))).toEqual([
    '0 Pickle message assistant: Once upon a time.',
  ]);
});

test('what was said when the last try failed is a partial message', async () => {
  const { team } = await waited([busy(), { text: 'Once up', ...busy() }], { limits: { retries: 1 } });
  expect(linesOf(team.records)).toContain('0 Pickle message assistant [error]: Once up');
});

test('tools of a finished message run once, however often the next request is tried', async () => {
  let ran = 0;
  const steps = [use('count'), busy(), busy(), { text: 'ok' }];
  const { result } = await waited(steps, { tools: [aTool('count', () => String(++ran))] });
  expect(result.outcome).toBe('done');
  expect(ran).toBe(1);
});

test('the pause before a further try holds no slot and ends with a cancel', async () => {
  const clock = new ManualTime();
  const controller = new AbortController();
  const script = { Pickle: [busy({ retryAfterMs: 50_000 }), { text: 'never' }] };
  const team = aTeam(['Pickle'], { clock, timers: clock, script });
  const run = team.session.run('go', { signal: controller.signal });
  await until(() => team.events.some(({ type }) => type === 'retry'));
  expect(team.config.scheduler.load.held).toBe(0);
  controller.abort();
  expect(await run).toMatchObject({ outcome: 'cancelled' });
  expect(clock.waiting).toBe(0);
});

test('a model that breaks its own contract is a failure', async () => {
  const model = { id: 'x', label: 'x', kind: 'http', endpoint: 'x' } as const;
  const throwing = {
    ...model,
    stream: () => {
      throw new Error('boom');
    },
  };
  const rejecting = {
    ...model,
    stream: () => ({ [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('boom')) }) }),
  };
  const silent = {
    ...model,
    stream: () => ({
      [Symbol.asyncIterator]: () => ({
        next: () => Promise.resolve({ done: true as const, value: undefined }),
      }),
    }),
  };
  for (const [broken, code] of [
    [throwing, 'adapter'],
    [rejecting, 'adapter'],
    [silent, 'cutStream'],
  ] as const) {
    const { result } = await waited([], { model: broken, limits: { retries: 0 } });
    expect(result).toMatchObject({ outcome: 'failed', error: { code } });
  }
});

test.each([
  [1, undefined, 0, 375],
  [1, undefined, 0.999, 500],
  [2, undefined, 0, 750],
  [9, undefined, 0, 15_000],
  [50, undefined, 0.999, 19_995],
  [1, 1_000, 0, 1_000],
  [1, 1_000, 0.999, 1_250],
  [1, 0, 0.999, 0],
  [1, 60_000, 0.999, 60_000],
  [1, 60_001, 0, undefined],
])(
  'after try %i, asked for %s ms, with luck %d, the pause is %s ms',
  (attempt, retryAfterMs, luck, expected) => {
    const failure = retryAfterMs === undefined ? {} : { retryAfterMs };
    expect(modelRetryDelay(attempt, failure, 60_000, () => luck)).toBe(expected);
  },
);

test.each([NaN, -5])('a wait of %s is none that a provider can ask for', (retryAfterMs) => {
  expect(modelRetryDelay(1, { retryAfterMs }, 60_000, () => 0)).toBe(modelRetryDelay(1, {}, 60_000, () => 0));
});
