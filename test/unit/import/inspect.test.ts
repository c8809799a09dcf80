import { describe, expect, test } from 'vitest';
import { readApprovalLog } from '../../../src/query/numbers/approvalLog.js';
import { importTranscript } from '../../../src/import/importTranscript.js';
import type { ReadRecord } from '../../../src/core/ports/transcript.js';
import { MemoryTranscript } from '../../support/memoryTranscript.js';
import { expectSaid, query, records } from './reading.js';
import { ofType } from './spans.js';

const at = (second: number) => `2026-05-12T20:27:${String(second).padStart(2, '0')}Z`;
const user = { id: 'u', role: 'user', content: 'q' };
const asks = {
  id: 'a',
  role: 'assistant',
  content: '',
  tool_calls: [{ id: 'c', function: 'bash', arguments: { cmd: 'ls' }, type: 'function' }],
};
const failed = {
  id: 't',
  role: 'tool',
  content: '',
  tool_call_id: 'c',
  function: 'bash',
  error: { type: 'timeout', message: 'took too long' },
};
const usage = { input_tokens: 10, output_tokens: 3, total_tokens: 17, input_tokens_cache_read: 4 };
const log = (samples: object[]) => ({
  version: 2,
  status: 'error',
  eval: { eval_id: 'e', task: 'quiz', created: at(0), model: 'p/m', dataset: { location: 'the dataset' } },
  plan: { name: 'the plan' },
  results: { scores: [{ name: 'match', metrics: { accuracy: { name: 'accuracy', value: 0.6875 } } }] },
  error: { message: 'out of money' },
  samples,
});
const sample = {
  id: 1,
  epoch: 1,
  input: 'q',
  target: 'a',
  scores: { match: { value: 'C', answer: 'a' } },
  messages: [user, asks, failed],
  events: [
    {
      event: 'span_begin',
      id: 's1',
      type: 'solver',
      name: 'react',
      parent_id: null,
      span_id: 's1',
      timestamp: at(1),
    },
    {
      event: 'model',
      span_id: 's1',
      timestamp: at(2),
      completed: at(5),
      model: 'p/m',
      input: [user],
      output: { model: 'm-1', choices: [{ message: asks, stop_reason: 'tool_calls' }], usage },
    },
    {
      event: 'tool',
      span_id: 's1',
      timestamp: at(6),
      completed: at(8),
      id: 'c',
      function: 'bash',
      arguments: { cmd: 'ls' },
      result: '',
      error: { type: 'timeout', message: 'took too long' },
    },
    { event: 'span_end', id: 's1', span_id: 's1', timestamp: at(9) },
  ],
};

describe("an evaluation log of Inspect's", () => {
  const said = ['user: q', 'assistant:  bash({"cmd":"ls"})', 'tool c: took too long'];

  test('has times, durations and usage from its events, and every message once', async () => {
    const result = await expectSaid([log([sample])], 'inspect', said);
    expect(ofType(result, 'request')).toMatchObject([
      {
        model: 'm-1',
        endpoint: 'p',
        durationMs: 3000,
        finishReason: 'tool_calls',
        // Inspect counts what was read from the cache apart.
        usage: { inputTokens: 14, outputTokens: 3, cachedInputTokens: 4 },
      },
    ]);
    expect(query(result).toolSummary()).toMatchObject([
      { toolName: 'bash', calls: [{ isError: true, durationMs: 2000 }] },
    ]);
    expect(query(result).filter({ role: 'assistant' })).toMatchObject([{ time: Date.parse(at(5)) }]);
  });

  test('shows how the sample was scored and how the evaluation ended', async () => {
    const result = await expectSaid([log([sample])], 'inspect', said);
    const facts = {
      Task: 'quiz',
      Model: 'p/m',
      Status: 'error',
      'Score (match)': 'C (correct)',
      Target: 'a',
      Error: 'out of money',
      'Accuracy (match)': '0.6875',
    };
    expect(result.conversations[0]?.facts).toEqual(facts);
    expect(records(result)[0]).toMatchObject({ type: 'imported', kind: 'facts', value: facts });
  });

  test('keeps what it says of all samples, once', async () => {
    const result = await expectSaid([log([sample, { ...sample, id: 2 }])], 'inspect', [...said, ...said]);
    const all = JSON.stringify(records(result));
    expect(all.split('the plan')).toHaveLength(2);
    expect(all).toContain('the dataset');
  });

  test('without events is its messages, and a usage for each model', async () => {
    const result = await expectSaid(
      [log([{ ...sample, events: [], model_usage: { m: usage } }])],
      'inspect',
      said,
    );
    expect(query(result).stats().usage.inputTokens).toBe(14);
    expect(query(result).toolSummary()).toMatchObject([{ calls: [{ isError: true }] }]);
  });

  test('an agent speaks under its own name', async () => {
    const inner = { id: 'i', role: 'assistant', content: 'inner' };
    const events = [
      sample.events[0],
      sample.events[1],
      {
        event: 'span_begin',
        id: 't1',
        type: 'tool',
        name: 'bash',
        parent_id: 's1',
        span_id: 't1',
        timestamp: at(6),
      },
      {
        event: 'tool',
        span_id: 't1',
        timestamp: at(6),
        completed: at(8),
        id: 'c',
        function: 'bash',
        arguments: { cmd: 'ls' },
        result: 'files',
      },
      { event: 'span_end', id: 't1', span_id: 't1', timestamp: at(8) },
      {
        event: 'span_begin',
        id: 'x',
        type: 'agent',
        name: 'critic',
        parent_id: 's1',
        span_id: 'x',
        timestamp: at(10),
      },
      {
        event: 'model',
        span_id: 'x',
        timestamp: at(11),
        completed: at(12),
        model: 'p/m',
        input: [user],
        output: { choices: [{ message: inner }] },
      },
    ];
    const result = await expectSaid([log([{ ...sample, events }])], 'inspect', [
      'user: q',
      'assistant:  bash({"cmd":"ls"})',
      'tool c: files',
      'assistant: inner',
    ]);
    expect(query(result).filter({ agent: 'critic' })).toHaveLength(1);
  });

  test.each([
    ['events_data', { events_data: { messages: [user, asks], calls: [] } }],
    ['message_pool', { message_pool: [user, asks], call_pool: [] }],
  ])('requests that point into its pool of messages have them: %s', async (_, pool) => {
    const model = (second: number, input_refs: number[][], message: object) => ({
      event: 'model',
      timestamp: at(second),
      completed: at(second),
      model: 'p/m',
      input: [],
      input_refs,
      output: { model: 'm-1', choices: [{ message }] },
    });
    const done = { role: 'assistant', content: 'done' };
    const events = [model(1, [[0, 1]], asks), model(2, [[0, 2]], done)];
    const result = await expectSaid([log([{ id: 1, epoch: 1, messages: [], events, ...pool }])], 'inspect', [
      'user: q',
      'assistant:  bash({"cmd":"ls"})',
      'assistant: done',
    ]);
    expect(records(result).filter(({ time }) => time === Date.parse(at(2))).length).toBeGreaterThan(0);
  });

  test('a reference that points outside the pool is reported', async () => {
    const event = {
      event: 'model',
      timestamp: at(1),
      model: 'p/m',
      input: [],
      input_refs: [[0, 5]],
      output: {},
    };
    const one = { id: 1, epoch: 1, messages: [], events: [event], events_data: { messages: [user] } };
    await expectSaid(
      [log([one])],
      'inspect',
      ['user: q'],
      ['4 messages that requests of sample 1 point to are not in its pool.'],
    );
  });
});

test('what approvers decided is in the ledger, and what they handed on is not', async () => {
  const call = { id: 'c', function: 'bash', arguments: { cmd: 'ls' } };
  const approval = (rest: object) => ({ event: 'approval', timestamp: at(2), message: '', call, ...rest });
  const events = [
    {
      event: 'model',
      timestamp: at(1),
      model: 'p/m',
      input: [user],
      output: { choices: [{ message: asks }] },
    },
    approval({ approver: 'allowlist', decision: 'escalate', explanation: 'not listed' }),
    approval({ approver: 'human', decision: 'approve', explanation: 'fine' }),
    { event: 'tool', timestamp: at(3), completed: at(4), id: 'c', function: 'bash', result: 'a' },
    approval({ approver: 'auto', decision: 'terminate', call: { id: 'd', function: 'rm' } }),
  ];
  const { conversations } = await importTranscript(
    JSON.stringify(log([{ id: 1, epoch: 1, messages: [user, asks], events }])),
    'log.json',
  );
  const all = (conversations[0]?.records ?? []) as readonly ReadRecord[];
  const { entries } = await readApprovalLog(new MemoryTranscript('c', all));
  expect(entries).toMatchObject([
    {
      isApproved: true,
      decidedBy: 'user',
      reason: 'fine',
      tool: 'bash',
      subject: '{"cmd":"ls"}',
      outcome: 'done',
    },
    { isApproved: false, decidedBy: 'policy', rule: 'auto', tool: 'rm', outcome: 'notRun' },
  ]);
});
