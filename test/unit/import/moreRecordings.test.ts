import { describe, expect, test } from 'vitest';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { expectSaid, query, records, said, spent } from './reading.js';

/** The one expectation of a format: what is said in it, and that nothing was reported. */
const read = (format: string, values: unknown[], expected: string[]) => expectSaid(values, format, expected);

const asked = { role: 'user', content: 'where are the cats?' };
const answered = { role: 'assistant', content: 'On the roof.' };
const SAID = ['user: where are the cats?', 'assistant: On the roof.'];

describe('models and tokens', () => {
  test.each<[where: string, format: string, value: object]>([
    ['beside the messages', 'chat-messages', { model: 'm', messages: [asked, answered] }],
    ['in a head', 'any-messages', { session: { id: 's', model: 'm' }, nodes: [asked, answered] }],
    [
      'of one side of an arena',
      'any-messages',
      { model_a: 'm', model_b: 'n', conversation_a: [asked, answered] },
    ],
    [
      'in the answer that a message keeps',
      'chat-messages',
      { messages: [asked, { ...answered, extra: { response: { model: 'm' } } }] },
    ],
  ])('the model %s is that of the answers', async (_where, format, value) => {
    const result = await read(format, [value], SAID);
    expect(spent(result)).toEqual([['m', {}]]);
  });

  const message = (usage: object) => [asked, { ...answered, metadata: { usage } }];
  test.each<[what: string, usage: object, expected: object]>([
    [
      'writes to a cache are counted',
      { input_tokens: 100, output_tokens: 5, cache_write_tokens: 30, cache_read_tokens: 20 },
      { inputTokens: 100, outputTokens: 5, cacheWriteTokens: 30, cachedInputTokens: 20 },
    ],
    [
      'an input smaller than what was cached does not contain it',
      { inputTokens: 10, outputTokens: 5, cacheReadInputTokens: 70, cacheWriteInputTokens: 20 },
      { inputTokens: 100, outputTokens: 5, cacheWriteTokens: 20, cachedInputTokens: 70 },
    ],
  ])('%s', async (_what, usage, expected) => {
    const result = await read('chat-messages', [message(usage)], SAID);
    expect(spent(result)).toEqual([['', expected]]);
  });

  test('tokens on a line of their own are a request', async () => {
    const result = await read(
      'any-messages',
      [
        { message_type: 'user_message', content: 'where are the cats?' },
        { message_type: 'assistant_message', content: 'On the roof.' },
        { message_type: 'usage_statistics', prompt_tokens: 40, completion_tokens: 3 },
      ],
      SAID,
    );
    expect(spent(result)).toEqual([['', { inputTokens: 40, outputTokens: 3 }]]);
  });
});

describe('APIs', () => {
  test("pieces of Ollama's generate are one answer", async () => {
    const piece = (response: string, more: object = {}) => ({ model: 'm', response, done: false, ...more });
    await read(
      'any-messages',
      [piece('On the '), piece('roof.'), piece('', { done: true, eval_count: 3 })],
      ['assistant: On the roof.'],
    );
  });

  test("steps of a run of OpenAI's assistants are calls with what they gave, the oldest first", async () => {
    const step = (created_at: number, step_details: object) => ({
      object: 'thread.run.step',
      created_at,
      step_details,
    });
    const call = {
      id: 'c1',
      type: 'function',
      function: { name: 'search', arguments: '{}', output: 'two of them' },
    };
    const code = { id: 'c2', type: 'code_interpreter', code_interpreter: { input: '40 + 2', outputs: [] } };
    await read(
      'any-messages',
      [
        {
          object: 'list',
          data: [
            step(1699063293, { type: 'message_creation', message_creation: { message_id: 'm' } }),
            step(1699063290, { type: 'tool_calls', tool_calls: [call, code] }),
          ],
        },
      ],
      ['assistant: null search({}) code_interpreter(40 + 2)', 'tool c1: two of them', 'tool c2: []'],
    );
  });

  test("a request to Cohere's first chat API is asked after its history, and its answer said", async () => {
    const history = [
      { role: 'USER', message: 'hello there' },
      { role: 'CHATBOT', message: 'Hi.' },
    ];
    await read(
      'any-messages',
      [{ message: 'where are the cats?', chat_history: history, text: 'On the roof.', model: 'command' }],
      ['user: hello there', 'assistant: Hi.', ...SAID],
    );
  });

  test('flows of mitmproxy are exchanges with a model', async () => {
    const http = (content: object, more: object) => ({
      headers: [],
      content: JSON.stringify(content),
      ...more,
    });
    await read(
      'api-traffic',
      [
        {
          request: http(
            { model: 'm', messages: [asked] },
            { scheme: 'https', host: 'api.example.com', path: '/v1/chat/completions' },
          ),
          response: http(
            { object: 'chat.completion', choices: [{ index: 0, message: answered }] },
            { status_code: 200 },
          ),
        },
      ],
      SAID,
    );
  });
});

describe('streams to pages', () => {
  test("AG-UI's events are an answer with its call and the result", async () => {
    await read(
      'ui-stream',
      [
        { type: 'RUN_STARTED', threadId: 't', runId: 'r' },
        { type: 'TEXT_MESSAGE_START', messageId: 'm', role: 'assistant' },
        { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: 'I ' },
        { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: 'look.' },
        { type: 'TOOL_CALL_START', toolCallId: 'c1', toolCallName: 'search', parentMessageId: 'm' },
        { type: 'TOOL_CALL_ARGS', toolCallId: 'c1', delta: '{"q":' },
        { type: 'TOOL_CALL_ARGS', toolCallId: 'c1', delta: '"cats"}' },
        { type: 'TOOL_CALL_END', toolCallId: 'c1' },
        { type: 'TOOL_CALL_RESULT', messageId: 'n', toolCallId: 'c1', content: 'two of them', role: 'tool' },
        { type: 'TEXT_MESSAGE_CHUNK', messageId: 'o', delta: 'On the roof.' },
        { type: 'RUN_FINISHED', threadId: 't', runId: 'r' },
      ],
      ['assistant: I look. search({"q":"cats"})', 'tool c1: two of them', 'assistant: On the roof.'],
    );
  });

  test("the stream of Vercel's AI SDK is read as it goes over the wire", async () => {
    const events = [
      { type: 'start', messageId: 'm' },
      { type: 'start-step' },
      { type: 'reasoning-start', id: 'r' },
      { type: 'reasoning-delta', id: 'r', delta: 'They like the sun.' },
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: 'I look.' },
      { type: 'text-end', id: 't' },
      { type: 'tool-input-available', toolCallId: 'c1', toolName: 'search', input: { q: 'cats' } },
      { type: 'tool-output-error', toolCallId: 'c1', errorText: 'no roof' },
      { type: 'finish' },
    ];
    const stream = [...events.map((event) => `data: ${JSON.stringify(event)}`), 'data: [DONE]', ''].join(
      '\n\n',
    );
    const result = await importTranscript(stream, 'stream.txt');
    expect(result.format).toBe('ui-stream');
    expect(JSON.stringify(query(result).export('dict', { redact: false }))).toContain('They like the sun.');
    expect(said(result)).toEqual(['assistant: I look. search({"q":"cats"})', 'tool c1: no roof']);
    expect(records(result)).toContainEqual(expect.objectContaining({ isError: true }));
  });
});

describe('traces', () => {
  test("calls of Weave are a trace in their tree, with the model's request", async () => {
    const call = (id: string, parent_id: string | null, name: string, more: object) => ({
      id,
      parent_id,
      trace_id: 't',
      op_name: `weave:///team/project/op/${name}:digest`,
      started_at: `2025-03-01T10:00:0${id}.000Z`,
      ended_at: '2025-03-01T10:00:09.000Z',
      ...more,
    });
    const result = await read(
      'weave',
      [
        call('2', '1', 'openai.chat', {
          inputs: { model: 'm', messages: [asked] },
          output: {
            choices: [{ index: 0, message: answered }],
            usage: { prompt_tokens: 8, completion_tokens: 2 },
          },
        }),
        call('1', null, 'find_cats', { inputs: { where: 'here' }, output: 'found' }),
      ],
      SAID,
    );
    expect(spent(result)).toContainEqual(['m', { inputTokens: 8, outputTokens: 2 }]);
  });

  test("spans of Datadog's LLM Observability are an agent's requests and tools", async () => {
    const span = (span_id: string, kind: string, meta: object) => ({
      span_id,
      trace_id: 't',
      parent_id: span_id === '1' ? 'undefined' : '1',
      name: kind === 'tool' ? 'search' : kind,
      meta: { kind, ...meta },
      start_ns: 1713889389104152000,
      duration: 1000000000,
      status: 'ok',
    });
    const call = { name: 'search', arguments: { q: 'cats' }, tool_id: 'c1', type: 'function' };
    const spans = [
      span('1', 'agent', { input: { value: 'where are the cats?' } }),
      span('2', 'llm', {
        model_name: 'm',
        input: { messages: [asked] },
        output: { messages: [{ role: 'assistant', content: 'I look.', tool_calls: [call] }] },
      }),
      span('3', 'tool', { input: { value: '{"q":"cats"}' }, output: { value: 'two of them' } }),
    ];
    await read(
      'datadog-llm',
      [{ data: { type: 'span', attributes: { ml_app: 'finder', spans } } }],
      [SAID[0] ?? '', 'assistant: I look. search({"q":"cats"})', 'tool c1: two of them'],
    );
  });

  test("MLflow's traces name their model and tokens in what was answered", async () => {
    const attributes = {
      'mlflow.spanType': '"CHAT_MODEL"',
      'mlflow.spanInputs': JSON.stringify({ model: 'm', messages: [asked] }),
      'mlflow.spanOutputs': JSON.stringify({ choices: [{ message: answered }] }),
      'mlflow.chat.tokenUsage': '{"input_tokens": 20, "output_tokens": 5}',
    };
    const span = {
      trace_id: 'aa',
      span_id: 'bb',
      name: 'Completions',
      start_time_unix_nano: 1748772000000000000,
    };
    const result = await read('otlp', [{ info: {}, data: { spans: [{ ...span, attributes }] } }], SAID);
    expect(spent(result)).toContainEqual(['m', { inputTokens: 20, outputTokens: 5 }]);
  });
});

describe('data sets and evaluations', () => {
  test('every row of a page of a data set is a conversation of its own', async () => {
    const row = (id: string) => ({ conversation_id: id, model: 'm', conversation: [asked, answered] });
    const rows = ['a', 'b'].map((id, row_idx) => ({ row_idx, row: row(id), truncated_cells: [] }));
    const result = await read(
      'chat-messages',
      [{ features: [{ name: 'conversation' }], rows }],
      [...SAID, ...SAID],
    );
    expect(result.conversations.map(({ id }) => id)).toEqual(['a', 'b']);
  });

  test.each<[how: string, value: object]>([
    [
      'by columns',
      { role: { 0: 'user', 1: 'assistant' }, content: { 0: asked.content, 1: answered.content } },
    ],
    [
      'split',
      {
        columns: ['role', 'content'],
        index: [0, 1],
        data: [asked, answered].map(({ role, content }) => [role, content]),
      },
    ],
  ])('a table of pandas, %s, is read by its rows', async (_how, value) => {
    await read('chat-messages', [value], SAID);
  });

  test('a table of comma-separated values is read by its rows, quotes and JSON in its cells included', async () => {
    const cell = (text: string) => `"${text.replaceAll('"', '""')}"`;
    const csv = [
      'id,messages,note',
      `1,${cell(JSON.stringify([asked, answered]))},${cell('says "hi",\nand goes')}`,
    ];
    const result = await importTranscript(csv.join('\r\n'), 'rows.csv');
    expect(result.problems).toEqual([]);
    expect(said(result)).toEqual(SAID);
    expect(JSON.stringify(records(result))).toContain(String.raw`says \"hi\",\nand goes`);
  });

  test('a text with commas is no table', async () => {
    const result = await importTranscript('Cats, dogs\nand birds, fish, and more\n', 'list.txt');
    expect(result.format).toBe('unknown');
  });

  test('texts in turn are a dialog', async () => {
    await read('pair-lists', [{ id: '0', data: ['where are the cats?', 'On the roof.'] }], SAID);
  });

  test('a prompt that is messages as JSON is these messages', async () => {
    const prompt = { raw: JSON.stringify([{ role: 'system', content: 'Be brief.' }, asked]) };
    await read(
      'prompt-pairs',
      [{ evalId: 'e', results: { results: [{ prompt, response: { output: 'On the roof.' } }] } }],
      ['system: Be brief.', ...SAID],
    );
  });

  test('calls beside a question and its answer belong to the answer', async () => {
    const call = { tool_name: 'search', args: { q: 'cats' }, result: 'two of them', tool_call_id: 'c1' };
    await read(
      'prompt-pairs',
      [
        {
          history: [{ user: 'where are the cats?', assistant: 'They are on the roof.', tool_calls: [call] }],
        },
      ],
      [SAID[0] ?? '', 'assistant: They are on the roof. search({"q":"cats"})', 'tool c1: two of them'],
    );
  });

  test('test cases of an evaluation are questions with the answers that were given', async () => {
    const testCases = [{ input: 'where are the cats?', actualOutput: 'On the roof.', success: true }];
    await read('prompt-pairs', [{ testRunData: { testCases } }], SAID);
  });
});

describe('texts', () => {
  const readText = async (format: string, text: string, expected: string[]) => {
    const result = await importTranscript(text, 'talk.txt');
    expect(result.format).toBe(format);
    expect(said(result)).toEqual(expected);
    expect(result.problems).toEqual([]);
    return result;
  };

  test.each([
    ['> ', '⏺ '],
    ['❯ ', '● '],
  ])(
    "what Claude Code's terminal shows behind %s and %s is prompts, answers, calls and results",
    async (you, it) => {
      const result = await readText(
        'claude-console',
        [
          ' ▐▛███▜▌   Claude Code v2.0.1',
          '▝▜█████▛▘  Sonnet 4.5 · Claude Max',
          '  ▘▘ ▝▝    /work',
          '',
          `${you}where are`,
          '  the cats?   ',
          '',
          `${it}I look.`,
          '',

          `${it}Bash(ls /roof)`,
          '  ⎿  two of them',
          '     and a bird',
          '  ⎿  Done',
          '',
          `${it}On the roof.`,
          '',
        ].join('\n'),
        [
          'user: where are\nthe cats?',
          'assistant: I look.',
          'assistant: null Bash({"shown":"ls /roof"})',
          'tool call 1: two of them\nand a bird\nDone',
          'assistant: On the roof.',
        ],
      );
      expect(spent(result)).toContainEqual(['Sonnet 4.5', {}]);
    },
  );

  test('lines that begin with who speaks are a chat', async () => {
    await readText(
      'text-chat',
      'User: where are the cats?\n\nAssistant: On the roof.\nBoth.\n\nUser: thank you\n',
      ['user: where are the cats?', 'assistant: On the roof.\nBoth.', 'user: thank you'],
    );
  });

  test('a text that names a speaker somewhere is none', async () => {
    const result = await importTranscript('Notes.\nUser: ann\nAssistant: bob\n', 'notes.txt');
    expect(result.format).toBe('unknown');
  });

  test("cassettes of Ruby's VCR are recordings, with what they say of themselves", async () => {
    const body = (value: object) => ({ encoding: 'UTF-8', string: JSON.stringify(value) });
    const interaction = {
      request: {
        method: 'post',
        uri: 'https://api.example.com/v1',
        body: body({ model: 'm', messages: [asked] }),
      },
      response: {
        status: { code: 200 },
        body: body({ object: 'chat.completion', choices: [{ message: answered }] }),
      },
    };
    const yaml = `---\nhttp_interactions:\n- ${JSON.stringify(interaction)}\nrecorded_with: VCR 6.3.1\n`;
    const result = await readText('api-traffic', yaml, SAID);
    expect(JSON.stringify(records(result))).toContain('VCR 6.3.1');
  });

  test('a comparison has both of its texts as conversations', async () => {
    const talk = (answer: string) => `\n\nHuman: where are the cats?\n\nAssistant: ${answer}`;
    await read(
      'function-texts',
      [{ chosen: talk('On the roof.'), rejected: talk('No idea.') }],
      [...SAID, SAID[0] ?? '', 'assistant: No idea.'],
    );
  });

  test('the system of a spoken dialog is who answers', async () => {
    const turns = [
      { speaker: 'USER', utterance: 'where are the cats?' },
      { speaker: 'SYSTEM', utterance: 'On the roof.' },
    ];
    await read('any-messages', [[{ dialogue_id: 'd', turns }]], SAID);
  });
});

test('tags of calls that never end are looked through once', async () => {
  const open = '<tool_call>{ </tool_call>'.repeat(40_000);
  const closed = '<tool_call>{"name":"search","arguments":{"q":"cats"}}</tool_call>';
  await read(
    'any-messages',
    [
      { from: 'human', value: 'where are the cats?' },
      { from: 'gpt', value: `${open}${closed}` },
    ],
    ['user: where are the cats?', `assistant: ${open} search({"q":"cats"})`],
  );
});
