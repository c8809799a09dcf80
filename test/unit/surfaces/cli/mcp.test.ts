import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, test } from 'vitest';
import { builtCommandLine } from '../../../support/builtCommandLine.js';
import { bakery, folderWith, messageLines, workspaceWith } from '../../../support/commandLine.js';

const KEY = `sk-ant-api03-${'aB3'.repeat(31)}AA`;
const program = builtCommandLine();

/** What a tool answers. */
type Answer = Record<string, unknown> & { readonly failed?: string };

type Work<T> = (
  ask: (tool: string, args?: Record<string, unknown>) => Promise<Answer>,
  client: Client,
) => Promise<T>;

/** Both eras of the protocol: that with a handshake, and that without. */
const eras = ['legacy', { pin: '2026-07-28' }] as const;

/** Asks the built server as another program does, with the official client, which checks every answer by its schema. */
async function askServer<T>(
  era: (typeof eras)[number],
  cwd: string,
  sources: readonly string[],
  work: Work<T>,
): Promise<T> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: era } });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program(), 'mcp', ...sources],
    cwd,
  });
  await client.connect(transport);
  try {
    await client.listTools();
    return await work(async (tool, args = {}) => {
      const { content, structuredContent, isError } = await client.callTool({ name: tool, arguments: args });
      const [said] = content as readonly { readonly text?: string }[];
      if (isError) return { failed: said?.text ?? '' };
      expect(JSON.parse(said?.text ?? '')).toEqual(structuredContent);
      return structuredContent as Answer;
    }, client);
  } finally {
    await client.close();
  }
}

describe.each(eras)('in the era %j', (era) => {
  const withServer = <T>(cwd: string, sources: readonly string[], work: Work<T>): Promise<T> =>
    askServer(era, cwd, sources, work);

  test('the tools are offered, and all of them only read', async () => {
    await withServer(await workspaceWith(bakery()), [], async (_ask, client) => {
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual([
        'search_sessions',
        'list_sessions',
        'get_session_overview',
        'get_messages',
        'get_tool_call',
        'get_cost',
        'compare_sessions',
        'live_sessions',
        'who_wrote_lines',
      ]);
      expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true);
      expect(tools.every(({ inputSchema }) => inputSchema.additionalProperties === false)).toBe(true);
      expect(tools.every(({ outputSchema }) => outputSchema?.type === 'object')).toBe(true);
      expect(client.getNegotiatedProtocolVersion()).toMatch(era === 'legacy' ? /^2025-/ : /^2026-07-28$/);
    });
  });

  test('a model is told what is different between two sessions', async () => {
    await withServer(await workspaceWith(bakery('20261121-a')), [], async (ask) => {
      const [first] = (
        (await ask('list_sessions', { include_active: true })) as { sessions: { session: string }[] }
      ).sessions;
      const told = await ask('compare_sessions', { left: first?.session, right: first?.session });
      expect(told).toMatchObject({ differences: [], is_whole: true, left: { session: first?.session } });
      expect((told as { sentence: string }).sentence).toMatch(/^The same in all \d+ steps/);
    });
  });

  test('a model finds a session, what failed in it, and what came of the call', async () => {
    await withServer(await workspaceWith(bakery('20261121-a')), [], async (ask) => {
      const found = await ask('search_sessions', {
        question: 'is:error tool:edit_file',
        include_active: true,
      });
      expect(found).toMatchObject({ sessions: [{ session: '20261121-a', matches: 1 }] });
      const overview = await ask('get_session_overview', { session: '20261121-a' });
      expect(overview).toMatchObject({
        errors: 1,
        tools: expect.arrayContaining([
          expect.objectContaining({ tool: 'edit_file', calls: 1, failures: 1 }),
        ]) as unknown,
      });
      const { messages } = await ask('get_messages', { session: '20261121-a' });
      const calls = (messages as { tool_calls?: { id: string; tool: string }[] }[]).flatMap(
        ({ tool_calls = [] }) => tool_calls,
      );
      const { id } = calls.find(({ tool }) => tool === 'edit_file') ?? { id: '' };
      const call = await ask('get_tool_call', { session: '20261121-a', id });
      expect(call).toMatchObject({ tool: 'edit_file', result: { text: 'no such line', isError: true } });
      expect(await ask('get_cost', { session: '20261121-a' })).toMatchObject({ sessions: 1 });
    });
  });

  test('pages follow each other without a gap', async () => {
    const said = Array.from({ length: 45 }, (_, at) => ['user', `message ${at}`] as const);
    const cwd = await folderWith({ 'a.jsonl': messageLines(...said) });
    await withServer(cwd, ['a.jsonl'], async (ask) => {
      const [{ session } = { session: '' }] = (await ask('list_sessions')).sessions as { session: string }[];
      const texts: string[] = [];
      let cursor: unknown;
      do {
        const page = await ask('get_messages', {
          session,
          limit: 20,
          ...(cursor !== undefined && { cursor }),
        });
        for (const { text } of page.messages as { text: string }[]) texts.push(text);
        cursor = page.next_cursor;
      } while (cursor !== undefined);
      expect(texts).toEqual(said.map(([, content]) => content));
    });
  });

  test('what is wrong is told so that a model can mend it, and the server goes on', async () => {
    const wrong: readonly (readonly [string, object, string])[] = [
      ['search_sessions', { question: 'rol:user' }, 'The question is not understood at "rol:"'],
      ['search_sessions', {}, 'The argument question is missing. Write {"question":"…"}.'],
      ['list_sessions', { cursor: '../../etc/passwd' }, 'This is no cursor.'],
      ['list_sessions', { limit: 1e9 }, 'limit'],
      [
        'list_sessions',
        { limit: 'many' },
        'limit must be a whole number from 1 to 100, not "many". Write {"limit":1} or',
      ],
      ['list_sessions', { path: '/etc' }, 'There is no argument "path"; these are known: limit, '],
      [
        'list_sessions',
        JSON.parse('{"__proto__": {"include_active": true}, "constructor": 1}') as object,
        'There is no argument "constructor"; these are known',
      ],
      ['list_sessions', { limit: -1 }, 'limit'],
      ['list_sessions', { limit: 1.5 }, 'limit'],
      ['list_sessions', { include_active: 'yes' }, 'include_active'],
      ['list_sessions', { cursor: '\u0000'.repeat(4_000) }, 'This is no cursor.'],
      ['search_sessions', { question: '('.repeat(4_000) }, 'The question is not understood'],
      ['search_sessions', { question: ['is:error'] }, 'question'],
      ['search_sessions', { question: 'a', rows: '__proto__' }, 'rows'],
      ['get_messages', { session: '20261121-a', from_position: 1e300 }, 'from_position'],
      ['get_messages', { session: '20261121-a', max_tokens: 0 }, 'max_tokens'],
      ['get_messages', { session: '\u001b[2J\u0000' }, 'There is no session'],
      ['get_session_overview', { session: 'latest/../../..' }, 'There is no session'],
      ['get_cost', { session: null }, 'session'],
      ['get_messages', { session: '../../etc' }, 'Call list_sessions or search_sessions'],
      ['get_messages', { session: 'x'.repeat(5_000) }, 'session'],
      ['get_tool_call', { session: '20261121-a', id: 'nope' }, 'Use an "id" of tool_calls'],
    ];
    await withServer(await workspaceWith(bakery('20261121-a')), [], async (ask) => {
      for (const [tool, args, words] of wrong) expect((await ask(tool, { ...args })).failed).toContain(words);
      expect((await ask('list_sessions', { include_active: true })).sessions).toHaveLength(1);
    });
  });
});

describe('in either era', () => {
  const withServer = <T>(cwd: string, sources: readonly string[], work: Work<T>): Promise<T> =>
    askServer('legacy', cwd, sources, work);

  test('long texts are cut, which is said, and read on by a call', async () => {
    const long = 'x'.repeat(5_000);
    const cwd = await folderWith({ 'a.jsonl': messageLines(['user', long], ['user', long], ['user', long]) });
    await withServer(cwd, ['a.jsonl'], async (ask) => {
      const page = await ask('get_messages', { session: 'a', max_tokens: 1_000 });
      expect(page.messages).toMatchObject([{ text: 'x'.repeat(2_000), cut: 'cut 3000 of 5000' }]);
      expect(page.next_cursor).toBeDefined();
    });
  });

  test('a message with many calls stays within its characters and the tokens that a page may take', async () => {
    const made = Array.from({ length: 400 }, (_, at) => ({
      id: `call_${at}`,
      type: 'function',
      function: { name: 'bash', arguments: JSON.stringify({ command: '\u0001'.repeat(5_000) }) },
    }));
    const lines = [
      { role: 'user', content: 'Go.' },
      { role: 'assistant', content: 'y'.repeat(9_000), tool_calls: made },
    ].map((line) => `${JSON.stringify(line)}\n`);
    const cwd = await folderWith({ 'a.jsonl': lines.join('') });
    await withServer(cwd, ['a.jsonl'], async (ask) => {
      const from_position = 1;
      for (const max_tokens of [500, 1_000, 20_000]) {
        const page = await ask('get_messages', { session: 'a', from_position, max_tokens });
        expect(JSON.stringify(page).length).toBeLessThanOrEqual(max_tokens * 4);
        const [{ text, cut, tool_calls_cut }] = page.messages as [Record<string, string>];
        expect(text?.length).toBeLessThanOrEqual(2_000);
        expect([cut, tool_calls_cut]).toEqual([
          expect.stringMatching(/^cut \d+ of 9000$/),
          expect.stringMatching(/^cut \d+ of 400$/),
        ]);
      }
    });
  });

  test('what cannot be read is told with what can', async () => {
    const cwd = await folderWith({
      'a.jsonl': `${messageLines(['user', 'Hello'])}{"role":\n${messageLines(['user', 'Bye'])}`,
      'b.jsonl': '',
    });
    await withServer(cwd, ['a.jsonl', 'b.jsonl'], async (ask) => {
      expect(await ask('list_sessions')).toMatchObject({
        sessions: [{ session: 'a', damaged: 1 }],
        not_read: [{ source: 'a.jsonl' }, { why: 'b.jsonl is empty.' }],
        not_read_count: 2,
      });
      expect(await ask('get_messages', { session: 'a' })).toMatchObject({
        damaged: 1,
        messages: [{ text: 'Hello' }, { text: 'Bye', damage_before: 'A line cannot be read: {"role":' }],
      });
      // What is told with the message behind it is told on its page.
      const { next_cursor } = await ask('get_messages', { session: 'a', limit: 1 });
      expect(await ask('get_messages', { session: 'a', cursor: next_cursor })).toMatchObject({
        messages: [{ text: 'Bye', damage_before: 'A line cannot be read: {"role":' }],
      });
    });
  });

  test('secrets do not leave, and a session that is going on is left out unless it is wanted', async () => {
    const story = bakery('20261121-a');
    story.run('Baker', `My key is ${KEY}`).say('It is here.');
    await withServer(await workspaceWith(story), [], async (ask) => {
      for (const [tool, args] of [
        ['search_sessions', { question: 'key', include_active: true }],
        ['get_messages', { session: '20261121-a' }],
        ['list_sessions', { include_active: true }],
      ] as const)
        expect(JSON.stringify(await ask(tool, args))).not.toContain('aB3aB3');
    });
    const recent = bakery('20991231-z');
    recent.records.splice(
      0,
      recent.records.length,
      ...recent.records.map((record) => ({ ...record, time: Date.now() })),
    );
    await withServer(await workspaceWith(recent), [], async (ask) => {
      expect((await ask('list_sessions')).sessions).toEqual([]);
      expect((await ask('list_sessions', { include_active: true })).sessions).toHaveLength(1);
    });
  });

  test('a cursor holds for the question that it was given for', async () => {
    const cwd = await workspaceWith(bakery('20261121-a'), bakery('20261122-b'));
    await withServer(cwd, [], async (ask) => {
      const first = await ask('list_sessions', { limit: 1, include_active: true });
      const { next_cursor: cursor } = first;
      const second = await ask('list_sessions', { limit: 5, include_active: true, cursor });
      expect([first, second].map(({ sessions }) => (sessions as { session: string }[])[0]?.session)).toEqual([
        '20261122-b',
        '20261121-a',
      ]);
      expect(second).not.toHaveProperty('next_cursor');
      for (const [tool, args] of [
        ['list_sessions', { cursor }],
        ['search_sessions', { question: 'cookies', cursor }],
        ['get_messages', { session: '20261121-a', cursor }],
      ] as const)
        expect((await ask(tool, args)).failed).toContain('This cursor is of another question.');
    });
  });

  test('a tool that there is not is told, and the server goes on', async () => {
    await withServer(await workspaceWith(bakery('20261121-a')), [], async (ask, client) => {
      await expect(client.callTool({ name: 'delete_session', arguments: {} })).rejects.toThrow(
        'delete_session',
      );
      expect((await ask('list_sessions', { include_active: true })).sessions).toHaveLength(1);
    });
  });
});
