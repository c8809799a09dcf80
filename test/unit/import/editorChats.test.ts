import { describe, expect, test } from 'vitest';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { expectSaid, lines, query, records, said } from './reading.js';

const answer = [
  { kind: 'thinking', value: 'Look first.' },
  { value: 'I will ' },
  { kind: 'inlineReference', name: 'scale.mjs', inlineReference: { path: '/kitchen/scale.mjs' } },
  { value: ' read.' },
  {
    kind: 'toolInvocationSerialized',
    toolId: 'copilot_readFile',
    toolCallId: 'shown-1',
    isComplete: true,
    pastTenseMessage: { value: 'Read scale.mjs' },
  },
  { kind: 'textEditGroup', edits: [] },
  { value: 'The factor is wrong.' },
];
const request = {
  requestId: 'request_1',
  timestamp: 1_760_000_000_000,
  modelId: 'copilot/gpt-5',
  message: { text: 'Why so small?', parts: [] },
  response: answer,
  result: {
    timings: { firstProgress: 5, totalElapsed: 900 },
    metadata: {
      promptTokens: 321,
      outputTokens: 12,
      resolvedModel: 'gpt-5-mini',
      toolCallRounds: [
        { toolCalls: [{ id: 'call-1', name: 'copilot_readFile', arguments: '{"path":"scale.mjs"}' }] },
      ],
      toolCallResults: { 'call-1': { content: [{ value: 'const factor' }, { value: ' = 1;' }] } },
    },
  },
};
const session = {
  version: 3,
  sessionId: 's-1',
  customTitle: 'The cookies',
  responderUsername: 'GitHub Copilot',
  requests: [request],
};
const expected = [
  'user: Why so small?',
  'assistant: I will scale.mjs read. copilot_readFile({"path":"scale.mjs"})',
  'tool shown-1: const factor = 1;',
  'assistant: The factor is wrong.',
];

describe('a chat session of VS Code', () => {
  test('is read in the order in which it was shown, arguments and results from the requests', async () => {
    const result = await expectSaid([session], 'vscode-chat', expected);
    expect(result.conversations[0]).toMatchObject({ id: 's-1', title: 'The cookies' });
    const cost = records(result).find(({ type }) => type === 'request');
    expect(cost).toMatchObject({
      model: 'gpt-5-mini',
      time: 1_760_000_000_900,
      usage: { inputTokens: 321, outputTokens: 12 },
    });
    expect(JSON.stringify(records(result))).toContain('Look first.');
  });

  test('is read from an export, which has no fields of the store', async () => {
    const { responderUsername, requests } = session;
    const result = await importTranscript(
      JSON.stringify({ responderUsername, requests }, null, 2),
      'chat.json',
    );
    expect([result.format, said(result)]).toEqual(['vscode-chat', expected]);
  });

  test('is read from a log of changes: what was set, pushed, cut and taken away', async () => {
    const { response, ...asked } = request;
    await expectSaid(
      [
        { kind: 0, v: { ...session, requests: [] } },
        { kind: 2, k: ['requests'], v: [{ ...asked, response: [{ value: 'No.' }, { value: 'Wrong' }] }] },
        { kind: 2, k: ['requests', 0, 'response'], i: 0, v: response },
        { kind: 1, k: ['requests', 0, 'message', 'text'], v: 'Why so small?' },
        { kind: 1, k: ['requests', 0, 'draft'], v: 1 },
        { kind: 3, k: ['requests', 0, 'draft'] },
        { kind: 1, k: ['requests', 99, 'x'], v: 'fits nowhere' },
        { kind: 2, k: ['customTitle'], v: ['fits nowhere'] },
      ],
      'vscode-chat',
      expected,
    );
  });

  test('changes no prototype, whatever path a change names', async () => {
    const changes = ['__proto__', 'constructor'].map((key) => ({ kind: 1, k: [key, 'polluted'], v: true }));
    const owns = { kind: 1, k: ['__proto__'], v: { polluted: true } };
    await expectSaid([{ kind: 0, v: { ...session, requests: [] } }, ...changes, owns], 'vscode-chat', []);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  test('calls that are not finished have no result, and what is not known is kept', async () => {
    const open = { kind: 'toolInvocationSerialized', toolId: 'run', toolCallId: 'c', isComplete: false };
    const result = await expectSaid(
      [
        {
          ...session,
          requests: [
            { message: { parts: [{ text: 'a' }, { text: 'b' }] }, response: [open, { kind: 'new' }] },
            7,
          ],
        },
      ],
      'vscode-chat',
      ['user: ab', 'assistant: null run({})'],
    );
    expect(records(result).filter(({ type }) => type === 'imported')).toHaveLength(3);
  });
});

describe("Cline's and Roo's tasks as they are shown", () => {
  test('tell prompts, answers, calls with what was asked for, and what requests cost', async () => {
    const result = await importTranscript(
      JSON.stringify([
        { ts: 1_760_000_000_000, type: 'say', say: 'text', text: 'Fix the scale' },
        {
          ts: 1_760_000_000_100,
          type: 'say',
          say: 'api_req_started',
          text: JSON.stringify({ tokensIn: 5, tokensOut: 7, cacheReads: 100, cacheWrites: 20 }),
        },
        { ts: 1_760_000_000_200, type: 'say', say: 'reasoning', text: 'Hm.' },
        { ts: 1_760_000_000_300, type: 'ask', ask: 'command', text: 'cat scale.mjs' },
        { ts: 1_760_000_000_400, type: 'say', say: 'command_output', text: 'factor' },
        {
          ts: 1_760_000_000_500,
          type: 'say',
          say: 'tool',
          text: JSON.stringify({ tool: 'searchFiles', path: 'a', content: 'b' }),
        },
        { ts: 1_760_000_000_600, type: 'say', say: 'text', text: 'Hal', partial: true },
        {
          ts: 1_760_000_000_700,
          type: 'ask',
          ask: 'followup',
          text: JSON.stringify({ question: 'Which?', options: [] }),
        },
        { ts: 1_760_000_000_800, type: 'say', say: 'user_feedback', text: 'Both' },
        { ts: 1_760_000_000_900, type: 'say', say: 'completion_result', text: 'Done' },
        { ts: 1_760_000_001_000, type: 'ask', ask: 'never_seen', text: '' },
      ]),
      'ui_messages.json',
    );
    expect(result.format).toBe('cline-ui');
    expect(said(result)).toEqual([
      'user: Fix the scale',
      'assistant: null command({"command":"cat scale.mjs"})',
      'tool ui-1: factor',
      'assistant: null searchFiles({"tool":"searchFiles","path":"a","content":"b"})',
      'tool ui-2: b',
      'assistant: Which?',
      'user: Both',
      'assistant: Done',
    ]);
    expect(records(result).find(({ type }) => type === 'request')).toMatchObject({
      usage: { inputTokens: 125, outputTokens: 7, cachedInputTokens: 100 },
    });
    expect(result.problems.map(({ message }) => message)).toEqual([
      'Kept without being understood: entries of kind never_seen (once).',
    ]);
  });

  test('what they sent is read as messages of Anthropic', async () => {
    const history = [
      { role: 'user', content: [{ type: 'text', text: 'hi' }] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'ls', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'a' }] },
    ];
    const result = await importTranscript(JSON.stringify(history), 'api_conversation_history.json');
    expect(said(result)).toEqual(['user: hi', 'assistant: null ls({})', 'tool t: a']);
  });
});

describe("Continue's sessions", () => {
  test('are messages with their calls; results stand beside them or in messages of their own', async () => {
    const call = (id: string) => [{ id, type: 'function', function: { name: 'ls', arguments: '{}' } }];
    const state = (toolCallId: string, status: string) => ({
      toolCallId,
      status,
      output: [{ content: `${toolCallId} out` }],
    });
    const result = await expectSaid(
      [
        {
          sessionId: 'c-1',
          title: 'A session',
          history: [
            { message: { role: 'user', content: 'hi' }, contextItems: [] },
            { message: { role: 'thinking', content: 'so' } },
            {
              message: { role: 'assistant', content: '', toolCalls: call('a') },
              toolCallStates: [state('a', 'errored')],
            },
            {
              message: { role: 'assistant', content: '', toolCalls: call('b') },
              toolCallStates: [state('b', 'done')],
            },
            { message: { role: 'tool', content: 'own', toolCallId: 'b' } },
            'strange',
          ],
        },
      ],
      'continue',
      ['user: hi', 'assistant:  ls({})', 'tool a: a out', 'assistant:  ls({})', 'tool b: own'],
    );
    expect(query(result).filter({ errorsOnly: true })).toHaveLength(1);
    expect(result.conversations[0]).toMatchObject({ title: 'A session' });
  });
});

describe("Pi's sessions", () => {
  test('are told in the order in which they were written, with calls, results and what they cost', async () => {
    const at = '2026-10-01T10:00:00.000Z';
    const line = (id: string, message: object) => ({
      type: 'message',
      id,
      parentId: null,
      timestamp: at,
      message,
    });
    const text = (words: string) => [{ type: 'text', text: words }];
    const result = await expectSaid(
      [
        { type: 'session', version: 3, id: 'p-1', timestamp: at, cwd: '/kitchen' },
        { type: 'model_change', modelId: 'm' },
        line('1', { role: 'user', content: text('hi') }),
        line('2', {
          role: 'assistant',
          model: 'm',
          content: [
            { type: 'thinking', thinking: 'hm' },
            { type: 'toolCall', id: 't', name: 'read', arguments: { path: 'a' } },
          ],
          usage: { input: 3, output: 4, cacheRead: 10, cacheWrite: 2, cost: { total: 0.01 } },
        }),
        line('3', {
          role: 'toolResult',
          toolCallId: 't',
          toolName: 'read',
          content: text('gone'),
          isError: true,
        }),
        line('4', { role: 'bashExecution', command: 'ls', output: 'a' }),
        line('5', {
          role: 'user',
          content: [...text('look'), { type: 'image', mimeType: 'image/png', data: 'AA' }],
        }),
        { type: 'session_info', name: 'Named' },
        { type: 'novelty' },
      ],
      'pi',
      [
        'user: hi',
        'assistant: null read({"path":"a"})',
        'tool t: gone',
        'user: $ ls\na',
        'user: [{"type":"text","text":"look"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AA"}}]',
      ],
      ['Kept without being understood: lines of type novelty (once).'],
    );
    expect(result.conversations[0]).toMatchObject({ id: 'p-1', title: 'Named' });
    expect(query(result).filter({ role: 'assistant' })).toMatchObject([
      { model: 'm', usage: { inputTokens: 15, outputTokens: 4, cachedInputTokens: 10 } },
    ]);
    expect(query(result).filter({ errorsOnly: true })).toHaveLength(1);
  });
});

test('a log of changes that begins with none is of no session', async () => {
  const result = await importTranscript(lines({ kind: 2, k: ['requests'], v: [] }), 'x.jsonl');
  expect(result.format).toBe('unknown');
});
