import { expect, test } from 'vitest';
import type { ScriptStep } from '../../../../src/agents/models/script.js';
import type { Frontend } from '../../../../src/core/ports/frontend.js';
import type { Model } from '../../../../src/core/ports/model.js';
import type { Tool } from '../../../../src/core/ports/tool.js';
import { ApprovalDecider } from '../../../../src/agents/loop/approvalDecider.js';
import type { RuntimeConfig } from '../../../../src/agents/loop/runtimeConfig.js';
import { settle } from '../../../support/manualTime.js';
import { RecordingFrontend } from '../../../support/recordingFrontend.js';
import { ask, aTeam, aTool, linesOf, PlainExecutor, use } from '../../../support/scriptedTeam.js';
import { sentHistory } from '../../../support/sentHistory.js';
import { brokenInvariants } from '../../../support/teamInvariants.js';
import { violationOfHistory } from '../../../support/wireRules.js';

/** A run that uses everything the runtime stands on: models, tools, people, frontends, agents at two levels. */
const story: Readonly<Record<string, readonly ScriptStep[]>> = {
  Ada: [
    { reasoning: 'Hm.', text: 'I look.', ...use('read') },
    use('write'),
    { toolCalls: [ask('Bo', 'left'), ask('Cy', 'right')].flatMap(({ toolCalls = [] }) => toolCalls) },
    { text: 'All done.' },
  ],
  Bo: [use('read'), ask('Cy', 'deeper'), { text: 'Bo is done.' }],
  Cy: [{ text: 'Cy is done.' }, use('write'), { text: 'Cy is done again.' }],
};

/** How a call into the outside fails; what gives no promise by its contract can only throw. */
type Fault = 'throws' | 'rejects';

/** Counts every call into the outside and lets one of them fail. */
class Saboteur {
  calls = 0;
  readonly #at: number;
  readonly #fault: Fault;

  constructor(at: number, fault: Fault) {
    this.#at = at;
    this.#fault = fault;
  }

  /** The same object; each call of one of its functions is counted, and one fails. */
  around<T extends object>(target: T, names?: readonly string[]): T {
    return new Proxy(target, {
      get: (whole, key) => {
        const value: unknown = Reflect.get(whole, key, whole);
        if (typeof value !== 'function' || (names && !names.includes(String(key)))) return value;
        const act = value as (...args: unknown[]) => unknown;
        return (...args: unknown[]) => this.call(() => Reflect.apply(act, whole, args));
      },
    });
  }

  /** A call that gives a promise, or that nobody waits for. */
  call<T>(act: () => T): T {
    if (this.calls++ !== this.#at) return act();
    const error = new Error('sabotage');
    if (this.#fault === 'throws') throw error;
    return Promise.reject(error) as T;
  }

  /** A call whose result is used at once. */
  sync<T>(act: () => T): T {
    if (this.calls++ === this.#at) throw new Error('sabotage');
    return act();
  }
}

function sabotaged(model: Model, by: Saboteur): Model {
  const stream: Model['stream'] = (request) => {
    const events = by.sync(() => model.stream(request));
    return {
      [Symbol.asyncIterator]: () => by.around(events[Symbol.asyncIterator](), ['next', 'return']),
    };
  };
  const { id, label, kind, endpoint } = model;
  return { id, label, kind, endpoint, stream };
}

/** Plays the story with a saboteur; the invariants hold whatever became of it. */
async function play(by: Saboteur) {
  const tools = [
    aTool('read', async () => by.call(() => settle()).then(() => 'read')),
    aTool('write', async (_, { approvals, call, toolCallId, signal }) => {
      const about = { toolName: 'write', toolCallId, call, subject: 's', title: 't', key: toolCallId };
      const { approved } = await approvals.decide({ ...about, signal });
      return approved ? 'written' : { content: 'denied', isError: true };
    }),
  ];
  const frontend: Frontend = by.around(new RecordingFrontend());
  const team = aTeam(['Ada', 'Bo', 'Cy'], { script: story, tools, frontend, childFrontend: frontend });
  const approvals = new ApprovalDecider({
    messageLog: team.recorder,
    clock: team.config.clock,
    ask: async () => by.call(() => settle()).then(() => ({ approved: true })),
    shown: { frontend, conversation: 'c1' },
  });
  const outside = team.config;
  const config = {
    ...team.config,
    approvals,
    runApprovalPolicy: 'ask' as const,
    model: sabotaged(team.config.model, by),
    resolveModel: (...args: Parameters<RuntimeConfig['resolveModel']>) =>
      by.call(() => outside.resolveModel(...args)),
    toolsFor: (...args: Parameters<RuntimeConfig['toolsFor']>) => by.sync(() => outside.toolsFor(...args)),
    executorFor: (all: readonly Tool[]) => by.sync(() => by.around(new PlainExecutor(all), ['execute'])),
    onEvent: () => by.call(() => undefined),
  };
  const result = await team.session.run('go', { config });
  await settle();
  return { team, result };
}

test('wherever a record fails, the run ends with everything that it began, and rejects', async () => {
  const play = async (at: number, isOnce: boolean) => {
    let count = 0;
    let working = 0;
    const controller = new AbortController();
    const busy = aTool('busy', async (_, { signal }) => {
      working++;
      for (let turn = 0; turn < 3 && !signal.aborted; turn++) await settle();
      working--;
      return 'ok';
    });
    const deaf = aTool('deaf', async (_, { signal }) => {
      working++;
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      working--;
      return 'never';
    });
    const asks = [ask('Bo', 'left'), use('busy'), ask('Cy', 'right')];
    const team = aTeam(['Ada', 'Bo', 'Cy'], {
      script: {
        Ada: [{ toolCalls: asks.flatMap(({ toolCalls = [] }) => toolCalls) }, { text: 'All done.' }],
        Bo: [ask('Cy', 'deeper'), { text: 'Bo is done.' }],
        Cy: [at < Infinity ? use('deaf') : use('busy'), use('busy'), { text: 'a' }, { text: 'b' }],
      },
      tools: [busy, deaf],
    });
    const record: typeof team.recorder.record = (draft) => {
      count++;
      if (isOnce ? count === at : count >= at) throw new Error('full');
      return team.recorder.record(draft);
    };
    const config = { ...team.config, messageLog: { record } };
    const run = team.session.run('go', { config, signal: controller.signal });
    const result = await run.then(
      ({ outcome }) => outcome,
      (error: unknown) => String(error),
    );
    for (let turn = 0; turn < 10; turn++) await settle();
    return { count, result, working, team };
  };
  const { count } = await play(Infinity, false);
  expect(count).toBeGreaterThan(30);
  let failed = 0;
  for (const isOnce of [true, false]) {
    for (let at = 1; at < 16; at++) {
      const { result, working, team } = await play(at, isOnce);
      const where = `record ${at}${isOnce ? ' alone' : ' and all later'}`;
      expect(result, where).toBe('Error: full');
      expect(working, where).toBe(0);
      expect(team.config.scheduler.load, where).toEqual({ held: 0, waiting: 0 });
      expect(violationOfHistory(sentHistory(team.session.get())), where).toBeUndefined();
      failed++;
    }
  }
  expect(failed).toBe(30);
});

test.each<Fault>(['throws', 'rejects'])(
  'whatever call into the outside %s, the run ends, recorded and able to go on',
  async (fault) => {
    const all = new Saboteur(-1, fault);
    const whole = await play(all);
    expect(whole.result).toMatchObject({ outcome: 'done', text: 'All done.' });
    expect(all.calls).toBeGreaterThan(120);
    const outcomes = new Set<string>();
    for (let at = 0; at < all.calls; at++) {
      const { team, result } = await play(new Saboteur(at, fault));
      const where = `call ${at} ${fault}: ${linesOf(team.records).at(-1)}`;
      outcomes.add(result.outcome);
      expect(['done', 'failed'], where).toContain(result.outcome);
      expect(brokenInvariants(team.records), where).toEqual([]);
      expect(violationOfHistory(sentHistory(team.session.get())), where).toBeUndefined();
      expect(team.config.scheduler.load, where).toEqual({ held: 0, waiting: 0 });
    }
    expect([...outcomes].sort()).toEqual(['done', 'failed']);
  },
);
