import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import type { Model, ModelEvent } from '../../src/core/ports/model.js';
import { approvedTool, recordedRuns } from '../harness/recordedRuns.js';

/** What the event loop of a process did while agents worked in it; times in milliseconds. */
export interface LoadCost {
  /** How late timers were, beyond the resolution of the measurement. */
  readonly median: number;
  readonly p99: number;
  readonly longest: number;
  /** Messages recorded a second, and how much of one processor was used meanwhile, all threads together. */
  readonly messages: number;
  readonly processor: number;
  /** Megabytes resident at the end. */
  readonly memory: number;
}

/** So many agents at once; each asks for `turns` answers, one every `TURN_MS`, in `PIECES` pieces. */
const AGENTS = 32;
const MESSAGES_A_TURN = 2;
const PIECES = 40;
/** For at least 200 messages a second of all agents together, late timers counted. */
const TURN_MS = (AGENTS * MESSAGES_A_TURN * 1_000) / 250;
const PIECE = 'The cucumbers are in the jar. ';
const RESULT = 'Noted: the lid is closed, the label says when, the shelf is dark. '.repeat(16);
const RESOLUTION_MS = 1;

const [kind = '', seconds = '10'] = process.argv.slice(2);
const turns = Math.ceil((Number(seconds) * 1_000) / TURN_MS);
const agent = await (kind === 'ours' ? recordedAgent() : bareAgent());
await agent(1, 0);
const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
const [before, startedAt] = [process.cpuUsage(), performance.now()];
delays.enable();
// Not all in step: agents begin when people do.
await Promise.all(Array.from({ length: AGENTS }, (_, at) => agent(turns, (at * TURN_MS) / AGENTS)));
delays.disable();
const elapsed = performance.now() - startedAt;
const { user, system } = process.cpuUsage(before);
const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
const cost: LoadCost = {
  median: late(delays.percentile(50)),
  p99: late(delays.percentile(99)),
  longest: late(delays.max),
  messages: (AGENTS * turns * MESSAGES_A_TURN * 1_000) / elapsed,
  processor: (user + system) / 1_000 / elapsed,
  memory: process.memoryUsage.rss() / 1e6,
};
console.log(JSON.stringify(cost));
process.exit();

/** Works for so many turns after so many milliseconds. */
type Work = (turns: number, after: number) => Promise<void>;

/** The product. */
async function recordedAgent(): Promise<Work> {
  const run = await recordedRuns(AGENTS);
  return async (count, after) => {
    await pause(after);
    const work = { instructions: 'You take notes.', task: 'Take notes of everything.', steps: count + 1 };
    await run({ ...work, model: talkative(count), tool: approvedTool('note', RESULT, () => undefined) });
  };
}

/** Nothing but what the models say, thrown away: the limit. */
async function bareAgent(): Promise<Work> {
  return async (count, after) => {
    await pause(after);
    for (let turn = 0; turn < count; turn++) {
      const events = answer(turn, count);
      while (!(await events.next()).done);
    }
  };
}

/** A model that takes its time, as real ones do. */
function talkative(count: number): Model {
  let turn = 0;
  return {
    id: 'bench/talkative',
    label: 'talkative',
    kind: 'http',
    endpoint: 'bench',
    stream: () => answer(turn++, count),
  };
}

async function* answer(turn: number, count: number): AsyncGenerator<ModelEvent> {
  const isLast = turn >= count;
  for (let piece = 0; piece < PIECES && !isLast; piece++) {
    await pause(TURN_MS / PIECES);
    yield { type: 'text', text: PIECE };
  }
  if (!isLast)
    yield { type: 'toolCall', index: 0, id: `call_${turn}`, name: 'note', arguments: `{"n":${turn}}` };
  yield { type: 'usage', usage: { inputTokens: 100, outputTokens: 10, estimated: false } };
  yield { type: 'text', text: isLast ? 'done' : '' };
  yield { type: 'end', finishReason: isLast ? 'stop' : 'tool_calls' };
}
