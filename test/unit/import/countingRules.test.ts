import { describe, expect, test } from 'vitest';
import { factsOf } from '../../../src/query/numbers/facts.js';
import { explainCost, formatCost, knownAmount } from '../../../src/core/cost.js';
import { inDollars } from '../../../src/core/money.js';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { TranscriptProjection } from '../../../src/page/panel/projection/transcriptProjection.js';
import { loadPrices } from '../../../src/query/pricing/loadPrices.js';
import { lines, records } from './reading.js';

/*
 * How much each source's tokens are: a rule each, with figures that were calculated by hand from the prices of its time, in
 * dollars for a million tokens. Those of copies, branches and forks, and what sources say of money themselves, are in
 * recordedCost.test.ts.
 *
 * claude-sonnet-4-5, -4-6: in 3, out 15, read from a cache 0.30, written to it 3.75, for an hour 6; gpt-5: 1.25, 10, 0.125, -
 */
const prices = await loadPrices('');
const AT = '2026-03-01T10:00:00.000Z';
const LATER = '2026-03-01T10:05:00.000Z';

async function costOf(...values: readonly object[]) {
  const projection = new TranscriptProjection(prices);
  projection.add(records(await importTranscript(lines(...values), 'file')).map(factsOf));
  return projection.statistics().cost;
}

/** In dollars, not rounded; undefined where it is unknown. */
async function cost(...values: readonly object[]): Promise<number | undefined> {
  const sum = await costOf(...values);
  return sum.unknown > 0 ? undefined : inDollars(knownAmount(sum));
}

describe('Claude Code', () => {
  const asked = {
    type: 'user',
    sessionId: 's',
    uuid: 'u0',
    timestamp: AT,
    message: { role: 'user', content: 'Go' },
  };
  const answer = (uuid: string, usage: object, id = 'm1') => ({
    type: 'assistant',
    sessionId: 's',
    uuid,
    timestamp: AT,
    requestId: `q-${id}`,
    message: {
      id,
      role: 'assistant',
      model: 'claude-sonnet-4-5',
      content: [{ type: 'text', text: uuid }],
      usage,
    },
  });

  test('input comes on top of what caches read and wrote, each at its price', async () => {
    const usage = {
      input_tokens: 1_000,
      cache_read_input_tokens: 10_000,
      cache_creation_input_tokens: 3_000,
      cache_creation: { ephemeral_5m_input_tokens: 2_000, ephemeral_1h_input_tokens: 1_000 },
      output_tokens: 500,
    };
    // 0.003 + 0.003 + 0.0075 + 0.006 + 0.0075
    expect(await cost(asked, answer('u1', usage))).toBe(0.027);
  });

  test('a message that is streamed over several lines counts once, with its largest output', async () => {
    const grown = (uuid: string, output: number) =>
      answer(uuid, { input_tokens: 1_000, output_tokens: output });
    // 0.003 + 0.0075
    for (const outputs of [
      [3, 200, 500],
      [500, 200, 3],
    ])
      expect(await cost(asked, ...outputs.map((output, at) => grown(`u${at + 1}`, output)))).toBe(0.0105);
  });

  test('each search of the web costs a cent besides the tokens, once for all lines of a message', async () => {
    const usage = { input_tokens: 1_000, output_tokens: 500, server_tool_use: { web_search_requests: 2 } };
    // 0.003 + 0.0075 + 0.02
    expect(await cost(asked, answer('u1', usage), answer('u2', usage))).toBe(0.0305);
  });

  test('a prompt of more than 200,000 tokens is dearer as a whole', async () => {
    // 300,000 at 6 and 1,000 at 22.5: not 200,000 at 3 and the rest at 6.
    expect(await cost(asked, answer('u1', { input_tokens: 300_000, output_tokens: 1_000 }))).toBe(1.8225);
  });
});

describe('Codex', () => {
  const counted = (timestamp: string, info: object) => ({
    timestamp,
    type: 'event_msg',
    payload: { type: 'token_count', info },
  });
  const tokens = (input: number, cached: number, output: number, reasoning = 0) => ({
    input_tokens: input,
    cached_input_tokens: cached,
    output_tokens: output,
    reasoning_output_tokens: reasoning,
  });
  const meta = { timestamp: AT, type: 'session_meta', payload: { id: 'c' } };
  const gpt = { timestamp: AT, type: 'turn_context', payload: { model: 'gpt-5' } };
  const asked = {
    timestamp: AT,
    type: 'response_item',
    payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Go' }] },
  };
  const one = tokens(10_000, 4_000, 1_000, 800);
  const two = tokens(20_000, 10_000, 2_000, 900);

  test('input contains what was cached, and output the reasoning', async () => {
    // 6,000 at 1.25, 4,000 at 0.125 and 1,000 at 10: 0.0075 + 0.0005 + 0.01
    expect(await cost(meta, gpt, asked, counted(AT, { last_token_usage: one, total_token_usage: one }))).toBe(
      0.018,
    );
  });

  test('a request is what is told of it last, else what the total grew by', async () => {
    const sum = tokens(30_000, 14_000, 3_000, 1_700);
    // 0.018 and 10,000 at 1.25, 10,000 at 0.125, 2,000 at 10: 0.0125 + 0.00125 + 0.02
    const first = counted(AT, { last_token_usage: one, total_token_usage: one });
    const both = counted(LATER, { last_token_usage: two, total_token_usage: sum });
    expect(await cost(meta, gpt, asked, first, both)).toBe(0.05175);
    const totals = [counted(AT, { total_token_usage: one }), counted(LATER, { total_token_usage: sum })];
    expect(await cost(meta, gpt, asked, ...totals)).toBe(0.05175);
  });

  test('a count that is told again counts once', async () => {
    const told = counted(AT, { last_token_usage: one, total_token_usage: one });
    expect(await cost(meta, gpt, asked, told, { ...told, timestamp: LATER })).toBe(0.018);
  });

  test('what no model is named for is unknown', async () => {
    expect(await cost(meta, asked, counted(AT, { total_token_usage: one }))).toBeUndefined();
  });
});

describe('Copilot CLI', () => {
  const event = (id: number, type: string, data: object) => ({ id: `e${id}`, timestamp: AT, type, data });
  const begun = [event(0, 'session.start', { sessionId: 's' }), event(1, 'user.message', { content: 'Go' })];
  const said = event(2, 'assistant.message', {
    outputTokens: 50,
    content: 'Done',
    model: 'claude-sonnet-4.6',
  });
  const ended = (id: number, usage: object, count = 1) =>
    event(id, 'session.shutdown', {
      modelMetrics: { 'claude-sonnet-4.6': { requests: { count }, usage } },
    });
  const all = { inputTokens: 10_000, cacheReadTokens: 4_000, cacheWriteTokens: 1_000, outputTokens: 200 };

  test('the input of a model contains what its cache read and wrote, and 4.6 is 4-6', async () => {
    // 5,000 at 3, 4,000 at 0.3, 1,000 at 3.75, 200 at 15: 0.015 + 0.0012 + 0.00375 + 0.003
    expect(await cost(...begun, said, ended(3, all))).toBe(0.02295);
  });

  test('a later end replaces an earlier one', async () => {
    expect(await cost(...begun, said, ended(3, { inputTokens: 900_000 }), ended(4, all))).toBe(0.02295);
  });

  test('of several requests at once the tiers are not known, so the cost is estimated', async () => {
    const metrics = {
      'claude-sonnet-4.5': { requests: { count: 2 }, usage: { inputTokens: 300_000, outputTokens: 9 } },
    };
    const sum = await costOf(...begun, said, event(3, 'session.shutdown', { modelMetrics: metrics }));
    expect(sum.estimated.requests).toBe(2);
  });
});

describe("OpenTelemetry, as in Copilot's files", () => {
  const at = (second: number) => [Date.parse(AT) / 1000 + second, 0];
  const used = (input: number, output: number) => ({
    'gen_ai.usage.input_tokens': input,
    'gen_ai.usage.output_tokens': output,
  });
  const model = { 'gen_ai.request.model': 'gpt-5' };
  const span = (spanId: string, operation: string, attributes: object) => ({
    type: 'span',
    traceId: 'a1',
    spanId,
    name: `${operation} x`,
    startTime: at(0),
    endTime: at(1),
    attributes: { 'gen_ai.operation.name': operation, ...model, ...attributes },
  });
  const log = (event: string, attributes: object, traceId = 'a1') => ({
    hrTime: at(1),
    _body: event,
    spanContext: { traceId, spanId: 'f0' },
    resource: { _rawAttributes: [['service.name', 'copilot']] },
    attributes: { 'event.name': event, ...attributes },
  });
  const DETAILS = 'gen_ai.client.inference.operation.details';
  const TURN = 'copilot_chat.agent.turn';
  const chats = [span('c1', 'chat', used(1_000, 100)), span('c2', 'chat', used(2_000, 100))];
  const requests = [
    log(DETAILS, { ...model, ...used(4_000, 100) }),
    log(DETAILS, { ...model, ...used(8_000, 100) }),
  ];
  const turns = [log(TURN, { ...used(16_000, 100) }), log(TURN, { ...used(32_000, 100) })];
  const agents = [
    span('a1', 'invoke_agent', { 'gen_ai.agent.name': 'Pickle', ...used(64_000, 1_000) }),
    {
      ...span('a2', 'invoke_agent', { 'gen_ai.agent.name': 'Cookie', ...used(1_000, 10) }),
      parentSpanId: 'a1',
    },
  ];
  // Input at 1.25 and output at 10: of chats 0.00375 + 0.002, of the logs of requests 0.015 + 0.002, and so on.
  test.each([
    ['spans of requests, before all else', [...turns, ...requests, ...chats, ...agents], 0.00575],
    ['else logs of requests, each one', [...turns, ...requests, ...agents], 0.017],
    ['else logs of turns, of the model that the rest of the trace names', [...turns, ...agents], 0.062],
    ['else what the outermost agent sums up', agents, 0.09],
  ])('counts %s', async (_, values, expected) => {
    expect(await cost(...values)).toBe(expected);
    expect(await cost(...values.toReversed())).toBe(expected);
  });

  test('a log of a request in no trace counts once, beside the span of its response', async () => {
    const response = { 'gen_ai.response.id': 'r1' };
    const told = log(DETAILS, { ...model, ...response, ...used(4_000, 100) }, 'b2');
    expect(await cost(span('c1', 'chat', { ...response, ...used(1_000, 100) }), told)).toBe(0.00225);
    expect(await cost(told)).toBe(0.006);
  });

  test('what an agent sums up is of several requests, of which no tier is known', async () => {
    expect((await costOf(...agents)).priced.requests).toBe(2);
  });
});

describe('VS Code Chat', () => {
  test('prompts are one number, of which no part is taken to be cached', async () => {
    const request = {
      requestId: 'r',
      timestamp: Date.parse(AT),
      modelId: 'copilot/gpt-5',
      message: { text: 'Go', parts: [] },
      response: [{ value: 'Done' }],
      result: { metadata: { promptTokens: 10_000, outputTokens: 1_000, resolvedModel: 'gpt-5' } },
    };
    const session = { version: 3, sessionId: 's', responderUsername: 'GitHub Copilot', requests: [request] };
    // 0.0125 + 0.01
    expect(await cost(session)).toBe(0.0225);
  });
});

describe('Amp', () => {
  test('what a model of OpenAI wrote to a cache is plain input', async () => {
    const usage = {
      model: 'gpt-5',
      inputTokens: 1_000,
      outputTokens: 1_000,
      timestamp: AT,
      cacheCreationInputTokens: 5_000,
      cacheReadInputTokens: 4_000,
    };
    const content = [{ type: 'text', text: 'Done' }];
    const thread = {
      v: 1,
      id: 'T-1',
      created: Date.parse(AT),
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Go' }] },
        { role: 'assistant', content, usage },
      ],
    };
    // 6,000 at 1.25, 4,000 at 0.125, 1,000 at 10: 0.0075 + 0.0005 + 0.01
    expect(await cost(thread)).toBe(0.018);
  });
});

describe('a sum', () => {
  test('is called by its worst part, and what is unknown is never zero', async () => {
    const answer = (id: string, model: string) => ({
      type: 'assistant',
      sessionId: 's',
      uuid: id,
      timestamp: AT,
      requestId: id,
      message: {
        id,
        role: 'assistant',
        model,
        content: [{ type: 'text', text: id }],
        usage: { input_tokens: 100_000, output_tokens: 0 },
      },
    });
    const sum = await costOf(answer('a', 'claude-sonnet-4-5'), answer('b', 'nobody-knows'));
    expect(formatCost(sum)).toBe('≥ $0.30, 1 of 2 unknown');
    expect(explainCost(sum)).toContain('1 request');
  });
});
