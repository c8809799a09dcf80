import { describe, expect, test } from 'vitest';
import { expectSaid, nested, query } from './reading.js';
import { ofType } from './spans.js';

const at = (second: number) => `2026-01-01T00:00:0${second}.000000`;
const run = (id: string, run_type: string, second: number, more: object = {}) => ({
  id,
  name: id,
  run_type,
  start_time: at(second),
  end_time: at(second + 1),
  inputs: {},
  outputs: {},
  ...more,
});
/** A message as LangChain serialises it. */
const lc = (kind: string, kwargs: object) => ({
  lc: 1,
  type: 'constructor',
  id: ['langchain', 'schema', 'messages', `${kind}Message`],
  kwargs,
});
const human = lc('Human', { content: 'hi' });
const calling = lc('AI', {
  content: '',
  tool_calls: [{ id: 'c1', name: 'ls', args: { path: '.' }, type: 'tool_call' }],
  response_metadata: { model_name: 'm-1' },
  usage_metadata: {
    input_tokens: 40,
    output_tokens: 5,
    input_token_details: { cache_read: 10, cache_creation: 20 },
    output_token_details: { reasoning: 2 },
  },
});
const result = lc('Tool', { content: 'files', tool_call_id: 'c1' });
const done = lc('AI', { content: 'done' });
const asking = run('first', 'llm', 1, {
  inputs: { messages: [[human]] },
  outputs: { generations: [[{ text: '', message: calling }]] },
});
const working = run('ls', 'tool', 2, {
  inputs: { input: '{"path":"."}' },
  outputs: { output: result },
});
const answering = run('second', 'llm', 3, {
  inputs: { messages: [[human, calling, result]] },
  outputs: { generations: [[{ text: 'done', message: done }]], llm_output: { model_name: 'm-2' } },
});
const root = run('Pickle', 'chain', 0, {
  inputs: { messages: [human] },
  outputs: { messages: [human, calling, result, done] },
  end_time: at(5),
});
const tree = { ...root, child_runs: [asking, working, answering] };
const TALK = ['user: hi', 'assistant:  ls({"path":"."})', 'tool c1: files', 'assistant: done'];

describe('runs of LangSmith', () => {
  test('a tree of runs is requests and tools, every message once, with times, models and usage', async () => {
    const read = await expectSaid([tree], 'langsmith', TALK);
    expect(query(read).stats().usage).toMatchObject({
      inputTokens: 40,
      outputTokens: 5,
      cachedInputTokens: 10,
      cacheWriteTokens: 20,
      reasoningTokens: 2,
    });
    expect(ofType(read, 'request')).toMatchObject([
      { model: 'm-1', durationMs: 1000, time: Date.parse(`${at(2)}Z`) },
      { model: 'm-2' },
    ]);
    expect(Object.keys(query(read).stats().byAgent)).toEqual(['Pickle']);
  });

  test('runs one a line, as the service exports them, are the same conversation', async () => {
    const rows = [answering, root, asking, working].map((each) => ({
      ...each,
      trace_id: 'Pickle',
      parent_run_id: each.id === 'Pickle' ? null : 'Pickle',
    }));
    await expectSaid(rows, 'langsmith', TALK);
  });

  test('a batch that was sent completes what it began', async () => {
    const id = 'e954b8e3-c337-4a05-bf0a-ca2baac3ba48';
    const post = {
      ...run(id, 'llm', 1, { inputs: { model: 'm', messages: [{ role: 'user', content: 'hi' }] } }),
      start_time: 1_760_000_000_000,
      end_time: undefined,
      trace_id: id,
    };
    const patch = {
      end_time: 1_760_000_002_000,
      outputs: {
        model: 'm-2026',
        choices: [{ message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
        usage_metadata: { input_tokens: 9, output_tokens: 3 },
      },
      dotted_order: `20251009T085320000001Z${id}`,
      trace_id: id,
    };
    const read = await expectSaid([{ post: [post], patch: [patch] }], 'langsmith', [
      'user: hi',
      'assistant: ok',
    ]);
    expect(ofType(read, 'request')).toMatchObject([
      { model: 'm-2026', durationMs: 2000, usage: { inputTokens: 9, outputTokens: 3 } },
    ]);
  });

  test('traces of one thread are one conversation, in the order of time', async () => {
    const turn = (id: string, second: number, words: string) =>
      run(id, 'llm', second, {
        trace_id: id,
        extra: { metadata: { thread_id: 'thread' } },
        inputs: { prompts: [words] },
        outputs: { generations: [{ text: `${words}!` }] },
      });
    const read = await expectSaid([turn('b', 4, 'more'), turn('a', 1, 'hi')], 'langsmith', [
      'user: hi',
      'assistant: hi!',
      'user: more',
      'assistant: more!',
    ]);
    expect(read.conversations).toHaveLength(1);
  });

  test('an agent that a tool runs lies in the call of the tool', async () => {
    const inner = run('LangGraph', 'chain', 2, {
      child_runs: [
        run('inner', 'llm', 2, {
          inputs: { messages: [{ role: 'user', content: 'look' }] },
          outputs: { choices: [{ message: { role: 'assistant', content: 'seen' } }] },
        }),
      ],
    });
    const outer = run('Pickle', 'agent', 0, { child_runs: [asking, { ...working, child_runs: [inner] }] });
    const read = await expectSaid([outer], 'langsmith', [
      'user: hi',
      'assistant:  ls({"path":"."})',
      'user: look',
      'assistant: seen',
      'tool c1: files',
    ]);
    expect(nested(query(read).timeline())).toEqual([['Pickle', ['LangGraph']]]);
  });

  test('a run without any model tells what it was given and gave, and why it failed', async () => {
    const failed = run('chain', 'chain', 0, {
      inputs: { question: 'Why?' },
      outputs: null,
      error: 'no oven',
    });
    const read = await expectSaid([failed], 'langsmith', ['user: Why?']);
    expect(JSON.stringify(read.conversations)).toContain('no oven');
  });
});
