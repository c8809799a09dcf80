import { expect, test } from 'vitest';
import type { ScriptStep } from '../../../../src/agents/models/script.js';
import { levelOf, type RuntimeEvent } from '../../../../src/agents/loop/runtimeEvent.js';
import { ManualTime } from '../../../support/manualTime.js';
import { ask, aTeam, aTool, use, type TeamOptions } from '../../../support/scriptedTeam.js';

/** The events of a run that is moved on until it ends, and whether an assistant message was recorded before each. */
async function eventsOf(steps: ScriptStep[], options: TeamOptions = {}) {
  const clock = new ManualTime();
  const lines: string[] = [];
  const team = aTeam(['Pickle', 'Cookie'], {
    clock,
    timers: clock,
    script: { Pickle: steps, Cookie: [{ text: 'Baked.' }] },
    verbosity: 2,
    onEvent: ({ type, place: callSite }) => {
      const recorded = team.records.filter(({ type: t, call }) => t === 'message' && call === callSite.call);
      const answers = recorded.filter((record) => 'message' in record && record.message.role === 'assistant');
      if (['textDelta', 'reasoningDelta', 'said', 'retry', 'runEnd'].includes(type))
        lines.push(`${callSite.agent} ${type} ${answers.length}`);
    },
    ...options,
  });
  await clock.passUntil(team.session.run('go'));
  return lines.filter((line, at) => line !== lines[at - 1]);
}

test('a message is said to be final after it was recorded, once for each step of each call', async () => {
  expect(await eventsOf([{ text: 'Cookie shall.', ...ask('Cookie', 'bake') }, { text: 'Done.' }])).toEqual([
    'Pickle textDelta 0',
    'Pickle said 1',
    'Cookie textDelta 0',
    'Cookie said 1',
    'Pickle textDelta 1',
    'Pickle said 2',
    'Pickle runEnd 2',
  ]);
});

test('a message without a word is said to be final too', async () => {
  const tools = [aTool('time', () => 'noon')];
  expect(await eventsOf([{ reasoning: 'hm', ...use('time') }, { text: '' }], { tools })).toEqual([
    'Pickle reasoningDelta 0',
    'Pickle said 1',
    'Pickle said 2',
    'Pickle runEnd 2',
  ]);
});

test('what a retry makes void is never said to be final; what breaks off for good is', async () => {
  const broken = { text: 'Once up', error: { message: 'busy', status: 429, retryable: true } };
  expect(await eventsOf([broken, broken], { limits: { retries: 1 } })).toEqual([
    'Pickle textDelta 0',
    'Pickle retry 0',
    'Pickle textDelta 0',
    'Pickle said 1',
    'Pickle runEnd 1',
  ]);
});

test('a request that fails before a word is an end of what was said, without a message', async () => {
  expect(await eventsOf([{ error: { message: 'no', status: 400, retryable: false } }])).toEqual([
    'Pickle said 0',
    'Pickle runEnd 0',
  ]);
});

test('whoever hears a piece of a text hears that it is final or void', () => {
  const at = (depth: number) => ({ run: 'r', call: 'k', agent: 'a', depth });
  for (const depth of [0, 1]) {
    const place = at(depth);
    const piece: RuntimeEvent = { type: 'textDelta', place, text: '' };
    const ends: RuntimeEvent[] = [
      { type: 'said', place },
      { type: 'retry', place, attempt: 1, delayMs: 1, reason: '' },
    ];
    for (const end of ends) expect(levelOf(end)).toBeLessThanOrEqual(levelOf(piece));
  }
});
