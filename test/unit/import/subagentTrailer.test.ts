import { expect, test } from 'vitest';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { lines, said } from './reading.js';

const line = (role: string, content: unknown, at: number) => ({
  uuid: `u${at}`,
  parentUuid: at === 0 ? null : `u${at - 1}`,
  sessionId: 's1',
  cwd: '/srv/bakery',
  timestamp: `2026-09-01T10:00:0${at}Z`,
  type: role,
  message: { role, content, ...(role === 'assistant' && { id: `m${at}` }) },
});
const TRAILER =
  'agentId: a0b1c2 (for resuming to continue this agent)\n<usage>total_tokens: 1200\ntool_uses: 3</usage>';

const session = (tool: string, content: unknown) =>
  lines(
    line('user', 'Bake', 0),
    line('assistant', [{ type: 'tool_use', id: 't1', name: tool, input: { prompt: 'Bake rolls' } }], 1),
    line('user', [{ type: 'tool_result', tool_use_id: 't1', content }], 2),
  );

test.each([
  ['Task', `Twelve rolls are done.\n${TRAILER}`],
  [
    'Agent',
    [
      { type: 'text', text: 'Twelve rolls are done.' },
      { type: 'text', text: TRAILER },
    ],
  ],
])('the answer of a subagent stands without what %s adds to it, which is kept', async (tool, content) => {
  const result = await importTranscript(session(tool, content), 's.jsonl');
  expect(said(result).at(-1)).toBe('tool t1: Twelve rolls are done.');
  expect(result.problems).toEqual([]);
  expect(JSON.stringify(result.conversations)).toContain('total_tokens: 1200');
});

test('what another tool gives stays as it is', async () => {
  const result = await importTranscript(session('Read', `A log:\n${TRAILER}`), 's.jsonl');
  expect(said(result).at(-1)).toBe(`tool t1: A log:\n${TRAILER}`);
});
