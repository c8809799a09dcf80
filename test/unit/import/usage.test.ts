import { describe, expect, test } from 'vitest';
import { addUsage, plausibleUsage } from '../../../src/core/usage.js';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { lines, query } from './reading.js';

const counted = async (...values: unknown[]) =>
  query(await importTranscript(lines(...values), 's.jsonl')).stats().usage;

describe('what was written to a cache is counted apart from what was read', () => {
  const answer = (usage: object) => ({
    type: 'assistant',
    uuid: JSON.stringify(usage),
    sessionId: 's',
    message: { id: 'm', role: 'assistant', content: 'ok', usage },
  });
  const usage = {
    input_tokens: 1,
    output_tokens: 2,
    cache_read_input_tokens: 30,
    cache_creation_input_tokens: 500,
    cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 400 },
  };

  test('Claude Code, for five minutes and for an hour', async () => {
    expect(await counted(answer(usage))).toEqual({
      inputTokens: 531,
      outputTokens: 2,
      cachedInputTokens: 30,
      cacheWriteTokens: 500,
      cacheWrite1hTokens: 400,
      estimated: false,
    });
  });

  test('the lines of one message are one request, whose largest output is final', async () => {
    const all = [answer({ ...usage, output_tokens: 9 }), answer({ ...usage, output_tokens: 1 })];
    expect(await counted(...all)).toMatchObject({ inputTokens: 531, outputTokens: 9, cacheWriteTokens: 500 });
  });

  test('Pi', async () => {
    const message = {
      role: 'assistant',
      content: [],
      usage: { input: 1, output: 2, cacheRead: 30, cacheWrite: 500 },
    };
    const header = { type: 'session', version: 3, id: 'p', cwd: '/w' };
    expect(await counted(header, { type: 'message', message })).toMatchObject({
      inputTokens: 531,
      cachedInputTokens: 30,
      cacheWriteTokens: 500,
    });
  });

  test('Langfuse', async () => {
    const details = { input: 1, output: 2, cache_read_input_tokens: 30, cache_creation_input_tokens: 500 };
    const observation = {
      id: 'o',
      traceId: 't',
      type: 'GENERATION',
      startTime: '2026-01-01T00:00:00Z',
      usageDetails: details,
    };
    expect(await counted({ id: 't', observations: [observation] })).toMatchObject({
      inputTokens: 531,
      cachedInputTokens: 30,
      cacheWriteTokens: 500,
    });
  });

  test('Inspect', async () => {
    const spent = {
      input_tokens: 1,
      output_tokens: 2,
      total_tokens: 533,
      input_tokens_cache_read: 30,
      input_tokens_cache_write: 500,
    };
    const sample = { id: 1, epoch: 1, messages: [], model_usage: { 'p/m': spent } };
    expect(await counted({ status: 'success', eval: { task: 'quiz' }, samples: [sample] })).toMatchObject({
      inputTokens: 531,
      cachedInputTokens: 30,
      cacheWriteTokens: 500,
    });
  });

  test.each([
    ['gen_ai.usage.input_tokens', 'gen_ai.usage.cache_creation.input_tokens'],
    ['gen_ai.usage.input_tokens', 'gen_ai.usage.cache_creation_input_tokens'],
    ['llm.token_count.prompt', 'llm.token_count.prompt_details.cache_write'],
  ])('spans with %s and %s', async (input, written) => {
    const attributes = { 'gen_ai.operation.name': 'chat', [input]: 531, [written]: 500 };
    expect(await counted({ traceId: 't', spanId: 's', name: 'chat', attributes })).toMatchObject({
      inputTokens: 531,
      cacheWriteTokens: 500,
    });
  });

  test('chat completions of a router', async () => {
    const details = { cached_tokens: 30, cache_write_tokens: 500 };
    const message = {
      role: 'assistant',
      content: 'ok',
      usage: { prompt_tokens: 531, completion_tokens: 2, prompt_tokens_details: details },
    };
    expect(await counted({ role: 'user', content: 'hi' }, message)).toMatchObject({
      inputTokens: 531,
      cachedInputTokens: 30,
      cacheWriteTokens: 500,
    });
  });
});

test('a session of Copilot that is continued has the totals of its last end', async () => {
  const event = (type: string, data: object) => ({ id: `${type}${JSON.stringify(data)}`, type, data });
  const ended = (inputTokens: number) =>
    event('session.shutdown', {
      modelMetrics: { m: { usage: { inputTokens, outputTokens: 1, cacheWriteTokens: 7 } } },
    });
  expect(await counted(event('session.start', { sessionId: 's' }), ended(10), ended(25))).toMatchObject({
    inputTokens: 25,
    outputTokens: 1,
    cacheWriteTokens: 7,
  });
});

test('sums and checks keep every part', () => {
  const one = {
    inputTokens: 9,
    outputTokens: 1,
    cacheWriteTokens: 5,
    cacheWrite1hTokens: 3,
    estimated: false,
  };
  expect(addUsage(one, one)).toMatchObject({ cacheWriteTokens: 10, cacheWrite1hTokens: 6 });
  expect(plausibleUsage(one)).toEqual({ usage: one, implausible: [] });
  expect(plausibleUsage({ ...one, cacheWriteTokens: -1 }).implausible).toEqual(['cacheWriteTokens: -1']);
});
