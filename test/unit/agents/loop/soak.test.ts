import { globalAgent } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseEndpointUrl } from '../../../../src/agents/models/endpoint.js';
import { HttpExchange } from '../../../../src/agents/models/httpExchange.js';
import { OpenAiModel } from '../../../../src/agents/models/openaiModel.js';
import { MessageAccumulator } from '../../../../src/core/record/messageAccumulator.js';
import { Recorder } from '../../../../src/core/record/recorder.js';
import { AbortGate } from '../../../../src/core/abort.js';
import { AgentSession } from '../../../../src/agents/loop/agentSession.js';
import { CallFrame } from '../../../../src/agents/loop/callFrame.js';
import { Scheduler } from '../../../../src/agents/loop/limits/scheduler.js';
import { RunScope } from '../../../../src/agents/loop/runScope.js';
import { OutputBuffer } from '../../../../src/agents/tools/process/runShell.js';
import { isDeep } from '../../../support/fixedInputs.js';
import { livingObjects, openFiles, processesWith, runningTimers } from '../../../support/processTraces.js';
import { dice, FastTimers, soakAgent, soakAnswer, type SoakReport } from '../../../support/soakTeam.js';
import { temporaryStore } from '../../../support/storeFixture.js';
import { StrictServer } from '../../../support/strictServer.js';
import { temporaryWorkspace } from '../tools/toolHarness.js';

/** How many agents work at the same time, and how often all of them do; `SOAK=200 npx vitest run soak` for a night. */
const AGENTS = isDeep ? 32 : 4;
const ROUNDS = Number(process.env.SOAK ?? 1);

/** Whatever a run makes and must let go of. */
const ofRuns = [AgentSession, CallFrame, RunScope, HttpExchange, Recorder, OutputBuffer];

/** A store, an endpoint and a workspace that many agents share. */
async function soak() {
  const { root } = await temporaryWorkspace({ 'a.txt': 'salt\n' });
  const { store, problems } = await temporaryStore({ root: join(root, '.agent-logbook') });
  const roll = dice(32);
  const server = await StrictServer.start(() => soakAnswer(roll));
  const url = parseEndpointUrl(server.url);
  if (typeof url === 'string') throw new Error(url);
  const timers = new FastTimers();
  const endpoint = { name: 'here', url, limits: { idleMs: 5_000, firstByteMs: 600_000, connectMs: 600_000 } };
  const model = new OpenAiModel({ endpoint, model: 'test-model', timers });
  const accumulator = new MessageAccumulator(
    { maxMessages: 2_000, maxBytes: 4 * 1024 * 1024 },
    () => undefined,
  );
  const scheduler = new Scheduler();
  const home = join(root, 'home-of-commands');
  const host = { ...process.env, HOME: home };
  const parts = { store, root, model, scheduler, accumulator, timers, host };
  const round = async (number: number): Promise<SoakReport[]> => {
    const names = Array.from({ length: AGENTS }, (_, at) => `r${number}a${at}`);
    const reports = await Promise.all(names.map((name, at) => soakAgent(parts, name, number * 1_000 + at)));
    server.requests.length = 0;
    for (const name of names.slice(AGENTS / 2)) await store.deleteConversation(name);
    return reports;
  };
  return { ...parts, problems, server, home, round };
}

/** The listeners of this process itself, all events together. */
const processListeners = () =>
  process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);

test(
  `${AGENTS} agents at once, ${ROUNDS} rounds of runs that fail, retry, nest and are stopped, leave nothing behind`,
  { timeout: 300_000 + ROUNDS * 120_000 },
  async () => {
    const { round, server, problems, scheduler, accumulator, timers, home } = await soak();
    const all: SoakReport[] = [];
    // What is loaded at the first use and stays (modules, workers) is there after the first round.
    all.push(...(await round(0)));
    const settled = async () => {
      globalAgent.destroy();
      await expect.poll(() => processesWith(home), { timeout: 60_000, interval: 100 }).toEqual([]);
      await expect.poll(() => timers.waiting, { timeout: 60_000, interval: 20 }).toBe(0);
    };
    await settled();
    const before = { listeners: processListeners(), files: await openFiles(), timers: runningTimers() };
    for (let number = 1; number <= ROUNDS; number++) {
      all.push(...(await round(number)));
      await settled();
      const alive = livingObjects(...ofRuns);
      expect([number, Object.entries(alive).filter(([, count]) => count > 0)]).toEqual([number, []]);
      expect(accumulator.size).toBeLessThanOrEqual(2_000);
      expect(scheduler.load).toEqual({ held: 0, waiting: 0 });
    }

    expect(server.violations).toEqual([]);
    // A disk that is slow because so much is going on has its place here; everything is written all the same.
    expect(problems.filter(({ code }) => code !== 'EHANGING')).toEqual([]);
    expect(all.flatMap((report) => report.problems)).toEqual([]);
    expect(processListeners()).toBe(before.listeners);
    await expect
      .poll(openFiles, { timeout: 60_000, interval: 100 })
      .toBeLessThanOrEqual(before.files ?? Infinity);
    await expect.poll(runningTimers, { timeout: 60_000, interval: 100 }).toBeLessThanOrEqual(before.timers);
    const outcomes = new Set(all.flatMap((report) => report.outcomes));
    // A single round of few agents need not end in every way.
    const ways = ['cancelled', 'done', 'failed', 'limited'];
    if (isDeep) expect([...outcomes].sort()).toEqual(ways);
    else expect(ways).toEqual(expect.arrayContaining([...outcomes]));
    expect(all.reduce((sum, { records }) => sum + records, 0)).toBeGreaterThan(AGENTS * ROUNDS * 20);
  },
);

test('the counting sees what is kept', () => {
  const kept = new AbortGate(new AbortController().signal);
  expect(livingObjects(AbortGate)).toEqual({ AbortGate: 1 });
  kept.dispose();
});
