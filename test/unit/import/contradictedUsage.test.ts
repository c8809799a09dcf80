import { describe, expect, test } from 'vitest';
import { explainCost, formatCost } from '../../../src/core/cost.js';
import { ToldCost } from '../../../src/core/costTally.js';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { factsOf } from '../../../src/query/numbers/facts.js';
import { TranscriptReader } from '../../../src/query/numbers/transcriptReader.js';
import { UsageTotals } from '../../../src/query/numbers/usageTotals.js';
import { loadPrices } from '../../../src/query/pricing/loadPrices.js';
import { lines, records } from './reading.js';

const prices = await loadPrices('');
const AT = '2026-03-01T10:00:00.000Z';

const asked = {
  type: 'user',
  sessionId: 's',
  uuid: 'u0',
  timestamp: AT,
  message: { role: 'user', content: 'Go' },
};

async function costIn(values: readonly unknown[]) {
  const reader = new TranscriptReader();
  const totals = new UsageTotals(prices);
  for (const record of records(await importTranscript(lines(...values), 'file')))
    totals.add(reader.next(factsOf(record)));
  return totals.cost(reader.calls.all);
}

const cost = async (...values: readonly unknown[]) => formatCost(await costIn(values));
const told = async (...values: readonly unknown[]) => explainCost(await costIn(values));

describe('what a source says is taken at its word, and told where it contradicts itself', () => {
  test('Claude Code: what the tool says itself stands beside our sum, and a call takes as long as from its own line', async () => {
    const second = (at: number) => new Date(Date.parse(AT) + 1000 * at).toISOString();
    const part = (at: number, content: object, output: number) => ({
      type: 'assistant',
      sessionId: 's',
      uuid: `u${at}`,
      timestamp: second(at),
      requestId: 'q',
      message: {
        id: 'm1',
        role: 'assistant',
        model: 'claude-sonnet-4-5',
        content: [content],
        usage: { input_tokens: 10, output_tokens: output },
      },
    });
    const result = (at: number, id: string) => ({
      type: 'user',
      sessionId: 's',
      uuid: `r${id}`,
      timestamp: second(at),
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'ok' }] },
    });
    const call = (id: string) => ({ type: 'tool_use', id, name: 'Bash', input: {} });
    const state = (dollars: number, outputTokens: number) => ({
      type: 'cost-state',
      sessionId: 's',
      totalCostUSD: dollars,
      modelUsage: { 'claude-sonnet-4-5': { inputTokens: 10, outputTokens, costUSD: dollars } },
    });
    const session = lines(
      asked,
      part(1, { type: 'text', text: 'Hm' }, 1),
      part(20, call('a'), 5),
      part(21, call('b'), 9),
      result(22, 'a'),
      result(25, 'b'),
      // Two processes, of which the second goes on; and one that began anew.
      state(0.5, 9),
      state(0.75, 12),
      state(0.25, 3),
    );
    const { conversations, problems } = await importTranscript(session, 's.jsonl');
    expect(problems).toEqual([]);
    const [made] = conversations;
    const itself = new ToldCost();
    for (const record of made?.records ?? []) itself.add(record);
    expect(made?.facts).toEqual({ 'Cost by Claude Code': '$1.00' });
    expect(itself.total).toBe(1e9);
    const reader = new TranscriptReader();
    const took = (made?.records ?? []).flatMap((record) => reader.next(factsOf(record)).result?.tookMs ?? []);
    expect(took).toEqual([2000, 4000]);
  });

  test('usage that cannot be true is told, and makes its request unknown instead of nothing', async () => {
    const answer = (id: string, usage: object) => ({
      type: 'assistant',
      sessionId: 's',
      uuid: id,
      timestamp: AT,
      requestId: id,
      message: {
        id,
        role: 'assistant',
        model: 'claude-sonnet-4-5',
        content: [{ type: 'text', text: id }],
        usage,
      },
    });
    const session = [asked, answer('m1', { input_tokens: -5, output_tokens: 2 })];
    const more = [
      answer('m2', { input_tokens: '12', output_tokens: 2 }),
      answer('m3', { input_tokens: 12, output_tokens: 2 }),
    ];
    expect(await told(...session, ...more)).toBe(
      '$0.000066 recorded tokens times dated prices (1 request). 2 requests of unknown cost: the usage that was recorded cannot be true.',
    );
    const { problems } = await importTranscript(lines(...session, ...more), 's.jsonl');
    expect(problems.map(({ message }) => message)).toEqual([
      '2 requests tell usage that cannot be true (negative, no number, or sums that disagree): the cost is unknown.',
    ]);
  });

  test.each([
    ['an object', { input_tokens: {}, output_tokens: 2 }],
    [
      'an object of something else',
      { input_tokens: 12, output_tokens: 2, cache_read_input_tokens: { n: 1 } },
    ],
    ['a fraction', { input_tokens: 12.5, output_tokens: 2 }],
    ['more than can be counted', { input_tokens: 12, output_tokens: 1e300 }],
    ['no number at all', { input_tokens: '12', output_tokens: [2] }],
  ])('a number of tokens that is %s cannot be true', async (_, usage) => {
    const message = { id: 'm1', role: 'assistant', model: 'claude-sonnet-4-5', content: 'Baked.', usage };
    const answer = { type: 'assistant', sessionId: 's', uuid: 'a', timestamp: AT, requestId: 'r', message };
    expect(await told(asked, answer)).toContain('the usage that was recorded cannot be true');
    const { problems } = await importTranscript(lines(asked, answer), 's.jsonl');
    expect(problems.map(({ message: words }) => words)).toEqual([
      expect.stringContaining('1 request tells usage that cannot be true'),
    ]);
  });

  test('numbers that are told by their parts are none of these', async () => {
    const usage = { inputTokens: { total: 12, noCache: 10, cacheRead: 2 }, outputTokens: 2 };
    const talk = { model: 'gpt-5', messages: [asked, { role: 'assistant', content: 'Baked.', usage }] };
    const { problems } = await importTranscript(JSON.stringify(talk), 'talk.json');
    expect(problems.filter(({ message }) => message.includes('cannot be true'))).toEqual([]);
  });

  test('Gemini CLI: a total that is another than its parts come to cannot be true', async () => {
    const session = (total: number) =>
      lines(
        { sessionId: 's', projectHash: 'x', startTime: AT, lastUpdated: AT, kind: 'main' },
        { id: '1', timestamp: AT, type: 'user', content: [{ text: 'Bake.' }] },
        {
          id: '2',
          timestamp: AT,
          type: 'gemini',
          content: 'Baked.',
          model: 'gemini-2.5-pro',
          tokens: { input: 100, output: 50, cached: 10, thoughts: 5, tool: 0, total },
        },
      );
    const problemsOf = async (total: number) => (await importTranscript(session(total), 's.jsonl')).problems;
    expect(await problemsOf(155)).toEqual([]);
    expect(await problemsOf(165)).toEqual([]);
    expect(await problemsOf(1_000)).toHaveLength(1);
  });

  test('Codex: the tier is that of the settings of the thread, until the next ones', async () => {
    const event = (type: string, payload: object) => ({
      timestamp: AT,
      type: 'event_msg',
      payload: { type, ...payload },
    });
    const settings = (service_tier: string | null) =>
      event('thread_settings_applied', { thread_settings: { service_tier } });
    const total = (input: number) =>
      event('token_count', {
        info: { total_token_usage: { input_tokens: input, output_tokens: 0, total_tokens: input } },
      });
    const session = [
      { timestamp: AT, type: 'session_meta', payload: { id: 'c' } },
      { timestamp: AT, type: 'turn_context', payload: { model: 'gpt-5.5' } },
      {
        timestamp: AT,
        type: 'response_item',
        payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Go' }] },
      },
      total(100_000),
      settings('priority'),
      total(200_000),
      settings('default'),
      total(300_000),
    ];
    expect(await cost(...session)).toBe('$2.25');
    expect(await cost(...session, settings('gold'), total(400_000))).toBe('≥ $2.25, 1 of 4 unknown');
  });
});
