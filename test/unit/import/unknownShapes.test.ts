import { expect, test } from 'vitest';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { lines, query, records, said } from './reading.js';

const read = async (...values: unknown[]) => importTranscript(lines(...values), 'talk.jsonl');

test('calls by other names, with their results in them', async () => {
  for (const call of [
    { tool: 'Read', input: { path: 'a.csv' }, id: 'c1', output: 'all of the file' },
    { tool_name: 'Read', args: { path: 'a.csv' }, call_id: 'c1', result: 'all of the file' },
    { name: 'Read', arguments: { path: 'a.csv' }, id: 'c1', observation: 'all of the file' },
  ])
    expect(
      said(
        await read(
          { role: 'user', content: 'Read it.' },
          { role: 'assistant', content: 'I do.', tool_calls: [call] },
        ),
      ),
    ).toEqual(['user: Read it.', 'assistant: I do. Read({"path":"a.csv"})', 'tool c1: all of the file']);
});

test('steps of a program that says by a kind who speaks', async () => {
  const step = (turn: number, kind: string, content: string) => ({
    turn,
    kind,
    content,
    ts: 1787012017 + turn,
  });
  const result = await read(
    step(0, 'system_prompt', 'Be short.'),
    step(0, 'task', 'Find out why.'),
    step(1, 'assistant', 'I look at the history.'),
    step(1, 'command', 'git log -3'),
    step(1, 'output', 'abc first'),
    step(2, 'assistant', 'Because of the first.'),
  );
  expect(said(result)).toEqual([
    'system: Be short.',
    'user: Find out why.',
    'assistant: I look at the history. command({"command":"git log -3"})',
    'tool call 1: abc first',
    'assistant: Because of the first.',
  ]);
});

test('a transcript of Windsurf, with what its person rejected', async () => {
  const result = await read(
    { status: 'done', type: 'user_input', user_input: { user_response: 'Run the tests' } },
    { status: 'done', type: 'planner_response', planner_response: { response: 'I will.' } },
    {
      status: 'done',
      type: 'run_command',
      run_command: { command: 'npm test', exit_code: 1, output: '1 failing' },
    },
    { status: 'done', type: 'run_command', run_command: { command: 'rm -r .', user_rejected: true } },
    { status: 'done', type: 'some_new_step', some_new_step: { path: '/p/a.md', content: 'hello' } },
  );
  expect(result.format).toBe('windsurf');
  expect(result.problems).toEqual([]);
  expect(said(result).slice(0, 3)).toEqual([
    'user: Run the tests',
    'assistant: I will. run_command({"command":"npm test","exit_code":1})',
    'tool call 1: 1 failing',
  ]);
  const failed = records(result).filter((record) => 'isError' in record || 'state' in record);
  expect(failed).toHaveLength(2);
  expect(said(result).at(-1)).toBe('tool call 3: hello');
});

test('interactions of Gemini, those that go on with one before them in its conversation', async () => {
  const used = { total_input_tokens: 12, total_output_tokens: 7, total_thought_tokens: 3, total_tokens: 22 };
  const result = await read(
    {
      id: 'v1',
      object: 'interaction',
      model: 'gemini-3-flash',
      created: '2026-05-01T10:00:00Z',
      updated: '2026-05-01T10:00:02Z',
      usage: used,
      steps: [
        { type: 'user_input', content: [{ type: 'text', text: 'How is it in Rome?' }] },
        { type: 'thought', summary: [{ type: 'text', text: 'I should look.' }], signature: 'c2ln' },
        { type: 'function_call', id: 'f1', name: 'get_weather', arguments: { city: 'Rome' } },
        { type: 'function_result', call_id: 'f1', name: 'get_weather', result: { temp: 24 } },
        { type: 'model_output', content: [{ type: 'text', text: 'It is sunny.' }] },
      ],
    },
    {
      id: 'v2',
      object: 'interaction',
      previous_interaction_id: 'v1',
      model: 'gemini-3-flash',
      input: 'And in Bonn?',
      outputs: [{ type: 'text', text: 'It is grey.' }],
      usage: used,
    },
  );
  expect(result.conversations).toHaveLength(1);
  expect(said(result)).toEqual([
    'user: How is it in Rome?',
    'assistant: null get_weather({"city":"Rome"})',
    'tool f1: {"temp":24}',
    'assistant: It is sunny.',
    'user: And in Bonn?',
    'assistant: It is grey.',
  ]);
  expect(query(result).stats().usage).toMatchObject({
    inputTokens: 24,
    outputTokens: 20,
    reasoningTokens: 6,
  });
});

test('exchanges under any key, with their bodies in any wrapping', async () => {
  const answer =
    'data: {"id":"x","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"It is "}}]}\n\ndata: {"id":"x","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"four."}}]}\n\n';
  const asked = { model: 'gpt-x', messages: [{ role: 'user', content: 'Two and two?' }] };
  const request = { method: 'POST', url: 'https://api.example.com/v1/chat/completions' };
  for (const [sent, got] of [
    [
      { type: 'json', value: asked },
      { type: 'text', value: answer },
    ],
    [JSON.stringify(asked), answer],
    [{ text: JSON.stringify(asked) }, { encoding: 'base64', data: Buffer.from(answer).toString('base64') }],
  ]) {
    const recorded = { request: { ...request, body: sent }, response: { status: 200, body: got } };
    for (const whole of [{ tapes: [recorded] }, { version: 1, session: 'a', calls: [recorded] }])
      expect(said(await read(whole))).toEqual(['user: Two and two?', 'assistant: It is four.']);
  }
});

test('pieces that LangGraph streams are one message, which the state after them does not tell again', async () => {
  const about = { langgraph_node: 'agent', langgraph_step: 1 };
  const piece = (content: string, more = {}) => [
    'messages',
    [{ type: 'AIMessageChunk', id: 'run-1', content, tool_call_chunks: [], ...more }, about],
  ];
  const asked = { type: 'human', content: 'How is it?', id: 'h1' };
  const call = (name: string | null, args: string) => ({
    tool_call_chunks: [{ name, args, id: name === null ? null : 'c1', index: 0 }],
  });
  const result = await read(
    ['values', { messages: [asked] }],
    ...['It ', 'is ', 'is ', 'sunny.'].map((each) => piece(each)),
    piece('', call('look', '')),
    piece('', call(null, '{"at":')),
    piece('', call(null, '"Rome"}')),
    [
      'values',
      {
        messages: [
          asked,
          {
            type: 'ai',
            id: 'run-1',
            content: 'It is is sunny.',
            tool_calls: [{ name: 'look', args: { at: 'Rome' }, id: 'c1' }],
          },
        ],
      },
    ],
  );
  expect(said(result)).toEqual(['user: How is it?', 'assistant: It is is sunny. look({"at":"Rome"})']);
});

test('pieces of .NET, of which only the first says who speaks', async () => {
  const piece = (text: string, Role?: string) => ({
    Role: Role ?? null,
    Contents: [{ $type: 'text', Text: text }],
    ResponseId: 'r1',
    MessageId: 'm1',
  });
  const result = await read(
    { Role: 'user', Contents: [{ $type: 'text', Text: 'How is it?' }] },
    piece('It ', 'assistant'),
    piece('is '),
    piece('sunny.'),
  );
  expect(said(result)).toEqual(['user: How is it?', 'assistant: It is sunny.']);
});

test('spans that leave out their ids', async () => {
  const span = (at: number, words: string) => ({
    name: 'ai.generateText.doGenerate',
    attributes: {
      'ai.operationId': 'ai.generateText.doGenerate',
      'ai.prompt.messages': JSON.stringify([{ role: 'user', content: `Question ${at}` }]),
      'ai.response.text': words,
      'gen_ai.usage.input_tokens': 12,
      'gen_ai.usage.output_tokens': 6,
    },
    startTime: [1747754793 + at, 0],
    endTime: [1747754794 + at, 0],
  });
  const result = await read(span(1, 'Answer 1'), span(2, 'Answer 2'));
  expect(said(result)).toEqual([
    'user: Question 1',
    'assistant: Answer 1',
    'user: Question 2',
    'assistant: Answer 2',
  ]);
  expect(query(result).stats().usage).toMatchObject({ inputTokens: 24, outputTokens: 12 });
});
