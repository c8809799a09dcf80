import { describe, expect, test } from 'vitest';
import { expectSaid, query, records } from './reading.js';
import { agent, asks, answers, ofType, read, span, user } from './spans.js';

const TRACE = 'f'.repeat(32);
const wrapped = (value: unknown): unknown => {
  if (typeof value === 'string') return { stringValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(wrapped) } };
  const values = Object.entries(value as object).map(([key, each]) => ({ key, value: wrapped(each) }));
  return { kvlistValue: { values } };
};
/** A log record in OTLP's JSON, of a span, at this second. */
const log = (spanId: string, eventName: string, second: number, body: object) => ({
  timeUnixNano: String((1_760_000_000 + second) * 1e9),
  traceId: TRACE,
  spanId,
  eventName,
  attributes: [{ key: 'gen_ai.system', value: { stringValue: 'openai' } }],
  body: wrapped(body),
});
const logs = (...logRecords: object[]) => ({ resourceLogs: [{ resource: {}, scopeLogs: [{ logRecords }] }] });
const chat = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm' };
const call = { id: 'c1', type: 'function', function: { name: 'ls', arguments: '{}' } };
const asked = log('1', 'gen_ai.user.message', 0, { content: 'hi' });
const answered = log('1', 'gen_ai.choice', 1, { index: '0', message: { tool_calls: [call] } });
const TALK = ['user: hi', 'assistant: null ls({})'];

describe('log records that tell what a span said', () => {
  test.each([
    [
      'beside the spans',
      [
        {
          resourceSpans: [{ scopeSpans: [{ spans: [span('1', '', 'chat m', 0, 2, chat)] }] }],
          ...logs(asked, answered),
        },
      ],
    ],
    ['before the spans', [logs(answered, asked), span('1', '', 'chat m', 0, 2, chat)]],
  ])('%s belong to it', async (_, values) => {
    const result = await expectSaid(values, 'otlp', TALK);
    expect(ofType(result, 'request')).toMatchObject([{ model: 'm', durationMs: 2000 }]);
  });

  test('alone are requests with the times of their records', async () => {
    const result = await expectSaid([logs(asked, answered)], 'otlp', TALK);
    expect(ofType(result, 'request')).toMatchObject([{ endpoint: 'openai', durationMs: 1000 }]);
  });

  test('as an SDK prints them, one a line, with the name of the event among the attributes', async () => {
    const line = (name: string, body: object) => ({
      body,
      attributes: { 'event.name': name, 'gen_ai.system': 'openai' },
      timestamp: '2026-01-01T00:00:00Z',
      trace_id: `0x${TRACE}`,
      span_id: '0x00000000000000a1',
    });
    await expectSaid(
      [
        line('gen_ai.user.message', { content: 'hi' }),
        line('gen_ai.choice', { index: 0, message: { role: 'assistant', content: 'ok' } }),
      ],
      'otlp',
      ['user: hi', 'assistant: ok'],
    );
  });

  test('of no span and no model are kept', async () => {
    const other = { ...log('', 'started', 0, { words: 'the oven is on' }), traceId: '' };
    const result = await expectSaid([logs(other), logs(asked, answered)], 'otlp', TALK);
    expect(JSON.stringify(records(result))).toContain('the oven is on');
  });
});

describe('the agent of a trace', () => {
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'bakery' } }] };
  const of = (...spans: object[]) => ({ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] });
  const asking = { ...asks(user('hi')), ...answers({ role: 'assistant', content: 'ok' }) };

  test('is called after the service where no span names one', async () => {
    const result = await read(of(span('1', '', 'chat', 0, 1, asking)));
    expect(Object.keys(query(result).stats().byAgent)).toEqual(['bakery']);
  });

  test('has its own name where a span tells it', async () => {
    const result = await read(
      of(span('0', '', 'run', 0, 2, agent('Pickle')), span('1', '0', 'chat', 0, 1, asking)),
    );
    expect(Object.keys(query(result).stats().byAgent)).toEqual(['Pickle']);
  });
});

test('a trace without any model is titled by its root and says how large it is and what failed', async () => {
  const failed = { status: { code: 2, message: 'no flour' } };
  const result = await read([
    span('1', '', 'GET /cake', 0, 3, {}),
    span('2', '1', 'SELECT flour', 1, 1, {}, failed),
  ]);
  const [conversation] = result.conversations;
  expect(conversation?.title).toBe('GET /cake');
  expect(conversation?.facts).toEqual({ Spans: '2', Failed: 'SELECT flour: no flour' });
  expect(result.problems.map(({ message }) => message)).toEqual([
    'This trace asks no model: its 2 spans are kept as they are.',
  ]);
});
