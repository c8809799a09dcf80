import { describe, expect, test } from 'vitest';
import { expectSaid, query, records, said } from './reading.js';
import { agent, answers, asks, calls, ofType, read, span, tool, user } from './spans.js';

describe('spans become calls, requests and tools in their tree', () => {
  test('an agent that a tool starts is dispatched by the call of that tool, and its work stands before the result', async () => {
    const result = await expectSaid(
      [
        [
          span('a', '', 'run', 0, 20, agent('Pickle')),
          span('b', 'a', 'ask', 1, 1, {
            ...asks(user('Bake')),
            ...answers(calls('t1', 'ask_crumb', { q: 1 })),
          }),
          span(
            'c',
            'a',
            'tool',
            3,
            10,
            tool('ask_crumb', { 'gen_ai.tool.call.id': 't1', 'gen_ai.tool.call.result': 'Crumbs.' }),
          ),
          span('d', 'c', 'run', 4, 8, {
            ...agent('Crumb'),
            'gen_ai.input.messages': JSON.stringify([user('Well?')]),
          }),
          span('e', 'd', 'ask', 5, 6, {
            ...asks(user('Well?')),
            ...answers({ role: 'assistant', content: 'Crumbs.' }),
          }),
        ],
      ],
      'otlp',
      [
        'user: Bake',
        'assistant: null ask_crumb({"q":1})',
        'user: Well?',
        'assistant: Crumbs.',
        'tool t1: Crumbs.',
      ],
    );
    expect(ofType(result, 'dispatch')).toMatchObject([{ target: 'Crumb', task: 'Well?', toolCallId: 't1' }]);
    expect(ofType(result, 'imported')).toEqual([]);
    expect(query(result).toolSummary()).toMatchObject([
      { toolName: 'ask_crumb', calls: [{ durationMs: 10_000 }] },
    ]);
  });

  test('a second agent without a parent is dispatched by nobody: it works in a run of its own', async () => {
    const result = await read([
      span('a', '', 'run', 0, 5, agent('Pickle')),
      span('b', 'a', 'ask', 1, 1, { ...asks(user('one')), ...answers({ role: 'assistant', content: '1' }) }),
      span('c', '', 'run', 10, 5, agent('Pickle')),
      span('d', 'c', 'ask', 11, 1, {
        ...asks(user('one'), { role: 'assistant', content: '1' }, user('two')),
        ...answers({ role: 'assistant', content: '2' }),
      }),
    ]);
    expect(said(result)).toEqual(['user: one', 'assistant: 1', 'user: two', 'assistant: 2']);
    expect(ofType(result, 'dispatch')).toEqual([]);
    expect(ofType(result, 'callEnd')).toMatchObject([
      { run: 'r1', depth: 0, durationMs: 5000 },
      { run: 'r2', depth: 0, durationMs: 5000 },
    ]);
  });

  test('traces of one conversation are runs of it', async () => {
    const named = { 'gen_ai.conversation.id': 'talk' };
    const result = await read([
      span(
        'a',
        '',
        'run',
        9,
        1,
        { ...agent('Pickle'), ...named, ...asks(user('two')), ...agent('Pickle') },
        { traceId: 'late' },
      ),
      span(
        'b',
        '',
        'run',
        0,
        1,
        { ...agent('Pickle'), ...named, ...asks(user('one')), ...agent('Pickle') },
        { traceId: 'early' },
      ),
    ]);
    expect(result.conversations.map(({ id }) => id)).toEqual(['talk']);
    expect(said(result)).toEqual(['user: one', 'user: two']);
    expect(new Set(records(result).map(({ run }) => run))).toEqual(new Set(['r1', 'r2']));
  });

  test('an agent that two instrumentations recorded in each other is one', async () => {
    const result = await read([
      span('a', '', 'Pickle.run', 0, 5, agent('Pickle')),
      span('b', 'a', 'Pickle', 0, 5, agent('Pickle')),
      span('c', 'b', 'ask', 1, 1, { ...asks(user('hi')), ...answers({ role: 'assistant', content: 'ok' }) }),
    ]);
    expect(ofType(result, 'dispatch')).toEqual([]);
    expect(records(result).every(({ depth }) => depth === 0)).toBe(true);
  });

  test('tools within the span of a request run after its answer', async () => {
    const result = await expectSaid(
      [
        [
          span('a', '', 'call_llm', 0, 9, { ...asks(user('hi')), ...answers(calls('t1', 'ls', {})) }),
          span(
            'b',
            'a',
            'tool',
            3,
            5,
            tool('ls', { 'gen_ai.tool.call.id': 't1', 'gen_ai.tool.call.result': 'files' }),
          ),
        ],
      ],
      'otlp',
      ['user: hi', 'assistant: null ls({})', 'tool t1: files'],
    );
    expect(ofType(result, 'request')).toMatchObject([{ durationMs: 3000 }]);
  });
});

describe('what several spans tell is told once', () => {
  test('a request that another recorded too, within it in time, keeps the ids of its calls', async () => {
    const question = asks(user('q'));
    const result = await read([
      span('m', '', 'main', 0, 20, {}),
      span('x', 'm', 'llm', 1, 5, {
        ...question,
        ...answers(calls(undefined, 'search', { q: 1 })),
        'gen_ai.usage.input_tokens': 7,
      }),
      span('y', 'm', 'llm', 2, 3, { ...question, ...answers(calls('call_1', 'search', { q: 1 })) }),
    ]);
    expect(said(result)).toEqual(['user: q', 'assistant: null search({"q":1})']);
    expect(query(result).toolSummary()).toMatchObject([{ calls: [{ id: 'call_1' }] }]);
    expect(ofType(result, 'request')).toMatchObject([{ usage: { inputTokens: 7 } }]);
  });

  test('two requests of one instrumentation are two, however alike', async () => {
    const same = { ...asks(user('q')), ...answers({ role: 'assistant', content: 'a' }) };
    const result = await read([span('x', '', 'llm', 1, 5, same), span('y', '', 'llm', 2, 3, same)]);
    expect(said(result)).toEqual(['user: q', 'assistant: a', 'assistant: a']);
  });

  test('a request around requests only tells what they do not', async () => {
    const result = await read([
      span('o', '', 'outer', 0, 9, {
        ...asks(user('q')),
        ...answers({ role: 'assistant', content: 'the end' }),
        'gen_ai.usage.input_tokens': 9,
      }),
      span('i', 'o', 'inner', 1, 3, {
        ...asks(user('q')),
        ...answers({ role: 'assistant', content: 'part' }),
        'gen_ai.usage.input_tokens': 5,
      }),
    ]);
    expect(said(result)).toEqual(['user: q', 'assistant: part', 'assistant: the end']);
    expect(query(result).stats().usage.inputTokens).toBe(5);
  });

  test('a request that tells no messages has those of the only request around it', async () => {
    const result = await read([
      span('o', '', 'outer', 0, 9, { ...asks(user('q')), ...answers({ role: 'assistant', content: 'a' }) }),
      span('i', 'o', 'chat m', 1, 3, { 'gen_ai.operation.name': 'chat', 'gen_ai.usage.input_tokens': 5 }),
    ]);
    expect(said(result)).toEqual(['user: q', 'assistant: a']);
    expect(ofType(result, 'request')).toMatchObject([{ model: 'm', usage: { inputTokens: 5 } }]);
  });

  test('a call whose tool has no id gets that of a later history, and so does its result', async () => {
    const result = await read([
      span(
        't',
        '',
        'tool',
        0,
        2,
        tool('ls', { 'gen_ai.tool.call.arguments': '{"a":1}', 'gen_ai.tool.call.result': 'files' }),
      ),
      span('r', '', 'ask', 3, 1, {
        ...asks(user('hi'), calls('t1', 'ls', { a: 1 }), {
          role: 'tool',
          tool_call_id: 't1',
          content: 'files',
        }),
        ...answers({ role: 'assistant', content: 'ok' }),
      }),
    ]);
    expect(said(result)).toEqual([
      'assistant: null ls({"a":1})',
      'tool t1: files',
      'user: hi',
      'assistant: ok',
    ]);
  });

  test('a result that the model saw in other words keeps both', async () => {
    const result = await read([
      span('q', '', 'ask', 0, 1, { ...asks(user('hi')), ...answers(calls('t1', 'ls', {})) }),
      span(
        'r',
        '',
        'ask',
        5,
        1,
        asks(user('hi'), calls('t1', 'ls', {}), { role: 'tool', tool_call_id: 't1', content: 'cut' }),
      ),
      span(
        't',
        '',
        'tool',
        6,
        2,
        tool('ls', { 'gen_ai.tool.call.id': 't1', 'gen_ai.tool.call.result': 'the whole' }),
      ),
    ]);
    expect(said(result)).toEqual(['user: hi', 'assistant: null ls({})', 'tool t1: cut']);
    expect(query(result).toolSummary()).toMatchObject([{ calls: [{ durationMs: 2000 }] }]);
    expect(JSON.stringify(records(result))).toContain('the whole');
  });

  test('the same call in every step stays a call in every step', async () => {
    const step = calls('t', 'poll', {});
    const answer = { role: 'tool', tool_call_id: 't', content: 'wait' };
    const result = await read([
      span('1', '', 'ask', 0, 1, { ...asks(user('go')), ...answers(step) }),
      span('2', '', 'ask', 2, 1, { ...asks(user('go'), step, answer), ...answers(step) }),
      span('3', '', 'ask', 4, 1, {
        ...asks(user('go'), step, answer, step, answer),
        ...answers({ role: 'assistant', content: 'done' }),
      }),
    ]);
    expect(said(result)).toEqual([
      'user: go',
      'assistant: null poll({})',
      'tool t: wait',
      'assistant: null poll({})',
      'tool t: wait',
      'assistant: done',
    ]);
  });

  test('a span that is exported when it begins and when it ends is one', async () => {
    const whole = span('a', '', 'run', 0, 5, agent('Pickle'));
    const begun = { ...whole, endTimeUnixNano: undefined };
    const result = await read([begun, whole, whole]);
    expect(ofType(result, 'callEnd')).toHaveLength(1);
  });
});

describe('spans that are sent again, and several conversations in one trace', () => {
  const usage = { 'gen_ai.usage.input_tokens': 10, 'gen_ai.usage.output_tokens': 5 };
  const request = (took: number, answer: string, name = 'ask') =>
    span('b', '', name, 1, took, {
      ...asks(user('one')),
      ...answers({ role: 'assistant', content: answer }),
      ...usage,
    });

  test.each([
    ['later', [request(1, 'On my'), request(4, 'On my way')]],
    ['earlier', [request(4, 'On my way'), request(1, 'On my')]],
  ])('a span that is sent again with another end counts once, with the last end (%s)', async (_, spans) => {
    const result = await read(spans);
    expect(ofType(result, 'request')).toMatchObject([{ durationMs: 4_000 }]);
    expect(said(result)).toEqual(['user: one', 'assistant: On my way']);
    expect(
      records(result).flatMap((record) => ('usage' in record && record.usage ? [record.usage] : [])),
    ).toHaveLength(1);
  });

  test('a span of the same id that is called otherwise is another one', async () => {
    const result = await read([request(1, 'first'), request(4, 'second', 'ask again')]);
    expect(ofType(result, 'request')).toHaveLength(2);
  });

  test('what names two conversations is two, with what lies below each', async () => {
    const of = (id: string) => ({ 'gen_ai.conversation.id': id });
    const result = await read([
      span('r', '', 'serve', 0, 20, {}),
      span('a', 'r', 'run', 1, 5, { ...agent('Pickle'), ...of('one') }),
      span('b', 'a', 'ask', 2, 1, {
        ...asks(user('first')),
        ...answers({ role: 'assistant', content: '1' }),
      }),
      span('c', 'r', 'run', 7, 5, { ...agent('Crumb'), ...of('two') }),
      span('d', 'c', 'ask', 8, 1, {
        ...asks(user('second')),
        ...answers({ role: 'assistant', content: '2' }),
      }),
    ]);
    expect(result.conversations.map(({ id }) => id)).toEqual(['one', 'two']);
    expect(said(result)).toEqual(['user: first', 'assistant: 1', 'user: second', 'assistant: 2']);
  });
});
