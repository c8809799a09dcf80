import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isObject, textOf } from '../../../../src/core/message.js';
import type { Model, ModelEvent, ModelRequest } from '../../../../src/core/ports/model.js';
import { Scheduler } from '../../../../src/agents/loop/limits/scheduler.js';
import { runs } from '../../../support/fixedInputs.js';
import { settle } from '../../../support/manualTime.js';
import { aTeam } from '../../../support/scriptedTeam.js';
import { brokenInvariants } from '../../../support/teamInvariants.js';

/** An agent that asks others, those of one stage at the same time, and says what they said; or whose model fails. */
interface Asker {
  readonly name: string;
  readonly fails: boolean;
  readonly stages: readonly (readonly Asker[])[];
}

/**
 * A tree of agents, each with a name of its own, decided by numbers: how many stages, how many are asked in each,
 * and whether the model fails. No deeper than calls may nest; where the numbers end nobody asks any more.
 */
function grown(numbers: readonly number[]) {
  const all = new Map<string, Asker>();
  let next = 0;
  const decide = (sides: number) => (numbers[next++] ?? 0) % sides;
  const grow = (depth: number): Asker => {
    const name = `N${all.size}`;
    const stages: Asker[][] = [];
    const asker = { name, fails: depth > 0 && decide(8) === 7, stages };
    all.set(name, asker);
    for (let stage = depth < 5 && !asker.fails ? decide(3) : 0; stage > 0; stage--) {
      stages.push(Array.from({ length: 1 + decide(3) }, () => grow(depth + 1)));
    }
    return asker;
  };
  return { root: grow(0), all };
}

/** What an agent says at its end, everything in the order in which it was asked for. */
function saying({ name, stages }: Asker): string {
  const heard = stages.flat().map((one) => (one.fails ? '!' : saying(one)));
  return `${name}(${heard.join()})`;
}

/** A model that plays all agents of a tree, and how many requests were under way at most. */
class TreeModel implements Model {
  readonly id = 'tree';
  readonly label = 'tree';
  readonly kind = 'http';
  readonly endpoint = 'tree';
  readonly #all: ReadonlyMap<string, Asker>;
  #running = 0;
  most = 0;
  requests = 0;

  constructor(all: ReadonlyMap<string, Asker>) {
    this.#all = all;
  }

  async *stream({ agent, messages }: ModelRequest): AsyncGenerator<ModelEvent> {
    this.requests++;
    this.most = Math.max(this.most, ++this.#running);
    try {
      await settle();
      yield { type: 'usage', usage: { inputTokens: 1, outputTokens: 0, estimated: false } };
      const asker = this.#all.get(agent);
      const stage = messages.filter(({ tool_calls: calls }) => calls).length;
      const asked = asker?.stages[stage] ?? [];
      if (asker?.fails) {
        yield { type: 'error', error: { code: 'broken', message: 'broken', retryable: false } };
        return;
      }
      for (const [index, { name }] of asked.entries()) {
        const args = JSON.stringify({ agent_id: name, task: 'go' });
        yield {
          type: 'toolCall',
          index,
          id: `c${stage}-${index}`,
          name: 'subagent_dispatch',
          arguments: args,
        };
      }
      const heard = messages
        .filter(({ role }) => role === 'tool')
        .map(({ content }) => resultIn(textOf(content)));
      if (asked.length === 0) yield { type: 'text', text: `${agent}(${heard.join()})` };
      yield { type: 'end', finishReason: asked.length > 0 ? 'tool_calls' : 'stop' };
    } finally {
      this.#running--;
    }
  }
}

function resultIn(text: string): string {
  if (!text.startsWith('{')) return '!';
  const answer: unknown = JSON.parse(text);
  return isObject(answer) ? String(answer.result) : '!';
}

const trees = fc.record({
  numbers: fc.array(fc.nat({ max: 23 }), { maxLength: 80 }),
  slots: fc.integer({ min: 1, max: 3 }),
  toolsAtOnce: fc.integer({ min: 1, max: 4 }),
  runs: fc.integer({ min: 1, max: 3 }),
});

/** One agent asks one, as deep as calls may nest, on a single slot. */
const chain = { numbers: [1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0], slots: 1, toolsAtOnce: 1, runs: 2 };

/** Some runs of one tree at the same time, on the same few slots. */
function play({ numbers, slots, toolsAtOnce, runs }: typeof trees extends fc.Arbitrary<infer T> ? T : never) {
  const { root, all } = grown(numbers);
  const scheduler = new Scheduler({ requestsAtOnce: slots });
  const model = new TreeModel(all);
  const limits = { calls: 1_000, fanOut: 1_000, toolsAtOnce };
  const options = { model, resolveModel: async () => Promise.resolve(model), scheduler, limits };
  const teams = Array.from({ length: runs }, () => aTeam([...all.keys()], options));
  return { root, all, scheduler, model, teams };
}

test('however agents wait for each other, and on however few slots, all come to their ends', async () => {
  let deepest = 0;
  await fc.assert(
    fc.asyncProperty(trees, async (tree) => {
      const { root, all, scheduler, model, teams } = play(tree);
      const results = await Promise.all(teams.map(({ session }) => session.run('go')));
      expect(results.map(({ text }) => text)).toEqual(teams.map(() => saying(root)));
      expect(model.most).toBeLessThanOrEqual(tree.slots);
      expect(scheduler.load).toEqual({ held: 0, waiting: 0 });
      const spent = results.reduce((sum, { totalUsage }) => sum + totalUsage.inputTokens, 0);
      expect(spent).toBe(model.requests);
      for (const { records } of teams) {
        expect(brokenInvariants(records)).toEqual([]);
        deepest = Math.max(deepest, ...records.map(({ depth }) => depth));
        expect(records.filter(({ type }) => type === 'callEnd')).toHaveLength(all.size);
      }
    }),
    { numRuns: runs(150), endOnFailure: true, timeout: 60_000, examples: [[chain]] },
  );
  expect(deepest).toBe(5);
}, 120_000);

test('and when one of the runs is stopped, it ends at once and the others as before', async () => {
  const stopped = fc.record({ tree: trees, after: fc.integer({ min: 1, max: 60 }) });
  await fc.assert(
    fc.asyncProperty(stopped, async ({ tree, after }) => {
      const { root, scheduler, teams } = play(tree);
      const [first, ...others] = teams;
      if (!first) return;
      const controller = new AbortController();
      let seen = 0;
      first.recorder.onDidRecord(() => {
        if (++seen === after) controller.abort();
      });
      const rest = others.map(({ session }) => session.run('go'));
      const { outcome } = await first.session.run('go', { signal: controller.signal });
      if (outcome !== 'done') expect(controller.signal.aborted).toBe(true);
      expect(brokenInvariants(first.records)).toEqual([]);
      for (const { text } of await Promise.all(rest)) expect(text).toBe(saying(root));
      expect(scheduler.load).toEqual({ held: 0, waiting: 0 });
    }),
    { numRuns: runs(100), endOnFailure: true, timeout: 60_000 },
  );
}, 120_000);
