import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ownTextOf } from '../../../src/core/injected.js';
import { importFile } from '../../../src/import/importFile.js';
import { projectOf } from '../../../src/import/projectOf.js';
import type { ImportResult } from '../../../src/import/reading/importResult.js';
import { OPEN_CODE_SCHEMA, OpenCodeWriter, writtenDatabase } from '../../support/sessionDatabases.js';
import { temporaryFolder } from '../../support/storeFixture.js';
import {
  databaseOf,
  databaseOfTool,
  databaseRows,
  SCHEMAS,
  zedThread,
  type Rows,
} from '../../support/toolDatabases.js';
import { records, said, spent } from './reading.js';

async function at(name: string, bytes: Uint8Array): Promise<string> {
  const path = join(await temporaryFolder(), name);
  await writeFile(path, bytes);
  return path;
}

/** What a session in a database reads as. */
const read = async (name: string, tool: keyof typeof SCHEMAS, id: string, rows: Rows = databaseRows[tool]) =>
  importFile(`${await at(name, databaseOf(SCHEMAS[tool], rows))}/${id}`);

const problems = (result: ImportResult) => result.problems.map(({ message }) => message);
const counted = (result: ImportResult) =>
  spent(result).filter(([, usage]) => Object.keys(usage ?? {}).length > 0);
const failed = (result: ImportResult) =>
  bodies(result).flatMap(({ isError, toolName }) => (isError === true ? [toolName ?? 'a call'] : []));

interface Body {
  readonly message?: { readonly role: string };
  readonly isError?: boolean;
  readonly toolName?: string;
  readonly model?: string;
}

const bodies = (result: ImportResult) => records(result) as unknown as readonly Body[];

/** What a person has written. */
const asked = (result: ImportResult) =>
  bodies(result).flatMap((record) => {
    const words = record.message?.role === 'user' ? ownTextOf(record) : '';
    return words === '' ? [] : [words];
  });

const TALK = [
  'user: Weigh it',
  'assistant: I look. terminal({"command":"weigh"})',
  'tool c1: no scale',
  'assistant: It is broken.',
];

describe('sessions in the databases of', () => {
  test('Zed: packed and plain, what it put into a prompt, what was said behind a call, a call that failed', async () => {
    const result = await read('threads.db', 'zed', 'z1');
    expect(result).toMatchObject({ format: 'zed', conversations: [{ id: 'z1', title: 'Weigh the flour' }] });
    expect(said(result).slice(1)).toEqual(TALK.slice(1));
    expect(asked(result)).toEqual(['Weigh it']);
    expect(failed(result)).toEqual(['terminal']);
    expect(counted(result)).toEqual([
      ['m-zed', { inputTokens: 150, outputTokens: 20, cachedInputTokens: 50 }],
    ]);
    expect(projectOf(records(result))).toBe('scale');
    expect(JSON.stringify(records(result))).toContain('A scale is needed');
    expect(problems(result)).toEqual([]);
    const [thread] = databaseRows.zed.threads;
    const inside = JSON.stringify({
      version: '0.2.0',
      messages: [
        { id: 0, role: 'user', segments: [{ type: 'text', text: 'Weigh it' }] },
        {
          id: 1,
          role: 'assistant',
          segments: [{ type: 'text', text: 'I look.' }],
          tool_uses: [{ id: 'c1', name: 'terminal', input: { command: 'weigh' } }],
          tool_results: [{ tool_use_id: 'c1', content: 'no scale', is_error: true }],
        },
        { id: 2, role: 'assistant', segments: [{ type: 'text', text: 'It is broken.' }] },
      ],
    });
    const plain = await read('threads.db', 'zed', 'z1', {
      threads: [{ ...thread, data_type: 'json', data: inside }],
    });
    expect(said(plain)).toEqual(TALK);
    expect(failed(plain)).toEqual(['terminal']);
  });

  test('Zed: a thread that another started stands in it, and one whose parent is gone by itself; a broken one says so', async () => {
    const messages = [{ User: { id: 'u', content: [{ Text: 'Find the scale' }] } }];
    const path = await at(
      'threads.db',
      databaseOf(SCHEMAS.zed, {
        threads: [
          ...databaseRows.zed.threads,
          zedThread('z2', { title: 'Finding', messages }, { parent_id: 'z1' }),
          zedThread('z3', { title: 'Alone', messages }, { parent_id: 'gone' }),
          zedThread('z4', {}, { data: new Uint8Array([0x28, 0xb5, 0x2f, 0xfd, 1, 2, 3]) }),
        ],
      }),
    );
    const all = await importFile(path);
    expect(all.conversations.map(({ id }) => id)).toEqual(['z1', 'z3', 'z4']);
    expect(records(all).find(({ type }) => type === 'dispatch')).toMatchObject({
      target: 'Finding',
      task: 'Find the scale',
    });
    expect(problems(all)).toEqual([expect.stringMatching(/^What was said in a thread cannot be read: /)]);
  });

  test('Crush: parts, results, what it cost, the session of a subagent under the call that started it', async () => {
    const result = await read('crush.db', 'crush', 's1');
    expect(result).toMatchObject({
      format: 'crush',
      conversations: [{ id: 's1', title: 'Weigh the flour' }],
    });
    expect(said(result)).toEqual([
      'user: Weigh it',
      'assistant: I look. bash({"command":"weigh"}) agent({"prompt":"Find it"})',
      'user: Find it',
      'assistant: In the drawer',
      'tool c1: no scale',
      'tool c2: In the drawer',
      'assistant: It is broken.',
    ]);
    expect(failed(result)).toEqual(['bash']);
    expect(records(result).find(({ type }) => type === 'dispatch')).toMatchObject({
      toolCallId: 'c2',
      task: 'Find it',
    });
    expect(counted(result)).toEqual([
      ['m-crush', { inputTokens: 10, outputTokens: 2 }],
      ['m-crush', { inputTokens: 100, outputTokens: 20, cost: 500_000_000 }],
    ]);
    expect(problems(result)).toEqual([]);
  });

  test('Crush: an answer that an error ended', async () => {
    const { sessions, messages } = databaseRows.crush;
    const parts = JSON.stringify([
      { type: 'finish', data: { reason: 'error', message: 'Overloaded', details: 'try later' } },
    ]);
    const result = await read('crush.db', 'crush', 's1', {
      sessions,
      messages: [...messages.slice(0, 1), { ...messages[3], parts }],
    });
    expect(records(result).filter(({ type }) => type === 'error')).toMatchObject([
      { error: { message: 'Overloaded: try later' } },
    ]);
  });

  test('Kiro: prompts, calls, results that failed and that were cancelled', async () => {
    const result = await read('data.sqlite3', 'kiro', 'k1');
    expect(result).toMatchObject({ format: 'kiro', conversations: [{ id: 'k1', title: 'Weigh it' }] });
    expect(said(result)).toEqual(TALK.map((line) => line.replace('terminal', 'execute_bash')));
    expect(failed(result)).toHaveLength(1);
    expect(projectOf(records(result))).toBe('scale');
    expect(bodies(result).filter(({ model }) => model === 'm-kiro')).toHaveLength(2);
    expect(problems(result)).toEqual([]);
    const history = [
      {
        user: {
          content: {
            CancelledToolUses: {
              prompt: 'Never mind',
              tool_use_results: [{ tool_use_id: 'c1', content: [{ Text: 'stopped' }], status: 'Error' }],
            },
          },
        },
        assistant: null,
      },
    ];
    const stopped = await read('data.sqlite3', 'kiro', 'k1', {
      conversations_v2: [{ ...databaseRows.kiro.conversations_v2[0], value: JSON.stringify({ history }) }],
    });
    expect(said(stopped)).toEqual(['tool c1: stopped', 'user: Never mind']);
    expect(records(stopped).find(({ type }) => type === 'message')).toMatchObject({ state: 'cancelled' });
  });

  test('Amazon Q: a conversation a folder, turns as pairs, and what is asked and not answered yet', async () => {
    const path = join(await temporaryFolder(), 'amazon-q');
    await mkdir(path);
    const database = join(path, 'data.sqlite3');
    const write = (rows: Rows) => writeFile(database, databaseOf(SCHEMAS['amazon-q'], rows));
    await write(databaseRows['amazon-q']);
    const result = await importFile(`${database}/q1`);
    expect(result).toMatchObject({
      format: 'amazon-q',
      conversations: [{ id: 'q1', title: 'Weigh it' }],
    });
    expect(said(result)).toEqual(TALK.map((line) => line.replace('terminal', 'execute_bash')));
    expect(projectOf(records(result))).toBe('scale');
    const history = [
      [{ content: { Prompt: { prompt: 'Weigh it' } } }, { Response: { content: 'It is broken.' } }],
    ];
    const value = { history, next_message: { content: { Prompt: { prompt: 'Mend it' } } } };
    await write({
      conversations: [
        { key: '/home/me/broken', value: 'no JSON' },
        { key: '/home/me/scale', value: JSON.stringify(value) },
      ],
    });
    const pairs = await importFile(`${database}/row-2`);
    expect(said(pairs)).toEqual(['user: Weigh it', 'assistant: It is broken.', 'user: Mend it']);
    expect(problems(pairs)).toEqual([]);
  });

  test('Kilo Code, MiMo Code, ICodeMate: the tables of OpenCode, under their own names', async () => {
    for (const [name, tool, id, of] of [
      ['kilo.db', 'kilo', 'ses_k1', 'Kilo Code'],
      ['mimocode-beta.db', 'mimo', 'ses_m1', 'MiMo Code'],
      ['icodemate.db', 'icodemate', 'ses_i1', 'ICodeMate'],
    ] as const) {
      const result = await read(name, tool, id);
      expect(result).toMatchObject({
        format: tool,
        conversations: [{ id, title: 'Weigh the flour' }],
      });
      expect(records(result)[0]).toMatchObject({ agent: of });
      expect(said(result)).toEqual(TALK);
      expect(failed(result)).toEqual(['terminal']);
      expect(counted(result)).toEqual([
        [`m-${tool}`, { inputTokens: 50, outputTokens: 10, cachedInputTokens: 20 }],
      ]);
      expect(problems(result)).toEqual([]);
    }
  });

  test('Kilo Code: files that it kept before it had a database', async () => {
    const home = await temporaryFolder();
    const files = Object.entries({
      'storage/session/p/ses_1.json': { id: 'ses_1', title: 'Weigh the flour' },
      'storage/message/ses_1/msg_1.json': { id: 'msg_1', role: 'user' },
      'storage/part/msg_1/prt_1.json': { type: 'text', text: 'Weigh it' },
    });
    for (const [name, value] of files) {
      const path = join(home, 'kilo', name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, JSON.stringify(value));
    }
    const result = await importFile(join(home, 'kilo/storage/session/p/ses_1.json'));
    expect(result).toMatchObject({ format: 'kilo' });
    expect(records(result)[0]).toMatchObject({ agent: 'Kilo Code' });
    expect(said(result)).toEqual(['user: Weigh it']);
  });

  test('ZCode: parts in the order in which they were written, requests that no message tells, subagents', async () => {
    const rows: Rows = databaseRows.zcode;
    const [first, ...others] = rows.part ?? [];
    const [about] = rows.session ?? [];
    const child = 'sess_subagent_agent_7';
    const told = { ...first, session_id: child, message_id: 'msg_0' };
    const part = [first, ...others].map((row) => ({
      ...row,
      // Made at random, and so in no order.
      id: `part_${String(row?.data).includes('look') ? 'z' : 'a'}${String(row?.id)}`,
      data: String(row?.data).replace('"error":"no scale"', '"output":"agentId: agent_7\\nno scale"'),
    }));
    const result = await read('db.sqlite', 'zcode', 'sess_z1', {
      ...rows,
      session: [...(rows.session ?? []), { ...about, id: child, parent_id: 'sess_z1', title: 'Look' }],
      message: [
        ...(rows.message ?? []),
        { ...rows.message?.[0], id: 'msg_0', session_id: child },
        {
          ...rows.message?.[0],
          id: 'msg_s',
          data: JSON.stringify({ role: 'user', summary: true, time: { created: 1 } }),
        },
      ],
      part: [
        ...part,
        { ...told, id: 'part_0', data: JSON.stringify({ type: 'text', text: 'Look at it' }) },
        {
          ...first,
          id: 'part_s',
          message_id: 'msg_s',
          data: JSON.stringify({ type: 'text', text: 'All so far' }),
        },
      ],
    });
    expect(result).toMatchObject({ format: 'zcode' });
    expect(said(result)).toEqual([
      ...TALK.slice(0, 2),
      'user: Look at it',
      'tool c1: agentId: agent_7\nno scale',
      'assistant: It is broken.',
      'user: All so far',
    ]);
    expect(asked(result)).toEqual(['Weigh it', 'Look at it']);
    expect(counted(result)).toEqual([
      ['m-zcode', { inputTokens: 20, outputTokens: 5 }],
      ['m-zcode', { inputTokens: 100, outputTokens: 20, cachedInputTokens: 50 }],
    ]);
  });

  test('Kiro: the lines that newer versions write', async () => {
    const words = (data: string) => ({ kind: 'text', data });
    const row = (kind: string, ...content: object[]) => ({
      version: 'v1',
      kind,
      data: { message_id: 'm', content },
    });
    const rows = [
      row('Prompt', words('Weigh it')),
      row('AssistantMessage', words('I look.'), {
        kind: 'toolUse',
        data: { toolUseId: 'c1', name: 'terminal', input: { command: 'weigh' } },
      }),
      row('ToolResults', {
        kind: 'toolResult',
        data: { toolUseId: 'c1', content: [words('no scale')], status: 'error' },
      }),
      row('AssistantMessage', words('It is broken.')),
    ];
    const path = await at('k2.jsonl', Buffer.from(rows.map((each) => `${JSON.stringify(each)}\n`).join('')));
    const result = await importFile(path);
    expect(result).toMatchObject({ format: 'kiro-log', conversations: [{ id: 'k2' }] });
    expect(said(result)).toEqual(TALK);
    expect(failed(result)).toHaveLength(1);
    expect(problems(result)).toEqual([]);
  });

  test('Hermes: messages in the form of chat completions, an exit code, what the session came to', async () => {
    const result = await read('state.db', 'hermes', 'h1');
    expect(result).toMatchObject({
      format: 'hermes',
      conversations: [{ id: 'h1', title: 'Weigh the flour' }],
    });
    expect(said(result)).toEqual(
      TALK.map((line) => line.replace('no scale', '{"exit_code":1,"output":"no scale"}')),
    );
    expect(failed(result)).toEqual(['terminal']);
    expect(counted(result)).toEqual([
      ['m-hermes', { inputTokens: 150, outputTokens: 20, cachedInputTokens: 50, cost: 500_000_000 }],
    ]);
    expect(problems(result)).toEqual([]);
  });

  test('Copilot: turns, checkpoints, and what each request used', async () => {
    const result = await read('session-store.db', 'copilot', 'p1');
    expect(result).toMatchObject({
      format: 'copilot-store',
      conversations: [{ id: 'p1', title: 'Weigh the flour' }],
    });
    expect(said(result)).toEqual(['user: Weigh it', 'assistant: It is broken.', 'user: Mend it']);
    expect(counted(result)).toEqual([
      ['m-copilot', { inputTokens: 100, outputTokens: 20, cachedInputTokens: 50, cost: 500_000_000 }],
    ]);
    expect(JSON.stringify(records(result))).toContain('The scale of the bakery is broken');
    expect(projectOf(records(result))).toBe('scale');
    expect(problems(result)).toEqual([]);
  });

  test("Copilot's OpenTelemetry: spans of a chat are its session", async () => {
    const result = await read('agent-traces.db', 'traces', 'v1');
    expect(result).toMatchObject({ format: 'otlp', conversations: [{ id: 'v1' }] });
    expect(said(result).filter((line) => !line.startsWith('tool'))).toEqual(TALK.slice(0, 2));
    expect(said(result)).toContain('tool c1: no scale');
    expect(counted(result)).toEqual([
      ['m-trace', { inputTokens: 100, outputTokens: 20, cachedInputTokens: 50 }],
    ]);
    expect(failed(result)).toEqual(['terminal']);
    expect(problems(result)).toEqual([]);
  });

  test.each([
    ['threads.db', 'zed', 1],
    ['crush.db', 'crush', 1],
    ['data.sqlite3', 'kiro', 1],
    ['state.db', 'hermes', 1],
    ['kilo.db', 'kilo', 1],
    ['mimocode.db', 'mimo', 1],
    ['icodemate.db', 'icodemate', 1],
    ['db.sqlite', 'zcode', 1],
    ['data.sqlite3', 'amazon-q', 1],
    ['session-store.db', 'copilot', 1],
    ['traces.db', 'traces', 1],
  ] as const)('%s as a whole', async (name, tool, count) => {
    const result = await importFile(await at(name, databaseOfTool(tool)));
    expect(result.conversations).toHaveLength(count);
    expect(problems(result)).toEqual([]);
  });
});

describe("OpenCode's tables of version 2", () => {
  const SCHEMA = `${OPEN_CODE_SCHEMA}
    CREATE TABLE session_message (id text PRIMARY KEY, session_id text NOT NULL, type text NOT NULL, seq integer NOT NULL,
      time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
    CREATE TABLE session_input (id text PRIMARY KEY, session_id text NOT NULL, type text, data text NOT NULL, delivery text,
      admitted_seq integer, promoted_seq integer, time_created integer);`;

  async function session() {
    const path = join(await temporaryFolder(), 'opencode.db');
    const database = writtenDatabase(path, SCHEMA);
    const writer = new OpenCodeWriter(database).session('ses_1', 'Weigh the flour');
    let seq = 0;
    const say = (type: string, data: object, time = 1_895_414_830_000) =>
      database.run('INSERT INTO session_message VALUES (?, ?, ?, ?, ?, ?, ?)', [
        `evt_${++seq}`,
        'ses_1',
        type,
        seq,
        time + seq,
        time + seq,
        JSON.stringify(data),
      ]);
    return { path: `${path}/ses_1`, database, writer, say };
  }

  const call = (state: object) => ({
    type: 'tool',
    id: 'c1',
    name: 'terminal',
    state: { input: { command: 'weigh' }, ...state },
    time: { created: 1_895_414_830_100, ran: 1_895_414_830_100, completed: 1_895_414_830_200 },
  });
  const answer = (...content: object[]) => ({
    agent: 'build',
    model: { id: 'big', providerID: 'p' },
    content,
    finish: 'stop',
    cost: 0.25,
    tokens: { input: 100, output: 20, reasoning: 0, cache: { read: 50, write: 0 } },
  });

  test('a session that stands in these only is read: who said it, calls, failures, tokens, what waits', async () => {
    const { path, database, say } = await session();
    say('model-switched', { model: { id: 'big', providerID: 'p' } });
    say('user', { text: 'Weigh it', files: [] });
    say('synthetic', { text: 'The bakery is closed' });
    say(
      'assistant',
      answer(
        { type: 'reasoning', id: 'r', text: 'A scale is needed' },
        { type: 'text', text: 'I look.' },
        call({
          status: 'error',
          content: [{ type: 'text', text: 'no scale' }],
          error: { type: 'unknown', message: 'no scale' },
        }),
      ),
    );
    say('shell', { callID: 's', command: 'ls', output: 'drawer' });
    say('compaction', { reason: 'auto', summary: 'They look for the scale of the bakery' });
    say('assistant', answer({ type: 'text', text: 'It is broken.' }));
    database.run(
      `INSERT INTO session_input VALUES ('i1', 'ses_1', 'prompt', '{"text":"And mend it"}', 'queue', 1, NULL, 1895414839000)`,
    );
    const result = await importFile(path);
    expect(problems(result)).toEqual([]);
    expect(said(result)).toEqual([
      'user: Weigh it',
      'user: The bakery is closed',
      ...TALK.slice(1, 3),
      'user: [{"type":"text","text":"!ls"},{"type":"text","text":"drawer"}]',
      'user: They look for the scale of the bakery',
      'assistant: It is broken.',
      'user: And mend it',
    ]);
    expect(asked(result)).toEqual(['Weigh it', '!ls', 'And mend it']);
    expect(failed(result)).toEqual(['terminal']);
    expect(counted(result)).toHaveLength(2);
    expect(JSON.stringify(records(result))).toContain('model-switched');
  });

  test('what stands in both is read once', async () => {
    const { path, writer, say } = await session();
    writer.exchange('ses_1', 'Weigh it', 'It is broken.');
    say('user', { text: 'Weigh it' }, 1_795_414_830_000);
    say('user', { text: 'Mend it' });
    expect(said(await importFile(path))).toEqual([
      'user: Weigh it',
      'assistant: It is broken.',
      'user: Mend it',
    ]);
  });
});
