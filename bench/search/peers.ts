import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { loadPeer } from '../harness/loadPeer.js';

/** The path of ripgrep, as VS Code ships it; undefined where it is not there. */
export async function ripgrepPath(): Promise<string | undefined> {
  const peer = (await loadPeer('@vscode/ripgrep').catch(() => undefined)) as { rgPath: string } | undefined;
  return peer?.rgPath;
}

/** Looks for a text or a pattern with ripgrep; the milliseconds, NaN where it is not there. */
export async function ripgrep(root: string, text: string, isPattern: boolean): Promise<number> {
  const path = await ripgrepPath();
  if (path === undefined) return NaN;
  const start = performance.now();
  const args = ['--no-config', '--no-ignore', '--hidden', '--count', '--glob', '*.jsonl'];
  spawnSync(path, [...args, ...(isPattern ? [] : ['--ignore-case', '--fixed-strings']), '--', text, root]);
  return performance.now() - start;
}

/** A database in a file, as both SQLites of the bench give it. */
interface Database {
  exec(sql: string): void;
  prepare(sql: string): { run(values: readonly unknown[]): void; all(values: readonly unknown[]): unknown[] };
}

/** SQLite with FTS5: that of Node where it has one, else the one in WebAssembly; undefined where neither is there. */
async function openDatabase(path: string): Promise<Database | undefined> {
  const native = (await loadPeer('node:sqlite').catch(() => undefined)) as
    | { DatabaseSync: new (path: string) => NativeDatabase }
    | undefined;
  if (native) {
    const database = new native.DatabaseSync(path);
    return {
      exec: (sql) => database.exec(sql),
      prepare: (sql) => {
        const statement = database.prepare(sql);
        return {
          run: (values) => void statement.run(...values),
          all: (values) => statement.all(...values),
        };
      },
    };
  }
  const wasm = (await loadPeer('node-sqlite3-wasm').catch(() => undefined)) as
    | { default: { Database: new (path: string) => Database } }
    | undefined;
  return wasm && new wasm.default.Database(path);
}

interface NativeDatabase {
  exec(sql: string): void;
  prepare(sql: string): { run(...values: unknown[]): unknown; all(...values: unknown[]): unknown[] };
}

/** What a database of all messages took, and how it is asked. */
export interface Indexed {
  readonly milliseconds: number;
  readonly bytes: number;
  /** The milliseconds of a statement. */
  ask(sql: string, values: readonly unknown[]): number;
}

/** Puts all messages of a store into SQLite: their columns with an index, their texts into FTS5. */
export async function fts5(root: string): Promise<Indexed | undefined> {
  const path = join(root, '..', 'messages.db');
  rmSync(path, { force: true });
  const database = await openDatabase(path);
  if (!database) return undefined;
  const start = performance.now();
  database.exec('PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;');
  database.exec(
    'CREATE TABLE m(id INTEGER PRIMARY KEY, session, time, agent, role, model, tool, failed, tokens)',
  );
  database.exec("CREATE VIRTUAL TABLE t USING fts5(text, content='', tokenize='unicode61')");
  database.exec('BEGIN');
  const row = database.prepare('INSERT INTO m VALUES(?,?,?,?,?,?,?,?,?)');
  const text = database.prepare('INSERT INTO t(rowid, text) VALUES(?,?)');
  let id = 0;
  for (const session of readdirSync(join(root, 'conversations'))) {
    const lines = createInterface({
      input: createReadStream(join(root, 'conversations', session, 'messages.jsonl')),
    });
    for await (const line of lines) {
      const { message, ...record } = JSON.parse(line) as Line;
      if (!message) continue;
      const calls = (message.tool_calls ?? []).map((call) => call.function);
      const tool = record.toolName ?? calls[0]?.name ?? null;
      row.run([
        ++id,
        session,
        record.time,
        record.agent,
        message.role,
        record.model ?? null,
        tool,

        record.isError === true ? 1 : 0,
        (record.usage?.inputTokens ?? 0) + (record.usage?.outputTokens ?? 0),
      ]);
      text.run([id, [message.content, ...calls.flatMap((call) => [call.name, call.arguments])].join('\n')]);
    }
  }
  database.exec('COMMIT');
  database.exec('CREATE INDEX tools ON m(tool, failed); CREATE INDEX agents ON m(agent, model)');
  const milliseconds = performance.now() - start;
  return {
    milliseconds,
    bytes: statSync(path).size,
    ask: (sql, values) => {
      const began = performance.now();
      database.prepare(sql).all(values);
      return performance.now() - began;
    },
  };
}

interface Line {
  readonly time: number;
  readonly agent: string;
  readonly model?: string;
  readonly toolName?: string;
  readonly isError?: boolean;
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number };
  readonly message?: {
    readonly role: string;
    readonly content: string;
    readonly tool_calls?: readonly {
      readonly function: { readonly name: string; readonly arguments: string };
    }[];
  };
}
