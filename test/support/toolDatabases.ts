import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sqlite from 'node-sqlite3-wasm';
import { OPEN_CODE_SCHEMA } from './sessionDatabases.js';
import { storedZstd } from './storedZstd.js';

/** A value in a row. */
type Cell = string | number | Uint8Array | null;
/** Rows by their table; each names its columns. */
export type Rows = Readonly<Record<string, readonly Readonly<Record<string, Cell>>[]>>;

/** The tables of tools in which sessions stand, as these create them. */
export const SCHEMAS = {
  zed: `CREATE TABLE threads (id TEXT PRIMARY KEY, summary TEXT NOT NULL, updated_at TEXT NOT NULL, data_type TEXT NOT NULL,
    data BLOB NOT NULL, parent_id TEXT, folder_paths TEXT, folder_paths_order TEXT, created_at TEXT);`,
  crush: `CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT NOT NULL, message_count INTEGER DEFAULT 0,
    prompt_tokens INTEGER DEFAULT 0, completion_tokens INTEGER DEFAULT 0, cost REAL DEFAULT 0, updated_at INTEGER, created_at INTEGER);
    CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT, role TEXT, parts TEXT DEFAULT '[]', model TEXT, created_at INTEGER,
    updated_at INTEGER, finished_at INTEGER);`,
  kiro: `CREATE TABLE conversations_v2 (key TEXT NOT NULL, conversation_id TEXT NOT NULL, value TEXT NOT NULL,
    created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, PRIMARY KEY (key, conversation_id));`,
  'amazon-q': `CREATE TABLE conversations (key TEXT PRIMARY KEY, value TEXT);`,
  kilo: OPEN_CODE_SCHEMA,
  mimo: OPEN_CODE_SCHEMA,
  icodemate: OPEN_CODE_SCHEMA,
  zcode: `${OPEN_CODE_SCHEMA}
    CREATE TABLE model_usage (id text PRIMARY KEY, session_id text NOT NULL, query_source text NOT NULL, provider_id text NOT NULL,
    model_id text NOT NULL, status text NOT NULL, started_at integer NOT NULL, input_tokens integer, output_tokens integer,
    reasoning_tokens integer, cache_creation_input_tokens integer, cache_read_input_tokens integer);`,
  hermes: `CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT NOT NULL, model TEXT, system_prompt TEXT, parent_session_id TEXT,
    started_at REAL NOT NULL, ended_at REAL, end_reason TEXT, input_tokens INTEGER DEFAULT 0, output_tokens INTEGER DEFAULT 0,
    cache_read_tokens INTEGER DEFAULT 0, cache_write_tokens INTEGER DEFAULT 0, reasoning_tokens INTEGER DEFAULT 0,
    estimated_cost_usd REAL, actual_cost_usd REAL, title TEXT);
    CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, role TEXT, content TEXT, tool_call_id TEXT,
    tool_calls TEXT, tool_name TEXT, timestamp REAL, finish_reason TEXT, reasoning TEXT);`,
  copilot: `CREATE TABLE sessions (id TEXT PRIMARY KEY, cwd TEXT, repository TEXT, branch TEXT, host_type TEXT, summary TEXT,
    created_at TEXT, updated_at TEXT);
    CREATE TABLE turns (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, turn_index INTEGER, user_message TEXT,
    assistant_response TEXT, timestamp TEXT);
    CREATE TABLE checkpoints (id INTEGER PRIMARY KEY, session_id TEXT, title TEXT, overview TEXT);
    CREATE TABLE assistant_usage_events (id TEXT PRIMARY KEY, session_id TEXT, agent_id TEXT, model TEXT, initiator TEXT,
    input_tokens INTEGER, output_tokens INTEGER, cache_read_tokens INTEGER, cache_write_tokens INTEGER, reasoning_tokens INTEGER,
    total_nano_aiu INTEGER, duration_ms INTEGER, created_at TEXT);`,
  traces: `CREATE TABLE spans (span_id TEXT PRIMARY KEY, trace_id TEXT, parent_span_id TEXT, name TEXT, start_time_ms INTEGER,
    end_time_ms INTEGER, status_code INTEGER, operation_name TEXT, agent_name TEXT, conversation_id TEXT, request_model TEXT,
    response_model TEXT, input_tokens INTEGER, output_tokens INTEGER, cached_tokens INTEGER, reasoning_tokens INTEGER,
    tool_name TEXT, tool_call_id TEXT, chat_session_id TEXT, turn_index INTEGER, ttft_ms INTEGER);
    CREATE TABLE span_attributes (span_id TEXT, key TEXT, value TEXT, PRIMARY KEY (span_id, key));
    CREATE TABLE span_events (id INTEGER PRIMARY KEY, span_id TEXT, name TEXT, timestamp_ms INTEGER, attributes TEXT);`,
} as const;

/** The bytes of a database with these tables and rows. */
export function databaseOf(schema: string, rows: Rows): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), 'tool-database-'));
  try {
    const path = join(folder, 'database');
    const database = new sqlite.Database(path);
    database.exec(schema);
    for (const [table, all] of Object.entries(rows))
      for (const row of all) {
        const columns = Object.keys(row);
        const places = columns.map(() => '?').join(', ');
        database.run(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`, Object.values(row));
      }
    database.close();
    return readFileSync(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** When the session of Crush began, in seconds since 1970: that of Zed was written to later, the others before. */
const AT = 1_577_955_600;
const BEFORE = AT - 3_600;
const LONG_BEFORE = BEFORE - 3_600;
const json = (value: unknown) => JSON.stringify(value);

/** A thread of Zed's, packed or plain. */
export const zedThread = (id: string, thread: object, more: Readonly<Record<string, Cell>> = {}) => ({
  id,
  summary: 'Weigh the flour',
  updated_at: '2020-01-02T10:00:00Z',
  data_type: 'zstd',
  data: storedZstd(json({ version: '0.3.0', ...thread })),
  ...more,
});

/** What Kiro and Amazon Q keep of it. */
const talkOfKiro = {
  model_info: { model_id: 'm-kiro' },
  history: [
    {
      user: { content: { Prompt: { prompt: 'Weigh it' } }, timestamp: '2020-01-02T08:00:00Z' },
      assistant: {
        ToolUse: {
          message_id: 'a',
          content: 'I look.',
          tool_uses: [{ id: 'c1', name: 'execute_bash', args: { command: 'weigh' } }],
        },
      },
      request_metadata: { model_id: 'm-kiro', stream_end_timestamp_ms: BEFORE * 1000 },
    },
    {
      user: {
        content: {
          ToolUseResults: {
            tool_use_results: [{ tool_use_id: 'c1', status: 'Error', content: [{ Text: 'no scale' }] }],
          },
        },
      },
      assistant: { Response: { message_id: 'b', content: 'It is broken.' } },
    },
  ],
};

/** The same talk in OpenCode's tables. */
function talkOfOpenCode(session: string, model: string): Rows {
  const at = BEFORE * 1000;
  const about = { session_id: session, time_created: at, time_updated: at };
  const part = (id: string, message: string, data: object) => ({
    ...about,
    id,
    message_id: message,
    data: json(data),
  });
  const answer = { role: 'assistant', agent: 'build', modelID: model, finish: 'stop' };
  return {
    session: [
      {
        id: session,
        project_id: 'p',
        slug: 's',
        directory: '/home/me/scale',
        title: 'Weigh the flour',
        version: '1',
        time_created: at,
        time_updated: at,
      },
    ],
    message: [
      { ...about, id: 'msg_1', data: json({ role: 'user', time: { created: at } }) },
      {
        ...about,
        id: 'msg_2',
        data: json({
          ...answer,
          time: { created: at },
          tokens: { input: 30, output: 10, cache: { read: 20 } },
        }),
      },
      { ...about, id: 'msg_3', data: json({ ...answer, time: { created: at } }) },
    ],
    part: [
      part('prt_1', 'msg_1', { type: 'text', text: 'Weigh it' }),
      // Those of one moment stand in the order in which they were written, and ids do not tell it everywhere.
      part('prt_2', 'msg_2', { type: 'text', text: 'I look.' }),
      part('prt_3', 'msg_2', {
        type: 'tool',
        tool: 'terminal',
        callID: 'c1',
        state: { status: 'error', input: { command: 'weigh' }, error: 'no scale' },
      }),
      part('prt_4', 'msg_3', { type: 'text', text: 'It is broken.' }),
    ],
  };
}

/** A request in ZCode's table. */
function usageOfZCode(id: string, source: string, input: number, output: number, cached: number) {
  return {
    id,
    session_id: 'sess_z1',
    query_source: source,
    provider_id: 'p',
    model_id: 'm-zcode',
    status: 'completed',
    started_at: BEFORE * 1000,
    input_tokens: input,
    output_tokens: output,
    cache_read_input_tokens: cached,
  };
}

/** A short session of each tool whose sessions stand in a database only: a question, a call that failed, and an answer. */
export const databaseRows = {
  zed: {
    threads: [
      zedThread(
        'z1',
        {
          title: 'Weigh the flour',
          model: { provider: 'p', model: 'm-zed' },
          cumulative_token_usage: { input_tokens: 100, output_tokens: 20, cache_read_input_tokens: 50 },
          messages: [
            {
              User: {
                id: 'u',
                content: [{ Text: 'Weigh it' }, { Mention: { uri: 'a', content: 'The scale is here' } }],
              },
            },
            {
              Agent: {
                content: [
                  { Thinking: { text: 'A scale is needed', signature: 's' } },
                  { Text: 'I look.' },
                  { ToolUse: { id: 'c1', name: 'terminal', input: { command: 'weigh' }, raw_input: '{}' } },
                  { Text: 'It is broken.' },
                ],
                tool_results: {
                  c1: {
                    tool_use_id: 'c1',
                    tool_name: 'terminal',
                    is_error: true,
                    content: { Text: 'no scale' },
                  },
                },
              },
            },
          ],
        },
        { folder_paths: '/home/me/scale' },
      ),
    ],
  },
  crush: {
    sessions: [
      {
        id: 's1',
        parent_session_id: null,
        title: 'Weigh the flour',
        prompt_tokens: 100,
        completion_tokens: 20,
        cost: 0.5,
        updated_at: AT,
        created_at: AT,
      },
      {
        id: 'm2$$c2',
        parent_session_id: 's1',
        title: 'Find the scale',
        prompt_tokens: 10,
        completion_tokens: 2,
        cost: 0,
        updated_at: AT,
        created_at: AT,
      },
    ],
    messages: [
      {
        id: 'm1',
        session_id: 's1',
        role: 'user',
        parts: json([{ type: 'text', data: { text: 'Weigh it' } }]),
        model: null,
        created_at: AT,
      },
      {
        id: 'm2',
        session_id: 's1',
        role: 'assistant',
        parts: json([
          { type: 'reasoning', data: { thinking: 'A scale is needed' } },
          { type: 'text', data: { text: 'I look.' } },
          {
            type: 'tool_call',
            data: { id: 'c1', name: 'bash', input: '{"command":"weigh"}', finished: true },
          },
          {
            type: 'tool_call',
            data: { id: 'c2', name: 'agent', input: '{"prompt":"Find it"}', finished: true },
          },
          { type: 'finish', data: { reason: 'tool_use', time: AT } },
        ]),
        model: 'm-crush',
        created_at: AT + 1,
      },
      {
        id: 'm3',
        session_id: 's1',
        role: 'tool',
        parts: json([
          {
            type: 'tool_result',
            data: { tool_call_id: 'c1', name: 'bash', content: 'no scale', is_error: true },
          },
          {
            type: 'tool_result',
            data: { tool_call_id: 'c2', name: 'agent', content: 'In the drawer', is_error: false },
          },
        ]),
        model: null,
        created_at: AT + 2,
      },
      {
        id: 'm4',
        session_id: 's1',
        role: 'assistant',
        parts: json([
          { type: 'text', data: { text: 'It is broken.' } },
          { type: 'finish', data: { reason: 'end_turn' } },
        ]),
        model: 'm-crush',
        created_at: AT + 3,
      },
      {
        id: 'm5',
        session_id: 'm2$$c2',
        role: 'user',
        parts: json([{ type: 'text', data: { text: 'Find it' } }]),
        model: null,
        created_at: AT + 1,
      },
      {
        id: 'm6',
        session_id: 'm2$$c2',
        role: 'assistant',
        parts: json([{ type: 'text', data: { text: 'In the drawer' } }]),
        model: 'm-crush',
        created_at: AT + 2,
      },
    ],
  },
  kiro: {
    conversations_v2: [
      {
        key: '/home/me/scale',
        conversation_id: 'k1',
        created_at: BEFORE * 1000,
        updated_at: BEFORE * 1000 + 5,
        value: json({ conversation_id: 'k1', ...talkOfKiro }),
      },
    ],
  },
  'amazon-q': {
    conversations: [{ key: '/home/me/scale', value: json({ ...talkOfKiro, conversation_id: 'q1' }) }],
  },
  kilo: talkOfOpenCode('ses_k1', 'm-kilo'),
  mimo: talkOfOpenCode('ses_m1', 'm-mimo'),
  icodemate: talkOfOpenCode('ses_i1', 'm-icodemate'),
  zcode: {
    ...talkOfOpenCode('sess_z1', 'm-zcode'),
    model_usage: [
      usageOfZCode('u1', 'session_title', 20, 5, 0),
      usageOfZCode('u2', 'main_turn', 100, 20, 50),
    ],
  },
  hermes: {
    sessions: [
      {
        id: 'h1',
        source: 'cli',
        model: 'm-hermes',
        started_at: LONG_BEFORE,
        ended_at: LONG_BEFORE + 9,
        input_tokens: 100,
        output_tokens: 20,
        cache_read_tokens: 50,
        actual_cost_usd: 0.5,
        title: 'Weigh the flour',
      },
    ],
    messages: [
      { session_id: 'h1', role: 'user', content: 'Weigh it', timestamp: LONG_BEFORE },
      {
        session_id: 'h1',
        role: 'assistant',
        content: 'I look.',
        tool_calls: json([
          { id: 'c1', type: 'function', function: { name: 'terminal', arguments: '{"command":"weigh"}' } },
        ]),
        reasoning: 'A scale is needed',
        timestamp: LONG_BEFORE + 1,
      },
      {
        session_id: 'h1',
        role: 'tool',
        content: '{"exit_code":1,"output":"no scale"}',
        tool_call_id: 'c1',
        tool_name: 'terminal',
        timestamp: LONG_BEFORE + 2,
      },
      { session_id: 'h1', role: 'assistant', content: 'It is broken.', timestamp: LONG_BEFORE + 3 },
    ],
  },
  copilot: {
    sessions: [
      {
        id: 'p1',
        cwd: '/home/me/scale',
        summary: 'Weigh the flour',
        created_at: '2026-11-23T10:00:00Z',
        updated_at: '2026-11-23 10:00:05',
      },
    ],
    turns: [
      {
        session_id: 'p1',
        turn_index: 0,
        user_message: 'Weigh it',
        assistant_response: 'It is broken.',
        timestamp: '2026-11-23T10:00:01Z',
      },
      {
        session_id: 'p1',
        turn_index: 1,
        user_message: 'Mend it',
        assistant_response: null,
        timestamp: '2026-11-23T10:00:02Z',
      },
    ],
    checkpoints: [{ session_id: 'p1', title: 'Weighing', overview: 'The scale of the bakery is broken' }],
    assistant_usage_events: [
      {
        id: 'e1',
        session_id: 'p1',
        model: 'm-copilot',
        input_tokens: 100,
        output_tokens: 20,
        cache_read_tokens: 50,
        total_nano_aiu: 50_000_000_000,
        created_at: '2026-11-23T10:00:01Z',
      },
    ],
  },
  traces: {
    spans: [
      {
        span_id: 'a',
        trace_id: 't1',
        parent_span_id: null,
        name: 'invoke_agent',
        start_time_ms: AT * 1000,
        end_time_ms: AT * 1000 + 900,
        status_code: 0,
        operation_name: 'invoke_agent',
        agent_name: 'GitHub Copilot',
        chat_session_id: 'v1',
      },
      {
        span_id: 'b',
        trace_id: 't1',
        parent_span_id: 'a',
        name: 'chat m-trace',
        start_time_ms: AT * 1000 + 1,
        end_time_ms: AT * 1000 + 100,
        status_code: 0,
        operation_name: 'chat',
        request_model: 'm-trace',
        response_model: 'm-trace',
        input_tokens: 100,
        output_tokens: 20,
        cached_tokens: 50,
      },
      {
        span_id: 'c',
        trace_id: 't1',
        parent_span_id: 'a',
        name: 'execute_tool terminal',
        start_time_ms: AT * 1000 + 101,
        end_time_ms: AT * 1000 + 200,
        status_code: 2,
        operation_name: 'execute_tool',
        tool_name: 'terminal',
        tool_call_id: 'c1',
      },
    ],
    span_attributes: [
      {
        span_id: 'b',
        key: 'gen_ai.input.messages',
        value: json([{ role: 'user', parts: [{ type: 'text', content: 'Weigh it' }] }]),
      },
      {
        span_id: 'b',
        key: 'gen_ai.output.messages',
        value: json([
          {
            role: 'assistant',
            parts: [
              { type: 'text', content: 'I look.' },
              { type: 'tool_call', id: 'c1', name: 'terminal', arguments: { command: 'weigh' } },
            ],
          },
        ]),
      },
      { span_id: 'c', key: 'gen_ai.tool.call.result', value: 'no scale' },
    ],
  },
} as const satisfies Readonly<Record<keyof typeof SCHEMAS, Rows>>;

/** A database of a tool with that session. */
export function databaseOfTool(tool: keyof typeof SCHEMAS): Uint8Array {
  return databaseOf(SCHEMAS[tool], databaseRows[tool]);
}
