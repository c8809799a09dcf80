import { describe, expect, test } from 'vitest';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { expectSaid, lines, query, records, said, spent } from './reading.js';

const at = '2026-01-01T10:00:00Z';
const QUESTION = 'user: where are the cats?';
const ANSWER = 'assistant: On the roof.';

/** Reads one JSON value and checks the format and what was said. */
async function expectWhole(value: unknown, format: string, expected: string[]) {
  const result = await importTranscript(JSON.stringify(value), 'session.json');
  expect(result.format).toBe(format);
  expect(said(result)).toEqual(expected);
  expect(result.problems).toEqual([]);
  return result;
}

describe('the answer beside the messages of a request', () => {
  const asked = [{ role: 'user', content: 'where are the cats?' }];
  const answer = { role: 'assistant', content: 'On the roof.' };

  test.each([
    ['a message', { input: asked, output: answer }],
    ['a message within', { calls: [{ prompt: asked, output: { message: answer } }] }],
    ['one that names no speaker', { prompt: asked, completion: { content: 'On the roof.' } }],
    ['a text', { input: asked, output: 'On the roof.' }],
    ['a list', { input: asked, output: [answer] }],
    ['what the messages end with too', { prompt: [...asked, answer], completion: answer }],
    ['among those of other requests', { llms: [{ prompt: asked, completion: answer }] }],
  ])('is said once: %s', async (_what, value) => {
    await expectWhole(value, 'any-messages', [QUESTION, ANSWER]);
  });

  test('is none where somebody else speaks', async () => {
    const expected = { role: 'user', content: 'thank you' };
    await expectWhole({ prompt: asked, output: expected }, 'any-messages', [QUESTION]);
  });
});

describe('sessions of further coding agents', () => {
  test('the name in a line that calls a tool is the tool, not who speaks (WorkBuddy, CodeBuddy)', async () => {
    const line = (more: object) => ({ sessionId: 'wb1', timestamp: at, ...more });
    const result = await expectSaid(
      [
        line({ type: 'session_start', cwd: '/home/cat', providerData: { modelId: 'm-1' } }),
        line({ type: 'message', role: 'user', content: 'where are the cats?' }),
        line({ type: 'function_call', name: 'look', arguments: { at: 'roof' } }),
        line({ type: 'function_call_result', name: 'look', output: 'two cats' }),
        line({ type: 'message', role: 'assistant', content: 'On the roof.' }),
      ],
      'any-messages',
      [QUESTION, 'assistant: null look({"at":"roof"})', 'tool call 1: two cats', ANSWER],
    );
    expect(records(result).flatMap((record) => ('agent' in record ? [record.agent] : []))).not.toContain(
      'look',
    );
  });

  test('Evener says by the kind of a turn who speaks, and which model answered', async () => {
    const turn = (kind: string, content: object[] | undefined, more: object = {}) => ({
      kind: 'entry',
      turn: { kind, timestamp: at, ...(content && { message: { content } }), ...more },
    });
    const words = (text: string) => ({ kind: 'text', text });
    const call = { id: 'c1', name: 'shell', arguments: { command: 'ls' } };
    const result = await expectSaid(
      [
        { kind: 'header', format_version: 2, session_id: 's1', created_at: at, model: 'm-1' },
        turn('USER_INPUT', [words('where are the cats?')]),
        turn(
          'ASSISTANT',
          [
            { kind: 'thinking', thinking: { text: 'hm' } },
            { kind: 'tool_call', tool_call: call },
          ],
          {
            response_model: 'm-2',
            usage: { input_tokens: 100, output_tokens: 20 },
          },
        ),
        turn('TOOL_RESULTS', [
          {
            kind: 'tool_result',
            tool_result: { tool_call_id: 'c1', content: 'no such roof', is_error: true },
          },
        ]),
        turn('TURN_FAILURE', undefined, { error: { message: 'It gave up.' } }),
        turn('STEERING', [words('look again')], { steering_source: 'user' }),
        turn('SUMMARY', [words('so far: nothing')]),
        turn('ASSISTANT', [words('On the roof.')]),
      ],
      'any-messages',
      [
        QUESTION,
        'assistant: null shell({"command":"ls"})',
        'tool c1: no such roof',
        'user: look again',
        'system: so far: nothing',
        ANSWER,
      ],
    );
    expect(result.conversations.map(({ id }) => id)).toEqual(['s1']);
    expect(spent(result)).toEqual([
      ['m-2', { inputTokens: 100, outputTokens: 20 }],
      ['m-1', {}],
    ]);
    expect(query(result).toolSummary()).toMatchObject([{ calls: [{ isError: true }] }]);
    expect(JSON.stringify(records(result))).toContain('It gave up.');
  });

  test('Codebuff has calls, reasoning and what its agents said in blocks of one message', async () => {
    const blocks = [
      { type: 'text', textType: 'reasoning', content: 'They like the sun.' },
      { type: 'text', textType: 'text', content: 'On the roof.' },
      { type: 'tool', toolCallId: 't1', toolName: 'look', input: { at: 'roof' }, output: 'two of them' },
      {
        type: 'agent',
        agentId: 'a1',
        agentName: 'Counter',
        blocks: [{ type: 'text', content: 'I count two.' }],
      },
    ];
    await expectWhole(
      [
        { id: 'u1', variant: 'user', content: 'where are the cats?', timestamp: at },
        { id: 'a1', variant: 'ai', content: '', timestamp: at, blocks },
      ],
      'any-messages',
      [
        QUESTION,
        'assistant: On the roof. look({"at":"roof"}) Counter({})',
        'tool t1: two of them',
        'tool a1: I count two.',
      ],
    );
  });

  test('Poolside has its words under a key that is called like the event', async () => {
    await expectSaid(
      [
        { type: 'session.input', session_input: { prompt: 'where are the cats?' } },
        { type: 'assistant_message.start' },
        { type: 'thought.end', thought_end: { thought: 'hm' } },
        { type: 'tool_call.parsed', tool_call_parsed: { id: 'c1', name: 'look', args: { at: 'roof' } } },
        {
          type: 'tool_call.result',
          tool_call_result: { id: 'c1', tool_name: 'look', observation: 'two of them' },
        },
        { type: 'assistant_message.end', assistant_message_end: { assistant_message: 'On the roof.' } },
      ],
      'any-messages',
      [QUESTION, 'assistant: null look({"at":"roof"})', 'tool c1: two of them', ANSWER],
    );
  });

  test("AgentScope's memories have the marks of each message beside it", async () => {
    const message = (role: string, name: string, ...content: object[]) => [
      { role, name, content, timestamp: at },
      [],
    ];
    const result = await expectWhole(
      {
        agent: {
          memory: {
            content: [
              message('user', 'user', { type: 'text', text: 'where are the cats?' }),
              message('assistant', 'Friday', { type: 'tool_use', id: 'c1', name: 'look', input: {} }),
              message('system', 'system', {
                type: 'tool_result',
                id: 'c1',
                name: 'look',
                output: 'two of them',
              }),
              message('assistant', 'Friday', { type: 'text', text: 'On the roof.' }),
            ],
          },
        },
      },
      'any-messages',
      [QUESTION, 'assistant: null look({})', 'tool c1: two of them', ANSWER],
    );
    expect(new Set(records(result).map(({ agent }) => agent))).toEqual(new Set(['Friday']));
  });

  test('the first line of a log that is no message names the session and its model', async () => {
    const result = await expectSaid(
      [
        { id: 'z1', chatId: 'c', modelId: 'm-1', createdAt: at, version: '1' },
        { role: 'user', content: [{ type: 'text', text: 'where are the cats?' }] },
        {
          role: 'assistant',
          content: [{ type: 'tool-call', toolCallId: 't1', toolName: 'look', input: {} }],
        },
        { role: 'tool', content: [{ type: 'tool-result', toolCallId: 't1', content: 'two of them' }] },
        { role: 'assistant', content: [{ type: 'text', text: 'On the roof.' }] },
        { role: 'finish', reason: 'endTurn' },
      ],
      'any-messages',
      [QUESTION, 'assistant: null look({})', 'tool t1: two of them', ANSWER],
    );
    expect(result.conversations.map(({ id }) => id)).toEqual(['z1']);
    expect(spent(result).map(([model]) => model)).toEqual(['m-1', 'm-1']);
  });

  test("who speaks Anthropic's API and is no Claude is not called so", async () => {
    const result = await expectWhole(
      {
        metadata: { id: 'd1', title: 'About cats', model: 'deepseek-v4' },
        messages: [
          { role: 'user', content: [{ type: 'text', text: 'where are the cats?' }] },
          {
            role: 'assistant',
            content: [
              { type: 'thinking', thinking: 'hm' },
              { type: 'text', text: 'On the roof.' },
            ],
          },
        ],
      },
      'anthropic-messages',
      [QUESTION, ANSWER],
    );
    expect(result.conversations[0]).toMatchObject({ id: 'd1', title: 'About cats' });
    expect(records(result).at(-1)).toMatchObject({ agent: 'assistant', model: 'deepseek-v4' });
  });
});

test('Kiro keeps its sessions as Continue does, and is called by its name', async () => {
  const turn = (role: string, content: string, more: object = {}) => ({
    message: { role, content },
    ...more,
  });
  const history = [
    turn('user', 'where are the cats?'),
    turn('assistant', 'On the roof.', { executionId: 'e1', promptLogs: [] }),
  ];
  const result = await expectWhole({ sessionId: 'k1', title: 'Cats', history }, 'continue', [
    QUESTION,
    ANSWER,
  ]);
  expect(new Set(records(result).map(({ agent }) => agent))).toEqual(new Set(['Kiro']));
});

test('a session of Mistral Vibe has its id and its model beside the messages; meta.json names their file', async () => {
  const metadata = {
    session_id: 'v1',
    start_time: at,
    environment: {},
    agent_config: { active_model: 'm-1' },
  };
  const messages = [
    { role: 'user', content: 'where are the cats?' },
    { role: 'assistant', content: 'On the roof.' },
  ];
  const result = await expectWhole({ metadata, messages }, 'chat-messages', [QUESTION, ANSWER]);
  expect(result.conversations[0]?.id).toBe('v1');
  expect(spent(result)).toEqual([['m-1', {}]]);
  const { problems } = await importTranscript(JSON.stringify(metadata), 'meta.json');
  expect(problems[0]?.message).toMatch(/import messages\.jsonl/);
});

test('what Mistral Vibe says of a session is read with the messages beside it', async () => {
  const about = {
    session_id: 'v2',
    start_time: at,
    end_time: at,
    environment: { working_directory: '/home/p' },

    title: 'Cats',
    config: { active_model: 'm-2' },
    system_prompt: { role: 'system', content: 'Be Vibe.' },
    stats: { session_prompt_tokens: 90, session_completion_tokens: 4, session_cost: 0.5 },
  };
  const messages = lines(
    { role: 'user', content: 'where are the cats?' },
    { role: 'assistant', content: 'On the roof.' },
  );
  const read = (meta: object) =>
    importTranscript(messages, 'messages.jsonl', {
      sidecars: [{ name: '../meta.json', source: JSON.stringify(meta) }],
    });
  const result = await read(about);
  expect(said(result)).toEqual(['system: Be Vibe.', QUESTION, ANSWER]);
  expect(result.conversations[0]).toMatchObject({ id: 'v2', title: 'Cats' });
  expect(spent(result)).toEqual([
    ['m-2', {}],
    ['m-2', { inputTokens: 90, outputTokens: 4, cost: 500_000_000 }],
  ]);
  const other = await read({ name: 'a package' });
  expect(said(other)).toEqual([QUESTION, ANSWER]);
  expect(other.conversations.map(({ title }) => title)).toEqual(['where are the cats?']);
});

describe('Open Code Review', () => {
  const line = (type: string, more: object) => ({
    type,
    uuid: type,
    sessionId: 's1',
    timestamp: at,
    ...more,
  });
  const about = (filePath: string) => ({ filePath, taskType: 'main_task' });
  const asks = (filePath: string, ...more: object[]) =>
    line('llm_request', {
      ...about(filePath),
      messages: [
        { role: 'system', content: 'You review.' },
        { role: 'user', content: `Review ${filePath}` },
        ...more,
      ],
    });
  const call = { id: 'c1', name: 'read_file', arguments: { path: 'a.ts' } };

  test('requests repeat what was said, which is there once; each file is a run', async () => {
    const result = await expectSaid(
      [
        line('session_start', { model: 'm-1', reviewMode: 'diff' }),
        asks('a.ts'),
        line('llm_response', {
          ...about('a.ts'),
          content: 'I read it.',
          tool_calls: [call],
          usage: { prompt_tokens: 100, completion_tokens: 10 },
        }),
        line('tool_call', { ...about('a.ts'), tool_name: 'read_file', error: 'no such file', ok: false }),
        asks('a.ts', { role: 'assistant', content: 'I read it.' }, { role: 'tool', content: 'no such file' }),
        line('llm_error', { error: 'Too many requests' }),
        line('llm_response', { ...about('a.ts'), content: 'It is gone.' }),
        asks('b.ts'),
        line('llm_response', { ...about('b.ts'), content: 'It is good.' }),
        line('session_end', {}),
      ],
      'open-code-review',
      [
        'system: You review.',
        'user: Review a.ts',
        'assistant: I read it. read_file({"path":"a.ts"})',
        'tool c1: no such file',
        'assistant: It is gone.',
        'system: You review.',
        'user: Review b.ts',
        'assistant: It is good.',
      ],
    );
    expect(query(result).toolSummary()).toMatchObject([{ calls: [{ isError: true }] }]);
    const failed = records(result).filter(({ type }) => type === 'request');
    expect(failed).toMatchObject([{ run: 'r1', error: { message: 'Too many requests' } }]);
    expect(new Set(records(result).map(({ run }) => run))).toEqual(new Set(['r1', 'r2']));
  });
});

test('conversations of other APIs stay theirs where a file is a list of them', async () => {
  const use = { type: 'tool_use', id: 'c1', name: 'look', input: {} };
  const messages = [
    { role: 'user', content: 'where are the cats?' },
    { role: 'assistant', content: [{ type: 'text', text: 'I look.' }, use] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'two of them' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'On the roof.' }] },
  ];
  const talk = [QUESTION, 'assistant: I look. look({})', 'tool c1: two of them', ANSWER];
  const result = await importTranscript(
    JSON.stringify([
      { id: 'a', messages },
      { id: 'b', messages },
    ]),
    'all.json',
  );
  expect(result.conversations.map(({ id }) => id)).toEqual(['a', 'b']);
  expect(said(result)).toEqual([...talk, ...talk]);
});
