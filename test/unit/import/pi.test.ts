import { describe, expect, test } from 'vitest';
import { isFailedRecord } from '../../../src/query/numbers/failures.js';
import { expectSaid, query, records } from './reading.js';

describe("Pi's sessions", () => {
  const header = {
    type: 'session',
    version: 3,
    id: 'p-2',
    timestamp: '2026-01-05T10:00:00Z',
    cwd: '/home/p',
  };
  const message = (said: object) => ({ type: 'message', timestamp: '2026-01-05T10:00:01Z', message: said });
  const answer = (said: object, words = 'Well') =>
    message({
      role: 'assistant',
      model: 'm',
      content: words === '' ? [] : [{ type: 'text', text: words }],
      ...said,
    });
  const usage = { input: 3, output: 4, cacheRead: 0, cacheWrite: 0 };
  const nothing = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

  test('what extensions and Pi itself put before the model is said by nobody', async () => {
    const read = await expectSaid(
      [
        header,
        { type: 'custom_message', customType: 'x', content: [{ type: 'text', text: 'Recall the plan' }] },
        message({ role: 'user', content: 'Go on' }),
        message({ role: 'hookMessage', content: 'From a hook' }),
        message({ role: 'custom', content: 'From an extension' }),
        message({ role: 'branchSummary', summary: 'On the other branch', fromId: 'e' }),
        message({ role: 'compactionSummary', summary: 'So far', tokensBefore: 9 }),
      ],
      'pi',
      [
        'system: Recall the plan',
        'user: Go on',
        'system: From a hook',
        'system: From an extension',
        'system: On the other branch',
        'system: So far',
      ],
    );
    expect(read.conversations[0]).toMatchObject({ title: 'Go on' });
  });

  test('a request that failed is one; what was said and used before it broke off stays', async () => {
    const errorMessage = '529 Overloaded';
    const read = await expectSaid(
      [
        header,
        answer({ usage: nothing, stopReason: 'error', errorMessage }, ''),
        answer({ usage, stopReason: 'stop' }),
        answer({ usage, stopReason: 'error', errorMessage: 'terminated' }, 'Half an'),
        answer({ usage, stopReason: 'aborted', errorMessage: 'Request was aborted.' }, 'Stopped by'),
      ],
      'pi',
      ['assistant: Well', 'assistant: Half an', 'assistant: Stopped by'],
    );
    const failed = records(read).filter((record) => isFailedRecord(record as never));
    expect(failed).toMatchObject([
      { type: 'request', model: 'm', error: { message: errorMessage } },
      { type: 'request', model: 'm', error: { message: 'terminated' } },
    ]);
    expect(query(read).stats().usage).toMatchObject({ inputTokens: 9, outputTokens: 12 });
  });
});

test('what `--mode json` prints tells each message once, when it has ended', async () => {
  const header = {
    type: 'session',
    version: 3,
    id: 's1',
    timestamp: '2026-01-01T00:00:00Z',
    cwd: '/home/me',
  };
  const prompt = { role: 'user', content: [{ type: 'text', text: 'hi' }], timestamp: 1_790_000_000_000 };
  const call = { type: 'toolCall', id: 't1', name: 'bash', arguments: { command: 'ls' } };
  const answer = {
    role: 'assistant',
    content: [call],
    model: 'm',
    usage: { input: 5, output: 2, cacheRead: 1 },
  };
  const result = {
    role: 'toolResult',
    toolCallId: 't1',
    toolName: 'bash',
    content: [{ type: 'text', text: 'a' }],
  };
  const update = { type: 'toolcall_end', toolCall: call, partial: answer };
  const read = await expectSaid(
    [
      header,
      { type: 'agent_start' },
      { type: 'turn_start' },

      { type: 'message_start', message: prompt },
      { type: 'message_end', message: prompt },
      { type: 'message_update', assistantMessageEvent: update, message: answer },
      { type: 'message_end', message: answer },
      { type: 'tool_execution_end', toolCallId: 't1', toolName: 'bash', result: { content: result.content } },
      { type: 'message_end', message: result },

      { type: 'turn_end', message: answer },
      { type: 'agent_end', messages: [prompt, answer, result] },
    ],
    'pi',
    ['user: hi', 'assistant: null bash({"command":"ls"})', 'tool t1: a'],
  );
  expect(query(read).stats().usage).toMatchObject({ inputTokens: 6, outputTokens: 2 });
});
