import sqlite, { type Database } from 'node-sqlite3-wasm';
import { onTestFinished } from 'vitest';

/** A database that a tool has open while a test runs: what is written stands in its log only, as with the tools themselves. */
export function writtenDatabase(path: string, schema: string): Database {
  const database = new sqlite.Database(path);
  onTestFinished(() => {
    if (database.isOpen) database.close();
  });
  // SQLite as WebAssembly has no memory in common with others, which a log needs unless it is alone.
  database.get('PRAGMA locking_mode=EXCLUSIVE');
  database.get('PRAGMA journal_mode=WAL');
  database.get('PRAGMA wal_autocheckpoint=0');
  database.exec(schema);
  return database;
}

/** The tables of OpenCode 1.18 in which a session stands, as that creates them. */
export const OPEN_CODE_SCHEMA = `
  CREATE TABLE session (id text PRIMARY KEY, project_id text NOT NULL, workspace_id text, parent_id text, slug text NOT NULL,
    directory text NOT NULL, path text, title text NOT NULL, version text NOT NULL, cost real DEFAULT 0 NOT NULL,
    tokens_input integer DEFAULT 0 NOT NULL, tokens_output integer DEFAULT 0 NOT NULL, agent text, model text,
    time_created integer NOT NULL, time_updated integer NOT NULL);
  CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL,
    time_updated integer NOT NULL, data text NOT NULL);
  CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL, time_created integer NOT NULL,
    time_updated integer NOT NULL, data text NOT NULL);
  CREATE TABLE todo (session_id text NOT NULL, content text NOT NULL, status text NOT NULL, priority text NOT NULL,
    position integer NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL);
  CREATE INDEX message_session_time_created_id_idx ON message (session_id, time_created, id);
  CREATE INDEX part_session_idx ON part (session_id);`;

/** When the sessions below begin, in milliseconds since 1970. */
export const BEGUN = 1_795_414_830_000;

/** Writes as OpenCode does: sessions, messages, and parts of the last message. */
export class OpenCodeWriter {
  readonly #database: Database;
  #count = 0;
  #last = { session: '', message: '' };

  readonly #now: (() => number) | undefined;

  /** By the clock of a test, or else by one that goes on by a second each time. */
  constructor(database: Database, now?: () => number) {
    this.#database = database;
    this.#now = now;
  }

  session(id: string, title: string, parent: string | null = null): this {
    const at = this.#next();
    this.#database.run(
      `INSERT INTO session (id, project_id, parent_id, slug, directory, title, version, agent, model, time_created, time_updated)
       VALUES (?, 'global', ?, 'quick-wolf', '/home/me/barn', ?, '1.18.33', 'build', '{"id":"big","providerID":"p"}', ?, ?)`,
      [id, parent, title, at, at],
    );
    return this;
  }

  message(session: string, data: object): this {
    const at = this.#next();
    const id = `msg_${String(this.#count).padStart(8, '0')}`;
    this.#last = { session, message: id };
    this.#database.run('INSERT INTO message VALUES (?, ?, ?, ?, ?)', [
      id,
      session,
      at,
      at,
      JSON.stringify({ time: { created: at }, ...data }),
    ]);
    this.#database.run('UPDATE session SET time_updated = ? WHERE id = ?', [at, session]);
    return this;
  }

  part(data: object): this {
    const at = this.#next();
    const { session, message } = this.#last;
    const id = `prt_${String(this.#count).padStart(8, '0')}`;
    const values = [id, message, session, at, at, JSON.stringify(data)];
    this.#database.run('INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)', values);
    return this;
  }

  /** A prompt, and an answer with what it cost. */
  exchange(session: string, prompt: string, answer: string, agent = 'build'): this {
    const tokens = { total: 1234, input: 1000, output: 34, reasoning: 0, cache: { write: 0, read: 200 } };
    const about = {
      role: 'assistant',
      mode: agent,
      agent,
      modelID: 'big',
      providerID: 'p',
      tokens,
    };
    return this.message(session, { role: 'user', agent })
      .part({ type: 'text', text: prompt })
      .message(session, { ...about, cost: 0.25, finish: 'stop' })
      .part({ type: 'step-start' })
      .part({ type: 'text', text: answer })
      .part({ type: 'step-finish', reason: 'stop', tokens, cost: 0.25 });
  }

  remove(session: string): void {
    this.#database.run('DELETE FROM session WHERE id = ?', [session]);
  }

  #next(): number {
    this.#count++;
    return this.#now?.() ?? BEGUN + this.#count * 1_000;
  }
}

/** Cursor's table of keys and values. */
export const CURSOR_SCHEMA = `
  CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
  CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);`;

/** A message of a chat of Cursor's, with whatever else it holds. */
export interface Bubble extends Readonly<Record<string, unknown>> {
  readonly bubbleId: string;
  readonly type: number;
}

/** Writes a chat of Cursor's: what it is and its messages, each with its id. */
export function writeCursorChat(
  database: Database,
  id: string,
  about: object,
  bubbles: readonly Bubble[],
): void {
  const put = (key: string, value: unknown) =>
    database.run('INSERT INTO cursorDiskKV VALUES (?, ?)', [key, JSON.stringify(value)]);
  for (const bubble of bubbles) put(`bubbleId:${id}:${bubble.bubbleId}`, { _v: 3, ...bubble });
  put(`composerData:${id}`, {
    _v: 10,
    composerId: id,
    createdAt: BEGUN,
    lastUpdatedAt: BEGUN + bubbles.length * 1_000,
    fullConversationHeadersOnly: bubbles.map(({ bubbleId, type }) => ({ bubbleId, type })),
    ...about,
  });
}

/** The tables of Goose in which a session stands. */
export const GOOSE_SCHEMA = `
  CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT, description TEXT, session_type TEXT, working_dir TEXT, created_at TIMESTAMP,
    updated_at TIMESTAMP, accumulated_input_tokens INTEGER, accumulated_output_tokens INTEGER, accumulated_cost REAL,
    model_config_json TEXT);
  CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, message_id TEXT, session_id TEXT, role TEXT, content_json TEXT,
    created_timestamp INTEGER, tokens INTEGER, metadata_json TEXT);
  CREATE TABLE usage_ledger (session_id TEXT, created_timestamp INTEGER, model TEXT, input_tokens INTEGER, output_tokens INTEGER,
    cache_read_tokens INTEGER, cache_write_tokens INTEGER, cost REAL, cost_source TEXT, is_compaction INTEGER);`;
