import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sessionToolNames } from '../../../../src/app/manifest.js';
import { editorTools, runEditorTool } from '../../../../src/surfaces/mcp/editorTools.js';
import { McpLibrary } from '../../../../src/surfaces/mcp/library.js';
import { silentLog } from '../../../../src/core/ports/log.js';
import { bakery, folderWith, messageLines, workspaceWith } from '../../../support/commandLine.js';

const signal = new AbortController().signal;

/** The library of a folder, long after anything was said there. */
function libraryOf(cwd: string, names: readonly string[] = []): McpLibrary {
  const options = { cwd, signal, log: silentLog, onProblem: () => undefined };
  const stdin = () => {
    throw new Error('Nothing is read from here.');
  };
  return new McpLibrary({ ...options, stdin }, names, () => Date.parse('2027-01-01'));
}

const ask = async (library: McpLibrary, name: string, args: unknown, maxTokens?: number) =>
  JSON.parse(await runEditorTool(name, args, library, maxTokens)) as Record<string, unknown>;

test('package.json contributes the tools as they are, at most three', () => {
  const { contributes } = JSON.parse(
    readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8'),
  ) as {
    contributes: { languageModelTools: readonly Record<string, unknown>[] };
  };
  expect(contributes.languageModelTools).toMatchObject(
    editorTools.map(({ name, description, properties, required }) => ({
      name,
      modelDescription: description,
      inputSchema: { type: 'object', properties, required, additionalProperties: false },
    })),
  );
  expect(contributes.languageModelTools).toHaveLength(editorTools.length);
  expect(editorTools.map(({ name }) => name)).toEqual([...sessionToolNames]);
  expect(editorTools.length).toBeLessThanOrEqual(3);
});

test('sessions are searched, listed, read as a whole, by message and by call, and their cost is told', async () => {
  const library = libraryOf(await workspaceWith(bakery('20261121-a')));
  const found = await ask(library, 'search_agent_sessions', { question: 'is:error tool:edit_file' });
  expect(found).toMatchObject({ sessions: [{ session: '20261121-a', matches: 1 }] });
  expect(await ask(library, 'search_agent_sessions', {})).toMatchObject({
    sessions: [{ session: '20261121-a' }],
  });
  const session = '20261121-a';
  expect(await ask(library, 'read_agent_session', { session })).toMatchObject({ session, errors: 1 });
  const { messages } = await ask(library, 'read_agent_session', { session, part: 'messages' });
  const [{ id } = { id: '' }] = (messages as readonly { tool_calls?: readonly { id: string }[] }[]).flatMap(
    ({ tool_calls = [] }) => tool_calls,
  );
  expect(await ask(library, 'read_agent_session', { session, id })).toMatchObject({ session, id });
  expect(await ask(library, 'read_agent_session', { session, from_position: 3, limit: 1 })).toMatchObject({
    messages: [expect.anything()],
  });
  expect(await ask(library, 'get_agent_session_cost', { session })).toMatchObject({ sessions: 1 });
});

test('an answer stays within the tokens that are left, and pages lead to the rest', async () => {
  const said = Array.from({ length: 40 }, (_, at) => ['user', `${at} ${'x'.repeat(900)}`] as const);
  const library = libraryOf(await folderWith({ 'a.jsonl': messageLines(...said) }), ['a.jsonl']);
  const positions: number[] = [];
  for (let cursor: unknown; ;) {
    const args = { session: 'a', part: 'messages', limit: 100, ...(cursor !== undefined && { cursor }) };
    const text = await runEditorTool('read_agent_session', args, library, 1_000);
    expect(text.length).toBeLessThanOrEqual(4 * 1_000);
    const page = JSON.parse(text) as { messages: { position: number }[]; next_cursor?: string };
    positions.push(...page.messages.map(({ position }) => position));
    cursor = page.next_cursor;
    if (cursor === undefined) break;
  }
  expect(positions).toEqual(said.map((_, at) => at));
});

test('what is told as a whole is made as small as the tokens that are left, and says what it leaves out', async () => {
  const story = bakery('20261121-a');
  for (let at = 0; at < 60; at++) story.run(`Baker ${at} of many`, `Question ${at}`).say('Yes.');
  const library = libraryOf(await workspaceWith(story));
  const text = await runEditorTool('read_agent_session', { session: '20261121-a' }, library, 500);
  expect(text.length).toBeLessThanOrEqual(4 * 500);
  const { by_agent, left_out } = JSON.parse(text) as { by_agent: object[]; left_out: { by_agent: number } };
  expect(by_agent.length).toBeGreaterThan(0);
  expect(by_agent.length + left_out.by_agent).toBe(62);
});

test.each([
  ['search_agent_sessions', 'text', 'The arguments must be an object, not "text". Write {}.'],
  ['search_agent_sessions', { quesiton: 'a' }, 'There is no argument "quesiton"; use question.'],
  [
    'search_agent_sessions',
    { question: 7 },
    'question must be a text, not 7. Write {"question":"7"} or leave it out.',
  ],
  ['search_agent_sessions', { question: 'x'.repeat(5_000) }, 'at most 4000 characters'],
  [
    'search_agent_sessions',
    { limit: 1e9 },
    'limit must be a whole number from 1 to 50, not 1000000000. Write {"limit":50} or leave it out.',
  ],
  ['search_agent_sessions', { limit: '7' }, 'not "7". Write {"limit":7} or leave it out.'],
  [
    'search_agent_sessions',
    { include_active: 'yes' },
    'include_active must be true or false, not "yes". Write {"include_active":true} or leave it out.',
  ],
  ['search_agent_sessions', JSON.parse('{"__proto__": 1}'), 'There is no argument "__proto__"'],
  ['search_agent_sessions', { question: 'rol:user' }, 'The question is not understood at "rol:"'],
  [
    'read_agent_session',
    {},
    'The argument session is missing. Write {"session":"…"}. The "session" of a result of',
  ],
  [
    'read_agent_session',
    { session: 'a', part: 'all' },
    'part must be one of overview, messages, call, not "all". Write {"part":"call"} or leave it out.',
  ],
  ['read_agent_session', { session: 'a', part: 'call' }, 'The argument id is missing.'],
  ['read_agent_session', { session: '../../etc' }, 'There is no session ../../etc.'],
  [
    'search_agent_sessions',
    { limit: 0, question: ['a'], foo: 1 },
    'limit must be a whole number from 1 to 50, not 0. Write {"limit":1} or leave it out. question must be a text, not ["a"]. Write {"question":"a"} or leave it out. There is no argument "foo"; these are known: question, limit, include_active, cursor.',
  ],
  ['delete_everything', {}, 'There is no tool "delete_everything".'],
])('%s with %j says what is wrong', async (name, args, words) => {
  await expect(ask(libraryOf(await workspaceWith(bakery())), name, args)).rejects.toThrow(words);
});
