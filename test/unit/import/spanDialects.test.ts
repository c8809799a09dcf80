import { describe, expect, test } from 'vitest';
import { EARLIER_NAMES } from '../../../src/import/formatsPage.js';
import { query, records, said } from './reading.js';
import { agent, answers, asks, ofType, read, span, user } from './spans.js';

describe('exports of other backends', () => {
  const asked = { ...asks(user('hi')), ...answers({ role: 'assistant', content: 'ok' }) };
  const expected = ['user: hi', 'assistant: ok'];

  test('resource and scope are kept once, unknown attributes with their span', async () => {
    const scoped = (name: string, second: number) => ({
      scope: { name, version: '1' },
      spans: [span(name, '', 'ask', second, 1, { ...asked, 'gen_ai.future': 'new' })],
    });
    const result = await read({
      resourceSpans: [
        {
          resource: { attributes: [{ key: 'service.name', value: { stringValue: 'bakery' } }] },
          scopeSpans: [scoped('one', 0), scoped('two', 5)],
        },
      ],
    });
    const kept = ofType(result, 'imported').filter(
      (record) => 'kind' in record && record.kind === 'resource',
    );
    expect(kept).toMatchObject([
      { value: { resource: { 'service.name': 'bakery' }, scope: { name: 'one', version: '1' } } },
      { value: { scope: { name: 'two' } } },
    ]);
    expect(ofType(result, 'request')).toMatchObject([
      { source: { scope: 'one', attributes: { 'gen_ai.future': 'new' } } },
      {},
    ]);
  });

  test('ids in base64 and hexadecimal are the same ids', async () => {
    const result = await read([
      span('0102030405060708', '', 'run', 0, 9, agent('Pickle')),
      span('AQIDBAUGBwk=', 'AQIDBAUGBwg=', 'ask', 1, 1, asked),
    ]);
    expect(records(result).map(({ agent: name }) => name)).not.toContain('agent');
    expect(ofType(result, 'callEnd')).toMatchObject([{ ownUsage: {}, agent: 'Pickle' }]);
    expect(said(result)).toEqual(expected);
  });

  test('Jaeger', async () => {
    const tags = Object.entries(asked).map(([key, value]) => ({ key, type: 'string', value }));
    const result = await read({
      data: [
        {
          traceID: 't',
          spans: [
            {
              traceID: 't',
              spanID: 'b',
              operationName: 'ask',
              references: [{ refType: 'CHILD_OF', traceID: 't', spanID: 'a' }],
              startTime: 1_760_000_001_000_000,
              duration: 2_500_000,
              tags,
              logs: [],
              processID: 'p1',
            },
            {
              traceID: 't',
              spanID: 'a',
              operationName: 'invoke_agent Pickle',
              references: [],
              startTime: 1_760_000_000_000_000,
              duration: 9_000_000,
              tags: [],
              processID: 'p1',
            },
          ],
          processes: { p1: { serviceName: 'bakery', tags: [] } },
        },
      ],
    });
    expect(result.format).toBe('otlp');
    expect(said(result)).toEqual(expected);
    expect(ofType(result, 'request')).toMatchObject([{ time: 1_760_000_003_500, durationMs: 2500 }]);
    expect(ofType(result, 'callEnd')).toMatchObject([{ agent: 'Pickle', durationMs: 9000 }]);
    expect(JSON.stringify(records(result))).toContain('bakery');
  });

  test('Zipkin', async () => {
    const result = await read([
      {
        traceId: 't',
        id: 'b',
        parentId: 'a',
        name: 'ask',
        timestamp: 1_760_000_001_000_000,
        duration: 2_500_000,
        tags: asked,
        localEndpoint: { serviceName: 'bakery' },
      },
    ]);
    expect(said(result)).toEqual(expected);
    expect(ofType(result, 'request')).toMatchObject([{ durationMs: 2500 }]);
  });

  test("Python's SDK", async () => {
    const result = await read({
      name: 'ask',
      context: { trace_id: '0x0f', span_id: '0x0b', trace_state: '[]' },
      kind: 'SpanKind.CLIENT',
      parent_id: null,
      start_time: '2025-10-09T08:53:20.000000Z',
      end_time: '2025-10-09T08:53:22.500000Z',
      status: { status_code: 'ERROR', description: 'no oven' },
      attributes: asked,
      events: [],
      resource: { attributes: { 'service.name': 'bakery' }, schema_url: '' },
    });
    expect(said(result)).toEqual(expected);
    expect(ofType(result, 'request')).toMatchObject([{ durationMs: 2500, error: { message: 'no oven' } }]);
  });

  test("JavaScript's SDK, whose times are pairs of seconds and nanoseconds", async () => {
    const result = await read([
      {
        name: 'ask',
        spanContext: { traceId: 't', spanId: 'b' },
        startTime: [1_760_000_000, 0],
        endTime: [1_760_000_002, 500_000_000],
        attributes: asked,
        status: { code: 0 },
      },
    ]);
    expect(ofType(result, 'request')).toMatchObject([{ time: 1_760_000_002_500, durationMs: 2500 }]);
  });

  test('rows of Phoenix, whose attributes are nested', async () => {
    const result = await read([
      {
        name: 'ChatCompletion',
        span_kind: 'LLM',
        parent_id: null,
        start_time: '2025-10-09T08:53:20+00:00',
        end_time: '2025-10-09T08:53:21+00:00',
        status_code: 'OK',
        context: { trace_id: 't', span_id: 'b' },
        attributes: {
          llm: {
            model_name: 'm',
            token_count: { prompt: 5, completion: 2 },
            input_messages: [{ message: { role: 'user', content: 'hi' } }],
            output_messages: [
              {
                message: {
                  role: 'assistant',
                  tool_calls: [{ tool_call: { id: 't1', function: { name: 'ls', arguments: '{}' } } }],
                },
              },
            ],
          },
        },
      },
    ]);
    expect(said(result)).toEqual(['user: hi', 'assistant: null ls({})']);
    expect(ofType(result, 'request')).toMatchObject([
      { model: 'm', usage: { inputTokens: 5, outputTokens: 2 } },
    ]);
  });

  test("columns of Phoenix's tables", async () => {
    const result = await read([
      {
        name: 'x',
        'context.trace_id': 't',
        'context.span_id': 'b',
        start_time: 1_760_000_000_000,
        end_time: 1_760_000_001_000,
        'attributes.openinference.span.kind': 'LLM',
        'attributes.llm.input_messages': [{ 'message.role': 'user', 'message.content': 'hi' }],
      },
    ]);
    expect(said(result)).toEqual(['user: hi']);
  });

  test("Vercel's AI SDK: the steps are the requests, tool calls have their durations", async () => {
    const steps = JSON.stringify([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'hi' }] },
    ]);
    const call = { toolCallId: 't1', toolName: 'ls', input: { a: 1 } };
    const history = JSON.parse(steps) as object[];
    const result = await read([
      span('a', '', 'ai.generateText', 0, 9, {
        'ai.operationId': 'ai.generateText',
        'ai.prompt': JSON.stringify({ system: 'Be brief.', prompt: 'hi' }),
        'ai.response.text': 'Done.',
        'ai.usage.promptTokens': 99,
      }),
      span('b', 'a', 'ai.generateText.doGenerate', 1, 1, {
        'ai.operationId': 'ai.generateText.doGenerate',
        'ai.prompt.messages': steps,
        'ai.response.toolCalls': JSON.stringify([call]),
        'ai.response.finishReason': 'tool-calls',
        'ai.model.id': 'm',
        'ai.usage.inputTokens': 4,
        'ai.usage.outputTokens': 1,
        'ai.response.msToFirstChunk': 12,
      }),
      span('c', 'a', 'ai.toolCall', 3, 2, {
        'ai.operationId': 'ai.toolCall',
        'ai.toolCall.name': 'ls',
        'ai.toolCall.id': 't1',
        'ai.toolCall.args': '{"a":1}',
        'ai.toolCall.result': '"files"',
      }),
      span('d', 'a', 'ai.generateText.doGenerate', 6, 1, {
        'ai.operationId': 'ai.generateText.doGenerate',
        'ai.prompt.messages': JSON.stringify([
          ...history,
          { role: 'assistant', content: [{ type: 'tool-call', ...call }] },
          {
            role: 'tool',
            content: [
              {
                type: 'tool-result',
                toolCallId: 't1',
                toolName: 'ls',
                output: { type: 'text', value: 'files' },
              },
            ],
          },
        ]),
        'ai.response.text': 'Done.',
      }),
    ]);
    expect(said(result)).toEqual([
      'system: Be brief.',
      'user: [{"type":"text","text":"hi"}]',
      'assistant: null ls({"a":1})',
      'tool t1: files',
      'assistant: Done.',
    ]);
    expect(query(result).stats().usage).toMatchObject({ inputTokens: 4, outputTokens: 1 });
    expect(query(result).toolSummary()).toMatchObject([{ calls: [{ durationMs: 2000 }] }]);
    expect(ofType(result, 'request')).toMatchObject([
      { model: 'm', finishReason: 'tool-calls', firstTokenMs: 12 },
      {},
    ]);
  });

  test('messages in events of a span', async () => {
    const events = [
      { name: 'gen_ai.system.message', attributes: { content: 'Be brief.' } },
      { name: 'gen_ai.user.message', attributes: { content: 'hi' } },
      {
        name: 'gen_ai.choice',
        attributes: { index: 0, finish_reason: 'stop', message: '{"role":"assistant","content":"ok"}' },
      },
    ];
    const result = await read([
      span('a', '', 'chat m', 0, 1, { 'gen_ai.operation.name': 'chat' }, { events }),
    ]);
    expect(said(result)).toEqual(['system: Be brief.', ...expected]);
  });

  test('a trace without messages tells what its root was asked and answered', async () => {
    const result = await read([
      span('a', '', 'chain', 0, 1, {
        'openinference.span.kind': 'CHAIN',
        'input.value': 'hi',
        'output.value': 'ok',
      }),
      span('b', 'a', 'part', 0, 1, { 'openinference.span.kind': 'CHAIN', 'input.value': 'inner' }),
    ]);
    expect(said(result)).toEqual(expected);
  });

  test('spans nested very deep are read', async () => {
    const deep = Array.from({ length: 5_000 }, (_, index) =>
      span(`s${index}`, index === 0 ? '' : `s${index - 1}`, 'step', index, 1, {}),
    );
    const steps = records(await read(deep)).filter((record) => 'kind' in record && record.kind === 'step');
    expect(steps).toHaveLength(5_000);
  });
});

const NEWEST = {
  'gen_ai.provider.name': 'openai',
  'gen_ai.conversation.id': 'talk',
  'gen_ai.response.model': 'gpt-5',
  'gen_ai.response.finish_reasons': '["stop"]',
  ...asks(user('Bake it')),
  ...answers({ role: 'assistant', content: 'Baked' }),
  'gen_ai.usage.input_tokens': 100,
  'gen_ai.usage.output_tokens': 20,
  'gen_ai.usage.cache_read.input_tokens': 30,
  'gen_ai.usage.cache_write.input_tokens': 40,
  'gen_ai.usage.reasoning.output_tokens': 5,
};

/** What a span with these attributes says, without what is kept of it as it was. */
async function toldBy(attributes: Readonly<Record<string, unknown>>) {
  const result = await read({
    resourceSpans: [{ scopeSpans: [{ spans: [span('s', '', 'chat gpt-5', 0, 1, attributes)] }] }],
  });
  const told = records(result).filter(({ type }) => type !== 'imported');
  return [result.problems, told.map((record) => ({ ...record, source: undefined }))];
}

test.each(
  Object.entries(EARLIER_NAMES).flatMap(([name, before]) =>
    before.map((earlier) => [earlier, name] as const),
  ),
)('%s is read as %s', async (earlier, name) => {
  const { [name as keyof typeof NEWEST]: value, ...rest } = NEWEST;
  expect(value).toBeDefined();
  expect(await toldBy({ ...rest, [earlier]: value })).toEqual(await toldBy(NEWEST));
});
