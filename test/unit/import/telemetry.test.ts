import { expect, test } from 'vitest';
import { expectSaid, query } from './reading.js';
import { ofType } from './spans.js';

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds)).toISOString();

/** A request of OTLP's JSON with one log record, as the receiver records it. */
function logged(about: Readonly<Record<string, string | number>>, body?: string) {
  const attributes = Object.entries(about).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
  }));
  const record = { attributes, ...(body !== undefined && { body: { stringValue: body } }) };
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'a command line' } }] };
  return { resourceLogs: [{ resource, scopeLogs: [{ scope: { name: 'events' }, logRecords: [record] }] }] };
}

/** An event of Claude Code: its name without the prefix is an attribute, the whole one the body. */
const claude = (name: string, second: number, about: Readonly<Record<string, string | number>>) =>
  logged(
    { 'session.id': 's1', 'event.name': name, 'event.timestamp': at(second), ...about },
    `claude_code.${name}`,
  );

const codex = (name: string, second: number, about: Readonly<Record<string, string | number>>) =>
  logged({
    'conversation.id': 'c1',
    'event.name': `codex.${name}`,
    'event.timestamp': at(second),
    model: 'gpt',
    ...about,
  });

const request = (id: string, more: Readonly<Record<string, string | number>> = {}) => ({
  request_id: id,
  model: 'claude',
  duration_ms: 1000,
  query_source: 'sdk',
  input_tokens: 5,
  output_tokens: 2,
  cache_read_tokens: 10,
  cache_creation_tokens: 3,
  cost_usd: '0.25',
  ...more,
});

test("Claude Code's events are prompts, requests with their money, and tools with who allowed them", async () => {
  const call = { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls' } };
  const thought = { type: 'thinking', thinking: 'Look first.', signature: 's' };
  const body = { type: 'message', stop_reason: 'tool_use', content: [thought, call] };
  const tool = { tool_name: 'Bash', tool_use_id: 't1' };
  const result = await expectSaid(
    [
      claude('user_prompt', 1, { prompt: 'What is here?' }),
      claude('tool_decision', 2, { ...tool, decision: 'accept', source: 'user_temporary' }),
      claude('api_request', 2, request('r1')),
      claude('api_response_body', 2, { request_id: 'r1', body: JSON.stringify(body) }),
      claude('tool_result', 4, {
        ...tool,
        success: 'false',
        duration_ms: 500,
        tool_input: '{"command":"ls"}',
        error: 'no oven',
      }),
      claude('api_request', 6, request('r2')),
      claude('assistant_response', 6, { request_id: 'r2', response: 'Nothing.' }),
      claude('api_error', 8, { error: 'Overloaded', status_code: '529', model: 'claude', duration_ms: 10 }),
    ],
    'claude-code-telemetry',
    [
      'user: What is here?',
      'assistant: null Bash({"command":"ls"})',
      'tool t1: no oven',
      'assistant: Nothing.',
    ],
  );
  expect(ofType(result, 'request')).toMatchObject([
    {
      durationMs: 1000,
      finishReason: 'tool_use',
      usage: { inputTokens: 18, outputTokens: 2, cachedInputTokens: 10 },
    },
    { usage: { cost: 250_000_000 } },
    { error: { message: 'Overloaded', status: 529 } },
  ]);
  expect(ofType(result, 'approval')).toMatchObject([
    { toolCallId: 't1', decision: 'approved', decidedBy: 'user' },
  ]);
  expect(query(result).toolSummary()).toMatchObject([{ calls: [{ durationMs: 500, isError: true }] }]);
});

test('what Claude Code asks for a title is a request, but nobody said it', async () => {
  await expectSaid(
    [
      claude('api_request', 1, request('r1', { query_source: 'generate_session_title' })),
      claude('assistant_response', 1, { request_id: 'r1', response: 'A title' }),
      claude('user_prompt', 2, { prompt: 'hi' }),
      claude('api_request', 3, request('r2')),
      claude('assistant_response', 3, { request_id: 'r2', response: 'ok' }),
    ],
    'claude-code-telemetry',
    ['user: hi', 'assistant: ok'],
  );
});

test("Codex's events are prompts, tools with their results, and requests with their tokens", async () => {
  const result = await expectSaid(
    [
      codex('user_prompt', 1, { prompt: 'What is here?' }),
      codex('api_request', 2, { duration_ms: 500, 'http.response.status_code': '200' }),
      codex('sse_event', 2, { 'event.kind': 'response.created', duration_ms: 1 }),
      codex('sse_event', 3, {
        'event.kind': 'response.completed',
        input_token_count: 7,
        output_token_count: 3,
        cached_token_count: 2,
        reasoning_token_count: 1,
      }),
      codex('tool_decision', 4, { call_id: 'c1', decision: 'denied', source: 'User' }),
      codex('tool_result', 5, {
        call_id: 'c1',
        tool_name: 'exec',
        arguments: '{"cmd":"ls"}',
        output: 'a.txt',
        success: 'true',
        duration_ms: 500,
      }),
      codex('api_request', 6, { duration_ms: 5, 'http.response.status_code': 503 }),
    ],
    'codex-telemetry',
    ['user: What is here?', 'assistant: null exec({"cmd":"ls"})', 'tool c1: a.txt'],
  );
  expect(ofType(result, 'request')).toMatchObject([
    { durationMs: 1500, usage: { inputTokens: 7, outputTokens: 3, cachedInputTokens: 2 } },
    { error: { status: 503 } },
  ]);
  expect(ofType(result, 'approval')).toMatchObject([{ decision: 'denied', decidedBy: 'user' }]);
});
