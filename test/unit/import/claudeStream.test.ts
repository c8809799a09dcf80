import { expect, test } from 'vitest';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { lines, query, records, said } from './reading.js';

const session = 's1';

async function read(...values: unknown[]) {
  const result = await importTranscript(lines(...values), 'out.jsonl');
  expect(result.problems).toEqual([]);
  expect(result).toMatchObject({ format: 'claude-code', conversations: [{ id: session }] });
  return result;
}

const from = (role: 'user' | 'assistant', content: unknown, parent: string | null = null) => ({
  type: role,
  message: { role, content },
  parent_tool_use_id: parent,
  session_id: session,
});
const init = { type: 'system', subtype: 'init', session_id: session, model: 'claude' };
const text = (words: string) => [{ type: 'text', text: words }];

test('what Claude Code streams: lines that name a call are those of the agent that it started', async () => {
  const task = {
    type: 'tool_use',
    id: 't1',
    name: 'Task',
    input: { prompt: 'look below', subagent_type: 'Finder' },
  };
  const result = await read(
    init,
    from('assistant', [task]),
    from('user', text('look below'), 't1'),
    from('assistant', text('Nothing is below.'), 't1'),
    from('user', [{ type: 'tool_result', tool_use_id: 't1', content: 'Nothing is below.' }]),
    from('assistant', text('There is nothing.')),
    {
      type: 'result',
      subtype: 'success',
      result: 'There is nothing.',
      total_cost_usd: 0.01,
      session_id: session,
    },
  );
  expect(records(result).filter(({ type }) => type === 'dispatch')).toMatchObject([
    { target: 'Finder', toolCallId: 't1' },
  ]);
  expect(query(result).filter({ agent: 'Finder' })).toHaveLength(2);
  expect(said(result).at(-1)).toBe('assistant: There is nothing.');
});

test('of --output-format json, which is the last line alone, the answer is read', async () => {
  const usage = { input_tokens: 9, output_tokens: 30 };
  const result = await read({
    type: 'result',
    subtype: 'success',
    result: 'All done.',
    session_id: session,
    usage,
  });
  expect(said(result)).toEqual(['assistant: All done.']);
  expect(query(result).stats().usage).toMatchObject({ inputTokens: 9, outputTokens: 30 });
});

test('calls and results on lines of their own are calls and results', async () => {
  const line = (type: string, more: object) => ({
    type,
    sessionId: session,
    timestamp: '2025-05-01T10:00:00Z',
    ...more,
  });
  const result = await read(
    line('user', { uuid: 'a', message: { role: 'user', content: 'look at it' } }),
    line('tool_use', { uuid: 'b', tool_use: { id: 't1', name: 'Read', input: { path: 'a' } } }),
    line('tool_result', { uuid: 'c', tool_use_id: 't1', content: 'what a says', is_error: true }),
    line('assistant', { uuid: 'd', message: { role: 'assistant', content: text('I read it.') } }),
  );
  expect(said(result)).toEqual([
    'user: look at it',
    'assistant: null Read({"path":"a"})',
    'tool t1: what a says',
    'assistant: I read it.',
  ]);
  expect(query(result).filter({ role: 'tool' })).toMatchObject([{ isError: true }]);
});

test('what Qwen Code prints in the same form is its own, and what it read from a cache is part of what was sent', async () => {
  const usage = { input_tokens: 200, output_tokens: 7, cache_read_input_tokens: 20 };
  const answer = {
    type: 'message',
    id: 'm1',
    role: 'assistant',
    content: [{ type: 'text', text: 'ok' }],
    usage,
  };
  const result = await read(
    { ...init, qwen_code_version: '0.15' },
    { ...from('assistant', []), message: answer },
    { type: 'result', subtype: 'success', session_id: session, result: 'ok', usage },
  );
  expect(records(result).at(-1)?.agent).toBe('Qwen');
  expect(query(result).stats().usage).toMatchObject({
    inputTokens: 200,
    outputTokens: 7,
    cachedInputTokens: 20,
  });
});
