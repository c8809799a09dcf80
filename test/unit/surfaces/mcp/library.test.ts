import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { checkArguments } from '../../../../src/surfaces/mcp/checkArguments.js';
import type { ReportedSession } from '../../../../src/app/sources/toolSessions.js';
import { McpLibrary, type LibraryOptions } from '../../../../src/surfaces/mcp/library.js';
import { readTools } from '../../../../src/surfaces/mcp/readTools.js';
import { silentLog } from '../../../../src/core/ports/log.js';
import {
  agentLogbook,
  bakery,
  folderWith,
  messageLines,
  workspaceWith,
} from '../../../support/commandLine.js';

const hello = messageLines(['user', 'Hello'], ['assistant', 'Hello, you']);

function libraryOf(cwd: string, ...more: readonly (string | Partial<LibraryOptions>)[]): McpLibrary {
  const names = more.filter((each) => typeof each === 'string');
  const stdin = () => {
    throw new Error('Nothing is read from here.');
  };
  const { signal } = new AbortController();
  const library = new McpLibrary(
    Object.assign(
      { cwd, signal, stdin, log: silentLog, onProblem: () => undefined },
      ...more.filter((each) => typeof each !== 'string'),
    ) as LibraryOptions,
    names,
    () => Date.parse('2027-01-01'),
  );
  onTestFinished(() => library.close());
  return library;
}

async function ask(library: McpLibrary, name: string, given: object = {}): Promise<Record<string, unknown>> {
  const tool = readTools.find((each) => each.name === name);
  if (!tool) throw new Error(`There is no tool ${name}.`);
  return (await tool.run(library, checkArguments(tool, given))) as Record<string, unknown>;
}

/** Asks everything that there is to ask of a session. */
async function askAll(library: McpLibrary, session: string): Promise<unknown> {
  return [
    await ask(library, 'list_sessions'),
    await ask(library, 'search_sessions', { question: 'role:user' }),
    await ask(library, 'get_session_overview', { session }),
    await ask(library, 'get_messages', { session }),
    await ask(library, 'get_cost', { session }),
    await ask(library, 'get_cost'),
  ];
}

test('a file is read and counted once, however often it is asked about', async () => {
  const library = libraryOf(await folderWith({ 'a.jsonl': hello }), 'a.jsonl');
  const first = await askAll(library, 'a');
  expect(await askAll(library, 'a')).toEqual(first);
  expect({ reads: library.reads, counted: library.counted }).toEqual({ reads: 1, counted: 1 });
});

test('what is live is told, who waits first, of servers that were started for tools alone', async () => {
  const state = { source: 'record', since: Date.parse('2026-12-31T23:55:00Z'), marks: [], isLive: true };
  const waits = {
    ...state,
    state: 'waiting',
    reason: 'approval',
    words: 'curl -H "Bearer hunter2hunter2hunter2"',
  };
  const context = { used: 150_000, window: 200_000 };
  const session = { id: 'a-1', tool: 'copilot-cli', about: { title: 'Push\u202e it', context } };
  const live = [
    { ...session, state: { ...waits, isChild: false } },
    {
      ...session,
      id: 'a-2',
      state: { ...state, state: 'working', tool: 'Bash', command: 'make', isChild: true },
    },
  ] as unknown as readonly ReportedSession[];
  const ofTools = () =>
    Promise.resolve({ live: () => Promise.resolve(live), named: () => Promise.resolve([]) });
  const library = libraryOf(await folderWith({}), { ofTools });
  expect(await ask(library, 'live_sessions')).toMatchObject({
    sessions: [
      { session: 'a-1', state: 'waiting', doing: 'waits for your approval, 5 min 00 s', context_percent: 75 },
      { session: 'a-2', state: 'working', doing: 'working, Bash', at: 'make', is_subagent: true },
    ],
  });
  const told = JSON.stringify(library.clean(await ask(library, 'live_sessions')));
  expect(told).not.toContain('hunter2hunter2hunter2');
  expect(told).toContain('⟨U+202E⟩');
  const recorded = libraryOf(await folderWith({}));
  await expect(ask(recorded, 'live_sessions')).rejects.toThrow('mcp --from all');
});

test('an imported session is found by the id that its tool gives it', async () => {
  const cwd = await workspaceWith(bakery());
  await writeFile(join(cwd, 'sold.jsonl'), hello);
  await agentLogbook(['import', 'sold.jsonl'], { cwd });
  expect(await ask(libraryOf(cwd), 'get_session_overview', { session: 'sold' })).toMatchObject({
    records: 2,
  });
});

test('a file that has changed is read again', async () => {
  const cwd = await folderWith({ 'a.jsonl': hello });
  const library = libraryOf(cwd, 'a.jsonl');
  expect(await ask(library, 'get_session_overview', { session: 'a' })).toMatchObject({ records: 2 });
  await appendFile(join(cwd, 'a.jsonl'), messageLines(['user', 'And now?']));
  expect(await ask(library, 'get_session_overview', { session: 'a' })).toMatchObject({ records: 3 });
  expect((await ask(library, 'get_messages', { session: 'a' })).messages).toHaveLength(3);
  await writeFile(join(cwd, 'a.jsonl'), messageLines(['user', 'Anew']));
  expect(await ask(library, 'list_sessions')).toMatchObject({ sessions: [{ title: 'Anew', messages: 1 }] });
  expect({ reads: library.reads, counted: library.counted }).toEqual({ reads: 3, counted: 2 });
});

test('a conversation of a store is counted once, until something is said in it', async () => {
  const session = '20261121-a';
  const story = bakery(session);
  const cwd = await workspaceWith(story);
  const library = libraryOf(cwd);
  const first = await askAll(library, session);
  expect(await askAll(library, session)).toEqual(first);
  expect(library.counted).toBe(1);
  const journal = join(cwd, '.agent-logbook/conversations', session, 'messages.jsonl');
  await appendFile(journal, 'this is no record\n');
  expect(await ask(library, 'get_session_overview', { session })).toMatchObject({ damaged: 1 });
  expect(library.counted).toBe(2);
});

test('a conversation that grows is paged through as it is then', async () => {
  const session = '20261121-a';
  const cwd = await workspaceWith(bakery(session));
  const library = libraryOf(cwd);
  const { messages } = await ask(library, 'get_messages', { session });
  const other = bakery(session);
  other.run('Baker', 'And now?').say('They are baked.');
  const grown = await workspaceWith(other);
  const journal = '.agent-logbook/conversations/20261121-a/messages.jsonl';
  await writeFile(join(cwd, journal), await readFile(join(grown, journal)));
  const now = (await ask(library, 'get_messages', { session })).messages as unknown[];
  expect(now.length).toBe((messages as unknown[]).length + 2);
});

test('a list and an overview tell the same numbers, reported or estimated', async () => {
  const said = messageLines(['user', 'Hello'], ['assistant', 'Hello, you'], ['user', 'And now?']);
  const sums = async (library: McpLibrary, session: string) => {
    const { sessions } = (await ask(library, 'list_sessions')) as { sessions: Record<string, unknown>[] };
    const listed = sessions.find((each) => each.session === session);
    const { tokens, runs, messages, damaged } = await ask(library, 'get_session_overview', { session });
    const { input, output, estimated } = tokens as { input: number; output: number; estimated: boolean };
    const told = { tokens: input + output, tokens_estimated: estimated, runs, messages, damaged };
    expect(listed).toMatchObject(told);
    return told;
  };
  const file = libraryOf(await folderWith({ 'a.jsonl': said }), 'a.jsonl');
  expect(await sums(file, 'a')).toMatchObject({ tokens: 7, tokens_estimated: true, runs: 2 });
  const store = libraryOf(await workspaceWith(bakery('20261121-a')));
  expect(await sums(store, '20261121-a')).toMatchObject({ tokens_estimated: false, runs: 1 });
});

test('a position behind the last record is told with how many there are', async () => {
  const library = libraryOf(await folderWith({ 'a.jsonl': hello }), 'a.jsonl');
  expect((await ask(library, 'get_messages', { session: 'a', from_position: 2 })).messages).toEqual([]);
  await expect(ask(library, 'get_messages', { session: 'a', from_position: 9 })).rejects.toThrow(
    'from_position must be at most 2, as many records as this session has, not 9. Write {"from_position":0}',
  );
});
