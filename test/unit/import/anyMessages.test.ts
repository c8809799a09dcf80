import { describe, expect, test } from 'vitest';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { lines, query, records, said } from './reading.js';

const at = '2025-05-01T10:00:00.000Z';

/** Reads one JSON value, or several, one a line; nothing of it may be left over. */
async function read(...values: unknown[]) {
  const result = await importTranscript(lines(...values), 'talk.json');
  expect(result.problems).toEqual([]);
  expect(result.format).toBe('any-messages');
  return result;
}

const call = { id: 'c1', type: 'function', function: { name: 'search', arguments: '{"q":"cats"}' } };
const asked = 'user: where are the cats?';
const calling = 'assistant: null search({"q":"cats"})';
const found = 'tool c1: two of them';
const answered = 'assistant: On the roof.';

/** What each tool calls the same four messages. */
const SPELLINGS: readonly [tool: string, values: unknown[]][] = [
  [
    'AutoGen',
    [
      [
        { source: 'user', type: 'TextMessage', content: 'where are the cats?' },
        {
          source: 'finder',
          type: 'ToolCallRequestEvent',
          content: [{ id: 'c1', name: 'search', arguments: '{"q":"cats"}' }],
        },
        {
          source: 'finder',
          type: 'ToolCallExecutionEvent',
          content: [{ call_id: 'c1', name: 'search', content: 'two of them', is_error: false }],
        },
        { source: 'finder', type: 'TextMessage', content: 'On the roof.' },
      ],
    ],
  ],
  [
    'LangChain',
    [
      {
        messages: [
          { type: 'human', content: 'where are the cats?', additional_kwargs: {} },
          {
            type: 'ai',
            content: null,
            tool_calls: [{ name: 'search', args: { q: 'cats' }, id: 'c1', type: 'tool_call' }],
          },
          { type: 'tool', content: 'two of them', tool_call_id: 'c1', additional_kwargs: {} },
          { type: 'ai', content: 'On the roof.', additional_kwargs: {} },
        ],
      },
    ],
  ],
  [
    "Bedrock's Converse",
    [
      {
        messages: [
          { role: 'user', content: [{ text: 'where are the cats?' }] },
          {
            role: 'assistant',
            content: [{ toolUse: { toolUseId: 'c1', name: 'search', input: { q: 'cats' } } }],
          },
          {
            role: 'user',
            content: [{ toolResult: { toolUseId: 'c1', content: [{ text: 'two of them' }] } }],
          },
          { role: 'assistant', content: [{ text: 'On the roof.' }] },
        ],
      },
    ],
  ],
  [
    'Haystack',
    [
      [
        { role: 'user', content: [{ text: 'where are the cats?' }] },
        {
          role: 'assistant',
          content: [{ tool_call: { tool_name: 'search', arguments: { q: 'cats' }, id: 'c1' } }],
        },
        {
          role: 'tool',
          content: [
            { tool_call_result: { result: 'two of them', origin: { id: 'c1', tool_name: 'search' } } },
          ],
        },
        { role: 'assistant', content: [{ text: 'On the roof.' }] },
      ],
    ],
  ],
  [
    'Semantic Kernel',
    [
      {
        Messages: [
          { Role: { Label: 'user' }, Items: [{ $type: 'TextContent', Text: 'where are the cats?' }] },
          {
            Role: { Label: 'assistant' },
            Items: [
              { $type: 'FunctionCallContent', Id: 'c1', FunctionName: 'search', Arguments: { q: 'cats' } },
            ],
          },
          {
            Role: { Label: 'tool' },
            Items: [
              { $type: 'FunctionResultContent', CallId: 'c1', FunctionName: 'search', Result: 'two of them' },
            ],
          },
          { Role: { Label: 'assistant' }, Items: [{ $type: 'TextContent', Text: 'On the roof.' }] },
        ],
      },
    ],
  ],
  [
    'Pydantic AI',
    [
      [
        { kind: 'request', parts: [{ part_kind: 'user-prompt', content: 'where are the cats?' }] },
        {
          kind: 'response',
          parts: [{ part_kind: 'tool-call', tool_name: 'search', args: '{"q":"cats"}', tool_call_id: 'c1' }],
        },
        {
          kind: 'request',
          parts: [
            { part_kind: 'tool-return', tool_name: 'search', content: 'two of them', tool_call_id: 'c1' },
          ],
        },
        { kind: 'response', parts: [{ part_kind: 'text', content: 'On the roof.' }] },
      ],
    ],
  ],
  [
    'a log of events',
    [
      { type: 'user', content: 'where are the cats?', timestamp: at },
      { type: 'tool_use', id: 'c1', name: 'search', input: { q: 'cats' }, timestamp: at },
      { type: 'tool_result', tool_use_id: 'c1', content: 'two of them', timestamp: at },
      { type: 'assistant', content: [{ type: 'text', text: 'On the roof.' }], timestamp: at },
    ],
  ],
  [
    'a stream that begins with its session',
    [
      { type: 'init', session_id: 's', model: 'a-model' },
      { type: 'message', role: 'user', content: 'where are the cats?' },
      { type: 'tool_use', tool_id: 'c1', tool_name: 'search', parameters: { q: 'cats' } },
      { type: 'tool_result', tool_id: 'c1', status: 'success', output: 'two of them' },
      { type: 'message', role: 'assistant', content: 'On the ', delta: true },
      { type: 'message', role: 'assistant', content: 'roof.', delta: true },
    ],
  ],
  [
    'Crush',
    [
      {
        messages: [
          { role: 'user', parts: [{ type: 'text', data: { text: 'where are the cats?' } }] },
          {
            role: 'assistant',
            parts: [
              { type: 'tool_call', data: { id: 'c1', name: 'search', input: '{"q":"cats"}' } },
              { type: 'finish', data: { reason: 'tool_use' } },
            ],
          },
          {
            role: 'tool',
            parts: [{ type: 'tool_result', data: { tool_call_id: 'c1', content: 'two of them' } }],
          },
          { role: 'assistant', parts: [{ type: 'text', data: { text: 'On the roof.' } }] },
        ],
      },
    ],
  ],
  [
    'Zed',
    [
      {
        title: 'Cats',
        messages: [
          { User: { id: 'u', content: [{ Text: 'where are the cats?' }] } },
          {
            Agent: {
              content: [{ ToolUse: { id: 'c1', name: 'search', input: { q: 'cats' } } }],
              tool_results: { c1: { tool_name: 'search', content: { Text: 'two of them' } } },
            },
          },
          { Agent: { content: [{ Text: 'On the roof.' }], tool_results: {} } },
        ],
      },
    ],
  ],
  [
    "Claude's web chat",
    [
      {
        uuid: 'u',
        name: 'Cats',
        chat_messages: [
          { sender: 'human', text: 'where are the cats?', content: [] },
          {
            sender: 'assistant',
            text: '',
            content: [
              { type: 'tool_use', id: 'c1', name: 'search', input: { q: 'cats' } },
              { type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: 'two of them' }] },
            ],
          },
          { sender: 'assistant', text: 'On the roof.' },
        ],
      },
    ],
  ],
  [
    'LibreChat',
    [
      {
        conversationId: 'c',
        messages: [
          { sender: 'User', isCreatedByUser: true, text: 'where are the cats?' },
          {
            sender: 'GPT',
            isCreatedByUser: false,
            text: '',
            content: [
              {
                type: 'tool_call',
                tool_call: { id: 'c1', name: 'search', args: '{"q":"cats"}', output: 'two of them' },
              },
            ],
          },
          { sender: 'GPT', isCreatedByUser: false, text: 'On the roof.' },
        ],
      },
    ],
  ],
  [
    "Vercel's messages of a page",
    [
      [
        { id: '1', role: 'user', parts: [{ type: 'text', text: 'where are the cats?' }] },
        {
          id: '2',
          role: 'assistant',
          content: 'two of them',
          parts: [
            { type: 'step-start' },
            {
              type: 'tool-search',
              toolCallId: 'c1',
              state: 'output-available',
              input: { q: 'cats' },
              output: 'two of them',
            },
          ],
        },
        { id: '3', role: 'assistant', parts: [{ type: 'text', text: 'On the roof.' }] },
      ],
    ],
  ],
  [
    'Letta',
    [
      [
        { message_type: 'user_message', content: 'where are the cats?' },
        {
          message_type: 'tool_call_message',
          tool_call: { name: 'search', arguments: '{"q":"cats"}', tool_call_id: 'c1' },
        },
        {
          message_type: 'tool_return_message',
          tool_return: 'two of them',
          tool_call_id: 'c1',
          status: 'success',
        },
        { message_type: 'assistant_message', content: 'On the roof.' },
      ],
    ],
  ],
  [
    'Grok CLI',
    [
      { type: 'user', content: 'where are the cats?', timestamp: at },
      { type: 'assistant', content: null, toolCalls: [call], timestamp: at },
      {
        type: 'tool_result',
        content: 'two of them',
        toolCall: call,
        toolResult: { success: true, output: 'two of them' },
        timestamp: at,
      },
      { type: 'assistant', content: 'On the roof.', timestamp: at },
    ],
  ],
  [
    'an envelope around each message',
    [
      { session_id: 's', message: { role: 'user', content: [{ text: 'where are the cats?' }] } },
      {
        session_id: 's',
        message: {
          role: 'assistant',
          content: [{ toolUse: { toolUseId: 'c1', name: 'search', input: { q: 'cats' } } }],
        },
      },
      {
        session_id: 's',
        message: {
          role: 'user',
          content: [{ toolResult: { toolUseId: 'c1', content: [{ text: 'two of them' }] } }],
        },
      },
      { session_id: 's', message: { role: 'assistant', content: [{ text: 'On the roof.' }] } },
    ],
  ],
];

describe('messages are read in whatever spelling a tool has for them', () => {
  test.each(SPELLINGS)('%s', async (_tool, values) => {
    expect(said(await read(...values))).toEqual([asked, calling, found, answered]);
  });
});

describe('of messages in any spelling', () => {
  test('names, models, times and usage are read', async () => {
    const result = await read([
      { source: 'user', type: 'TextMessage', content: 'hello there' },
      {
        source: 'poet',
        type: 'TextMessage',
        content: 'O hello',
        created_at: at,
        model_name: 'm',
        models_usage: { prompt_tokens: 12, completion_tokens: 3 },
      },
    ]);
    expect(records(result)[1]).toMatchObject({
      agent: 'poet',
      time: Date.parse(at),
      model: 'm',
      usage: { inputTokens: 12, outputTokens: 3 },
    });
  });

  test('a result without an id answers the call that has waited longest, or the one of its tool', async () => {
    const result = await read(
      { type: 'user', content: 'look at both' },
      { type: 'tool_use', tool_name: 'read', tool_input: { path: 'a' } },
      { type: 'tool_use', tool_name: 'list', tool_input: { path: 'b' } },
      { type: 'tool_result', tool_name: 'list', tool_output: 'b has one' },
      { type: 'tool_result', tool_name: 'read', tool_output: 'a says so' },
    );
    expect(said(result).slice(2)).toEqual(['tool call 2: b has one', 'tool call 1: a says so']);
  });

  test('a list that another list of the same object has whole is not read twice', async () => {
    const one = { role: 'user', content: [{ text: 'hello there' }] };
    const two = { role: 'assistant', content: [{ text: 'hello yourself' }] };
    const result = await read({ history: { messages: { a: one, b: two } }, messages: [one, two] });
    expect(said(result)).toEqual(['user: hello there', 'assistant: hello yourself']);
  });

  test('each conversation of a list is one, with what is said of it', async () => {
    const talk = (id: string) => ({
      id,
      score: 0.123456789,
      conversations: [
        { from: 'human', value: `I am ${id}` },
        { from: 'gpt', value: 'hello' },
      ],
    });
    const result = await read([talk('one'), talk('two')]);
    expect(result.conversations.map(({ id, title }) => [id, title])).toEqual([
      ['one', 'I am one'],
      ['two', 'I am two'],
    ]);
    expect(records(result)[0]).toMatchObject({ kind: 'conversation', value: { score: 0.123456789 } });
  });

  test('the steps of a graph, each with what one node said, are one conversation', async () => {
    const step = (node: string, message: object) => ({ [node]: { messages: [message] } });
    const result = await read(
      step('agent', {
        type: 'ai',
        content: null,
        tool_calls: [{ name: 'search', args: { q: 'cats' }, id: 'c1', type: 'tool_call' }],
      }),
      step('tools', { type: 'tool', content: 'two of them', tool_call_id: 'c1', additional_kwargs: {} }),
    );
    expect(result.conversations).toHaveLength(1);
    expect(said(result)).toEqual([calling, found]);
  });

  test.each([
    ['the oldest first', (states: object[]) => states],
    ['the newest first', (states: object[]) => [...states].reverse()],
  ])('states that repeat what was said before are one conversation, %s', async (_how, order) => {
    const message = (type: string, content: string) => ({ type, content, additional_kwargs: {} });
    const all = [
      message('human', 'hello there'),
      message('ai', 'hello yourself'),
      message('human', 'goodbye then'),
    ];
    const states = [1, 2, 3].map((count) => ({ values: { messages: all.slice(0, count) }, next: [] }));
    const result = await read(order(states));
    expect(result.conversations).toHaveLength(1);
    expect(said(result)).toEqual(['user: hello there', 'assistant: hello yourself', 'user: goodbye then']);
  });

  test('the answer beside the messages of a request is its answer, though it names no speaker', async () => {
    const request = (text: string, answer: object) => ({
      model: 'm',
      input_messages: [{ role: 'user', content: text }],
      response: answer,
    });
    const result = await read({
      llm_interactions: [
        request('where are the cats?', {
          content: 'I look.',
          tool_calls: [{ call_id: 'c1', name: 'search', arguments: { q: 'cats' } }],
          usage: { input_tokens: 10, output_tokens: 4 },
        }),
        request('go on then', { content: 'On the roof.' }),
      ],
    });
    expect(said(result)).toEqual([
      'user: where are the cats?',
      'assistant: I look. search({"q":"cats"})',
      'user: go on then',
      'assistant: On the roof.',
    ]);
    expect(query(result).filter({ role: 'assistant' })[0]).toMatchObject({
      model: 'm',
      usage: { inputTokens: 10 },
    });
  });

  test('a list with the newest first is read from its end', async () => {
    const message = (created_at: number, role: string, value: string) => ({
      role,
      created_at,
      content: [{ type: 'text', text: { value } }],
    });
    const result = await read({
      data: [
        message(1_750_000_002, 'assistant', 'hello yourself'),
        message(1_750_000_001, 'user', 'hello there'),
      ],
    });
    expect(said(result)).toEqual(['user: hello there', 'assistant: hello yourself']);
  });

  test('what is no message stays in its place, as it was', async () => {
    const state = { type: 'state_changed', to: 'a-state-that-nobody-knows' };
    const result = await read({ type: 'user', content: 'hello there' }, state, {
      type: 'assistant',
      content: 'hello',
    });
    expect(records(result).map(({ type }) => type)).toEqual(['message', 'imported', 'message']);
    expect(records(result)[1]).toMatchObject({ kind: 'state_changed', value: state });
  });
});

test('a list of prompts is no conversation: the session is named that it belongs to', async () => {
  const prompt = { sessionId: 's', messageId: 0, type: 'user', message: 'where are the cats?' };
  const { format, problems } = await importTranscript(JSON.stringify([prompt]), 'logs.json');
  expect(format).toBe('unknown');
  expect(problems[0]?.message).toContain('in the folder chats beside it');
});

test.each([
  [
    'a list of people',
    [
      { name: 'Ada', role: 'admin' },
      { name: 'Bob', role: 'guest' },
    ],
  ],
  ['settings', { compilerOptions: { target: 'es2022' }, include: ['src'] }],
  ['a list of files', [{ type: 'file', source: 'a.ts', text: 'export {}' }]],
])('%s is not taken for messages', async (_what, value) => {
  expect((await importTranscript(JSON.stringify(value), 'x.json')).format).toBe('unknown');
});
