import { describe, expect, test } from 'vitest';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { expectSaid, query, spent } from './reading.js';

/** The one expectation of a format: what is said in it, and that nothing was reported. */
const read = (format: string, values: unknown[], expected: string[]) => expectSaid(values, format, expected);

const asked = { role: 'user', content: 'where are the cats?' };
const answered = { role: 'assistant', content: 'On the roof.' };
const SAID = ['user: where are the cats?', 'assistant: On the roof.'];

describe('sessions of coding agents', () => {
  test('steps of Antigravity are prompts, plans with their calls, and what the tools gave', async () => {
    const step = (step_index: number, source: string, type: string, more: object) => ({
      step_index,
      source,
      type,
      status: 'DONE',
      created_at: '2026-06-26T21:16:16Z',
      ...more,
    });
    await read(
      'antigravity',
      [
        step(0, 'USER_EXPLICIT', 'USER_INPUT', { content: 'where are the cats?' }),
        step(1, 'SYSTEM', 'CONVERSATION_HISTORY', {}),
        step(2, 'MODEL', 'PLANNER_RESPONSE', {
          thinking: 'Look outside.',
          tool_calls: [{ name: 'list_dir', args: { DirectoryPath: '"/roof"' } }],
        }),
        step(3, 'MODEL', 'LIST_DIRECTORY', { content: 'two of them' }),
        step(4, 'MODEL', 'VIEW_FILE', { content: 'a tail' }),
        step(5, 'MODEL', 'PLANNER_RESPONSE', { content: 'On the roof.' }),
      ],
      [
        'user: where are the cats?',
        'assistant: null list_dir({"DirectoryPath":"/roof"})',
        'tool call 1: two of them',
        'tool: a tail',
        'assistant: On the roof.',
      ],
    );
  });

  test('a session of CodeBuddy pairs its calls with results that name no call', async () => {
    const line = (type: string, more: object) => ({ type, sessionId: 's', timestamp: 1777651201, ...more });
    await read(
      'any-messages',
      [
        line('session_start', { cwd: '/work', model: 'some-model' }),
        line('message', asked),
        line('message', { role: 'assistant', content: [{ type: 'text', text: 'I look.' }] }),
        line('function_call', { name: 'search', arguments: { q: 'cats' } }),
        line('function_call_result', { name: 'search', output: 'two of them' }),
        line('message', answered),
      ],
      [SAID[0] ?? '', 'assistant: I look. search({"q":"cats"})', 'tool call 1: two of them', SAID[1] ?? ''],
    );
  });

  test('what Grok thought stands with what it said, and its own tools are calls', async () => {
    const result = await read(
      'any-messages',
      [
        { type: 'system', content: 'You are an agent.' },
        { type: 'user', content: [{ type: 'text', text: 'where are the cats?' }] },
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'They like the sun.' }] },
        {
          type: 'assistant',
          content: 'I look.',
          model_id: 'grok',
          tool_calls: [{ id: 'c1', name: 'search', arguments: '{"q":"cats"}' }],
        },
        { type: 'tool_result', tool_call_id: 'c1', content: 'two of them' },
        {
          type: 'backend_tool_call',
          kind: { tool_type: 'web_search', action: { query: 'roofs' }, id: 'c2', status: 'completed' },
        },
        { type: 'assistant', content: 'On the roof.', model_id: 'grok' },
      ],
      [
        'system: You are an agent.',
        'user: where are the cats?',
        'assistant: I look. search({"q":"cats"})',
        'tool c1: two of them',
        'assistant: null web_search({"query":"roofs"})',
        'assistant: On the roof.',
      ],
    );
    expect(JSON.stringify(query(result).export('dict', { redact: false }))).toContain(
      '"reasoning_content":"They like the sun."',
    );
  });

  test('bubbles of Cursor say by a number who speaks, and hold the call with its result', async () => {
    const tool = { toolCallId: 'c1', name: 'search', rawArgs: '{"q":"cats"}', result: 'two of them' };
    await read(
      'any-messages',
      [
        {
          composerId: 'k',
          conversation: [
            { type: 1, bubbleId: 'a', text: 'where are the cats?' },
            { type: 2, bubbleId: 'b', text: 'I look.', thinking: { text: 'Hm.' }, toolFormerData: tool },
            { type: 2, bubbleId: 'c', text: 'On the roof.' },
          ],
        },
      ],
      [SAID[0] ?? '', 'assistant: I look. search({"q":"cats"})', 'tool c1: two of them', SAID[1] ?? ''],
    );
  });

  test('parts that are stored as JSON are read, as in the database of Crush', async () => {
    const row = (role: string, ...parts: object[]) => ({ role, parts: JSON.stringify(parts) });
    await read(
      'any-messages',
      [
        {
          messages: [
            row('user', { type: 'text', data: { text: 'where are the cats?' } }),
            row('assistant', {
              type: 'tool_call',
              data: { id: 'c1', name: 'search', input: '{"q":"cats"}', finished: true },
            }),
            row('tool', { type: 'tool_result', data: { tool_call_id: 'c1', content: 'two of them' } }),
            row('assistant', { type: 'text', data: { text: 'On the roof.' } }),
          ],
        },
      ],
      [SAID[0] ?? '', 'assistant: null search({"q":"cats"})', 'tool c1: two of them', SAID[1] ?? ''],
    );
  });

  test("a rollout of Trae's Codex has several items on a line, and its tokens on lines of their own", async () => {
    const at = '2026-09-01T10:00:00.000Z';
    const line = (type: string, payload: object) => ({ timestamp: at, type, payload });
    const message = (role: string, text: string) => ({
      type: 'message',
      role,
      content: [{ type: 'input_text', text }],
    });
    const result = await read(
      'codex',
      [
        line('session_meta', { id: 'thread', timestamp: at, cwd: '/work' }),
        line('turn_context', { turn_id: 't', model: 'some-model' }),
        line('history_mutation', {
          operation: 'append',
          items: [message('user', 'where are the cats?'), message('assistant', 'On the roof.')],
        }),
        line('token_usage_record', {
          response_id: 'r',
          usage: { input_tokens: 100, cached_input_tokens: 40, output_tokens: 12 },
        }),
      ],
      SAID,
    );
    expect(spent(result)).toContainEqual([
      'some-model',
      { inputTokens: 100, outputTokens: 12, cachedInputTokens: 40 },
    ]);
  });

  test('code that Open Interpreter ran is a call, and what the computer printed its result', async () => {
    await read(
      'any-messages',
      [
        [
          { ...asked, type: 'message' },
          { role: 'assistant', type: 'code', format: 'python', content: 'cats()' },
          { role: 'computer', type: 'console', format: 'output', content: 'two of them' },
          { ...answered, type: 'message' },
        ],
      ],
      [SAID[0] ?? '', 'assistant: null python({"code":"cats()"})', 'tool call 1: two of them', SAID[1] ?? ''],
    );
  });

  test('a message whose only field is the result of a tool is that result', async () => {
    await read(
      'any-messages',
      [
        {
          llm_interactions: [
            {
              input_messages: [asked],
              response: {
                content: '',
                tool_calls: [{ call_id: 'c1', name: 'search', arguments: { q: 'cats' } }],
              },
            },
            {
              input_messages: [
                { role: 'user', content: null, tool_result: { call_id: 'c1', result: 'two of them' } },
              ],
              response: { content: 'On the roof.' },
            },
          ],
        },
      ],
      [SAID[0] ?? '', 'assistant: null search({"q":"cats"})', 'tool c1: two of them', SAID[1] ?? ''],
    );
  });
});

describe('chat programs', () => {
  test('answers that stand within the message that they answer are said after it', async () => {
    const leaf = { text: 'On the roof.', isCreatedByUser: false, children: [] };
    await read(
      'any-messages',
      [
        {
          title: 'Cats',
          messages: [{ text: 'where are the cats?', isCreatedByUser: true, children: [leaf] }],
        },
      ],
      SAID,
    );
  });

  test('a tree of messages below one prompt is read with the prompt, every branch in turn', async () => {
    const reply = (text: string, role: string, ...replies: object[]) => ({ text, role, replies });
    await read(
      'any-messages',
      [
        {
          message_tree_id: 't',
          prompt: reply(
            'where are the cats?',
            'prompter',
            reply('On the roof.', 'assistant', reply('thank you', 'prompter')),
            reply('In the sun.', 'assistant'),
          ),
        },
      ],
      [...SAID, 'user: thank you', 'assistant: In the sun.'],
    );
  });

  const author = (isBot: boolean) => ({ id: '1', name: isBot ? 'finder' : 'ann', isBot });
  test.each<[of: string, ...values: unknown[]]>([
    [
      'Discord',
      {
        messages: [
          { content: 'where are the cats?', author: author(false) },
          { content: 'On the roof.', author: author(true) },
        ],
      },
    ],
    [
      'Slack',
      [
        { type: 'message', user: 'U1', text: 'where are the cats?', ts: '1700000000.000100' },
        { type: 'message', bot_id: 'B1', text: 'On the roof.', ts: '1700000005.000200' },
      ],
    ],
    [
      'SillyTavern',
      { user_name: 'ann', character_name: 'finder' },
      { name: 'ann', is_user: true, mes: 'where are the cats?' },
      { name: 'finder', is_user: false, mes: 'On the roof.' },
    ],
    [
      "OpenRouter's chat room",
      {
        characters: { c: { model: 'm' } },
        messages: {
          a: { characterId: 'USER', content: 'where are the cats?' },
          b: { characterId: 'c', content: 'On the roof.' },
        },
      },
    ],
  ])('people and bots of %s are told apart', async (_of, ...values) => {
    await read('any-messages', values, SAID);
  });

  test('thoughts of AI Studio are reasoning of the answer, after the instructions beside the chat', async () => {
    const result = await read(
      'any-messages',
      [
        {
          runSettings: { model: 'models/some-model' },
          systemInstruction: { text: 'Be brief.' },
          chunkedPrompt: {
            chunks: [
              { text: 'where are the cats?', role: 'user' },
              { text: 'They like the sun.', role: 'model', isThought: true },
              { text: 'On the roof.', role: 'model' },
            ],
          },
        },
      ],
      ['system: Be brief.', ...SAID],
    );
    expect(spent(result)).toEqual([['models/some-model', {}]]);
  });

  test('prompts of a Google Takeout of Gemini stand with their answers', async () => {
    await read(
      'prompt-pairs',
      [
        [
          {
            header: 'Gemini Apps',
            title: 'Prompted where are the cats?',
            time: '2025-05-01T10:00:00Z',
            safeHtmlItem: [{ html: 'On the roof.' }],
          },
        ],
      ],
      SAID,
    );
  });
});

describe('what stands around the messages of a session', () => {
  test("Gemini's stream names its model first and its tokens last", async () => {
    const result = await read(
      'any-messages',
      [
        { type: 'init', session_id: 's', model: 'm' },
        { type: 'message', ...asked },
        { type: 'message', ...answered, delta: true },
        { type: 'result', status: 'success', stats: { input_tokens: 80, output_tokens: 20 } },
      ],
      SAID,
    );
    expect(spent(result)).toEqual([
      ['m', {}],
      ['m', { inputTokens: 80, outputTokens: 20 }],
    ]);
  });

  test('the first Codex tells the tokens of a request beside the type of the event', async () => {
    const event = (msg: object) => ({ id: '0', msg });
    const result = await read(
      'codex-events',
      [
        event({ type: 'task_started' }),
        event({ type: 'agent_message', message: 'On the roof.' }),
        event({ type: 'token_count', input_tokens: 10, output_tokens: 2, total_tokens: 12 }),
      ],
      ['assistant: On the roof.'],
    );
    expect(spent(result)).toContainEqual(['', { inputTokens: 10, outputTokens: 2 }]);
  });

  test('the name that a person gave a session of Claude Code is its title, whatever it was called before', async () => {
    const line = (uuid: string, message: object) => ({ type: 'user', sessionId: 's', uuid, message });
    const result = await importTranscript(
      [
        { type: 'summary', summary: 'Of old', leafUuid: 'x' },
        line('a', asked),
        { type: 'ai-title', aiTitle: 'Made up', sessionId: 's' },
        { type: 'custom-title', customTitle: 'Cats of ours', sessionId: 's' },
      ]
        .map((each) => JSON.stringify(each))
        .join('\n'),
      's.jsonl',
    );
    expect(result.conversations.map(({ title }) => title)).toEqual(['Cats of ours']);
  });

  test('a session without a prompt is called by the first words of its answer, not by its id', async () => {
    const result = await read(
      'codex-events',
      [
        { type: 'thread.started', thread_id: '0199a213-81c0-7800-8aa1-bbab2a035a53' },
        { type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text: 'On the roof.' } },
      ],
      ['assistant: On the roof.'],
    );
    expect(result.conversations.map(({ title }) => title)).toEqual(['On the roof.']);
  });
});

describe('calls without ids, which their results cannot name', () => {
  test('of Codex are answered by the next result of their tool', async () => {
    const line = (payload: object) => ({ timestamp: '2025-12-18T10:00:00Z', type: 'response_item', payload });
    const call = (name: string, q: string) =>
      line({ type: 'tool_call', function: { name }, arguments: { q } });
    const result = await expectSaid(
      [
        { type: 'session_meta', payload: { id: 's', cwd: '/w', cli_version: '0.89.0' } },
        line({ type: 'message', role: 'user', content: [{ type: 'input_text', text: asked.content }] }),
        call('search', 'cats'),
        call('look', 'roof'),
        line({ type: 'tool_result', name: 'look', result: { found: 2 } }),
        line({ type: 'tool_result', name: 'search', result: 'on the roof' }),
      ],
      'codex',
      [
        'user: where are the cats?',
        'assistant: null search({"q":"cats"}) look({"q":"roof"})',
        'tool call 2: {"found":2}',
        'tool call 1: on the roof',
      ],
    );
    expect(query(result).toolSummary()).toMatchObject([{ toolName: 'search' }, { toolName: 'look' }]);
  });

  test('of Cursor are answered in their order, whatever the results call them', async () => {
    const says = (role: string, ...content: object[]) => ({ role, message: { content } });
    const use = (name: string, more: object = {}) => ({ type: 'tool_use', name, input: {}, ...more });
    const gave = (tool_use_id: string, content: string) => ({ type: 'tool_result', tool_use_id, content });
    await expectSaid(
      [
        says('user', { type: 'text', text: asked.content }),
        says('assistant', use('Look'), use('Count'), use('Purr', { id: 'own' })),
        says('user', gave('x1', 'a roof'), gave('own', 'purr'), gave('x2', 'two')),
      ],
      'cursor',
      [
        'user: where are the cats?',
        'assistant: null Look({}) Count({}) Purr({})',
        'tool call_1: a roof',
        'tool own: purr',
        'tool call_2: two',
      ],
    );
  });

  test('of any tool are answered by results whose id no call has', async () => {
    await expectSaid(
      [
        asked,
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ type: 'tool_call', name: 'look', arguments: {} }],
        },
        { role: 'tool', tool_call_id: 'toolu_9', content: 'two of them' },
        answered,
      ].map((message) => ({ chatMessage: message, version: 2 })),
      'any-messages',
      [SAID[0] ?? '', 'assistant: null look({})', 'tool call 1: two of them', SAID[1] ?? ''],
    );
  });
});

test('lines that say by `kind` what they are stay one conversation, with their calls', async () => {
  const line = (kind: string, more: object) => ({ kind, conversation_id: 'c', time: 1_777_662_001, ...more });
  const result = await expectSaid(
    [
      line('conversation.created', { projectRoot: '/work' }),
      line('message', { author: { role: 'human' }, content: { text: asked.content } }),
      line('tool-call', { function: { name: 'look' }, parameters: { at: 'roof' } }),
      line('tool-result', { functionName: 'look', message: { content: 'two of them' } }),
      line('message', { author: { role: 'assistant' }, message: { content: [{ text: answered.content }] } }),
      line('workspace.snapshot', { files: ['roof'] }),
    ],
    'any-messages',
    [SAID[0] ?? '', 'assistant: null look({"at":"roof"})', 'tool call 1: two of them', SAID[1] ?? ''],
  );
  expect(result.conversations).toHaveLength(1);
});
