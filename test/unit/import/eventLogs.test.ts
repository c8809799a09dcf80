import { expect, test } from 'vitest';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { expectSaid, query, records, said } from './reading.js';

const at = (second: number) => `2025-05-01T10:00:0${second}Z`;

test("what Claude Code's hooks are given is prompts, calls and results", async () => {
  const about = { session_id: 'h1', transcript_path: '/p/h1.jsonl', cwd: '/p' };
  const bash = { tool_name: 'Bash', tool_input: { command: 'ls /roof' } };
  const read = { tool_name: 'Read', tool_input: { file_path: '/p/a' } };
  const result = await expectSaid(
    [
      { ...about, hook_event_name: 'SessionStart', source: 'startup' },
      { ...about, hook_event_name: 'UserPromptSubmit', prompt: 'where are the cats?', timestamp: at(1) },
      { ...about, hook_event_name: 'PreToolUse', ...bash, timestamp: at(2) },
      { ...about, hook_event_name: 'PreToolUse', ...read, tool_use_id: 't1' },
      {
        ...about,
        hook_event_name: 'PostToolUse',
        ...read,
        tool_use_id: 't1',
        tool_response: { file: 'empty' },
      },
      {
        ...about,
        hook_event_name: 'PostToolUse',
        ...bash,
        tool_response: { stdout: 'two cats', stderr: '' },
      },
      { ...about, hook_event_name: 'PostToolUseFailure', ...read, error: 'no such file' },
      { ...about, hook_event_name: 'Stop', stop_hook_active: false, last_assistant_message: 'On the roof.' },
    ],
    'claude-hooks',
    [
      'user: where are the cats?',
      'assistant: null Bash({"command":"ls /roof"})',
      'assistant: null Read({"file_path":"/p/a"})',
      'tool t1: {"file":"empty"}',
      'tool call 1: {"stdout":"two cats","stderr":""}',
      'assistant: null Read({"file_path":"/p/a"})',
      'tool call 2: no such file',
      'assistant: On the roof.',
    ],
  );
  expect(result.conversations.map(({ id }) => id)).toEqual(['h1']);
  expect(records(result)[1]).toMatchObject({ time: Date.parse(at(1)) });
  expect(records(result).filter((record) => 'isError' in record && record.isError)).toHaveLength(1);
});

test('hooks of other tools, with names of their own, are not taken for those of Claude Code', async () => {
  const event = { session_id: 's', hook_event_name: 'beforeShellExecution', command: 'ls -l' };
  expect((await importTranscript(JSON.stringify(event), 'a.json')).format).not.toBe('claude-hooks');
});

test('what `gemini -o json` prints is an answer with what each model took', async () => {
  const model = (prompt: number, cached: number) => ({
    api: { totalRequests: 1, totalErrors: 0, totalLatencyMs: 1200 },
    tokens: { prompt, candidates: 20, total: prompt + 27, cached, thoughts: 7, tool: 0 },
  });
  const stats = {
    models: { 'gemini-a': model(1000, 400), 'gemini-b': model(50, 0) },
    tools: { totalCalls: 0, byName: {} },
    files: { totalLinesAdded: 0 },
  };
  const result = await expectSaid([{ response: 'On the roof.', stats }], 'gemini-answer', [
    'assistant: On the roof.',
  ]);
  expect(records(result).filter(({ type }) => type === 'request')).toMatchObject([
    {
      model: 'gemini-a',
      usage: { inputTokens: 1000, outputTokens: 27, cachedInputTokens: 400, reasoningTokens: 7 },
    },
    { model: 'gemini-b', usage: { inputTokens: 50 } },
  ]);
});

const TASKS = [
  {
    timestamp: '2025-05-01 10:00:00',
    task_name: 'look',
    task: 'Find "the" cats.',
    agent: 'Scout',
    status: 'started',
  },
  {
    timestamp: '2025-05-01 10:00:05',
    task_name: 'look',
    task: 'Find "the" cats.',
    agent: 'Scout',
    status: 'completed',
    output: 'Two,\n"on" the roof.',
  },
  {
    timestamp: '2025-05-01 10:00:09',
    task_name: 'tell',
    task: 'Tell me.',
    agent: 'Writer',
    status: 'completed',
    output: 'They sit there.',
  },
];
const asText = TASKS.map(({ timestamp, ...rest }) => {
  const pairs = Object.entries(rest).map(([key, value]) => `${key}="${value}"`);
  return `${timestamp}: ${pairs.join(', ')}\n`;
}).join('\n');

test.each([
  ['JSON', JSON.stringify(TASKS, null, 4)],
  ['text', asText],
])("CrewAI's log of tasks as %s is a turn of an agent for each", async (_, source) => {
  const result = await importTranscript(source, 'crew_log.txt');
  expect([result.format, result.problems]).toEqual(['crewai', []]);
  expect(said(result)).toEqual([
    'user: Find "the" cats.',
    'assistant: Two,\n"on" the roof.',
    'user: Tell me.',
    'assistant: They sit there.',
  ]);
  expect(query(result).filter({ role: 'assistant' })).toMatchObject([
    { agent: 'Scout', time: new Date('2025-05-01T10:00:05').getTime() },
    { agent: 'Writer' },
  ]);
  expect(query(result).timeline()).toHaveLength(2);
});

test('texts with speakers in capitals have calls of functions', async () => {
  const system = 'SYSTEM: You can call: -\n{"name": "find_cats"}';
  const chat =
    'USER: Where are the cats?\n\n\nASSISTANT: Let me look. <functioncall> {"name": "find_cats", "arguments": \'{"where": "Tom\'s roof"}\'} <|endoftext|>\n\n\n' +
    'FUNCTION RESPONSE: {"cats": 2}\n\n\nASSISTANT: Two of them. <|endoftext|>';
  const expected = [
    'system: You can call: -\n{"name": "find_cats"}',
    'user: Where are the cats?',
    'assistant: Let me look. find_cats({"where": "Tom\'s roof"})',
    'tool call 1: {"cats": 2}',
    'assistant: Two of them.',
  ];
  await expectSaid([{ system, chat }], 'function-texts', expected);
  await expectSaid([[{ sample: `${system}\n${chat}` }]], 'function-texts', expected);
});

test('a text that only mentions a speaker is no such text', async () => {
  const { format } = await importTranscript(
    JSON.stringify({ text: 'He wrote: USER: hi\nASSISTANT: ho' }),
    'a.json',
  );
  expect(format).toBe('unknown');
});

test("traces of Bedrock's agents are a prompt, calls with their reasons, results and an answer", async () => {
  const event = (trace: object) => ({ agentId: 'A', sessionId: 'b1', trace: { orchestrationTrace: trace } });
  const result = await expectSaid(
    [
      event({
        modelInvocationInput: {
          text: JSON.stringify({
            system: 'You are a finder.',
            messages: [{ role: 'user', content: '[{text=where are the cats?, type=text}]' }],
          }),
          foundationModel: 'm-1',
        },
      }),
      event({
        modelInvocationOutput: {
          rawResponse: { content: 'raw words of it' },
          metadata: { usage: { inputTokens: 500, outputTokens: 20 } },
        },
      }),
      event({ rationale: { text: 'I should look.', traceId: 't' } }),
      event({
        invocationInput: {
          invocationType: 'ACTION_GROUP',
          actionGroupInvocationInput: {
            actionGroupName: 'finders',
            function: 'find',
            parameters: [{ name: 'where', type: 'string', value: 'roof' }],
          },
        },
      }),
      event({ observation: { type: 'ACTION_GROUP', actionGroupInvocationOutput: { text: 'two of them' } } }),
      event({ observation: { type: 'FINISH', finalResponse: { text: 'On the roof.' } } }),
    ],
    'bedrock-agent',
    [
      'user: where are the cats?',
      'assistant: null find({"where":"roof"})',
      'tool call 1: two of them',
      'assistant: On the roof.',
    ],
  );
  expect(result.conversations.map(({ id }) => id)).toEqual(['b1']);
  expect(records(result).find(({ type }) => type === 'request')).toMatchObject({
    model: 'm-1',
    usage: { inputTokens: 500, outputTokens: 20 },
  });
  expect(JSON.stringify(records(result))).toContain('"reasoning_content":"I should look."');
});

const PAIRS = [
  ['where are the cats?', 'On the roof.'],
  ['thanks a lot', null],
];
test.each(['history', 'chatbot'])('pairs under the word %s are a chat', async (key) => {
  const result = await expectSaid([{ [key]: PAIRS, model: 'm-5' }], 'pair-lists', [
    'user: where are the cats?',
    'assistant: On the roof.',
    'user: thanks a lot',
  ]);
  expect(query(result).filter({ role: 'assistant' })).toMatchObject([{ model: 'm-5' }]);
});

test.each<[string, unknown]>([
  ['no word', PAIRS],
  ['a word for something else', { translations: PAIRS }],
  ['a word for a chat, but of three', { history: [['a b', 'c d', 'e f']] }],
])('pairs under %s may be anything', async (_, value) => {
  expect((await importTranscript(JSON.stringify(value), 'a.json')).format).toBe('unknown');
});

test('samples of lm-evaluation-harness are what was asked and answered, with target and score', async () => {
  const sample = (doc_id: number, prompt: string, resps: unknown) => ({
    doc_id,
    doc: { question: 'how many cats are there?', answer: '2' },
    target: '2',
    arguments: { gen_args_0: { arg_0: prompt, arg_1: { until: ['Q:'] } } },
    resps,
    filtered_resps: ['two'],
    metrics: ['exact_match'],
    exact_match: 0,
  });
  const chat = JSON.stringify([{ role: 'user', content: 'how many cats?' }]);
  const result = await expectSaid(
    [
      sample(0, 'Q: how many cats are there?\nA:', [['There are two of them.']]),
      sample(1, chat, [['Two.']]),
      sample(2, 'Q: yes or no?', [[[-1.5, true]]]),
    ],
    'lm-eval',
    [
      'user: Q: how many cats are there?\nA:',
      'assistant: There are two of them.',
      'user: how many cats?',
      'assistant: Two.',
      'user: Q: yes or no?',
    ],
  );
  expect(result.conversations.map(({ id }) => id)).toEqual(['sample-0', 'sample-1', 'sample-2']);
  expect(result.conversations[0]?.facts).toEqual({ Target: '2', 'Score (exact_match)': '0' });
});

test("Zed's text threads are cut where their messages begin, in bytes", async () => {
  const texts = ['wo ist die Katze, Größe 3?\n', 'Auf dem Dach.\n'] as const;
  const result = await expectSaid(
    [
      {
        id: 'z1',
        zed: 'context',
        version: '0.4.0',
        text: texts.join(''),
        messages: [
          { id: { value: 1 }, start: 0, metadata: { role: 'user', status: 'Done' } },
          {
            id: { value: 2 },
            start: Buffer.byteLength(texts[0]),
            metadata: { role: 'assistant', status: 'Done' },
          },
        ],
        summary: 'Cats',
      },
    ],
    'zed-text',
    ['user: wo ist die Katze, Größe 3?', 'assistant: Auf dem Dach.'],
  );
  expect(result.conversations[0]).toMatchObject({ id: 'z1', title: 'Cats' });
});

test.each([{ class_name: 'SimpleChatStore' }, {}])(
  "each user of LlamaIndex's chat store has a conversation (%j)",
  async (about) => {
    const chat = (asked: string, answered: string) => [
      { role: 'user', content: asked, additional_kwargs: {} },
      { role: 'assistant', content: answered, additional_kwargs: {} },
    ];
    const store = { anna: chat('and the cats?', 'On the roof.'), bert: chat('and the dogs?', 'In bed.') };
    const result = await importTranscript(JSON.stringify({ store, ...about }), 'chat_store.json');
    expect(result.problems).toEqual([]);
    expect(result.conversations.map(({ id, title }) => [id, title])).toEqual([
      ['anna', 'and the cats?'],
      ['bert', 'and the dogs?'],
    ]);
  },
);

test("Braintrust's spans are requests with their usage, and tools", async () => {
  const row = (id: string, name: string, type: string, more: object) => ({
    id: `row ${id}`,
    span_id: id,
    root_span_id: 'top',
    span_parents: id === 'top' ? null : ['top'],
    span_attributes: { name, type },
    ...more,
  });
  const asked = { role: 'user', content: 'where are the cats?' };
  const called = {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'find', arguments: '{"n":2}' } }],
  };
  const metrics = (second: number, more: object = {}) => ({
    start: 1_746_093_600 + second,
    end: 1_746_093_601 + second,
    ...more,
  });
  const result = await importTranscript(
    JSON.stringify([
      row('top', 'finder', 'task', { metrics: metrics(0) }),
      row('s1', 'chat', 'llm', {
        input: [asked],
        output: [{ index: 0, message: called, finish_reason: 'tool_calls' }],
        metadata: { model: 'm-5' },
        metrics: metrics(1, {
          prompt_tokens: 100,
          completion_tokens: 20,
          prompt_cached_tokens: 0,
          tokens: 120,
        }),
      }),
      row('s2', 'find', 'tool', { input: { n: 2 }, output: 'two of them', metrics: metrics(2) }),
      row('s3', 'chat', 'llm', {
        input: [asked, called, { role: 'tool', tool_call_id: 'c1', content: 'two of them' }],
        output: [{ index: 0, message: { role: 'assistant', content: 'On the roof.' } }],
        metadata: { model: 'm-5' },
        metrics: metrics(3, { prompt_tokens: 150, completion_tokens: 10 }),
      }),
    ]),
    'logs.json',
  );
  expect([result.format, result.problems]).toEqual(['braintrust', []]);
  expect(said(result)).toEqual([
    'user: where are the cats?',
    'assistant: null find({"n":2})',
    'tool c1: two of them',
    'assistant: On the roof.',
  ]);
  expect(query(result).stats().usage).toMatchObject({ inputTokens: 250, outputTokens: 30 });
});
