import { getEventListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '../../src/core/clock.js';
import type { LogRecord } from '../../src/core/record.js';
import { systemTimers, type Timers } from '../../src/core/timers.js';
import type { Model } from '../../src/core/ports/model.js';
import type { MessageAccumulator } from '../../src/core/record/messageAccumulator.js';
import { Recorder } from '../../src/core/record/recorder.js';
import { ApprovalDecider } from '../../src/agents/loop/approvalDecider.js';
import { SchemaValidator } from '../../src/agents/loop/toolCalls/schemaValidator.js';
import type { Scheduler } from '../../src/agents/loop/limits/scheduler.js';
import type { TranscriptStore } from '../../src/store/transcriptStore.js';
import { agentTools } from '../../src/agents/tools/agentTools.js';
import { builtInTools } from '../../src/agents/tools/builtInTools.js';
import { DiskWorkspaceFiles } from '../../src/agents/tools/files/writeDiskText.js';
import { SeenFiles } from '../../src/agents/tools/files/seenFiles.js';
import { PathGuard } from '../../src/agents/tools/paths/pathGuard.js';
import { ToolRegistry } from '../../src/agents/tools/toolRegistry.js';
import { aTeam, aTool } from './scriptedTeam.js';
import { brokenInvariants } from './teamInvariants.js';
import { calling, chunk, refusing, saying, sse, type WireAnswer, type WireCall } from './wireAnswers.js';

/** Whole numbers from a seed, up to and not including `sides`. */
export function dice(seed: number): (sides: number) => number {
  let state = seed >>> 0;
  return (sides) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    const mixed = Math.imul(state ^ (state >>> 12), 0x297a2d39);
    return ((mixed ^ (mixed >>> 15)) >>> 0) % sides;
  };
}

/** A hundred times faster than it says, so that pauses and limits are over soon. Knows how many wait. */
export class FastTimers implements Timers {
  waiting = 0;

  after(ms: number, act: () => void) {
    this.waiting++;
    let isOver = false;
    const end = () => {
      if (!isOver) this.waiting--;
      isOver = true;
    };
    const timer = systemTimers.after(ms / 100, () => {
      end();
      act();
    });
    return {
      dispose: () => {
        end();
        timer.dispose();
      },
    };
  }
}

const NAMES = ['Ada', 'Bo', 'Cy'];

/** What the endpoint answers: words, tools, agents, refusals, broken and silent streams. */
export function soakAnswer(roll: (sides: number) => number): WireAnswer {
  const kind = roll(20);
  if (kind === 0) return refusing(429, 'slow down', { 'retry-after': '1' });
  if (kind === 1) return refusing([408, 500, 503][roll(3)] ?? 500, 'not now');
  if (kind === 2) return refusing(400, 'no');
  if (kind === 3) return { pieces: [sse(chunk({ role: 'assistant', content: 'half of' }))], then: 'cut' };
  if (kind === 4) return { pieces: [sse(chunk({ role: 'assistant', content: 'and then' }))], then: 'hang' };
  if (kind < 11) return saying('Done, all of it.');
  return calling(...Array.from({ length: 1 + roll(4) }, (_, at) => soakCall(roll, at)));
}

function soakCall(roll: (sides: number) => number, at: number): WireCall {
  const id = `c${roll(1e9)}_${at}`;
  switch (roll(12)) {
    case 0:
      return { id, name: 'run_command', args: { command: `echo ${roll(1e6)}; true` } };
    case 1:
      return { id, name: 'run_command', args: { command: `setsid sleep 60 & sleep 60 # ${roll(1e6)}` } };
    case 2:
    case 10:
      return { id, name: 'read_file', args: { path: 'a.txt' } };
    case 3:
      return { id, name: 'write_file', args: { path: `made/${roll(50)}.txt`, content: String(roll(1e6)) } };
    case 4:
      return { id, name: 'fails', args: {} };
    case 5:
      return { id, name: 'read_file', args: '{"path": "a.t' };
    case 6:
      return { id, name: 'deaf', args: { n: roll(1e6) } };
    case 7:
    case 8:
    case 9:
      return {
        id,
        name: 'subagent_dispatch',
        args: { agent_id: NAMES[roll(3)] ?? '', task: `t${roll(1e6)}` },
      };
    default:
      return { id, name: 'large', args: { n: roll(1e6) } };
  }
}

export interface SoakOptions {
  readonly store: TranscriptStore;
  readonly root: string;
  readonly model: Model;
  readonly scheduler: Scheduler;
  readonly accumulator: MessageAccumulator;
  readonly timers: FastTimers;
  readonly host: Readonly<Record<string, string | undefined>>;
}

/** What one agent has done, in counts, and whatever was wrong with it. */
export interface SoakReport {
  readonly outcomes: readonly string[];
  readonly records: number;
  readonly problems: readonly string[];
}

/** One of many agents at work: a conversation of its own, some runs one after the other, each stopped at times. */
export async function soakAgent(
  options: SoakOptions,
  conversation: string,
  seed: number,
): Promise<SoakReport> {
  const roll = dice(seed);
  const journal = await options.store.createConversation(conversation);
  const problems: string[] = [];
  const live: LogRecord[] = [];
  const recorder = new Recorder({
    conversation,
    accumulator: options.accumulator,
    onListenerFailure: (error) => problems.push(`a listener failed: ${String(error)}`),
  });
  let countdown = Infinity;
  let stop = new AbortController();
  const tick = () => {
    if (--countdown === 0) stop.abort();
  };
  recorder.onDidRecord((record) => {
    journal.append(record);
    live.push(record);
    tick();
  });
  const { team, session } = teamOf(options, recorder, tick);

  const outcomes: string[] = [];
  // One signal for all runs that nobody stops: whatever stays on it stays for good.
  const calm = new AbortController();
  for (let run = 0; run < 2; run++) {
    stop = new AbortController();
    const stopped = roll(2) === 0;
    countdown = stopped ? 1 + roll(40) : Infinity;
    const { outcome } = await session.run(`go ${run}`, { signal: (stopped ? stop : calm).signal });
    outcomes.push(outcome);
    problems.push(
      ...getEventListeners(stop.signal, 'abort').map(() => 'a listener is left on the signal of a run'),
    );
  }
  problems.push(
    ...getEventListeners(calm.signal, 'abort').map(() => 'a listener is left on a signal that lives on'),
  );
  problems.push(...team.log.lines.filter((line) => line.startsWith('error')));
  problems.push(...brokenInvariants(live));
  await journal.close();
  problems.push(...(await differences(options.store, conversation, live)));
  recorder.dispose();
  return {
    outcomes,
    records: live.length,
    problems: problems.map((problem) => `${conversation}: ${problem}`),
  };
}

function teamOf({ root, host, scheduler, model, timers }: SoakOptions, recorder: Recorder, tick: () => void) {
  const tools = [
    ...builtInTools(
      { guard: new PathGuard([root]), files: new DiskWorkspaceFiles(), seen: new SeenFiles() },
      { host, shell: '/bin/bash' },
    ),
    aTool('large', ({ n }) => `${String(n)} `.repeat(10_000)),
    aTool('fails', async () => Promise.reject(new Error('broken'))),
    aTool('deaf', async () => wait(20).then(() => 'late')),
  ];
  const validator = new SchemaValidator();
  const team = aTeam(NAMES, {
    model,
    messageLog: recorder,
    scheduler,
    timers,
    maxDepth: 2,
    limits: { steps: 6, calls: 10, fanOut: 4, retries: 2, toolMs: 60_000, repetitions: 4 },
    toolsFor: (agent, callable) => agentTools(tools, agent, callable),
    executorFor: (all) => new ToolRegistry(all, validator),
    approvals: new ApprovalDecider({ messageLog: recorder, clock: systemClock }),
    onEvent: tick,
  });
  return { team, session: team.session };
}

/** What is not in the kept conversation as it was said. */
async function differences(store: TranscriptStore, conversation: string, live: readonly LogRecord[]) {
  const transcript = await store.openTranscript(conversation);
  try {
    const kept = await transcript.read(0, transcript.length);
    const same =
      kept.length === live.length && kept.every(({ id, seq }, at) => id === live[at]?.id && seq === at + 1);
    const damaged = transcript.damaged.map(({ why }) => `a line is damaged: ${why}`);
    return same ? damaged : [...damaged, `${kept.length} records are kept of ${live.length}`];
  } finally {
    await transcript.close();
  }
}
