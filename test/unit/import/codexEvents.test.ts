import { describe, expect, test } from 'vitest';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { lines, query, records, said } from './reading.js';

/** Reads events, one a line; nothing of them may be left over. */
async function read(...events: unknown[]) {
  const result = await importTranscript(lines(...events), 'codex.log');
  expect(result.problems).toEqual([]);
  expect(result.format).toBe('codex-events');
  return result;
}

const thread = { threadId: 'thr_1', turnId: 'turn_1' };
const done = (item: object, about: object = thread) => ({
  method: 'item/completed',
  params: { ...about, item },
});
const started = (item: object) => ({ method: 'item/started', params: { ...thread, item } });
const user = { type: 'userMessage', id: 'u', content: [{ type: 'text', text: 'list the files' }] };
const command = {
  type: 'commandExecution',
  id: 'c',
  command: 'ls',
  cwd: '/w',
  aggregatedOutput: 'a.txt and b.txt',
  exitCode: 2,
  durationMs: 12,
  status: 'failed',
};

const expected = [
  'user: list the files',
  'assistant: null shell({"command":"ls","cwd":"/w"})',
  'tool c: a.txt and b.txt',
  'assistant: Two files.',
];

describe('what Codex says to programs is read', () => {
  test('by the app server: messages, calls with their results, reasoning, usage', async () => {
    const totals = {
      inputTokens: 12_000,
      cachedInputTokens: 100,
      outputTokens: 10,
      reasoningOutputTokens: 2,
      totalTokens: 12_010,
    };
    const result = await read(
      { id: 1, method: 'thread/start', params: { model: 'gpt' } },
      { id: 1, result: { thread: { id: 'thr_1' } } },
      done(user),
      done({ type: 'reasoning', id: 'r', summary: ['Look at the folder.'], content: [] }),
      started({ ...command, status: 'inProgress' }),
      { method: 'item/commandExecution/outputDelta', params: { ...thread, itemId: 'c', delta: 'a.txt and' } },
      done(command),
      done({ type: 'agentMessage', id: 'a', text: 'Two files.' }),
      {
        method: 'thread/tokenUsage/updated',
        params: { ...thread, tokenUsage: { total: totals, last: totals } },
      },
    );
    expect(said(result)).toEqual(expected);
    expect(result.conversations[0]?.id).toBe('thr_1');
    const [, calling, answer] = query(result).filter({});
    expect(calling).toMatchObject({ model: 'gpt', message: { reasoning_content: 'Look at the folder.' } });
    expect(answer).toMatchObject({ isError: true, durationMs: 12 });
    expect(query(result).stats().usage).toMatchObject({
      inputTokens: 12_000,
      cachedInputTokens: 100,
      outputTokens: 10,
    });
  });

  test('by the app server of an agent that another started: its messages are its own', async () => {
    const child = { threadId: 'thr_2', turnId: 'turn_2' };
    const result = await read(
      done(user),
      done({
        type: 'collabAgentToolCall',
        id: 's',
        tool: 'spawnAgent',
        status: 'completed',
        senderThreadId: 'thr_1',
        receiverThreadIds: ['thr_2'],
        prompt: 'Look below.',
      }),
      done({ type: 'agentMessage', id: 'b', text: 'Nothing below.' }, child),
      done({ type: 'agentMessage', id: 'a', text: 'There is nothing.' }),
    );
    expect(records(result).filter(({ type }) => type === 'dispatch')).toMatchObject([
      { task: 'Look below.', toolCallId: 's' },
    ]);
    expect(query(result).filter({ text: 'Nothing below.' })).toMatchObject([{ depth: 1 }]);
    expect(query(result).filter({ text: 'There is nothing.' })).toMatchObject([{ depth: 0 }]);
  });

  test('of an item that was begun and never done, as far as its pieces go', async () => {
    const result = await read(
      done(user),
      started({ type: 'agentMessage', id: 'a', text: '' }),
      { method: 'item/agentMessage/delta', params: { ...thread, itemId: 'a', delta: 'Two ' } },
      { method: 'item/agentMessage/delta', params: { ...thread, itemId: 'a', delta: 'files, I th' } },
    );
    expect(said(result).at(-1)).toBe('assistant: Two files, I th');
  });

  test('by codex exec', async () => {
    const result = await read(
      { type: 'thread.started', thread_id: 'thr_1' },
      { type: 'turn.started' },
      {
        type: 'item.completed',
        item: {
          id: 'c',
          type: 'command_execution',
          command: 'ls',
          aggregated_output: 'a.txt and b.txt',
          exit_code: 0,
          status: 'completed',
        },
      },
      {
        type: 'item.completed',
        item: {
          id: 'm',
          type: 'mcp_tool_call',
          server: 'docs',
          tool: 'find',
          arguments: { q: 'x' },
          result: { content: [{ type: 'text', text: 'found it' }] },
          status: 'completed',
        },
      },
      { type: 'item.completed', item: { id: 'a', type: 'agent_message', text: 'Two files.' } },
      {
        type: 'turn.completed',
        usage: { input_tokens: 24_000, cached_input_tokens: 23_000, output_tokens: 122 },
      },
    );
    expect(said(result)).toEqual([
      'assistant: null shell({"command":"ls"})',
      'tool c: a.txt and b.txt',
      'assistant: null docs__find({"q":"x"})',
      'tool m: found it',
      'assistant: Two files.',
    ]);
    expect(query(result).stats().usage).toMatchObject({ inputTokens: 24_000, cachedInputTokens: 23_000 });
    // It was asked, and once more behind each of the two rounds of tools: no prompt was so long.
    expect(records(result).find(({ type }) => type === 'request')).toMatchObject({ usage: { requests: 3 } });
  });

  test('the usage of a turn is that of one request where no tool was called', async () => {
    const result = await read(
      { type: 'thread.started', thread_id: 'thr_1' },
      { type: 'turn.started' },
      { type: 'item.completed', item: { id: 'r', type: 'reasoning', text: 'Think.' } },
      { type: 'item.completed', item: { id: 'a', type: 'agent_message', text: 'Two files.' } },
      {
        type: 'turn.completed',
        usage: { input_tokens: 300_000, cached_input_tokens: 0, output_tokens: 122 },
      },
    );
    const [request] = records(result).filter(({ type }) => type === 'request');
    expect(request).toHaveProperty('usage', { inputTokens: 300_000, outputTokens: 122, estimated: false });
  });

  test('by codex proto, and in the log of its screen, where the prompt is repeated', async () => {
    const event = (msg: object) => ({
      ts: '2025-09-01T10:00:00.000Z',
      dir: 'to_tui',
      kind: 'codex_event',
      payload: { id: '1', msg },
    });
    const result = await read(
      event({ type: 'session_configured', session_id: 's', model: 'gpt' }),
      { id: '1', op: { type: 'user_turn', items: [{ type: 'text', text: 'list the files' }] } },
      event({ type: 'user_message', message: 'list the files' }),
      event({ type: 'exec_command_begin', call_id: 'c', command: 'ls', cwd: '/w' }),
      event({
        type: 'exec_command_end',
        call_id: 'c',
        stdout: 'a.txt and b.txt',
        stderr: '',
        exit_code: 1,
        duration: { secs: 1, nanos: 500_000_000 },
      }),
      event({ type: 'agent_message', message: 'Two files.' }),
    );
    expect(said(result)).toEqual(expected);
    expect(query(result).filter({ role: 'tool' })).toMatchObject([{ isError: true, durationMs: 1500 }]);
    expect(query(result).filter({ role: 'assistant' })[0]).toMatchObject({
      model: 'gpt',
      time: Date.parse('2025-09-01T10:00:00.000Z'),
    });
  });
});
