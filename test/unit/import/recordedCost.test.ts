import { describe, expect, test } from 'vitest';
import { factsOf } from '../../../src/analysis/facts.js';
import { explainCost, formatCost } from '../../../src/core/cost.js';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { TranscriptProjection } from '../../../src/panel/projection/transcriptProjection.js';
import { loadPrices } from '../../../src/pricing/loadPrices.js';
import { lines, records } from './reading.js';

const prices = await loadPrices('');
const AT = '2026-03-01T10:00:00.000Z';
const LATER = '2026-03-01T10:05:00.000Z';

describe('what a source says of money', () => {
  test('Claude Code: the costUSD of old lines is exact, and streamed copies of a message count once', async () => {
    const answer = (output: number) => ({
      ...{
        type: 'assistant',
        sessionId: 's',
        uuid: `u${output}`,
        timestamp: AT,
        costUSD: 0.25,
        requestId: 'q',
      },
      message: {
        ...{ id: 'm1', role: 'assistant', model: 'claude-sonnet-4-5' },
        content: [{ type: 'text', text: `part ${output}` }],
        usage: { input_tokens: 10, output_tokens: output },
      },
    });
    expect(await told(asked, answer(3), answer(9))).toBe('$0.25 recorded by the source (1 request).');
  });

  test('Claude Code: a side question that repeats messages of the session counts them once', async () => {
    const own = claudeAnswer('m1', 'u1', 1_000_000);
    const copy = {
      ...claudeAnswer('m1', 'u2', 1_000_000),
      requestId: 'other',
      isSidechain: true,
      agentId: 'a',
    };
    const side = { ...claudeAnswer('m2', 'u3', 100_000), isSidechain: true, agentId: 'a' };
    expect(await cost(asked, own, copy, side)).toBe('$6.30');
    expect(await cost(asked, copy, side, own)).toBe('$6.30');
  });

  test('Codex: a forked session says what it used itself, $16.32, and nothing of what it repeats', async () => {
    const total = (timestamp: string, input: number) => ({
      ...{ timestamp, type: 'event_msg' },
      payload: {
        type: 'token_count',
        info: { total_token_usage: { input_tokens: input, output_tokens: 0 } },
      },
    });
    const session = [
      { timestamp: AT, type: 'session_meta', payload: { id: 'child', forked_from_id: 'parent' } },
      { timestamp: AT, type: 'session_meta', payload: { id: 'parent' } },
      { timestamp: AT, type: 'turn_context', payload: { model: 'gpt-5' } },
      {
        ...{ timestamp: AT, type: 'response_item' },
        payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Go on' }] },
      },
      ...[9e9, 18e9, 27_024_000_000].map((input) => total(AT, input)),
    ];
    expect(await cost(...session, total(LATER, 27_024_000_000 + 13_056_000))).toBe('$16.32');
  });

  test.each([
    [{ 'claude-sonnet-4.6': 2 }, '$1.50 recorded by the source (2 requests).'],
    [{ 'claude-sonnet-4.6': 2, 'gpt-5': 3 }, '$1.50 recorded by the source (6 requests).'],
  ])('Copilot CLI: its last total replaces all prices, with the models %j', async (models, expected) => {
    const shutdown = (totalNanoAiu: number) => ({
      ...{ id: `e${totalNanoAiu}`, timestamp: LATER, type: 'session.shutdown' },
      data: {
        totalNanoAiu,
        modelMetrics: Object.fromEntries(
          Object.entries(models).map(([model, count]) => [
            model,
            { requests: { count }, usage: { inputTokens: 5000, outputTokens: 50 } },
          ]),
        ),
      },
    });
    const start = { id: 'e0', timestamp: AT, type: 'session.start', data: { sessionId: 's' } };
    const user = { id: 'e1', timestamp: AT, type: 'user.message', data: { content: 'Go' } };
    const said = { outputTokens: 50, content: 'Done', model: 'claude-sonnet-4.6' };
    const answer = { id: 'e2', timestamp: AT, type: 'assistant.message', data: said };
    expect(await told(start, user, answer, shutdown(0.5e11), shutdown(1.5e11))).toBe(expected);
  });

  test('OpenCode and Pi: the cost of a message is exact, and zero for used tokens is none', async () => {
    const openCode = (money: number) => ({
      info: { id: 's' },
      messages: [
        {
          info: { role: 'assistant', modelID: 'mine', tokens: { input: 9, output: 1 }, cost: money },
          parts: [{ type: 'text', text: 'Done' }],
        },
      ],
    });
    expect(await cost(openCode(0.42))).toBe('$0.42');
    expect(await cost(openCode(0))).toBe('cost unknown');
    const pi = [
      { type: 'session', id: 's', cwd: '/project', timestamp: AT },
      {
        ...{ type: 'message', timestamp: AT },
        message: {
          ...{ role: 'assistant', model: 'mine', content: [{ type: 'text', text: 'Done' }] },
          usage: { input: 9, output: 1, cost: { input: 0.1, output: 0.2, total: 0.3 } },
        },
      },
    ];
    expect(await cost(...pi)).toBe('$0.30');
  });

  test('Cline: the cost of a request is exact', async () => {
    const request = JSON.stringify({ tokensIn: 9, tokensOut: 1, cost: 0.07 });
    const task = [
      { ts: 1, type: 'say', say: 'task', text: 'Go' },
      { ts: 2, type: 'say', say: 'api_req_started', text: request },
      { ts: 3, type: 'say', say: 'text', text: 'Done' },
    ];
    expect(await costOfText(JSON.stringify(task))).toBe('$0.07');
  });

  test('aider: the cost of a message is exact', async () => {
    const chat = [
      '# aider chat started at 2026-03-01 10:00:00',
      '> Model: gpt-4o with diff edit format',
      '',
      '#### Go',
      '',
      'Done',
      '',
      '> Tokens: 2.1k sent, 123 received. Cost: $0.0036 message, $0.0072 session.',
      '',
    ];
    expect(await costOfText(chat.join('\n'))).toBe('$0.0036');
  });
});

const asked = {
  ...{ type: 'user', sessionId: 's', uuid: 'u0', timestamp: AT },
  message: { role: 'user', content: 'Go' },
};

function claudeAnswer(id: string, uuid: string, input: number) {
  return {
    ...{ type: 'assistant', sessionId: 's', uuid, timestamp: AT, requestId: `q-${id}` },
    message: {
      ...{
        id,
        role: 'assistant',
        model: 'claude-sonnet-4-5',
        content: [{ type: 'text', text: `It is ${id}` }],
      },
      usage: { input_tokens: input, output_tokens: 0 },
    },
  };
}

const cost = (...values: readonly object[]) => costOfText(lines(...values));

const costOfText = async (text: string) => formatCost((await totalsOf(text)).cost);

const told = async (...values: readonly object[]) => explainCost((await totalsOf(lines(...values))).cost);

async function totalsOf(text: string) {
  const projection = new TranscriptProjection(prices);
  projection.add(records(await importTranscript(text, 'file')).map(factsOf));
  return projection.statistics();
}
