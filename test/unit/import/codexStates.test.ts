import { describe, expect, test } from 'vitest';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { isFailedRecord } from '../../../src/query/numbers/failures.js';
import { lines, records } from './reading.js';

const at = '2026-09-01T10:00:00Z';
const item = (payload: object) => ({ timestamp: at, type: 'response_item', payload });
const event = (payload: object) => ({ timestamp: at, type: 'event_msg', payload });
const meta = {
  timestamp: at,
  type: 'session_meta',
  payload: { id: 'c1', originator: 'codex_cli_rs', cwd: '/' },
};
const call = (id = 'c1', name = 'exec_command', input: object = { cmd: 'npm test' }) =>
  item({ type: 'function_call', name, arguments: JSON.stringify(input), call_id: id });
const output = (said: unknown, id = 'c1') =>
  item({ type: 'function_call_output', call_id: id, output: said });

/** What became of each call of a rollout. */
async function statesOf(...rows: readonly object[]) {
  const result = await importTranscript(lines(meta, ...rows), 'rollout.jsonl');
  const all = records(result).map((record): Record<string, unknown> => ({ ...record }));
  const answers = all.filter(({ message }) => (message as { role?: string } | undefined)?.role === 'tool');
  return {
    states: answers.map(({ state, isError }) => [state, isError]),
    errors: all.filter(isFailedRecord).length,
  };
}

const unified = (end: string, said = '') =>
  `Chunk ID: a1\nWall time: 1.0 seconds\n${end}\nOriginal token count: 3\nOutput:\n${said}`;

describe('a rollout says that a command failed', () => {
  test.each([
    ['with the exit code of a process', unified('Process exited with code 1', '1 failing')],
    ['with the exit code of a command', 'Exit code: 2\nWall time: 0.1 seconds\nOutput:\nno such file'],
    ['with the exit code beside the output', JSON.stringify({ output: 'no', metadata: { exit_code: 127 } })],
    ['with no success', { content: 'no', success: false }],
    ['before it has run', 'execution error: Io(Os { code: 2 })'],
    ['with arguments that are none', 'failed to parse function arguments: EOF'],
  ])('%s', async (_, said) => {
    expect(await statesOf(call(), output(said))).toEqual({ states: [['failed', true]], errors: 1 });
  });

  test.each([
    ['an event', event({ type: 'exec_command_end', call_id: 'c1', exit_code: 1, stdout: '1 failing' })],
    [
      'an item',
      event({ type: 'item_completed', item: { type: 'CommandExecution', id: 'c1', status: 'failed' } }),
    ],
    ['a patch', event({ type: 'patch_apply_end', call_id: 'c1', success: false })],
    ['a server', event({ type: 'mcp_tool_call_end', call_id: 'c1', result: { Err: 'gone' } })],
  ])('in %s, before the result or after it, and counts once', async (_, told) => {
    const failed = { states: [['failed', true]], errors: 1 };
    expect(await statesOf(call(), told, output('1 failing'))).toEqual(failed);
    expect(await statesOf(call(), output('1 failing'), told)).toEqual(failed);
    expect(await statesOf(call(), output(unified('Process exited with code 1')), told)).toEqual(failed);
  });
});

test.each([
  ['exited with nothing wrong', unified('Process exited with code 0', 'ok')],
  [
    'printed what looks like a failure',
    unified('Process exited with code 0', 'Exit code: 3\nexited with code 1'),
  ],
  ['printed it and nothing else', 'the log says:\nProcess exited with code 1'],
  ['was structured', JSON.stringify({ output: 'Exit code: 2', metadata: { exit_code: 0 } })],
])('a command is no failure that %s', async (_, said) => {
  expect(await statesOf(call(), output(said))).toEqual({ states: [[undefined, undefined]], errors: 0 });
});

test.each([
  ['timedOut', true, 'command timed out after 10000 milliseconds\nhalf'],
  [
    'timedOut',
    true,
    JSON.stringify({ output: 'command timed out after 9 milliseconds', metadata: { exit_code: 124 } }),
  ],
  ['cancelled', undefined, 'aborted by user after 3.2s'],
  ['denied', undefined, 'exec command rejected by user'],
  ['denied', undefined, '`rm -rf x` rejected: policy forbids commands starting with `rm`'],
  ['open', undefined, unified('Process running with session ID 7')],
])('a call that is %s', async (state, isError, said) => {
  expect((await statesOf(call(), output(said))).states).toEqual([[state, isError]]);
});

test('a process that goes on ends with the call that waits for it', async () => {
  const begun = [call(), output(unified('Process running with session ID 7'))];
  const wait = call('c2', 'write_stdin', { session_id: 7, chars: '' });
  expect(
    (await statesOf(...begun, wait, output(unified('Process exited with code 1'), 'c2'))).states,
  ).toEqual([
    [undefined, undefined],
    ['failed', true],
  ]);
});
