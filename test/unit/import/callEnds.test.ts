import { describe, expect, test } from 'vitest';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { factsOf } from '../../../src/query/numbers/facts.js';
import { ToolUse } from '../../../src/query/numbers/toolUse.js';
import { TranscriptReader } from '../../../src/query/numbers/transcriptReader.js';
import { lines } from './reading.js';

type Ends = Readonly<Record<string, readonly object[] | object>>;

/** What became of the calls of a file, as the summary of its tools tells it; calls that ended well are left out. */
async function endsOf(rows: readonly object[] | object) {
  const isList = Array.isArray(rows);
  const text = isList ? lines(...(rows as readonly object[])) : JSON.stringify(rows);
  const { conversations } = await importTranscript(text, isList ? 'talk.jsonl' : 'talk.json');
  const [reader, use] = [new TranscriptReader(), new ToolUse()];
  const records = conversations[0]?.records ?? [];
  for (const record of records) use.add(reader.next(factsOf(record)));
  const [{ calls, states } = { calls: 0, states: {} }] = use.summary();
  const ends = Object.entries(states).filter(([, count]) => count > 0);
  expect(calls).toBe(1);
  return ends.map(([state]) => state).join() || 'done';
}

const at = (second: number) => `2026-09-01T10:00:0${second}.000Z`;
const uuid = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;
const claudeLine = (n: number, type: string, rest: object) => ({
  type,
  uuid: uuid(n),
  parentUuid: n > 0 ? uuid(n - 1) : null,
  sessionId: 's1',
  isSidechain: false,
  timestamp: at(n),
  cwd: '/work',
  version: '2.1.0',
  ...rest,
});
const claudeCall = claudeLine(0, 'assistant', {
  message: {
    id: 'm1',
    type: 'message',
    role: 'assistant',
    model: 'claude-opus-5',
    content: [{ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls' } }],
  },
});
const claudeResult = (content: string, isError?: boolean, rest: object = {}) =>
  claudeLine(1, 'user', {
    message: {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 't1', content, ...(isError && { is_error: true }) }],
    },
    ...rest,
  });
const claude = (...result: Parameters<typeof claudeResult>) => [claudeCall, claudeResult(...result)];
const launched = claudeResult('Async agent launched', false, {
  toolUseResult: { isAsync: true, status: 'async_launched', agentId: 'a1' },
});
const notice = (status: string) =>
  claudeLine(2, 'user', {
    message: {
      role: 'user',
      content: `<task-notification>\n<tool-use-id>t1</tool-use-id>\n<status>${status}</status>\n</task-notification>`,
    },
  });

const copilot = (data: object) => [
  { id: '0', parentId: null, timestamp: at(0), type: 'session.start', data: { sessionId: 'c1', version: 1 } },
  {
    id: '1',
    parentId: '0',
    timestamp: at(1),
    type: 'assistant.message',
    data: {
      messageId: 'a1',
      content: 'So',
      toolRequests: [{ toolCallId: 't1', name: 'bash', arguments: { command: 'ls' } }],
    },
  },
  {
    id: '2',
    parentId: '1',
    timestamp: at(2),
    type: 'tool.execution_complete',
    data: { toolCallId: 't1', ...data },
  },
];

const openCode = (state: object) => ({
  info: { id: 'ses_1', version: '1.0', title: 'T', directory: '/w', time: { created: 1, updated: 2 } },
  messages: [
    {
      info: { id: 'msg_1', sessionID: 'ses_1', role: 'assistant', time: { created: 1 }, modelID: 'm' },
      parts: [
        {
          id: 'prt_1',
          messageID: 'msg_1',
          sessionID: 'ses_1',
          type: 'tool',
          callID: 't1',
          tool: 'bash',
          state: { input: {}, ...state },
        },
      ],
    },
  ],
});

const gemini = (status: string, output = 'no') => ({
  sessionId: 'g1',
  projectHash: 'p',
  startTime: at(0),
  lastUpdated: at(1),
  messages: [
    {
      id: '1',
      timestamp: at(0),
      type: 'gemini',
      content: 'So',
      toolCalls: [
        {
          id: 't1',
          name: 'bash',
          args: {},
          status,
          timestamp: at(1),
          result: [{ functionResponse: { id: 't1', name: 'bash', response: { output } } }],
        },
      ],
    },
  ],
});

const amp = (run: object) => ({
  v: 1,
  id: 'T-1',
  created: 1,
  messages: [
    {
      role: 'assistant',
      messageId: 0,
      content: [{ type: 'tool_use', id: 't1', name: 'Bash', input: { cmd: 'ls' } }],
    },
    {
      role: 'user',
      messageId: 1,
      content: [{ type: 'tool_result', toolUseID: 't1', run }],
    },
  ],
  env: {},
});

const windsurf = (body: object, status = 'done') => [
  { status: 'done', type: 'user_input', user_input: { user_response: 'Run it' } },
  { status, type: 'run_command', run_command: { command: 'ls', output: 'out', ...body } },
];

const chat = (rest: object) => [
  { role: 'user', content: 'Run it' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 't1', type: 'function', function: { name: 'bash', arguments: '{}' } }],
  },
  { role: 'tool', tool_call_id: 't1', content: 'out', ...rest },
];

const ENDS: Readonly<Record<string, Ends>> = {
  'Claude Code': {
    done: claude('fine'),
    failed: claude('Exit code 2\nno', true),
    'failed, as its words alone tell': claude('<tool_use_error>No such tool</tool_use_error>'),
    'failed, as a text beside it tells': claude('no', false, { toolUseResult: 'Error: no' }),
    denied: claude('no', true, { toolDenialKind: 'user-rejected' }),
    'denied by a rule': claude('no', true, { toolDenialKind: 'permission-rule' }),
    cancelled: claude('[Request interrupted by user for tool use]', true),
    'cancelled, as its output tells': claude('part', false, {
      toolUseResult: { stdout: 'part', stderr: '', interrupted: true },
    }),
    timedOut: claude('no end', false, { toolUseResult: { stdout: '', timedOutAfterMs: 120_000 } }),
    open: [claudeCall],
    'open, in the background': [claudeCall, launched],
    'done, in the background': [claudeCall, launched, notice('completed')],
    'failed, in the background': [claudeCall, launched, notice('failed')],
    'cancelled, in the background': [claudeCall, launched, notice('killed')],
  },
  'Copilot CLI': {
    done: copilot({ success: true, result: { content: 'fine\n<exited with exit code 0>' } }),
    failed: copilot({ success: false, error: { code: 'failure', message: 'no' } }),
    'failed, as its shell tells': copilot({
      success: true,
      result: { content: 'no\n<exited with exit code 127>' },
    }),
    denied: copilot({ success: false, error: { code: 'denied', message: 'no' } }),
    timedOut: copilot({ success: false, error: { code: 'timeout', message: 'no' } }),
  },
  OpenCode: {
    done: openCode({ status: 'completed', output: 'fine', metadata: { exit: 0 } }),
    failed: openCode({ status: 'error', error: 'no' }),
    'failed, as its exit tells': openCode({ status: 'completed', output: 'no', metadata: { exit: 1 } }),
    denied: openCode({
      status: 'error',
      error: 'The user rejected permission to use this specific tool call.',
    }),
    cancelled: openCode({ status: 'error', error: 'Tool execution aborted' }),
    timedOut: openCode({ status: 'completed', output: 'part', metadata: { timeout: true } }),
    open: openCode({ status: 'running' }),
  },
  'Gemini CLI': {
    done: gemini('success'),
    failed: gemini('error'),
    denied: gemini('cancelled', '[Operation Cancelled] Reason: User did not allow tool call'),
    cancelled: gemini('cancelled'),
    open: gemini('executing'),
  },
  Amp: {
    done: amp({ status: 'done', result: { output: 'fine', exitCode: 0 } }),
    failed: amp({ status: 'error', error: { message: 'no' } }),
    'failed, as its exit tells': amp({ status: 'done', result: { output: 'no', exitCode: 1 } }),
    denied: amp({ status: 'rejected-by-user', reason: 'no' }),
    cancelled: amp({ status: 'cancelled' }),
    open: amp({ status: 'in-progress' }),
  },
  Windsurf: {
    done: windsurf({ exit_code: 0 }),
    failed: windsurf({ exit_code: 1 }),
    denied: windsurf({ user_rejected: true }),
    open: windsurf({}, 'running'),
  },
  'messages of chat completions': {
    done: chat({ status: 'success' }),
    failed: chat({ status: 'error' }),
    cancelled: chat({ status: 'cancelled' }),
    timedOut: chat({ status: 'timeout' }),
  },
};

describe.each(Object.entries(ENDS))('%s tells what became of a call', (_tool, ends) => {
  test.each(Object.entries(ends))('%s', async (name, rows) => {
    expect(await endsOf(rows)).toBe(/^\w+/.exec(name)?.[0]);
  });
});

const record = (body: object, seq: number) => ({
  seq,
  id: `m${seq}`,
  time: 0,
  conversation: 'c',
  run: 'r',
  call: 'k',
  agent: 'a',
  depth: 0,
  ...body,
});
const calling = {
  type: 'message',
  message: {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 't1', type: 'function', function: { name: 'bash', arguments: '{}' } }],
  },
};
const answer = (content: string, rest: object = {}) => ({
  type: 'message',
  message: { role: 'tool', tool_call_id: 't1', content },
  ...rest,
});

test('a call with two results is one call, with its last state and one failure', () => {
  const [reader, use] = [new TranscriptReader(), new ToolUse()];
  const rows = [calling, answer('goes on', { state: 'open' }), answer('no', { isError: true })];
  let failures = 0;
  for (const row of rows.map((each, at_) => record(each, at_ + 1))) {
    const reading = reader.next(factsOf(row));
    use.add(reading);
    if (reading.isNewFailure) failures++;
  }
  const states = { failed: 1, denied: 0, cancelled: 0, timedOut: 0, open: 0 };
  expect(use.summary()).toMatchObject([{ tool: 'bash', calls: 1, failures: 1, states }]);
  expect(failures).toBe(1);
});

test('a call without a name is a call', async () => {
  const nameless = { id: 't1', type: 'function', function: { name: '', arguments: '{}' } };
  expect(
    await endsOf([
      { role: 'user', content: 'Go' },
      { role: 'assistant', content: null, tool_calls: [nameless] },
    ]),
  ).toBe('open');
});
