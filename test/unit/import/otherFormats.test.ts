import { describe, expect, test } from 'vitest';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { expectSaid, lines, query, records, said } from './reading.js';

describe('chat messages', () => {
  test('what stands around the messages is kept, and titles and ids are used', async () => {
    const result = await expectSaid(
      [{ id: 'c1', title: 'Greeting', model: 'm', messages: [{ role: 'user', content: 'hi' }] }],
      'chat-messages',
      ['user: hi'],
    );
    expect(result.conversations[0]).toMatchObject({ id: 'c1', title: 'Greeting' });
    expect(records(result)[0]).toMatchObject({ type: 'imported', value: { model: 'm' } });
  });

  test('speakers of a team are agents, whatever their messages call them', async () => {
    const history = [
      { role: 'human', content: 'q' },
      { role: 'Orchestrator (thought)', content: 'a' },
      { role: 'Orchestrator (-> WebSurfer)', content: 'b' },
      { role: 'assistant', name: 'WebSurfer', content: 'c' },
      { role: 'tool', name: 'search', agent: 'WebSurfer', content: 'd' },
    ];
    const result = await expectSaid([{ history }], 'chat-messages', [
      'user: q',
      'assistant: a',
      'assistant: b',
      'assistant: c',
      'tool: d',
    ]);
    const { byAgent } = query(result).stats();
    expect(Object.entries(byAgent).map(([agent, { totalMessages }]) => [agent, totalMessages])).toEqual([
      ['Orchestrator', 3],
      ['WebSurfer', 2],
    ]);
  });

  test('lines that are something else among lines that are messages', async () => {
    await expectSaid(
      [
        { role: 'user', content: 'a' },
        { role: 'user', content: 'b' },
        { note: 1 },
        7,
        { role: 'user', content: 'c', timestamp: 1_760_000_000 },
      ],
      'chat-messages',
      ['user: a', 'user: b', 'user: c'],
      ['This line is no message.', 'Kept without being understood: values that are no messages (once).'],
    );
  });

  test('times in whatever unit they come', async () => {
    const times = [
      1_760_000_000,
      1_760_000_000_000,
      1_760_000_000_000_000,
      '1760000000000000000',
      '2025-10-09T08:53:20Z',
    ];
    const result = await importTranscript(
      JSON.stringify(times.map((timestamp) => ({ role: 'user', content: '', timestamp }))),
      'x',
    );
    expect(records(result).map(({ time }) => time)).toEqual(times.map(() => 1_760_000_000_000));
    const odd = await importTranscript(
      JSON.stringify(['never', -1, 1e300, {}].map((timestamp) => ({ role: 'user', content: '', timestamp }))),
      'x',
    );
    expect(records(odd).every(({ time }) => Number.isSafeInteger(time))).toBe(true);
  });
});

describe('OpenCode', () => {
  test('the events of a run: parts of one message are an answer, what was said behind a call behind its result, with what its step cost', async () => {
    const event = (type: string, part: object) => ({
      type,
      timestamp: 1_750_000_000_000,
      sessionID: 's1',
      part: { messageID: 'm1', ...part },
    });
    const state = {
      status: 'completed',
      input: { command: 'ls' },
      output: 'a listing',
      time: { start: 1, end: 500 },
    };
    const result = await importTranscript(
      lines(
        event('tool_use', { type: 'tool', callID: 'c1', tool: 'bash', state }),
        event('text', { type: 'text', text: 'Some files.' }),
        event('step_finish', {
          type: 'step-finish',
          tokens: { input: 10, output: 5, reasoning: 0, cache: { read: 100, write: 0 } },
        }),
      ),
      'run.jsonl',
    );
    expect(said(result)).toEqual([
      'assistant: null bash({"command":"ls"})',
      'tool c1: a listing',
      'assistant: Some files.',
    ]);
    expect(query(result).stats().usage).toMatchObject({ inputTokens: 110, outputTokens: 5 });
    expect(result.problems).toEqual([]);
  });

  const row = (id: string, data: object, more = {}) => ({
    id,
    session_id: 's1',
    time_created: 1_760_000_000_000,
    data: JSON.stringify(data),
    ...more,
  });
  const parts = [
    { type: 'step-start' },
    { type: 'reasoning', text: 'hm' },
    { type: 'text', text: 'ok' },
    {
      type: 'tool',
      tool: 'ls',
      callID: 't1',
      state: { status: 'error', input: { a: 1 }, error: 'no', time: { start: 10, end: 35 } },
    },
    { type: 'tool', tool: 'wc', callID: 't2', state: { status: 'running' } },
    { type: 'brand-new' },
  ];
  const info = {
    role: 'assistant',
    agent: 'plan',
    modelID: 'm',
    tokens: { input: 5, output: 2, reasoning: 1, cache: { read: 3, write: 4 } },
  };
  const expected = ['user: hi', 'assistant: ok ls({"a":1}) wc({})', 'tool t1: no'];

  test('the tables, when those of parts and sessions lie beside the messages', async () => {
    const source = JSON.stringify([row('m1', { role: 'user' }), row('m2', info)]);
    const partRows = [
      row('p0', { type: 'text', text: 'hi' }, { message_id: 'm1' }),
      ...parts.map((part, index) => row(`p${index + 1}`, part, { message_id: 'm2' })),
    ];
    const result = await importTranscript(source, 'messages.json', {
      sidecars: [
        { name: 'parts.json', source: JSON.stringify(partRows) },
        { name: 'sessions.json', source: JSON.stringify([{ id: 's1', title: 'Plan' }]) },
      ],
    });
    expect(result).toMatchObject({ format: 'opencode', conversations: [{ id: 's1', title: 'Plan' }] });
    expect(said(result)).toEqual(expected);
    expect(result.problems.map(({ message }) => message)).toEqual([
      'Kept without being understood: parts of type brand-new (once).',
    ]);
    expect(query(result).stats().usage).toMatchObject({
      inputTokens: 12,
      outputTokens: 3,
      cachedInputTokens: 3,
    });
    expect(query(result).toolSummary()[0]).toMatchObject({
      calls: [{ isError: true, durationMs: 25, agent: 'plan' }],
    });
  });

  test('the tables without those of parts say so', async () => {
    const { problems } = await importTranscript(
      JSON.stringify([row('m1', { role: 'user' })]),
      'messages.json',
    );
    expect(problems).toMatchObject([
      { message: 'What the messages say stands in parts.json, which is not here.' },
    ]);
    const alone = await importTranscript(
      JSON.stringify([row('p1', { type: 'text' }, { message_id: 'm' })]),
      'parts.json',
    );
    expect(alone.problems).toMatchObject([
      { message: 'These rows belong to a messages.json and say nothing without it.' },
    ]);
    expect(records(alone)).toHaveLength(1);
  });

  test('the export of a session', async () => {
    const user = { info: { role: 'user', time: { created: 5 } }, parts: [{ type: 'text', text: 'hi' }] };
    const result = await importTranscript(
      JSON.stringify({
        info: { id: 's1', title: 'Plan' },
        messages: [user, { info, parts: parts.slice(0, 5) }],
      }),
      'x.json',
    );
    expect(said(result)).toEqual(expected);
    expect(result.problems).toEqual([]);
    const file = {
      info: { role: 'user' },
      parts: [
        { type: 'text', text: 'a' },
        { type: 'file', url: 'data:,' },
      ],
    };
    expect(said(await importTranscript(JSON.stringify({ messages: [file] }), 'x'))).toEqual([
      'user: [{"type":"text","text":"a"},{"type":"file","url":"data:,"}]',
    ]);
  });
});

test('OpenHands: actions are calls, observations their results, and words are words', async () => {
  const events = [
    { id: 0, source: 'environment', observation: 'agent_state_changed', content: '' },
    { id: 1, source: 'user', action: 'message', args: { content: 'hi' } },
    {
      id: 2,
      source: 'agent',
      action: 'run',
      args: { command: 'ls', thought: 'Let me see.' },
      tool_call_metadata: { tool_call_id: 't1', function_name: 'bash' },
    },
    {
      id: 3,
      source: 'agent',
      observation: 'run',
      cause: 2,
      content: 'files',
      extras: { metadata: { exit_code: 1 } },
    },
    { id: 4, source: 'agent', action: 'edit', args: { path: 'a' } },
    { id: 5, source: 'agent', observation: 'edit', cause: 4, content: '', message: 'I edited a.' },
    { id: 6, source: 'agent', observation: 'error', content: 'oh' },
    { id: 7, source: 'agent', action: 'finish', args: { final_thought: 'Done.' } },
    { id: 8, source: 'agent', action: 'think', message: 'hm' },
  ];
  const expected = [
    'user: hi',
    'assistant: Let me see. bash({"command":"ls"})',
    'tool t1: files',
    'assistant: null edit({"path":"a"})',
    'tool action-4: I edited a.',
    'tool: oh',
    'assistant: Done.',
    'assistant: hm',
  ];
  const result = await expectSaid([events], 'openhands', expected);
  expect(query(result).toolSummary()[0]).toMatchObject({ toolName: 'bash', calls: [{ isError: true }] });
  await expectSaid(events, 'openhands', expected);
});

test('conversations written out as text', async () => {
  await expectSaid(
    [
      { messages_display: 'user: hi\nthere\nassistant: ok\ntool: 1', task: 3 },
      { messages_display: 'no role' },
    ],
    'display-text',
    ['user: hi\nthere', 'assistant: ok', 'tool: 1', 'user: no role'],
  );
});

test('a format that trips over its own file loses nothing', async () => {
  const trap = lines({ type: 'user', uuid: 'u', sessionId: 's', message: { role: 'user', content: 'hi' } });
  const result = await importTranscript(trap, 'x.jsonl', {
    sidecars: [{ name: 'subagents/agent-1.jsonl', source: 'no json' }],
  });
  expect(said(result)).toEqual(['user: hi']);
  expect(result.problems).toMatchObject([
    { message: 'It is neither JSON nor lines of JSON. Name the file in which a tool keeps the session.' },
  ]);
  expect(records(result).some((record) => 'kind' in record && record.kind === 'unreadable')).toBe(true);
});
