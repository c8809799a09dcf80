import { expect, test } from 'vitest';
import { importTranscript } from '../../../src/import/importTranscript.js';
import type { ImportResult } from '../../../src/import/reading/importResult.js';
import { lines, query, said, spent } from './reading.js';
import { ofType } from './spans.js';

/*
 * The shapes are those of Codex's own code: `codex-rs/core/src/tasks/mod.rs` for the span of a turn, `codex-rs/otel/src/events/
 * session_telemetry.rs` with `shared/trace.rs` and `shared/log.rs` for what happens in it (openai/codex, 0.147 to 0.158), and
 * `codex-rs/otel/src/agent_response.rs` for answers in logs. Spans hold no texts, only their lengths; texts stand in logs.
 */
const THREAD = '019efa28-63ad-76a2-8e9b-8a653170604e';
const seconds = (second: number) => `${1_790_000_000 + second}000000000`;
const attributesOf = (about: Readonly<Record<string, string | number | boolean>>) =>
  Object.entries(about).map(([key, value]) => ({
    key,
    value:
      typeof value === 'number'
        ? { intValue: String(value) }
        : typeof value === 'boolean'
          ? { boolValue: value }
          : { stringValue: value },
  }));
type About = Readonly<Record<string, string | number | boolean>>;
const resource = { attributes: attributesOf({ 'service.name': 'codex_exec', 'service.version': '0.158.0' }) };

/** An event of a span, with what stands in each. */
const event = (name: string, second: number, about: About) => ({
  name: 'event otel/src/events/session_telemetry.rs:1',
  timeUnixNano: seconds(second),
  attributes: attributesOf({
    level: 'INFO',
    target: 'codex_otel.trace_safe',
    'event.name': `codex.${name}`,
    'conversation.id': THREAD,
    model: 'gpt-5.1',
    slug: 'gpt-5.1',
    originator: 'codex_exec',
    ...about,
  }),
});
const spans = (...all: readonly object[]) => ({
  resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'codex' }, spans: all }] }],
});
/** A span of a trace; like all of tracing's, it has the number and the name of a thread of the program. */
const span = (
  trace: string,
  id: string,
  parent: string,
  name: string,
  about: About,
  events: readonly object[] = [],
) => ({
  traceId: trace.repeat(32),
  spanId: id.repeat(16),
  ...(parent && { parentSpanId: parent.repeat(16) }),
  name,
  startTimeUnixNano: seconds(0),
  endTimeUnixNano: seconds(9),
  events,
  attributes: attributesOf({ 'thread.id': 10, 'thread.name': 'tokio-rt-worker', ...about }),
});
const turn = (trace: string, id: string, about: About = {}) =>
  span(trace, id, '', 'session_task.turn', {
    'thread.id': THREAD,
    'turn.id': `turn-${trace}`,
    'gen_ai.conversation.id': `turn-${trace}`,
    model: 'gpt-5.1',
    'codex.turn.reasoning_effort': 'medium',
    ...about,
  });
const tokens = {
  'codex.turn.token_usage.input_tokens': 1_200,
  'codex.turn.token_usage.cached_input_tokens': 1_000,
  'codex.turn.token_usage.output_tokens': 80,
  'codex.turn.token_usage.reasoning_output_tokens': 30,
  'codex.turn.token_usage.total_tokens': 1_280,
};
const happened = [
  event('user_prompt', 1, { prompt_length: '19', text_input_count: 1, image_input_count: 0 }),
  event('api_request', 2, { duration_ms: '500', 'http.response.status_code': 503, attempt: 0 }),
  event('api_request', 3, { duration_ms: '400', 'http.response.status_code': 200, attempt: 1 }),
  event('sse_event', 4, {
    'event.kind': 'response.completed',
    input_token_count: '1200',
    output_token_count: '80',
    cached_token_count: 1_000,
    reasoning_token_count: 30,
    tool_token_count: '1280',
  }),
  event('tool_result', 6, {
    tool_name: 'shell',
    call_id: 'call-1',
    duration_ms: '1500',
    success: 'false',

    arguments_length: 16,
    output_length: 25,
    output_line_count: 2,
    tool_origin: 'builtin',
    mcp_tool: false,
  }),
];
const read = (...values: readonly object[]) => importTranscript(lines(...values), 'recorded.otlp.jsonl');

test('the spans of a session of Codex are its turns, with their requests and tools, though they say nothing', async () => {
  const result = await read(
    spans(span('a', '2', '1', 'run_sampling_request', {}, happened)),
    spans(turn('a', '1', tokens)),
    spans(turn('b', '3')),
  );
  expect(result.conversations.map(({ id }) => id)).toEqual([THREAD]);
  expect(ofType(result, 'request')).toMatchObject([
    { model: 'gpt-5.1', error: { message: 'The answer was 503.' } },
    { model: 'gpt-5.1', durationMs: 1_400, usage: { inputTokens: 1_200, outputTokens: 80 } },
  ]);
  expect(said(result)).toEqual(['assistant: null shell({})', 'tool call-1: It failed.']);
  // The turn tells the sum of its requests.
  expect(tokensOf(result)).toEqual([1_200, 80]);
  expect(result.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
});

test('a turn whose requests are not told counts what it says that all of them took', async () => {
  const result = await read(spans(turn('a', '1', tokens)));
  expect(spent(result)).toEqual([
    [
      'gpt-5.1',
      { inputTokens: 1_200, outputTokens: 80, cachedInputTokens: 1_000, reasoningTokens: 30, requests: 2 },
    ],
  ]);
});

/** The tokens that all of it took, as every view counts them. */
const tokensOf = (result: ImportResult) => {
  const { usage } = query(result).stats();
  return [usage.inputTokens, usage.outputTokens];
};

/** A log record of Codex's. */
const log = (name: string, second: number, about: About) => ({
  resourceLogs: [
    {
      resource,
      scopeLogs: [
        {
          scope: { name: 'codex' },
          logRecords: [
            {
              timeUnixNano: seconds(second),
              attributes: attributesOf({
                'event.name': `codex.${name}`,
                'conversation.id': THREAD,
                model: 'gpt-5.1',
                ...about,
              }),
            },
          ],
        },
      ],
    },
  ],
});
const logs = [
  log('user_prompt', 1, { prompt: 'What is here?', prompt_length: '13' }),
  log('api_request', 3, { duration_ms: '400', 'http.response.status_code': 200, attempt: 0 }),
  log('agent_response', 4, {
    'agent.type': 'main',
    'turn.id': 'turn-a',
    'item.id': 'msg_1',
    response: 'A drawer.',
    response_length: 9,
    response_truncated: false,
  }),
  log('sse_event', 4, {
    'event.kind': 'response.completed',
    input_token_count: '7',
    output_token_count: '3',
  }),
];

test('the last words of a turn stand in the logs of newer versions, in the request that gave them', async () => {
  const result = await read(...logs);
  expect(said(result)).toEqual(['user: What is here?', 'assistant: A drawer.']);
  expect(tokensOf(result)).toEqual([7, 3]);
  const alone = await read(logs[0]!, logs[2]!);
  expect(said(alone)).toEqual(['user: What is here?', 'assistant: A drawer.']);
});

test('the last words of a turn are read, too, where nobody tells that their request has ended', async () => {
  const [asked = {}, request = {}, answered = {}, ended = {}] = logs;
  const open = await read(asked, request, answered);
  expect(said(open)).toEqual(['user: What is here?', 'assistant: A drawer.']);
  const again = log('user_prompt', 5, { prompt: 'And there?', prompt_length: '10' });
  const result = await read(asked, request, answered, again, log('api_request', 6, {}), ended);
  expect(said(result)).toEqual(['user: What is here?', 'assistant: A drawer.', 'user: And there?']);
  expect(tokensOf(result)).toEqual([7, 3]);
});

test.each(['before', 'after', 'far before'])(
  'logs tell the conversation where spans came %s them',
  async (when) => {
    const told = [
      ...Array.from({ length: when === 'far before' ? 60 : 1 }, () =>
        spans(span('a', '2', '1', 'run_turn', {})),
      ),
      spans(turn('a', '1', tokens)),
    ];
    const result = await read(...(when === 'after' ? [...logs, ...told] : [...told, ...logs]));
    expect(said(result)).toEqual(['user: What is here?', 'assistant: A drawer.']);
    expect(result.conversations.map(({ id }) => id)).toEqual([THREAD]);
    expect(tokensOf(result)).toEqual([7, 3]);
  },
);

test('a span of another program that is called like a turn is what it was', async () => {
  const result = await read(spans(span('a', '1', '', 'session_task.turn', {})));
  expect(result.conversations.map(({ id }) => id)).toEqual(['a'.repeat(32)]);
  expect(ofType(result, 'request')).toEqual([]);
});
