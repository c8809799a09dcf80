import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { importFile } from '../../../src/import/importFile.js';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { expectSaid, nested, query, records, said } from './reading.js';

const agent = { name: 'Cookie', version: '1', model_name: 'gpt-5' };
const step = (step_id: number, source: string, message: unknown, more: object = {}) => ({
  step_id,
  timestamp: `2026-10-01T10:00:0${step_id}Z`,
  source,
  message,
  ...more,
});
const call = (tool_call_id: string, function_name: string, input: object) => ({
  tool_call_id,
  function_name,
  arguments: input,
});

describe('a trajectory (ATIF)', () => {
  test('whose version is written without the name of the format is one too', async () => {
    const steps = [step(1, 'user', 'a'), step(2, 'agent', 'b')];
    const about = { name: 'Cookie', version: '1', model: 'gpt-5', provider: 'p' };
    const read = await expectSaid([{ schema_version: '1.4', session_id: 's', agent: about, steps }], 'atif', [
      'user: a',
      'assistant: b',
    ]);
    expect(query(read).filter({ role: 'assistant' })).toMatchObject([{ model: 'gpt-5' }]);
  });

  const trajectory = {
    schema_version: 'ATIF-v1.8',
    session_id: 'a-1',
    agent,
    steps: [
      step(1, 'system', 'Be brief.'),
      step(2, 'user', [
        { type: 'text', text: 'Look' },
        { type: 'image', source: { path: 'a.png' } },
      ]),
      step(3, 'agent', '', {
        reasoning_content: 'hm',
        tool_calls: [call('t1', 'read', { path: 'a' }), call('t2', 'ask', { who: 'Crumb' })],
        observation: {
          results: [
            { source_call_id: 't1', content: 'one' },
            { source_call_id: 't2', content: 'two', subagent_trajectory_ref: [{ trajectory_id: 'sub-1' }] },
          ],
        },
        metrics: { prompt_tokens: 50, completion_tokens: 6, cached_tokens: 40 },
      }),
      step(4, 'agent', 'Done.', {
        is_copied_context: true,
        metrics: { prompt_tokens: 9, completion_tokens: 9 },
      }),
      step(5, 'agent', 'Sent on.', { llm_call_count: 0 }),
      7,
    ],
    subagent_trajectories: [
      {
        trajectory_id: 'sub-1',
        agent: { name: 'Crumb' },
        steps: [step(1, 'user', 'Count'), step(2, 'agent', 'Two')],
      },
      { trajectory_id: 'sub-2', agent: { name: 'Stray' }, steps: [step(1, 'user', 'Who asked?')] },
    ],
    final_metrics: { total_steps: 5 },
  };
  const expected = [
    'system: Be brief.',
    'user: [{"type":"text","text":"Look"},{"type":"image_url","image_url":{"url":"a.png"}}]',
    'assistant:  read({"path":"a"}) ask({"who":"Crumb"})',
    'tool t1: one',
    'user: Count',
    'assistant: Two',
    'tool t2: two',
    'assistant: Done.',
    'assistant: Sent on.',
    'user: Who asked?',
  ];

  test('is read step by step, its subagents where a result refers to them', async () => {
    const result = await expectSaid([trajectory], 'atif', expected);
    const answers = query(result).filter({ role: 'assistant', agent: 'Cookie' });
    expect(answers).toMatchObject([
      { model: 'gpt-5', usage: { inputTokens: 50, outputTokens: 6, cachedInputTokens: 40 } },
      { model: 'gpt-5' },
      {},
    ]);
    expect(answers.slice(1).map((record) => 'usage' in (record as object))).toEqual([false, false]);
    expect('model' in (answers[2] as object)).toBe(false);
    expect(JSON.stringify(nested(query(result).timeline()))).toContain('["Cookie",["Crumb"]]');
    expect(query(result).filter({ agent: 'Stray', depth: 1 })).toHaveLength(1);
  });

  test('is read from lines: a header and its steps, or steps alone', async () => {
    const steps = [step(1, 'user', 'a'), step(2, 'agent', 'b')];
    await expectSaid([{ schema_version: 'ATIF-v1.7', agent }, ...steps], 'atif', ['user: a', 'assistant: b']);
    await expectSaid(steps, 'atif', ['user: a', 'assistant: b']);
  });

  test('of subagents that refer to each other ends', async () => {
    const ref = (trajectory_id: string) => ({
      observation: { results: [{ content: 'x', subagent_trajectory_ref: [{ trajectory_id }] }] },
    });
    const sub = (id: string, other: string) => ({
      trajectory_id: id,
      agent: { name: id },
      steps: [step(1, 'agent', id, ref(other))],
    });
    const steps = [step(1, 'agent', 'go', ref('p'))];
    const subs = [sub('p', 'q'), sub('q', 'p')];
    await expectSaid([{ schema_version: 'ATIF-v1.8', agent, steps, subagent_trajectories: subs }], 'atif', [
      'assistant: go',
      'assistant: p',
      'assistant: q',
      'tool: x',
      'tool: x',
      'tool: x',
    ]);
  });

  const calls = [call('c1', 'bash', { keystrokes: 'ls' }), call('c2', 'bash', { keystrokes: 'pwd' })];
  const observed = (...results: object[]) => ({
    schema_version: 'ATIF-v1.5',
    session_id: 's',
    agent,
    steps: [step(1, 'agent', 'x', { tool_calls: calls, observation: { results } })],
  });

  test.each([
    ['two that name no call answer both in order', [{ content: 'a' }, { content: 'b' }], ['c1: a', 'c2: b']],
    ['one that names no call answers the last', [{ content: 'both' }], ['c2: both']],
    [
      'one that names no call answers the one left',
      [{ source_call_id: 'c2', content: 'b' }, { content: 'a' }],
      ['c2: b', 'c1: a'],
    ],
    [
      'more than there are calls answer none',
      [{ content: 'a' }, { content: 'b' }, { content: 'c' }],
      [': a', ': b', ': c'],
    ],
  ])('of results %s', async (_, results, expected) => {
    const result = await importTranscript(JSON.stringify(observed(...results)), 't.json');
    expect(said(result).slice(1)).toEqual(
      expected.map((line) => (line.startsWith(':') ? `tool${line}` : `tool ${line}`)),
    );
  });

  test('stands in a list with others', async () => {
    const one = observed({ content: 'a' });
    const result = await importTranscript(JSON.stringify([one, { ...one, session_id: 's2' }]), 't.json');
    expect(result).toMatchObject({ format: 'atif', conversations: [{ id: 's' }, { id: 's2' }] });
  });

  test('goes on in files beside it: subagents, and its own next part; what is not there is reported', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'trajectories-'));
    const refs = [{ trajectory_path: 'sub/child.json' }, { trajectory_path: '../outside.json' }];
    const main = {
      ...observed({ source_call_id: 'c1', content: 'done', subagent_trajectory_ref: refs }),
      continued_trajectory_ref: 'main.cont-1.json',
    };
    const file = (steps: object[], name: string) =>
      JSON.stringify({ schema_version: 'ATIF-v1.7', agent: { name, version: '1' }, steps });
    await mkdir(join(folder, 'in/sub'), { recursive: true });
    await writeFile(join(folder, 'outside.json'), file([step(1, 'agent', 'outside')], 'Stray'));
    await writeFile(join(folder, 'in/main.json'), JSON.stringify(main));
    await writeFile(join(folder, 'in/main.cont-1.json'), file([step(2, 'agent', 'more')], 'Cookie'));
    await writeFile(join(folder, 'in/sub/child.json'), file([step(1, 'agent', 'inner')], 'Crumb'));
    const result = await importFile(join(folder, 'in/main.json'));
    await rm(folder, { recursive: true });
    expect(said(result)).toEqual([
      'assistant: x bash({"keystrokes":"ls"}) bash({"keystrokes":"pwd"})',
      'assistant: inner',
      'tool c1: done',
      'assistant: more',
    ]);
    expect(records(result).find(({ type }) => type === 'dispatch')).toMatchObject({
      target: 'Crumb',
      toolCallId: 'c1',
    });
    expect(result.problems.map(({ message }) => message)).toEqual([
      'A trajectory that this one refers to was not found: ../outside.json.',
    ]);
  });
});

describe('a trace of the OpenAI Agents SDK', () => {
  const trace = { object: 'trace', id: 'trace_1', workflow_name: 'Bakery', group_id: null };
  let clock = 0;
  const span = (id: string, parent_id: string | null, span_data: object, more: object = {}) => ({
    object: 'trace.span',
    id,
    trace_id: 'trace_1',
    parent_id,
    started_at: new Date(1_760_000_000_000 + 1000 * ++clock).toISOString(),
    ended_at: new Date(1_760_000_000_500 + 1000 * clock).toISOString(),
    error: null,
    span_data,
    ...more,
  });
  const user = { role: 'user', content: 'Bake' };
  const usage = { input_tokens: 8, output_tokens: 3 };
  const asks = {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'ask_crumb', arguments: '{}' } }],
  };

  test('tells each message once, handovers in the same call and agents used as tools in their own', async () => {
    const result = await expectSaid(
      [
        trace,
        span('s1', null, { type: 'agent', name: 'Pickle' }),
        span('s2', 's1', { type: 'generation', model: 'm', input: [user], output: [asks], usage }),
        span('s3', 's1', { type: 'function', name: 'ask_crumb', input: '{}', output: 'Crumbs.' }),
        span('s4', 's3', { type: 'agent', name: 'Crumb' }),
        span('s5', 's4', {
          type: 'generation',
          model: 'm',
          input: [{ role: 'user', content: 'Well?' }],
          output: [{ role: 'assistant', content: 'Crumbs.' }],
        }),
        span('s6', 's1', { type: 'handoff', from_agent: 'Pickle', to_agent: 'Cookie' }),
        span('s7', null, { type: 'agent', name: 'Cookie' }),
        span('s8', 's7', {
          type: 'generation',
          model: 'm',
          input: [user, asks, { role: 'tool', tool_call_id: 'c1', content: 'Crumbs.' }],
          output: [{ role: 'assistant', content: 'Done.' }],
          usage,
        }),
        span('s9', 's7', { type: 'novelty' }),
      ],
      'openai-agents',
      [
        'user: Bake',
        'assistant: null ask_crumb({})',
        'user: Well?',
        'assistant: Crumbs.',
        'tool c1: Crumbs.',
        'assistant: Done.',
      ],
      ['Kept without being understood: spans of type novelty (once).'],
    );
    expect(result.conversations[0]).toMatchObject({ id: 'trace_1', title: 'Bakery' });
    expect(query(result).filter({ agent: 'Crumb', depth: 1 })).toHaveLength(2);
    expect(query(result).filter({ agent: 'Cookie', depth: 0 })).toHaveLength(1);
    const kinds = (type: string) => records(result).filter((record) => record.type === type);
    expect(kinds('request')).toHaveLength(3);
    expect(kinds('callEnd')).toMatchObject([
      { agent: 'Crumb', depth: 1, durationMs: 500 },
      { agent: 'Pickle', depth: 0, durationMs: 6500, totalUsage: { inputTokens: 16 } },
    ]);
  });

  test('tells functions as calls where the requests are told without their messages', async () => {
    const failed = { error: { message: 'no oven' } };
    await expectSaid(
      [
        [
          trace,
          span('s1', null, { type: 'agent', name: 'Pickle' }),
          span('s2', 's1', { type: 'response', response_id: 'resp_1' }),
          span('s3', 's1', { type: 'function', name: 'heat', input: '{"to":180}', output: 'hot' }),
          span('s4', 's1', { type: 'function', name: 'heat', input: '{}' }, failed),
          span('loop', 'loop', { type: 'custom' }),
        ],
      ],
      'openai-agents',
      ['assistant: null heat({"to":180})', 'tool s3: hot', 'assistant: null heat({})', 'tool s4: no oven'],
    );
  });
});
