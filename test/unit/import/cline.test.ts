import { describe, expect, test } from 'vitest';
import { factsOf } from '../../../src/query/numbers/facts.js';
import { formatCost } from '../../../src/core/cost.js';
import { importTranscript } from '../../../src/import/importTranscript.js';
import type { ImportResult } from '../../../src/import/reading/importResult.js';
import { TranscriptProjection } from '../../../src/page/panel/projection/transcriptProjection.js';
import { records, said } from './reading.js';

const AT = Date.UTC(2026, 0, 5, 10);
const PICTURE = 'data:image/png;base64,iVBORw0KGgo=';

/** An entry that Cline shows; `text` that is no text is written as JSON, as Cline does. */
const say = (kind: string, text: unknown = '', beside: object = {}) => ({
  ts: AT,
  type: 'say',
  say: kind,
  text: typeof text === 'string' ? text : JSON.stringify(text),
  ...beside,
});
const ask = (kind: string, text: unknown) => ({ ...say('', text), type: 'ask', say: undefined, ask: kind });

const read = (...shown: readonly object[]) => importTranscript(JSON.stringify(shown), 'ui_messages.json');

/** What the panel counts of it. */
function totals(result: ImportResult) {
  const projection = new TranscriptProjection();
  projection.add(records(result).map(factsOf));
  const { errors, tokens, cost } = projection.statistics();
  return { errors, input: tokens.input, output: tokens.output, cost: formatCost(cost) };
}

const spent = async (...shown: readonly object[]) => totals(await read(task, ...shown));

const task = say('task', 'Mend the login');

describe('what Cline and Roo Code show of a task', () => {
  test('pictures stand with the words that they were sent with, and those of the browser with what it logged', async () => {
    const result = await read(
      say('task', 'Like this', { images: [PICTURE] }),
      say('browser_action', { action: 'launch' }),
      say('browser_action_result', { screenshot: PICTURE, logs: 'ready', currentUrl: 'http://localhost' }),
    );
    const picture = `{"type":"image_url","image_url":{"url":"${PICTURE}"}}`;
    expect(said(result)).toEqual([
      `user: [{"type":"text","text":"Like this"},${picture}]`,
      'assistant: null browser_action({"action":"launch"})',
      `tool ui-1: [{"type":"text","text":"ready"},${picture}]`,
    ]);
  });

  test('each answer and each request has the model that Cline names', async () => {
    const by = (modelId: string) => ({ modelInfo: { providerId: 'p', modelId, mode: 'act' } });
    const result = await read(
      { ...task, ...by('one') },
      say('api_req_started', { tokensIn: 1, tokensOut: 2 }, by('one')),
      say('text', 'First', by('one')),
      say('text', 'Second', by('two')),
    );
    expect(records(result).map((record) => [record.type, (record as { model?: string }).model])).toEqual([
      ['message', undefined],
      ['request', 'one'],
      ['imported', undefined],
      ['message', 'one'],
      ['message', 'two'],
    ]);
  });

  test('all that a task cost counts: its requests, deleted ones, those of subagents and of summaries', async () => {
    const tokens = { tokensIn: 10, tokensOut: 1, cacheReads: 5, cacheWrites: 2 };
    expect(
      await spent(
        say('api_req_started', { ...tokens, cost: 0.5 }),
        say('deleted_api_reqs', { ...tokens, cost: 0.25 }),
        say('subagent_usage', { source: 'subagents', ...tokens, cost: 0.125 }),
        say('condense_context', '', { contextCondense: { cost: 0.0625, summary: 'so far' } }),
      ),
    ).toMatchObject({ input: 51, output: 3, cost: '$0.94' });
    expect(
      await spent(say('api_req_started', { request: 'GET' }), say('api_req_finished', tokens)),
    ).toMatchObject({ input: 17, output: 1 });
  });

  test('what Roo Code writes as tokens in holds what was cached, but for old requests to Anthropic', async () => {
    const request = (apiProtocol: string, tokensIn: number, ts = AT) =>
      say(
        'api_req_started',
        { apiProtocol, tokensIn, tokensOut: 1, cacheReads: 70, cacheWrites: 20 },
        { ts },
      );
    const input = async (entry: object) => (await spent(entry)).input;
    expect(await input(request('anthropic', 100))).toBe(100);
    expect(await input(request('openai', 100, Date.UTC(2025, 8, 1)))).toBe(100);
    expect(await input(request('anthropic', 100, Date.UTC(2025, 8, 1)))).toBe(190);
    expect(await input(request('anthropic', 10))).toBe(100);
  });

  test('a request that broke off is one failure with its tokens; one that a person stopped is none', async () => {
    const broken = { tokensIn: 4, tokensOut: 0, cancelReason: 'streaming_failed' };
    const result = await read(
      task,
      say('api_req_started', { ...broken, streamingFailedMessage: '{"message":"Overloaded","status":529}' }),
      ask('api_req_failed', 'Overloaded'),
      say('text', 'Well'),
      say('api_req_started', { tokensIn: 6, cancelReason: 'user_cancelled', streamingFailedMessage: 'x' }),
    );
    expect(totals(result)).toMatchObject({ errors: 1, input: 10 });
    expect(records(result)[1]).toMatchObject({
      error: { message: 'Overloaded', status: 529 },
      usage: { inputTokens: 4 },
    });
  });

  test('what it shows as an error counts as one', async () => {
    const errors = ['error', 'diff_error', 'condense_context_error'].flatMap((kind) => [
      say(kind, `${kind} here`),
      say('text', 'Again.'),
    ]);
    const result = await read(task, ...errors, ask('mistake_limit_reached', 'three times'));
    expect(totals(result).errors).toBe(4);
    expect(result.problems).toEqual([]);
  });

  test('subagents are dispatched with their tasks, and say what came of them', async () => {
    const items = [
      { index: 0, prompt: 'Look at the server', status: 'completed', result: 'It is fine.' },
      { index: 1, prompt: 'Look at the page', status: 'failed', error: 'no steps left' },
    ];
    const result = await read(
      task,
      say('use_subagents', { prompts: items.map(({ prompt }) => prompt) }),
      say('subagent', { status: 'running', items: [{ ...items[0], status: 'running' }] }),
      say('subagent', { status: 'completed', items }),
    );
    expect(records(result).filter(({ type }) => type === 'dispatch')).toMatchObject([
      { target: 'subagent 1', task: 'Look at the server', toolCallId: 'ui-1' },
      { target: 'subagent 2', task: 'Look at the page', toolCallId: 'ui-1' },
    ]);
    expect(said(result).at(-1)).toBe('assistant: It is fine.');
    expect(totals(result).errors).toBe(1);
  });

  test('the flag behind a result and the JSON around an answer are not its words', async () => {
    const result = await read(
      task,
      ask('act_mode_respond', { response: 'At work', task_progress: '- [ ] a' }),
      say('completion_result', 'It works.HAS_CHANGES'),
    );
    expect(said(result).slice(1)).toEqual(['assistant: At work', 'assistant: It works.']);
  });

  test('an answer that was sent tells its price beside its tokens', async () => {
    const history = [
      { role: 'user', content: [{ type: 'text', text: 'hi' }] },
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 't', name: 'ls', input: {} }],
        metrics: { tokens: { prompt: 30, completion: 4, cached: 20 }, cost: 0.75 },
      },
    ];
    const result = await importTranscript(JSON.stringify(history), 'api_conversation_history.json');
    expect(totals(result)).toMatchObject({ input: 30, output: 4, cost: '$0.75' });
  });
});

test("a session of Cline's command line: its own name, instructions, model and tokens of each answer", async () => {
  const session = {
    version: 1,
    agent: 'lead',
    sessionId: 's1',
    origin: { source: 'cli' },
    system_prompt: 'You are Cline.',
    messages: [
      {
        id: 'u',
        role: 'user',
        ts: AT,
        content: [{ type: 'text', text: '<user_input mode="act">Bake.</user_input>' }],
      },
      {
        id: 'a',
        role: 'assistant',
        ts: AT + 1,
        modelInfo: { id: 'gpt', provider: 'openai' },
        content: [{ type: 'tool_use', id: 't1', name: 'run_commands', input: { commands: ['ls'] } }],
        metrics: { inputTokens: 100, outputTokens: 7, cacheReadTokens: 20, cacheWriteTokens: 0 },
      },
    ],
  };
  const result = await importTranscript(JSON.stringify(session), 's1.messages.json');
  expect(result.conversations).toMatchObject([{ title: 'Bake.' }]);
  expect(said(result)).toEqual([
    'system: You are Cline.',
    'user: <user_input mode="act">Bake.</user_input>',
    'assistant: null run_commands({"commands":["ls"]})',
  ]);
  expect(records(result).at(-1)).toMatchObject({
    agent: 'Cline',
    model: 'gpt',
    time: AT + 1,
    usage: { inputTokens: 100, outputTokens: 7, cachedInputTokens: 20 },
  });
  expect(result.problems).toEqual([]);
});

test("a session of Cline's command line in which no tool is called", async () => {
  const session = {
    version: 1,
    agent: 'lead',
    sessionId: 's1',
    origin: { source: 'cli' },
    messages: [
      { id: 'u', role: 'user', ts: AT, content: [{ type: 'text', text: 'Bake.' }] },
      {
        id: 'a',
        role: 'assistant',
        ts: AT + 1,
        modelInfo: { id: 'gpt', provider: 'openai' },
        content: [{ type: 'text', text: 'Baked.' }],
      },
    ],
  };
  const result = await importTranscript(JSON.stringify(session), 's1.messages.json');
  expect(result).toMatchObject({ problems: [], conversations: [{ id: 's1', title: 'Bake.' }] });
  expect(records(result).at(-1)).toMatchObject({ agent: 'Cline', model: 'gpt', time: AT + 1 });
});
