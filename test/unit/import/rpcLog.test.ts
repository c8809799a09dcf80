import { expect, test } from 'vitest';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { lines, query, said } from './reading.js';

async function read(...values: unknown[]) {
  const result = await importTranscript(lines(...values), 'rpc.log');
  expect(result.problems).toEqual([]);
  expect(result.format).toBe('rpc-log');
  return result;
}

test('the Agent Client Protocol: what is streamed in pieces is one message, calls have their results', async () => {
  const update = (sessionUpdate: string, more: object) => ({
    jsonrpc: '2.0',
    method: 'session/update',
    params: { sessionId: 's', update: { sessionUpdate, ...more } },
  });
  const words = (text: string) => ({ content: { type: 'text', text } });
  const result = await read(
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'session/prompt',
      params: { sessionId: 's', prompt: [{ type: 'text', text: 'where are the cats?' }] },
    },
    update('agent_thought_chunk', words('They may be above.')),
    update('agent_message_chunk', words('I ')),
    update('agent_message_chunk', words('look.')),
    update('tool_call', {
      toolCallId: 'c1',
      title: 'Look at the roof',
      kind: 'read',
      status: 'pending',
      rawInput: { path: '/roof' },
    }),
    update('tool_call_update', { toolCallId: 'c1', status: 'in_progress' }),
    update('tool_call_update', {
      toolCallId: 'c1',
      status: 'failed',
      content: [{ type: 'content', content: { type: 'text', text: 'no ladder' } }],
    }),
    { jsonrpc: '2.0', id: 1, result: { stopReason: 'end_turn' } },
  );
  expect(said(result)).toEqual([
    'user: where are the cats?',
    'assistant: I look.',
    'assistant: null Look at the roof({"path":"/roof"})',
    'tool c1: no ladder',
  ]);
  expect(result.conversations[0]?.id).toBe('s');
  expect(query(result).filter({ role: 'assistant' })[0]).toMatchObject({
    message: { reasoning_content: 'They may be above.' },
  });
  expect(query(result).filter({ role: 'tool' })).toMatchObject([{ isError: true }]);
});

test('calls of MCP tools, with their answers, within the envelopes of an inspector', async () => {
  const line = (message: object) => ({
    timestamp: '2025-01-01T10:00:00Z',
    message: { jsonrpc: '2.0', ...message },
  });
  const result = await read(
    line({ id: 7, method: 'tools/call', params: { name: 'search', arguments: { q: 'cats' } } }),
    line({ id: 7, result: { content: [{ type: 'text', text: 'two of them' }], isError: false } }),
    line({ id: 8, method: 'tools/call', params: { name: 'search', arguments: {} } }),
    line({ id: 8, error: { code: -32_602, message: 'nothing to search for' } }),
  );
  expect(said(result)).toEqual([
    'assistant: null search({"q":"cats"})',
    'tool call 7: two of them',
    'assistant: null search({})',
    'tool call 8: nothing to search for',
  ]);
  expect(query(result).filter({ role: 'tool' })[1]).toMatchObject({
    isError: true,
    time: Date.parse('2025-01-01T10:00:00Z'),
  });
});
