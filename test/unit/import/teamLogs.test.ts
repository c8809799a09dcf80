import { injectedOf, ownTextOf } from '../../../src/core/injected.js';
import { describe, expect, test } from 'vitest';
import { factsOf } from '../../../src/query/numbers/facts.js';
import { TranscriptProjection } from '../../../src/page/panel/projection/transcriptProjection.js';
import { expectSaid, query, records, said } from './reading.js';
import { ofType, read } from './spans.js';

describe("runs of tau2-bench's", () => {
  test('results of several calls in one message are a result each', async () => {
    const call = (id: string) => ({ id, name: 'look', arguments: {}, requestor: 'assistant' });
    const result = (id: string, content: string) => ({
      id,
      role: 'tool',
      content,
      requestor: 'assistant',
      error: false,
    });
    const messages = [
      { role: 'user', content: 'where are the cats?' },
      { role: 'assistant', content: null, tool_calls: [call('a'), call('b')] },
      { role: 'tool', tool_messages: [result('a', 'roof'), result('b', 'cellar')] },
    ];
    await expectSaid(
      [{ info: {}, tasks: [], simulations: [{ id: 's', task_id: 't', messages }] }],
      'chat-messages',
      ['user: where are the cats?', 'assistant: null look({}) look({})', 'tool a: roof', 'tool b: cellar'],
    );
  });

  const call = (id: string, requestor: string) => ({ id, name: 'look', arguments: { at: id }, requestor });
  const run = (id: string) => ({
    id,
    reward_info: { reward: 0.5 },
    messages: [
      { role: 'user', content: 'hi', turn_idx: 0, timestamp: '2026-01-01T00:00:00' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [call('a1', 'assistant')],
        usage: { prompt_tokens: 4, completion_tokens: 1 },
      },
      { role: 'tool', id: 'a1', content: 'seen', requestor: 'assistant', error: false },
      { role: 'user', content: null, tool_calls: [call('u1', 'user')] },
      { role: 'tool', id: 'u1', content: 'no signal', requestor: 'user', error: true },
    ],
  });

  test('are conversations whose flat calls have the results of their ids, users calling tools too', async () => {
    const result = await read({
      info: { domain: 'telecom support' },
      tasks: [],
      simulations: [run('one'), run('two')],
    });
    expect(result).toMatchObject({
      format: 'chat-messages',
      conversations: [{ id: 'one', facts: { Reward: '0.5' } }, { id: 'two' }],
    });
    expect(said(result).slice(0, 5)).toEqual([
      'user: hi',
      'assistant: null look({"at":"a1"})',
      'tool a1: seen',
      'assistant: null look({"at":"u1"})',
      'tool u1: no signal',
    ]);
    const [first] = result.conversations;
    expect(query({ ...result, conversations: [first!] }).toolSummary()).toMatchObject([
      {
        toolName: 'look',
        calls: [
          { result: 'seen', isError: false },
          { result: 'no signal', isError: true },
        ],
      },
    ]);
    expect(records(result)[6]).toMatchObject({
      agent: 'user',
      message: { role: 'assistant' },
      source: { role: 'user' },
    });
    expect(JSON.stringify(records(result))).toContain('telecom support');
  });
});

describe("events of OpenHands' SDK", () => {
  const events = [
    {
      kind: 'SystemPromptEvent',
      id: '0',
      source: 'agent',
      system_prompt: { type: 'text', text: 'Be brief.' },
    },
    {
      kind: 'MessageEvent',
      id: '1',
      source: 'user',
      llm_message: { role: 'user', content: [{ type: 'text', text: 'hi' }] },
    },
    {
      kind: 'ActionEvent',
      id: '2',
      source: 'agent',
      thought: [{ type: 'text', text: 'I look.' }],
      reasoning_content: 'hm',
      tool_name: 'bash',
      tool_call_id: 't1',
      tool_call: { id: 't1', name: 'bash', arguments: '{"cmd":"ls"}' },
      action: { kind: 'BashAction', cmd: 'ls' },
    },
    {
      kind: 'ObservationEvent',
      id: '3',
      source: 'environment',
      tool_name: 'bash',
      tool_call_id: 't1',
      observation: { kind: 'BashObservation', content: [{ type: 'text', text: 'files' }], is_error: true },
    },
    { kind: 'PauseEvent', id: '4', source: 'user' },
  ];

  test('are messages, calls and results', async () => {
    const result = await expectSaid(events, 'openhands', [
      'system: Be brief.',
      'user: [{"type":"text","text":"hi"}]',
      'assistant: I look. bash({"cmd":"ls"})',
      'tool t1: files',
    ]);
    expect(query(result).toolSummary()).toMatchObject([{ calls: [{ isError: true }] }]);
  });

  test('stand in the history of an evaluation', async () => {
    const old = [
      [
        { id: 1, source: 'agent', action: 'run', args: { command: 'ls', thought: 'Look' } },
        { id: 2, source: 'agent', observation: 'run', cause: 1, content: 'files' },
      ],
    ];
    const result = await expectSaid([{ instance_id: 'case-1', history: old, metrics: {} }], 'openhands', [
      'assistant: Look run({"command":"ls"})',
      'tool action-1: files',
    ]);
    expect(result.conversations[0]?.id).toBe('case-1');
  });
});

describe("Google's Agent Development Kit", () => {
  const event = (author: string, parts: object[], more: object = {}) => ({
    id: author,
    author,
    invocationId: 'i',
    timestamp: 1_760_000_000.5,
    content: { role: author === 'user' ? 'user' : 'model', parts },
    actions: {},
    ...more,
  });

  test('a session, whose agents speak under their own names', async () => {
    const result = await expectSaid(
      [
        {
          id: 'session-1',
          appName: 'bakery',
          state: {},
          events: [
            event('user', [{ text: 'hi' }]),
            event('Pickle', [{ functionCall: { id: 'c1', name: 'ls', args: {} } }], {
              usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 2 },
            }),
            event('Pickle', [{ functionResponse: { id: 'c1', name: 'ls', response: { result: 'files' } } }]),
            event('Crumb', [{ text: 'ok' }]),
          ],
        },
      ],
      'google-adk',
      ['user: hi', 'assistant: null ls({})', 'tool c1: files', 'assistant: ok'],
    );
    expect(records(result).map(({ agent }) => agent)).toContain('Crumb');
    expect(query(result).filter({ role: 'user' })).toMatchObject([{ time: 1_760_000_000_500 }]);
    expect(query(result).stats().usage).toMatchObject({ inputTokens: 5, outputTokens: 2 });
  });

  test('the cases of an evaluation set', async () => {
    const turn = {
      user_content: { parts: [{ text: 'hi' }] },
      intermediate_data: { tool_uses: [{ name: 'ls', args: {} }], tool_responses: [] },
      final_response: { parts: [{ text: 'ok' }], role: 'model' },
    };
    const one = { eval_id: 'one', conversation: [turn], session_input: { app_name: 'bakery' } };
    const result = await expectSaid(
      [{ eval_set_id: 's', description: 'what it proves', eval_cases: [one] }],
      'google-adk',
      ['user: hi', 'assistant: null ls({})', 'assistant: ok'],
    );
    expect(JSON.stringify(records(result)).split('what it proves')).toHaveLength(2);
    expect(Object.keys(query(result).stats().byAgent)).toEqual(['bakery']);
  });
});

describe("the telemetry of Gemini's command line", () => {
  const log = (name: string, more: object) => ({
    attributes: {
      'session.id': 's1',
      'event.name': `gemini_cli.${name}`,
      'event.timestamp': '2026-01-01T00:00:02.000Z',
      ...more,
    },
  });

  test('is prompts, requests and tools with their durations', async () => {
    const result = await expectSaid(
      [
        log('user_prompt', { prompt: 'hi', 'event.timestamp': '2026-01-01T00:00:00.000Z' }),
        log('api_response', {
          model: 'g',
          duration_ms: 1500,
          input_token_count: 5,
          output_token_count: 2,
          thoughts_token_count: 1,
          response_text: 'ok',
        }),
        log('tool_call', {
          function_name: 'ls',
          function_args: '{"a":1}',
          duration_ms: 500,
          success: false,
          error: 'no oven',
          'event.timestamp': '2026-01-01T00:00:03.000Z',
        }),
      ],
      'gemini-telemetry',
      ['user: hi', 'assistant: ok', 'assistant: null ls({"a":1})', 'tool record 2: no oven'],
    );
    expect(ofType(result, 'request')).toMatchObject([
      { model: 'g', durationMs: 1500, usage: { inputTokens: 5, outputTokens: 3 } },
    ]);
    expect(query(result).toolSummary()).toMatchObject([{ calls: [{ durationMs: 500, isError: true }] }]);
  });
});

describe('who speaks in logs of several agents', () => {
  const agents = (result: Awaited<ReturnType<typeof read>>) =>
    records(result)
      .filter(({ type }) => type === 'message')
      .map(({ agent }) => agent);

  test.each([
    [
      'AutoGen, which names them',
      {
        history: [
          { role: 'user', content: 'hi', name: 'Verifier' },
          { role: 'assistant', content: 'ok', name: 'Expert' },
        ],
      },
      ['Verifier', 'Expert'],
    ],
    [
      'Magentic, whose roles are names',
      {
        history: [
          { role: 'human', content: 'hi' },
          { role: 'Orchestrator (thought)', content: 'hm' },
          { role: 'Orchestrator (-> WebSurfer)', content: 'go' },
          { role: 'WebSurfer', content: 'gone' },
        ],
      },
      ['Orchestrator', 'Orchestrator', 'Orchestrator', 'WebSurfer'],
    ],
    [
      'SWE-agent, which has an agent at each step',
      {
        history: [
          { role: 'user', content: 'fix it', agent: 'primary' },
          { role: 'assistant', content: 'I look', agent: 'primary', action: 'ls', thought: 'I look' },
          { role: 'assistant', content: 'a summary', agent: 'summarizer' },
        ],
      },
      ['primary', 'primary', 'summarizer'],
    ],
    [
      'OpenCode, whose agents answer in turns',
      {
        info: { id: 's1', title: 'Talk' },
        messages: [
          {
            info: { role: 'user', agent: 'plan', time: { created: 3e12 } },
            parts: [{ type: 'text', text: 'hi' }],
          },
          {
            info: { role: 'assistant', mode: 'build', time: { created: 2e12 } },
            parts: [{ type: 'text', text: 'ok' }],
          },
        ],
      },
      ['plan', 'build'],
    ],
  ])('%s', async (_tool, log, expected) => {
    const result = await read(log);
    expect(agents(result)).toEqual(expected);
    expect(result.problems).toEqual([]);
  });

  test.each([
    [
      'SWE-agent',
      { role: 'user', content: 'fix it', agent: 'primary' },
      'primary',
      { role: 'assistant', agent: 'primary' },
    ],
    ['Magentic', { role: 'human', content: 'fix it' }, 'Orchestrator', { role: 'Orchestrator (thought)' }],
  ])('the one who is asked is the one who answers: %s', async (_tool, asked, agent, answer) => {
    const result = await read({
      history: [asked, { ...answer, content: 'ok' }],
      info: { exit_status: 'done' },
    });
    expect(new Set(records(result).map((record) => record.agent))).toEqual(new Set([agent]));
    const projection = new TranscriptProjection();
    projection.add(records(result).map(factsOf));
    expect(projection.statistics().byAgent).toMatchObject([{ name: agent, messages: 2, ownCalls: 1 }]);
    expect(projection.facets().agents.map(({ name }) => name)).toEqual([agent]);
  });

  test('what an action of SWE-agent gave, and what its example says, are no words of a person', async () => {
    const said = (role: string, content: string, more: object = {}) => ({
      role,
      content,
      agent: 'primary',
      ...more,
    });
    const deed = { action: 'ls', thought: 'I look' };
    const result = await read({
      trajectory: [{ action: 'ls', observation: 'rye.py', thought: 'I look' }],
      history: [
        said('system', 'You fix code.'),
        said('user', 'An example follows.', { is_demo: true }),
        said('assistant', 'ls', { ...deed, is_demo: true }),
        said('user', 'wheat.py', { is_demo: true }),
        said('assistant', 'submit', { ...deed, is_demo: true }),
        said('user', 'Fix the rye.'),
        said('assistant', 'I look. ls', deed),
        said('user', 'rye.py'),
        said('assistant', 'I edit.', deed),
        said('user', 'Edited.', { message_type: 'observation' }),
        said('assistant', 'It is fixed.'),
        said('user', 'And the oats.'),
      ],
    });
    const spoken = records(result).map((record) => [injectedOf(record)[0]?.kind, ownTextOf(record)]);
    expect(spoken.filter(([kind, words]) => kind !== undefined || String(words).startsWith('Fix'))).toEqual([
      ['instructions', ''],
      ['instructions', ''],
      [undefined, 'Fix the rye.'],
      ['output', ''],
      ['output', ''],
    ]);
    expect(spoken.at(-1)).toEqual([undefined, 'And the oats.']);
  });

  test('clocks that run backwards leave the order as it is, and make no duration', async () => {
    const call = { id: 'c1', type: 'function', function: { name: 'ls', arguments: '{}' } };
    const result = await read([
      { role: 'user', content: 'hi', timestamp: '2026-01-02T00:00:00Z' },
      { role: 'assistant', content: null, tool_calls: [call], timestamp: '2026-01-02T00:00:05Z' },
      { role: 'tool', tool_call_id: 'c1', content: 'files', timestamp: '2026-01-01T00:00:00Z' },
    ]);
    expect(said(result)).toEqual(['user: hi', 'assistant: null ls({})', 'tool c1: files']);
    expect(records(result).map(({ time }) => new Date(time).getUTCDate())).toEqual([2, 2, 1]);
    expect(query(result).toolSummary()).toMatchObject([{ calls: [{ result: 'files', durationMs: null }] }]);
  });
});
