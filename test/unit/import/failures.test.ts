import { expect, test } from 'vitest';
import { isFailedRecord } from '../../../src/query/numbers/failures.js';
import type { ImportResult } from '../../../src/import/reading/importResult.js';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { expectSaid, records, said } from './reading.js';

/** What counts as an error, in its words. */
const failures = (result: ImportResult) =>
  records(result)
    .filter((record) => isFailedRecord(record as never))
    .map((record) => {
      const { error, message } = record as { error?: { message: string }; message?: { content: string } };
      return [record.type, error?.message ?? message?.content];
    });

const at = '2026-09-01T10:00:00Z';

test('requests of Claude Code that were tried again have failed, and so has an answer that says so', async () => {
  const line = (type: string, more: object) => ({ type, sessionId: 's', cwd: '/w', timestamp: at, ...more });
  const answer = (id: string, text: string) => ({
    id,
    type: 'message',
    role: 'assistant',
    model: '<synthetic>',
    content: [{ type: 'text', text }],
  });
  const failed = { status: 529, error: { type: 'error', error: { message: 'Overloaded' } } };
  const result = await expectSaid(
    [
      line('user', { uuid: 'u', message: { role: 'user', content: 'go' } }),
      line('system', { uuid: 's1', subtype: 'api_error', error: failed, retryAttempt: 1 }),
      line('system', { uuid: 's2', subtype: 'api_error', error: {}, cause: { code: 'x' }, retryAttempt: 2 }),
      line('assistant', { uuid: 'a', isApiErrorMessage: true, message: answer('m', 'API Error: 529') }),
    ],
    'claude-code',
    ['user: go', 'assistant: API Error: 529'],
  );
  expect(failures(result)).toEqual([
    ['request', 'Overloaded'],
    ['request', 'No words were given.'],
    ['message', 'API Error: 529'],
  ]);
  expect(records(result)[1]).toMatchObject({ attempt: 1, error: { code: 'http', status: 529 } });
  expect(JSON.stringify(records(result)[2])).toContain('"cause":{"code":"x"}');
});

test('errors of Gemini CLI are errors; where a session was taken back is known', async () => {
  const item = (type: string, content: unknown) => ({ id: type, timestamp: at, type, content });
  const result = await expectSaid(
    [
      { sessionId: 's', projectHash: 'h', startTime: at, lastUpdated: at },
      item('user', [{ text: 'go' }]),
      item('error', [{ text: 'Quota is used up' }]),
      { $rewindTo: 'user' },
      item('warning', 'careful'),
    ],
    'gemini-cli',
    ['user: [{"type":"text","text":"go"}]'],
  );
  expect(failures(result)).toEqual([['error', 'Quota is used up']]);
});

test('Codex: what agents tell each other is said by them, and errors are errors', async () => {
  const line = (type: string, payload: object) => ({ timestamp: at, type, payload });
  const item = (payload: object) => line('response_item', payload);
  const event = (payload: object) => line('event_msg', payload);
  const words = (text: string) => [{ type: 'input_text', text }];
  const result = await expectSaid(
    [
      line('session_meta', { id: 't', cwd: '/w', cli_version: '0.150.0', history_mode: 'paginated' }),
      item({ type: 'additional_tools', role: 'developer', tools: [{ name: 'x' }] }),
      item({ type: 'message', role: 'user', content: words('go') }),
      line('inter_agent_communication_metadata', { trigger_turn: true }),
      item({ type: 'agent_message', author: '/root/finder', recipient: '/root', content: words('found it') }),
      line('inter_agent_communication', {
        author: '/root',
        recipient: '/root/finder',
        content: 'look again',
      }),
      item({ type: 'context_compaction', encrypted_content: 'gAAA' }),
      event({ type: 'stream_error', message: 'Reconnecting' }),
      event({ type: 'plan_update', plan: [] }),
      event({ type: 'warning', message: 'Low on context' }),
      event({ type: 'error', message: 'It broke off', codex_error_info: 'other' }),
    ],
    'codex',
    ['user: go', 'assistant: found it', 'user: look again'],
  );
  expect(failures(result)).toEqual([
    ['request', 'Reconnecting'],
    ['error', 'It broke off'],
  ]);
  const reported = records(result).find((record) => JSON.stringify(record).includes('found it'));
  expect(reported?.agent).toBe('finder');
});

test('OpenCode: requests that were tried again and the error of an answer are errors, a stop is none', async () => {
  const part = (type: string, more: object) => ({ type, sessionID: 's', messageID: 'm', ...more });
  const answer = (id: string, error: object, ...parts: object[]) => ({
    info: { id, sessionID: 's', role: 'assistant', time: { created: 1_790_000_000_000 }, error },
    parts,
  });
  const error = (name: string, message: string) => ({ name, data: { message, statusCode: 529 } });
  const result = await importTranscript(
    JSON.stringify({
      info: { id: 's', title: 'Fix', directory: '/w', time: { created: 1_790_000_000_000 } },
      messages: [
        answer(
          'm',
          error('APIError', 'Overloaded'),
          part('text', { text: 'I look' }),
          part('retry', { attempt: 2, error: error('APIError', 'Try again') }),
        ),
        answer('n', error('MessageAbortedError', 'Stopped'), part('text', { text: 'I stop' })),
      ],
    }),
    'session.json',
  );
  expect(result.format).toBe('opencode');
  expect(failures(result)).toEqual([
    ['error', 'Overloaded'],
    ['request', 'Try again'],
  ]);
});

test('Roo keeps reasoning of OpenAI models between the messages of Anthropic, with times, models and tokens', async () => {
  const use = { type: 'tool_use', id: 't1', name: 'look', input: {} };
  const ts = 1_790_000_000_000;
  const summary = [{ type: 'summary_text', text: 'plan' }];
  const result = await importTranscript(
    JSON.stringify([
      { role: 'user', content: [{ type: 'text', text: 'fix it' }], ts },
      { role: 'assistant', content: [{ type: 'reasoning', text: 'hm' }, use], ts },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'two' }], ts },
      { type: 'reasoning', summary, encrypted_content: 'gAAA', ts },
      {
        role: 'assistant',
        content: [{ type: 'text', text: 'Done' }],
        ts,
        modelInfo: { modelId: 'm-1' },
        metrics: { tokens: { prompt: 10, completion: 4 } },
      },
    ]),
    'api_conversation_history.json',
  );
  expect(result.format).toBe('anthropic-messages');
  expect(said(result)).toEqual([
    'user: fix it',
    'assistant: null look({})',
    'tool t1: two',
    'assistant: Done',
  ]);
  const messages = records(result).map((record) => ({ ...record }) as { time: number; message: object });
  expect(messages.map(({ time }) => time)).toEqual([ts, ts, ts, ts]);
  expect(messages[1]).toMatchObject({ message: { reasoning_content: 'hm' } });
  expect(messages[3]).toMatchObject({
    model: 'm-1',
    message: { reasoning_content: 'plan' },
    usage: { inputTokens: 10, outputTokens: 4 },
  });
  expect(JSON.stringify(messages[3])).toContain('gAAA');
});

test('Claude Code: a stream that ended at a limit has failed', async () => {
  const stream = (type: string, beside: object) => ({ type, session_id: 's', ...beside });
  const result = await importTranscript(
    [
      stream('assistant', { message: { role: 'assistant', content: [{ type: 'text', text: 'So' }] } }),
      stream('result', {
        subtype: 'error_max_turns',
        is_error: false,
        errors: ['Reached maximum number of turns'],
      }),
      stream('result', { subtype: 'success', is_error: false, result: 'So' }),
    ]
      .map((each) => JSON.stringify(each))
      .join('\n'),
    'stream.jsonl',
  );
  expect(failures(result)).toEqual([['error', 'Reached maximum number of turns']]);
});

test('Copilot CLI: errors of the session and of its subagents', async () => {
  const event = (type: string, data: object, id: string) => ({ type, data, id, timestamp: at });
  const result = await expectSaid(
    [
      event('user.message', { content: 'go' }, 'a'),
      event('subagent.started', { toolCallId: 't', agentName: 'explore' }, 'b'),
      event('subagent.failed', { toolCallId: 't', agentName: 'explore', error: 'no more context' }, 'c'),
      event('session.error', { errorType: 'rate_limit', message: 'Slow down' }, 'd'),
    ],
    'copilot-events',
    ['user: go'],
  );
  expect(failures(result)).toEqual([
    ['error', 'no more context'],
    ['error', 'Slow down'],
  ]);
  const [first] = records(result).filter(({ type }) => type === 'error');
  expect(first).toMatchObject({ agent: 'explore', depth: 1 });
});

test('codex exec: turns that failed, and errors that did not end them', async () => {
  const result = await expectSaid(
    [
      { type: 'thread.started', thread_id: 't' },
      { type: 'item.completed', item: { id: 'i', type: 'error', message: 'Model not found' } },
      { type: 'turn.failed', error: { message: 'Stream ended early' } },
      { type: 'error', message: 'Bye' },
    ],
    'codex-events',
    [],
  );
  expect(failures(result)).toEqual([
    ['error', 'Model not found'],
    ['error', 'Stream ended early'],
    ['error', 'Bye'],
  ]);
});

test('the conversation of an SDK of OpenHands, an agent of ADK and a request of VS Code that failed', async () => {
  const openHands = [
    {
      kind: 'MessageEvent',
      id: 'a',
      source: 'user',
      timestamp: at,
      llm_message: { role: 'user', content: 'go' },
    },
    {
      kind: 'ConversationErrorEvent',
      id: 'b',
      source: 'environment',
      timestamp: at,
      code: 'Auth',
      detail: 'Bad key',
    },
  ];
  expect(failures(await importTranscript(JSON.stringify(openHands), 'x.json'))).toEqual([
    ['error', 'Bad key'],
  ]);
  const adk = {
    id: 's',
    app_name: 'a',
    user_id: 'u',
    state: {},
    events: [
      {
        id: '1',
        author: 'user',
        timestamp: 1e9,
        invocation_id: 'i',
        content: { role: 'user', parts: [{ text: 'go' }] },
      },
      {
        id: '2',
        author: 'a',
        timestamp: 1e9,
        invocation_id: 'i',
        error_code: 'SAFETY',
        error_message: 'Withheld',
      },
    ],
  };
  expect(failures(await importTranscript(JSON.stringify(adk), 'x.json'))).toEqual([['error', 'Withheld']]);
  const request = (beside: object) => ({ message: { text: 'go' }, response: [], timestamp: 1e12, ...beside });
  const chat = {
    responderUsername: 'GitHub Copilot',
    requests: [
      request({ result: { errorDetails: { message: 'Rate limited' } } }),
      request({ isCanceled: true, result: { errorDetails: { message: 'Canceled' } } }),
      request({ result: { errorDetails: { message: 'Canceled', code: 'canceled' } } }),
    ],
  };
  expect(failures(await importTranscript(JSON.stringify(chat), 'x.json'))).toEqual([
    ['error', 'Rate limited'],
  ]);
});

test('an answer of Crush that an error ended', async () => {
  const finish = (data: object) => [{ type: 'finish', data }];
  const crush = {
    session: { id: 's', title: 'T' },
    messages: [
      { id: '1', role: 'user', parts: [{ type: 'text', data: { text: 'go' } }] },
      {
        id: '2',
        role: 'assistant',
        parts: finish({ reason: 'error', message: 'Unauthorized', details: 'bad key' }),
      },
      { id: '3', role: 'assistant', parts: finish({ reason: 'canceled' }) },
    ],
  };
  expect(failures(await importTranscript(JSON.stringify(crush), 'x.json'))).toEqual([
    ['error', 'Unauthorized: bad key'],
  ]);
});
