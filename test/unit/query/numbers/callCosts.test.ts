import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { factsOf } from '../../../../src/query/numbers/facts.js';
import { addCosts, formatCost, NO_COST } from '../../../../src/core/cost.js';
import { TranscriptProjection } from '../../../../src/page/panel/projection/transcriptProjection.js';
import { loadPrices } from '../../../../src/query/pricing/loadPrices.js';

const prices = await loadPrices('');
const TIME = Date.UTC(2026, 2, 1);

describe('the cost of a transcript', () => {
  test('counts the usage of a request once, however many records tell of it', () => {
    expect(costOf([request(1000), answer(1000), end(1000)])).toBe('$0.0025');
    expect(costOf([answer(1000), end(1000)])).toBe('$0.0025');
    expect(costOf([start, end(1000)])).toBe('$0.0025');
  });

  test('is that of the source where it recorded money, and the other requests are priced', () => {
    const { cost } = totalsOf([request(1000, { usage: { ...usage(1000), cost: 5_000_000 } }), request(1000)]);
    expect(cost.exact).toEqual({ amount: 5_000_000, requests: 1 });
    expect(cost.priced).toEqual({ amount: 2_500_000, requests: 1 });
  });

  test('is unknown for requests of which nothing is reported, and at least the rest', () => {
    expect(costOf([request(1000), { ...request(0), usage: undefined }])).toBe('≥ $0.0025, 1 of 2 unknown');
    expect(costOf([request(1000, { model: 'nobody-knows' })])).toBe('cost unknown');
  });

  test('is nothing for a request that was refused before it was answered', () => {
    const error = { code: 'busy', message: 'Busy.' };
    expect(costOf([request(1000), { ...request(0), usage: undefined, error }])).toBe('$0.0025');
    const late = { ...request(0), usage: undefined, error, firstTokenMs: 12 };
    expect(costOf([request(1000), late])).toBe('≥ $0.0025, 1 of 2 unknown');
  });

  test('is unknown for an answer without usage, where messages report', () => {
    const silent = { ...answer(0), usage: undefined };
    expect(costOf([prompt, answer(1000), prompt, silent])).toBe('≥ $0.0025, 1 of 2 unknown');
    expect(costOf([prompt, silent, prompt, answer(1000)])).toBe('≥ $0.0025, 1 of 2 unknown');
    expect(costOf([prompt, silent, prompt, silent])).toBe('cost unknown');
  });

  test('takes messages in a row for one answer, whose usage stands with any of them', () => {
    const silent = { ...answer(0), usage: undefined };
    expect(costOf([prompt, silent, answer(1000), silent, prompt, answer(1000)])).toBe('$0.005');
  });

  test('is nothing for an answer that says it used nothing', () => {
    expect(costOf([prompt, answer(1000), prompt, answer(0, { model: '<synthetic>' })])).toBe('$0.0025');
  });

  test('takes the model of the call where a record names none', () => {
    expect(costOf([start, request(1000, { model: '' })])).toBe('$0.0025');
  });

  test('is told of each agent alone and with its subagents; what agents spent alone adds up', () => {
    const child = { call: 'k2', parentCall: 'k1', agent: 'child', depth: 1 };
    const again = { call: 'k3', parentCall: 'k2', agent: 'main', depth: 2 };
    const { byAgent, cost } = totalsOf([request(1000), request(2000, child), request(4000, again)]);
    const told = byAgent.map(({ name, cost: own, wholeCost }) => [
      name,
      formatCost(own),
      formatCost(wholeCost),
    ]);
    expect(told).toEqual([
      ['main', '$0.013', '$0.018'],
      ['child', '$0.005', '$0.015'],
    ]);
    expect(byAgent.reduce((sum, each) => addCosts(sum, each.cost), NO_COST)).toEqual(cost);
  });

  test('of agents that a tool dispatched stands with the tool, of one within another once', () => {
    const call = (id: string) => ({ id, type: 'function', function: { name: 'task', arguments: '{}' } });
    const asks = (id: string) => ({
      ...answer(1000),
      message: { role: 'assistant', content: null, tool_calls: [call(id)] },
    });
    const dispatch = (toolCallId: string, childCall: string) => ({
      type: 'dispatch',
      target: 'child',
      task: '',
      toolCallId,
      childCall,
    });
    const child = { call: 'k2', parentCall: 'k1', agent: 'child', depth: 1 };
    const below = { call: 'k3', parentCall: 'k2', agent: 'child', depth: 2 };
    const projection = projectionOf([
      asks('a'),
      dispatch('a', 'k2'),
      { ...asks('b'), ...child },
      { ...dispatch('b', 'k3'), ...child },
      { ...answer(4000), ...below },
    ]);
    const { byAgent } = projection.statistics();
    const [task] = projection.tools.summary(projection.index.calls.all);
    expect(task?.cost).toEqual(byAgent.find(({ name }) => name === 'child')?.wholeCost);
    expect(formatCost(task?.cost ?? NO_COST)).toBe('$0.013');
  });

  test('is the sum of its agents and of its models, whatever is recorded', () => {
    fc.assert(
      fc.property(fc.array(anyRecord, { maxLength: 30 }), (records) => {
        const { byAgent, byModel, cost } = totalsOf(records);
        const sum = (shares: readonly { readonly cost: typeof cost }[]) =>
          shares.reduce((all, each) => addCosts(all, each.cost), NO_COST);
        expect(sum(byAgent)).toEqual(cost);
        expect(sum(byModel)).toEqual(cost);
      }),
    );
  });
});

const start = { type: 'callStart', task: '', model: 'gpt-4o', tools: [] };
const prompt = { type: 'message', message: { role: 'user', content: 'Go' } };

function usage(inputTokens: number) {
  return { inputTokens, outputTokens: 0, estimated: false };
}

function request(inputTokens: number, more: object = {}) {
  return { type: 'request', model: 'gpt-4o', durationMs: 1, usage: usage(inputTokens), ...more };
}

function answer(inputTokens: number, more: object = {}) {
  const message = { role: 'assistant', content: 'Done' };
  return { type: 'message', message, model: 'gpt-4o', usage: usage(inputTokens), ...more };
}

function end(inputTokens: number) {
  return { type: 'callEnd', outcome: 'done', durationMs: 1, ownUsage: usage(inputTokens), model: 'gpt-4o' };
}

const anyRecord = fc
  .record({
    record: fc.oneof(
      fc.nat(100_000).map((tokens) => request(tokens)),
      fc.nat(100_000).map((tokens) => answer(tokens)),
      fc.constant({ ...answer(0), usage: undefined }),
      fc.constant(prompt),
      fc.nat(100_000).map((tokens) => end(tokens)),
    ),
    place: fc.constantFrom(
      { call: 'k1', agent: 'main', depth: 0 },
      { call: 'k2', parentCall: 'k1', agent: 'child', depth: 1 },
      { call: 'k3', parentCall: 'k2', agent: 'main', depth: 2 },
      { call: 'k1', agent: 'guest', depth: 0 },
    ),
    model: fc.constantFrom('gpt-4o', 'o3', 'nobody-knows', ''),
  })
  .map(({ record, place, model }) => ({ ...record, ...place, model }));

function totalsOf(records: readonly object[]) {
  return projectionOf(records).statistics();
}

function projectionOf(records: readonly object[]) {
  const projection = new TranscriptProjection(prices);
  const place = { run: 'r1', call: 'k1', agent: 'main', depth: 0 };
  projection.add(
    records.map((record, at) =>
      factsOf({ seq: at + 1, id: `m${at + 1}`, time: TIME, conversation: 'c', ...place, ...record }),
    ),
  );
  return projection;
}

function costOf(records: readonly object[]): string {
  return formatCost(totalsOf(records).cost);
}
