import { describe, expect, test } from 'vitest';
import type { ImportResult } from '../../../src/import/reading/importResult.js';
import { expectSaid, nested, query, records } from './reading.js';

const attribute = (value: unknown): object => {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number')
    return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(attribute) } };
  return { kvlistValue: { values: pairs(value as object) } };
};
const pairs = (attributes: object) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: attribute(value) }));

/** A span of a trace; `second`: when it began, it takes a second. */
const span = (
  id: string,
  parentSpanId: string,
  name: string,
  second: number,
  attributes: object,
  more = {},
) => ({
  traceId: 'trace',
  spanId: id,
  parentSpanId,
  name,
  startTimeUnixNano: `17600000${String(second).padStart(2, '0')}000000000`,
  endTimeUnixNano: `17600000${String(second + 1).padStart(2, '0')}000000000`,
  attributes: pairs(attributes),
  ...more,
});
const trace = (...spans: object[]) => ({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
const ofType = (result: ImportResult, type: string) =>
  records(result).filter((record) => record.type === type);
const text = (role: string, content: string) => ({ role, parts: [{ type: 'text', content }] });

describe('OpenTelemetry', () => {
  test('agents, requests and tools of the conventions for generative AI', async () => {
    const call = {
      role: 'assistant',
      parts: [
        { type: 'reasoning', content: 'hm' },
        { type: 'text', content: 'ok' },
        { type: 'tool_call', id: 't1', name: 'ls', arguments: { a: 1 } },
      ],
    };
    const answer = { role: 'tool', parts: [{ type: 'tool_call_response', id: 't1', response: 'files' }] };
    const requests = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'gpt-5',
      'gen_ai.usage.input_tokens': 10,
      'gen_ai.usage.output_tokens': 2,
    };
    const result = await expectSaid(
      [
        trace(
          span('a', '', 'invoke_agent Pickle', 0, { 'gen_ai.conversation.id': 'talk-1' }),
          span('b', 'a', 'chat gpt-5', 1, {
            ...requests,
            'gen_ai.system_instructions': JSON.stringify([{ type: 'text', content: 'Be brief.' }]),
            'gen_ai.input.messages': JSON.stringify([text('user', 'hi')]),
            'gen_ai.output.messages': JSON.stringify([call]),
          }),
        ),
        trace(
          span('c', 'a', 'invoke_agent Cucumber', 2, {}),
          span(
            'd',
            'c',
            'execute_tool grep',
            3,
            { 'gen_ai.tool.name': 'grep', 'gen_ai.tool.call.result': 'found', 'gen_ai.tool.call.id': 't9' },
            { status: { code: 2 } },
          ),
          span('d2', 'c', 'execute_tool grep', 3, { 'gen_ai.tool.call.id': 't9' }),
          span('d3', 'c', 'execute_tool wc', 3, {}),
          span('e', 'a', 'chat gpt-5', 5, {
            ...requests,
            'gen_ai.system_instructions': 'Be brief.',
            'gen_ai.input.messages': JSON.stringify([text('user', 'hi'), call, answer]),
            'gen_ai.output.messages': JSON.stringify([text('assistant', 'bye')]),
          }),
        ),
        { no: 'spans' },
      ],
      'otlp',
      [
        'system: Be brief.',
        'user: hi',
        'assistant: ok ls({"a":1})',
        'assistant: null grep({})',
        'tool t9: found',
        'assistant: null wc({})',
        'tool d3: null',
        'tool t1: files',
        'assistant: bye',
      ],
      ['Kept without being understood: values without spans (once).'],
    );
    expect(result.conversations[0]?.id).toBe('talk-1');
    expect(nested(query(result).timeline())).toEqual([['Pickle', ['Cucumber']]]);
    expect(query(result).stats().usage).toMatchObject({ inputTokens: 20, outputTokens: 4 });
    expect(query(result).toolSummary()).toMatchObject([
      { toolName: 'ls', calls: [{ result: 'files' }] },
      { toolName: 'grep', calls: [{ isError: true, durationMs: 1000 }] },
      { toolName: 'wc', calls: [{ durationMs: 1000 }] },
    ]);
    expect(ofType(result, 'imported')).toMatchObject([{ kind: 'unknown', value: { no: 'spans' } }]);
    expect(ofType(result, 'request')).toMatchObject([{ model: 'gpt-5', durationMs: 1000 }, {}]);
    expect(ofType(result, 'callEnd')).toMatchObject([
      { agent: 'Cucumber', depth: 1, outcome: 'done', durationMs: 1000 },
      { agent: 'Pickle', depth: 0, totalUsage: { inputTokens: 20 } },
    ]);
  });

  test('agents that claim to lie in each other do no harm', async () => {
    await expectSaid(
      [trace(span('a', 'b', 'invoke_agent A', 0, {}), span('b', 'a', 'invoke_agent B', 1, {}))],
      'otlp',
      [],
      [expect.stringContaining('A ring of parents')],
    );
  });

  test('messages of OpenInference, flat and numbered', async () => {
    const attributes = {
      'llm.input_messages.0.message.role': 'user',
      'llm.input_messages.0.message.contents.0.message_content.text': 'hi',
      'llm.input_messages.10.message.role': 'tool',
      'llm.input_messages.10.message.content': 'files',
      'llm.input_messages.10.message.tool_call_id': 't1',
      'llm.input_messages.10.message.name': 'ls',
      'llm.input_messages.2.message.role': 'assistant',
      'llm.input_messages.2.message.tool_calls.0.tool_call.id': 't1',
      'llm.input_messages.2.message.tool_calls.0.tool_call.function.name': 'ls',
      'llm.input_messages.2.message.tool_calls.0.tool_call.function.arguments': '{}',
      'llm.output_messages.0.message.role': 'assistant',
      'llm.output_messages.0.message.content': 'ok',
      'llm.token_count.prompt': 5,
      'llm.token_count.completion_details.reasoning': 1,
      tags: ['a', 1.5, true, { b: 'c' }],
    };
    const result = await expectSaid([trace(span('a', '', 'ChatOpenAI', 0, attributes))], 'otlp', [
      'user: hi',
      'assistant: null ls({})',
      'tool t1: files',
      'assistant: ok',
    ]);
    expect(query(result).stats().usage).toMatchObject({ inputTokens: 5, reasoningTokens: 1 });
  });

  test('messages of Traceloop, and attributes that are plain already', async () => {
    const attributes = {
      'gen_ai.prompt.0.role': 'user',
      'gen_ai.prompt.0.content': 'hi',
      'gen_ai.prompt.1.role': 'tool',
      'gen_ai.prompt.1.content': 'files',
      'gen_ai.prompt.1.tool_call_id': 't1',
      'gen_ai.completion.0.role': 'assistant',
      'gen_ai.completion.0.tool_calls.0.id': 't1',
      'gen_ai.completion.0.tool_calls.0.name': 'ls',
      'gen_ai.completion.0.tool_calls.0.arguments': '{}',
    };
    await expectSaid([{ traceId: 't', spanId: 's', attributes }], 'otlp', [
      'user: hi',
      'tool t1: files',
      'assistant: null ls({})',
    ]);
  });

  test('messages that are in chat form already', async () => {
    const attributes = {
      'gen_ai.input.messages': JSON.stringify([
        { role: 'user', content: 'hi' },
        { role: 'user', parts: [{ type: 'blob' }, { type: 'text', content: 'x' }] },
      ]),
    };
    await expectSaid([trace(span('a', '', 'chat x', 0, attributes))], 'otlp', [
      'user: hi',
      'user: [{"type":"blob"},{"type":"text","text":"x"}]',
    ]);
  });
});

describe('Langfuse', () => {
  const observation = (id: string, parentObservationId: string | null, second: number, more: object) => ({
    id,
    traceId: 't',
    type: 'GENERATION',
    parentObservationId,
    startTime: `2026-01-01T00:00:0${second}Z`,
    endTime: `2026-01-01T00:00:0${second + 1}Z`,
    ...more,
  });

  test('the innermost generations are the requests, in the order of time', async () => {
    const result = await expectSaid(
      [
        {
          trace: { id: 't', name: 'Pickle' },
          observations: [
            observation('2', 'outer', 2, {
              input: JSON.stringify({
                messages: [
                  { role: 'user', content: 'hi' },
                  { role: 'assistant', content: 'ok' },
                  { role: 'user', content: 'more' },
                ],
              }),
              output: { role: 'assistant', content: 'done' },
            }),
            observation('outer', null, 0, { input: 'hi', output: 'done' }),
            observation('1', 'outer', 1, {
              model: 'gpt-5',
              input: JSON.stringify([{ role: 'user', content: 'hi' }]),
              output: 'ok',
              usageDetails: { input: 3, output: 1 },
            }),
            observation('3', null, 4, { type: 'SPAN' }),
          ],
        },
      ],
      'langfuse',
      ['user: hi', 'assistant: ok', 'user: more', 'assistant: done'],
    );
    expect(query(result).stats()).toMatchObject({
      usage: { inputTokens: 3, outputTokens: 1 },
      byAgent: { Pickle: { totalMessages: 4 } },
    });
  });

  test('a trace with its observations in it is read, alone and within an envelope', async () => {
    const observations = [observation('1', null, 0, { input: 'hi', output: 'ok' })];
    const trace = { id: 't', name: 'Pickle', sessionId: 's', observations };
    for (const value of [trace, { trace }, { data: [{ trace }] }]) {
      const result = await expectSaid([value], 'langfuse', ['user: hi', 'assistant: ok']);
      expect(query(result).stats().byAgent).toMatchObject({ Pickle: { totalMessages: 2 } });
    }
  });

  test('a trace without generations tells what it was asked and answered', async () => {
    await expectSaid(
      [
        {
          trace: { input: '"hi"', output: { a: 1 } },
          observations: [observation('1', null, 0, { type: 'SPAN' })],
        },
      ],
      'langfuse',
      ['user: hi', 'assistant: {"a":1}'],
    );
  });

  test('a prompt that is no list of messages is what the user said', async () => {
    await expectSaid(
      [{ observations: [observation('1', null, 0, { input: 'hi', output: null })] }],
      'langfuse',
      ['user: hi'],
    );
  });

  test('a generation around others is answered what nothing within it was; one without words is no message', async () => {
    const result = await expectSaid(
      [
        {
          trace: { id: 't', name: 'bot', input: '"How?"', output: '"The answer"' },
          observations: [
            observation('1', null, 0, {
              input: '"How?"',
              output: '"The answer"',
              usageDetails: { input: 9, output: 9 },
            }),
            observation('2', '1', 1, {
              input: JSON.stringify([{ role: 'user', content: 'How?' }]),
              output: '"Let me look."',
            }),
            observation('3', '1', 3, {
              type: 'TOOL',
              name: 'search',
              input: '{"query":"n+1"}',
              output: '{"found":"a page"}',
            }),
            observation('4', '1', 5, { input: null, output: null, level: 'ERROR', statusMessage: 'no oven' }),
          ],
        },
      ],
      'langfuse',
      [
        'user: How?',
        'assistant: Let me look.',
        'assistant: null search({"query":"n+1"})',
        'tool 3: {"found":"a page"}',
        'assistant: The answer',
      ],
    );
    expect(query(result).toolSummary()).toMatchObject([
      { toolName: 'search', calls: [{ durationMs: 1000 }] },
    ]);
    expect(ofType(result, 'request')).toMatchObject([
      { durationMs: 1000 },
      { error: { message: 'no oven' } },
    ]);
    expect(query(result).stats().usage.inputTokens).toBe(0);
  });

  test('observations without their trace, one a line, are a trace', async () => {
    await expectSaid(
      [
        observation('1', null, 0, { type: 'AGENT', name: 'Pickle' }),
        observation('2', '1', 1, { input: 'hi', output: 'ok' }),
      ],
      'langfuse',
      ['user: hi', 'assistant: ok'],
    );
  });
});
