import { systemTimers, type Timers } from '../../src/core/timers.js';
import { settle } from './manualTime.js';
import { aTool } from './scriptedTeam.js';
import type { ChunkAnswer } from './strictModel.js';
import { chunk, usageChunk } from './wireAnswers.js';

/** Decisions from a seed, as many as are needed. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A whole number from 0 up to, not including, `sides`. */
  throw(sides: number): number {
    this.#state = (Math.imul(this.#state ^ (this.#state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    const mixed = Math.imul(this.#state ^ (this.#state >>> 12), 0x297a2d39);
    return ((mixed ^ (mixed >>> 15)) >>> 0) % sides;
  }

  of<T>(...values: readonly T[]): T {
    return values[this.throw(values.length)]!;
  }
}

/** The agents of a random team. */
export const names = ['Ada', 'Bo', 'Cy'];
const toolNames = [
  'good',
  'alone',
  'bad',
  'throws',
  'late',
  'deaf',
  'asks',
  'asks',
  'subagent_dispatch',
  'subagent_dispatch',
  'subagent_dispatch',
  'unknown tool',
];

/** A thousand times faster than it says, so that limits are reached within milliseconds. */
export const fastTimers: Timers = { after: (ms, act) => systemTimers.after(ms / 1_000, act) };

function randomCall(dice: Dice, index: number) {
  const name = dice.of(...toolNames);
  const args =
    name === 'subagent_dispatch'
      ? JSON.stringify({
          agent_id: dice.of(...names, 'Nobody'),
          task: `t${dice.throw(5)}`,
          context: dice.of('', 'c'),
        })
      : dice.of('{}', '', `{"n":${dice.throw(100)}}`, '{"a":"ü🥒"}', '{"cut', '[]', 'null');
  const id = dice.of(`call_${dice.throw(1000)}`, `call_${dice.throw(1000)}`, 'same', '', 'x'.repeat(60));
  return [
    chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: args.slice(0, 3) } }] }),
    chunk({ tool_calls: [{ index, function: { arguments: args.slice(3) } }] }),
  ];
}

/** What a model answers, failures and broken streams among it. */
export function randomAnswer(dice: Dice): ChunkAnswer {
  if (dice.throw(14) === 0) return { status: dice.of(400, 401, 408, 429, 500, 503) };
  const text = dice.of('', 'Hello', 'Grüße 🥒');
  const calls = Array.from({ length: dice.of(0, 0, 0, 1, 1, 2, 3, 5) }, (_, index) =>
    randomCall(dice, index),
  ).flat();
  const finish =
    dice.throw(12) === 0 ? dice.of('length', 'content_filter') : calls.length > 0 ? 'tool_calls' : 'stop';
  const chunks = [
    chunk({ role: 'assistant', content: text }),
    ...(dice.throw(4) === 0 ? [chunk({ reasoning_content: 'hm' })] : []),
    ...calls,
    chunk({}, finish),
    usageChunk(10, 5),
  ];
  const kept = dice.throw(12) === 0 ? dice.throw(chunks.length) : chunks.length;
  const then = dice.throw(20) === 0 ? dice.of('cut' as const, 'hang' as const) : undefined;
  return { chunks: chunks.slice(0, kept), ...(then && { then }) };
}

/** Tools that answer, fail, throw, wait, never end, and ask for approval. */
export function toolsOf(dice: Dice) {
  return [
    aTool('good', ({ n }) => `good ${String(n)}`),
    aTool('alone', async () => settle().then(() => 'alone'), { parallel: false }),
    aTool('bad', () => ({ content: 'bad', isError: true })),
    aTool('throws', () => {
      throw new Error('thrown');
    }),
    aTool('late', async () => {
      for (let turn = dice.throw(4); turn > 0; turn--) await settle();
      return 'late';
    }),
    aTool('deaf', () => new Promise<string>(() => undefined)),
    aTool('asks', async (_, { approvals, call, toolCallId, signal }) => {
      const asked = {
        toolName: 'asks',
        toolCallId,
        call,
        subject: 's',
        title: 't',
        key: `k${dice.throw(2)}`,
        signal,
      };
      const { approved } = await approvals.decide(asked);
      return approved ? 'approved' : { content: 'denied', isError: true };
    }),
  ];
}
