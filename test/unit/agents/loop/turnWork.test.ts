import { createHook } from 'node:async_hooks';
import { expect, test, vi } from 'vitest';
import type { ModelEvent } from '../../../../src/core/ports/model.js';
import { systemClock } from '../../../../src/core/clock.js';
import { systemTimers } from '../../../../src/core/timers.js';
import { SchemaValidator } from '../../../../src/agents/loop/toolCalls/schemaValidator.js';
import { ToolRegistry } from '../../../../src/agents/tools/toolRegistry.js';
import { aTeam, aTool } from '../../../support/scriptedTeam.js';

const validator = new SchemaValidator();

/** How often a run of so many turns, each with one approved tool call, did what costs time, JSON texts among it. */
async function workOf(turns: number) {
  const work = { promises: 0, timers: 0, listeners: 0, texts: 0, clock: 0 };
  let turn = 0;
  const model = {
    id: 'm',
    label: 'm',
    kind: 'http',
    endpoint: 'e',
    async *stream(): AsyncGenerator<ModelEvent> {
      if (turn++ < turns)
        yield { type: 'toolCall', index: 0, id: `t${turn}`, name: 'note', arguments: `{"n":${turn}}` };
      else yield { type: 'text', text: 'done' };
      yield { type: 'end', finishReason: turn <= turns ? 'tool_calls' : 'stop' };
    },
  } as const;
  const note = aTool(
    'note',
    async ({ n }, { approvals, call, signal, toolCallId }) => {
      const subject = `note ${String(n)}`;
      const about = { toolName: 'note', toolCallId, call, signal, subject, title: 'Note', key: subject };
      return (await approvals.decide(about)).approved ? 'noted' : 'denied';
    },
    { effect: 'write', parameters: { type: 'object', properties: { n: { type: 'integer' } } } },
  );
  const team = aTeam(['Pickle'], {
    tools: [note],
    executorFor: (tools) => new ToolRegistry(tools, validator),
    limits: { steps: turns + 1, tokens: Infinity },
    clock: { now: () => (work.clock++, systemClock.now()) },
    timers: { after: (ms, act) => (work.timers++, systemTimers.after(ms, act)) },
  });
  const listen = vi.spyOn(EventTarget.prototype, 'addEventListener');
  const stringify = vi.spyOn(JSON, 'stringify');
  const hook = createHook({ init: (_, type) => (work.promises += Number(type === 'PROMISE')) }).enable();
  const { outcome } = await team.session.run('go', { config: { ...team.config, model } });
  hook.disable();
  work.listeners = listen.mock.calls.length;
  work.texts = stringify.mock.calls.length;
  vi.restoreAllMocks();
  expect(outcome).toBe('done');
  expect(team.records).toHaveLength(4 * turns + 6);
  return work;
}

const counted = ['promises', 'timers', 'listeners', 'texts', 'clock'] as const;

test('ten times the turns are ten times the work', async () => {
  const [some, many] = [await workOf(100), await workOf(1_000)];
  for (const what of counted) expect(many[what], what).toBeLessThan(11 * some[what]);
});

test('a turn with an approved tool call does no more than it must', async () => {
  const [some, many] = [await workOf(100), await workOf(300)];
  const aTurn = (what: (typeof counted)[number]) => (many[what] - some[what]) / 200;
  // The hook counts an await as another promise; the event loop's turns, every 8 ms, come on top.
  expect(aTurn('promises')).toBeLessThan(60);
  // One of them gives on what a model says while it says it.
  expect(aTurn('timers')).toBe(2);
  expect(aTurn('listeners')).toBe(0);
  // The arguments of the call, which are checked, and are part of the digest of the next request.
  expect(aTurn('texts')).toBeLessThanOrEqual(2);
  expect(aTurn('clock')).toBeLessThanOrEqual(9);
});
