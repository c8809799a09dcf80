import { describe, expect, test } from 'vitest';
import type { ImportResult } from '../../../src/import/reading/importResult.js';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { expectSaid, query, records, said, spent } from './reading.js';

/** The runs of the messages, in their order. */
const runs = (result: ImportResult) =>
  records(result).flatMap((each) => (each.type === 'message' ? each.run : []));

/** The agents of the messages, in their order. */
const agents = (result: ImportResult) =>
  records(result).flatMap((each) => (each.type === 'message' ? each.agent : []));

describe('a search of Moatless Tools', () => {
  const search = (...more: object[]) => ({
    metadata: { instance_id: 'case-1' },
    nodes: [
      { node_id: 0, user_message: 'Mend the oven', action_steps: [], children: [1, 3] },
      {
        node_id: 1,
        parent_id: 0,
        timestamp: '2026-01-01T10:00:00Z',
        children: [2],
        action_steps: [
          {
            action: { thoughts: 'Look first', query: 'oven', action_args_class: 'a.b.FindOvenArgs' },
            observation: { message: 'It is in the kitchen' },
          },
        ],
        completions: {
          build_action: { model: 'm-1', usage: { prompt_tokens: 10, completion_tokens: 4 } },
          value_function: { model: 'm-2', usage: { prompt_tokens: 5, completion_tokens: 1 } },
        },
      },
      { node_id: 2, parent_id: 1, assistant_message: 'It is mended', action_steps: [], children: [] },
      {
        node_id: 3,
        parent_id: 0,
        error: 'no such room',
        children: [],
        action_steps: [{ action: { room: 'attic', action_args_class: 'a.b.EnterArgs' } }],
      },
      ...more,
    ],
  });
  const SAID = [
    'user: Mend the oven',
    'assistant: null FindOven({"query":"oven"})',
    'tool 1.1: It is in the kitchen',
    'assistant: It is mended',
    'assistant: null Enter({"room":"attic"})',
    'tool 3.1: no such room',
  ];

  test('is the steps in the order in which they led to each other, a branch as a run of its own', async () => {
    const result = await expectSaid([search()], 'moatless', SAID);
    expect(runs(result)).toEqual(['r1', 'r1', 'r1', 'r1', 'r2', 'r2']);
    expect(result.conversations[0]).toMatchObject({ id: 'case-1', title: 'Mend the oven' });
  });

  test('counts the tokens of every completion, and a step that broke as an error', async () => {
    const result = await expectSaid([search()], 'moatless', SAID);
    expect(spent(result)).toEqual([
      ['m-1', { inputTokens: 10, outputTokens: 4 }],
      ['m-2', { inputTokens: 5, outputTokens: 1 }],
    ]);
    expect(query(result).toolSummary()).toMatchObject([
      { toolName: 'FindOven', calls: [{ isError: false }] },
      { toolName: 'Enter', calls: [{ isError: true }] },
    ]);
  });

  test('as older versions write it is a tree, with one action a node', async () => {
    const root = {
      node_id: 0,
      message: 'Mend the oven',
      children: [
        {
          node_id: 1,
          action: { thoughts: 'Look', query: 'oven', action_args_class: 'a.FindArgs' },
          output: { message: 'In the kitchen' },
          children: [],
        },
      ],
    };
    await expectSaid([{ root }], 'moatless', [
      'user: Mend the oven',
      'assistant: null Find({"query":"oven"})',
      'tool 1.1: In the kitchen',
    ]);
  });

  test('whose nodes name each other in a circle ends', async () => {
    const circle = [
      { node_id: 8, parent_id: 9, user_message: 'one', action_steps: [], children: [9] },
      { node_id: 9, parent_id: 8, user_message: 'two', action_steps: [], children: [8] },
    ];
    await expectSaid([search(...circle)], 'moatless', [...SAID, 'user: one', 'user: two']);
  });
});

describe('the stages of Agentless', () => {
  const usage = { completion_tokens: 20, prompt_tokens: 900 };

  test('are requests, a run each', async () => {
    const stage = (prompt: string, response: string) => ({ prompt, response, usage });
    const result = await expectSaid(
      [
        {
          instance_id: 'case-1',
          found_files: ['oven.py'],
          file_traj: stage('Which file is it?', 'It is oven.py'),
          edit_loc_traj: stage('Which line is it?', 'It is line 3'),
        },
      ],
      'prompt-pairs',
      [
        'user: Which file is it?',
        'assistant: It is oven.py',
        'user: Which line is it?',
        'assistant: It is line 3',
      ],
    );
    expect(runs(result)).toEqual(['r1', 'r1', 'r2', 'r2']);
    expect(spent(result)).toHaveLength(2);
  });

  test('may have several answers to one prompt, whose tokens count once', async () => {
    const traj = [
      { prompt: [{ role: 'user', content: 'Mend it' }], response: ['first way', 'second way'], usage },
      { response: 'third way', usage: { completion_tokens: 3, prompt_tokens: 0 } },
    ];
    const result = await expectSaid([{ instance_id: 'case-1', traj }], 'prompt-pairs', [
      'user: Mend it',
      'assistant: first way',
      'assistant: second way',
      'assistant: third way',
    ]);
    expect(spent(result)).toEqual([
      ['', { inputTokens: 900, outputTokens: 20 }],
      ['', { inputTokens: 0, outputTokens: 3 }],
    ]);
  });
});

describe('results of the Berkeley Function-Calling Leaderboard', () => {
  test('of one turn are calls, as Python or as objects', async () => {
    const about = { input_token_count: 200, output_token_count: 12, latency: 0.6 };
    const result = await expectSaid(
      [
        { id: 'simple_0', result: '[area(base=10, height=5)]', ...about },
        { id: 'simple_1', result: [{ area: '{"base":3}' }], reasoning_content: 'three', ...about },
        { id: 'simple_2', result: 'I cannot.', ...about },
      ],
      'bfcl',
      [
        'assistant: null area({"base":10,"height":5})',
        'assistant: null area({"base":3})',
        'assistant: I cannot.',
      ],
    );
    expect(result.conversations.map(({ id }) => id)).toEqual(['simple_0', 'simple_1', 'simple_2']);
    expect(spent(result)).toHaveLength(3);
  });

  test('of several turns are what the log says, each step with its tokens', async () => {
    const result = await expectSaid(
      [
        {
          id: 'multi_0',
          result: [[["cd(folder='a')"], ['done']]],
          input_token_count: [[100, 120]],
          output_token_count: [[10, 12]],
          inference_log: [
            { role: 'state_info', content: {} },
            {
              begin_of_turn_query: [{ role: 'user', content: 'Go to a' }],
              step_0: [
                { role: 'assistant', content: [{ cd: '{"folder":"a"}' }] },
                { role: 'handler_log', content: 'Decoded.' },
                { role: 'tool', content: 'in a' },
              ],
              step_1: [{ role: 'assistant', content: 'done' }],
            },
          ],
        },
      ],
      'bfcl',
      ['user: Go to a', 'assistant: null cd({"folder":"a"})', 'tool call 1: in a', 'assistant: done'],
    );
    expect(spent(result)).toEqual([
      ['', { inputTokens: 100, outputTokens: 10 }],
      ['', { inputTokens: 120, outputTokens: 12 }],
    ]);
  });

  test('with scores say what was asked and whether it was right', async () => {
    const result = await expectSaid(
      [
        { accuracy: 0.5, total_count: 2 },
        {
          id: 'simple_0',
          model_name: 'm-1',
          valid: false,
          error: ['no number'],
          prompt: { question: [[{ role: 'user', content: 'What is the area?' }]] },
          model_result_raw: "[area(base='ten')]",
        },
      ],
      'bfcl',
      ['user: What is the area?', 'assistant: null area({"base":"ten"})'],
    );
    expect(result.conversations.map(({ id, facts }) => [id, facts])).toEqual([['simple_0', { Valid: 'no' }]]);
  });
});

describe('MT-bench', () => {
  test("a model's answers are a turn each, further choices runs of their own", async () => {
    const choices = [
      { index: 0, turns: ['A roof has cats', 'Two of them'] },
      { index: 1, turns: ['No cats'] },
    ];
    const result = await expectSaid(
      [{ question_id: 81, model_id: 'm-1', choices, tstamp: 1_686_000_000 }],
      'mt-bench',
      ['assistant: A roof has cats', 'assistant: Two of them', 'assistant: No cats'],
    );
    expect(runs(result)).toEqual(['r1', 'r1', 'r2']);
    expect(agents(result)).toEqual(['m-1', 'm-1', 'm-1']);
  });

  test('questions are what is asked, turn by turn', async () => {
    await expectSaid([{ question_id: 81, category: 'writing', turns: ['Write it', 'Again'] }], 'mt-bench', [
      'user: Write it',
      'user: Again',
    ]);
  });

  test('a judgment is asked and given by the judge, and its score stands in the header', async () => {
    const about = { question_id: 81, model: 'm-1', judge: ['m-2', 'single-v1'], turn: 1, score: 8 };
    const result = await expectSaid(
      [{ ...about, user_prompt: 'Rate this', judgment: 'It is good: [[8]]' }],
      'mt-bench',
      ['user: Rate this', 'assistant: It is good: [[8]]'],
    );
    expect(agents(result)).toEqual(['m-2', 'm-2']);
    expect(result.conversations[0]?.facts).toEqual({ Score: '8' });
  });
});

describe('sessions whose turns hold all that was said', () => {
  const call = (id: string, name: string) => ({ id, name, arguments_json: '{"path":"."}' });
  const session = {
    session_id: 's-1',
    state: {
      preferences: { model: 'm-1' },
      history: [
        {
          kind: 'assistant',
          user: { text: 'List the files', images: [] },
          assistant: 'There is one.',
          execution: {
            tool_steps: [
              {
                assistant: 'I look.',
                tool_calls: [call('c1', 'list_files')],
                tool_results: [
                  { tool_call_id: 'c1', tool_name: 'list_files', status: 'error', output: 'not allowed' },
                ],
              },
            ],
          },
        },
        { kind: 'interrupted', user: { text: 'Rename them' }, assistant: null, tool_call: call('c2', 'mv') },
      ],
    },
  };

  test('of fx are prompts, steps with calls and results, and answers; what was broken off is there', async () => {
    const result = await expectSaid([session], 'fx', [
      'user: List the files',
      'assistant: I look. list_files({"path":"."})',
      'tool c1: not allowed',
      'assistant: There is one.',
      'user: Rename them',
      'assistant: null mv({"path":"."})',
    ]);
    expect(query(result).toolSummary()).toMatchObject([{ calls: [{ isError: true }] }, { toolName: 'mv' }]);
  });

  test.each([
    ['of fx', { storage_format: 'event_log_v1', history_len: 3 }, /import checkpoint\.json/],
    [
      'of Posit Assistant',
      { schemaVersion: '3', root: { id: '1' }, messages: [{ id: 'a', lmMessageIds: [0] }] },
      /import lm-messages\.jsonl/,
    ],
    ['of OpenRouter', { data: { id: 'gen-1', native_tokens_prompt: 12 } }, /not what was said/],
  ])('%s: a file without what was said names the one that has it', async (_, value, look) => {
    const { format, problems } = await importTranscript(JSON.stringify(value), 'file.json');
    expect([format, problems.map(({ message }) => message)]).toEqual([
      'unknown',
      [expect.stringMatching(look)],
    ]);
  });
});

describe('who speaks', () => {
  test("in Jupyter's chats is said by their table of users", async () => {
    const persona = 'jupyter-ai-personas::jupyter_ai::SomePersona';
    const message = (sender: string, body: string) => ({ type: 'msg', time: 1_746_093_600.5, body, sender });
    const result = await expectSaid(
      [
        {
          messages: [message('ann', 'plot it'), message(persona, 'Here it is')],
          users: { ann: { name: 'ann' }, [persona]: { display_name: 'Jupyternaut', bot: true } },
        },
      ],
      'jupyter-chat',
      ['user: plot it', 'assistant: Here it is'],
    );
    expect(agents(result)).toEqual(['Jupyternaut', 'Jupyternaut']);
  });

  test.each([
    [
      'Magentic, a message a line',
      [
        { role: 'human', content: 'hi' },
        { role: 'Orchestrator (thought)', content: 'hm' },
        { role: 'Orchestrator (-> WebSurfer)', content: 'go' },
        { role: 'WebSurfer', content: 'gone' },
      ],
      ['Orchestrator', 'Orchestrator', 'Orchestrator', 'WebSurfer'],
    ],
    [
      'AutoGen, a message a line',
      [
        { source: 'user', content: 'hi', type: 'TextMessage' },
        { source: 'planner', content: 'hm', type: 'TextMessage' },
        { source: 'writer', content: 'a poem', type: 'TextMessage' },
      ],
      ['planner', 'planner', 'writer'],
    ],
    [
      'AutoGen, one list',
      [
        [
          { source: 'user', content: 'hi', type: 'TextMessage' },
          { source: 'planner', content: 'hm', type: 'TextMessage' },
        ],
      ],
      ['planner', 'planner'],
    ],
  ])('first under a name is the agent that is asked: %s', async (_, values, expected) => {
    const result = await importTranscript(
      values.map((each) => JSON.stringify(each)).join('\n'),
      'talk.jsonl',
    );
    expect(agents(result)).toEqual(expected);
    expect(said(result)).toHaveLength(expected.length);
  });
});
