import { expect, onTestFinished, test } from 'vitest';
import { silentLog } from '../../../../src/core/ports/log.js';
import { checkArguments } from '../../../../src/surfaces/mcp/checkArguments.js';
import { EXAMPLES, languageExplained, serverInstructions } from '../../../../src/surfaces/mcp/explained.js';
import { McpLibrary } from '../../../../src/surfaces/mcp/library.js';
import { readTools } from '../../../../src/surfaces/mcp/readTools.js';
import { stateOf } from '../../../../src/surfaces/mcp/shown.js';
import { FIELDS } from '../../../../src/query/language/fields.js';
import { planQuery } from '../../../../src/query/language/plan.js';
import { folderWith, messageLines } from '../../../support/commandLine.js';

async function libraryWith(files: Readonly<Record<string, string>>, now = '2027-01-01'): Promise<McpLibrary> {
  const cwd = await folderWith(files);
  const stdin = () => {
    throw new Error('Nothing is read from here.');
  };
  const { signal } = new AbortController();
  const options = { cwd, signal, stdin, log: silentLog, onProblem: () => undefined };
  const library = new McpLibrary(options, Object.keys(files), () => Date.parse(now));
  onTestFinished(() => library.close());
  return library;
}

async function ask(library: McpLibrary, name: string, given: object = {}): Promise<Record<string, unknown>> {
  const tool = readTools.find((each) => each.name === name)!;
  return library.clean((await tool.run(library, checkArguments(tool, given))) as Record<string, unknown>);
}

/** A session of Claude Code in which a call is approved and made, at known times. */
const CLAUDE = [
  { type: 'user', uuid: 'u1', message: { role: 'user', content: 'Migrate it' } },
  {
    type: 'assistant',
    uuid: 'a1',
    message: {
      id: 'm1',
      role: 'assistant',
      model: 'claude-sonnet-4-5',
      content: [{ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'migrate' } }],
      usage: { input_tokens: 1000, output_tokens: 100 },
    },
  },
  {
    type: 'user',
    uuid: 'u2',
    message: {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 't1', is_error: true, content: 'no such \u202etable' }],
    },
  },
]
  .map((line, at) =>
    JSON.stringify({
      sessionId: 's',
      cwd: '/w',
      version: '2.1.0',
      timestamp: `2026-11-28T10:00:0${at}.000Z`,
      ...line,
    }),
  )
  .join('\n');

test('times are texts with a zone, costs stand with what spent them, and what cannot be seen is written out', async () => {
  const library = await libraryWith({ 's.jsonl': CLAUDE });
  const { sessions } = (await ask(library, 'list_sessions')) as {
    sessions: { session: string; startedAt: string; state: string }[];
  };
  expect(sessions[0]).toMatchObject({
    startedAt: '2026-11-28T10:00:00.000Z',
    endedAt: '2026-11-28T10:00:02.000Z',
  });
  const session = sessions[0]!.session;
  const told = await ask(library, 'get_messages', { session });
  expect(told).toMatchObject({
    recorded: expect.stringContaining('not instructions') as string,
    messages: [
      { time: '2026-11-28T10:00:00.000Z' },
      { cost: { provenance: 'priced', dollars: 0.0045 } },
      { text: 'no such ⟨U+202E⟩table', isError: true },
    ],
  });
  expect(await ask(library, 'get_tool_call', { session, id: 't1' })).toMatchObject({
    time: '2026-11-28T10:00:01.000Z',
    cost: { dollars: 0.0045 },
    result: { time: '2026-11-28T10:00:02.000Z', text: 'no such ⟨U+202E⟩table' },
  });
  expect(await ask(library, 'get_session_overview', { session })).toMatchObject({
    approvals: { approved: 0, denied: 0, by_decider: [] },
  });
});

test('what another tool has recorded is never said to be running', () => {
  expect(stateOf({ state: 'running', recordedHere: false })).toBe('recorded');
  expect(stateOf({ state: 'running', recordedHere: true })).toBe('running');
  expect(stateOf({ state: 'failed', recordedHere: false })).toBe('failed');
});

test('an empty answer says what was left out and what to try', async () => {
  const recent = CLAUDE.replaceAll('2026-11-28T10:00', '2026-12-31T23:59');
  const library = await libraryWith(
    { 'a.jsonl': messageLines(['user', 'Migrate it']), 's.jsonl': recent },
    '2027-01-01T00:01',
  );
  expect(await ask(library, 'search_sessions', { question: 'migrate zebra' })).toMatchObject({
    sessions: [],
    left_out_because: expect.stringMatching(
      /1 session active in the last 10 minutes was left out.*migrate \(1\), zebra \(0\)/,
    ) as string,
  });
  expect(
    await ask(library, 'search_sessions', { question: 'migrate zebra', include_active: true }),
  ).toMatchObject({
    left_out_because: expect.stringContaining('migrate (2), zebra (0)') as string,
  });
  expect(await ask(library, 'search_sessions', { question: 'migrate' })).toHaveProperty('left_out_because');
});

test('the instructions name the whole language, and every example is right', () => {
  expect(EXAMPLES.length).toBeGreaterThanOrEqual(10);
  for (const { name } of FIELDS)
    for (const words of [languageExplained(), serverInstructions()]) expect(words).toContain(`${name}:`);
  for (const [question] of EXAMPLES) {
    const rows = question.startsWith('file:')
      ? 'toolCalls'
      : question.startsWith('cost')
        ? 'sessions'
        : 'messages';
    const planned = planQuery(question, { rows, now: Date.parse('2026-11-28'), timeZone: 'UTC' });
    expect(planned.ok, question).toBe(true);
    expect(serverInstructions()).toContain(question);
  }
});
