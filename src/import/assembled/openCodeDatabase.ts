import { isObject } from '../../core/message.js';
import { textIn, type DatabaseReader, type Row } from '../../node/sqlite/databaseReader.js';
import { fields, parsed, text, type Fields } from '../reading/fields.js';
import { bounded, jsonOf, type SessionInList, type ToolDatabase } from './toolDatabase.js';

/** How many sessions may start others one inside the other. */
const MAX_DEPTH = 20;

/** OpenCode's `opencode.db`, which it keeps since version 1.2: sessions, their messages and the parts of these. */
export const openCodeDatabase: ToolDatabase = {
  of: 'OpenCode',
  is: (database) =>
    database.has('session', ['id', 'title', 'directory', 'time_updated']) &&
    database.has('message', ['id', 'session_id', 'data']) &&
    database.has('part', ['id', 'message_id', 'session_id', 'data']),
  list(database) {
    const parent = parentOf(database);
    const rows = database.rows(`SELECT id, ${parent} AS parent, time_updated FROM session`);
    const found = new Map<string, number>();
    for (const { id, parent: started, time_updated: changed } of rows)
      if (typeof id === 'string' && started === null) found.set(id, Number(changed));
    return found;
  },
  about(database, id) {
    const [session] = rowsOf(database, 'session', 'id = ?', id);
    if (!session) return undefined;
    const [count] = database.rows('SELECT count(*) AS messages FROM message WHERE session_id = ?', id);
    const last = lastMessage(database, id);
    return {
      title: text(session.title),
      workspace: text(session.directory),
      agent: text(session.agent) ?? text(last.agent),
      model: text(fields(parsed(session.model)).id) ?? text(last.modelID),
      messages: Number(count?.messages),
      end: endOf(last),
    };
  },
  workspace(database, id) {
    const [session] = database.rows('SELECT directory FROM session WHERE id = ?', id);
    return text(textIn(session?.directory));
  },
  read(database, id) {
    const problems: string[] = [];
    const value = exportOf(database, id, (problem) => problems.push(problem), new Set());
    return { values: value ? [value] : [], problems };
  },
};

/** A session as its tool would export it, with the sessions that it started under `children`. */
function exportOf(
  database: DatabaseReader,
  id: string,
  tell: (problem: string) => void,
  above: ReadonlySet<string>,
): Fields | undefined {
  const [info] = rowsOf(database, 'session', 'id = ?', id);
  if (!info) return undefined;
  const parts = new Map<string, Fields[]>();
  for (const row of rowsWithData(database, 'part', id, tell)) {
    const of = String(row.message_id);
    const known = parts.get(of);
    const { data, ...own } = row;
    const part = isObject(data) ? { ...own, ...data } : row;
    if (known) known.push(part);
    else parts.set(of, [part]);
  }
  const messages = rowsWithData(database, 'message', id, tell).map(({ data, ...row }) => ({
    ...row,
    info: isObject(data) ? data : { data },
    parts: parts.get(String(row.id)) ?? [],
  }));
  const todos = database.has('todo', ['session_id', 'content'])
    ? rowsOf(database, 'todo', 'session_id = ?', id)
    : [];
  const children = [...database.rows(`SELECT id FROM session WHERE ${parentOf(database)} = ?`, id)];
  const within = new Set([...above, id]);
  const started = children.flatMap(({ id: child }) => {
    // A session that started itself, through whichever others, is none that OpenCode writes.
    if (typeof child !== 'string' || within.has(child) || within.size > MAX_DEPTH) return [];
    const value = exportOf(database, child, tell, within);
    return value ? [value] : [];
  });
  return {
    info: todos.length > 0 ? { ...info, todos } : info,
    messages,
    ...(started.length > 0 && { children: started }),
  };
}

/** The messages or the parts of a session in their order, each with what stands in its data. */
function rowsWithData(
  database: DatabaseReader,
  table: 'message' | 'part',
  session: string,
  tell: (problem: string) => void,
): Fields[] {
  const others = [...(database.columnsOf(table) ?? [])].filter((column) => column !== 'data');
  const columns = [...others.map(quoted), bounded('data')].join(', ');
  const rows = database.rows(`SELECT ${columns} FROM ${table} WHERE session_id = ?`, session);
  const found = Array.from(rows, (row) => {
    const { bytes, data, ...own } = row;
    return { ...plain(own), data: jsonOf({ bytes: bytes ?? null, data: data ?? null }, 'data', tell) };
  });
  // Ids rise with time.
  return found.sort((a, b) => (String(fields(a).id) < String(fields(b).id) ? -1 : 1));
}

function rowsOf(database: DatabaseReader, table: string, where: string, value: string): Fields[] {
  const columns = [...(database.columnsOf(table) ?? [])].map(quoted).join(', ');
  return Array.from(database.rows(`SELECT ${columns} FROM ${table} WHERE ${where}`, value), plain);
}

function parentOf(database: DatabaseReader): string {
  return database.has('session', ['parent_id']) ? 'parent_id' : 'NULL';
}

function quoted(column: string): string {
  return `"${column.replaceAll('"', '""')}"`;
}

/** A row as JSON holds it, without what it leaves empty. */
function plain(row: Row): Fields {
  return Object.fromEntries(
    Object.entries(row).flatMap(([key, cell]) => {
      if (cell === null) return [];
      return [[key, typeof cell === 'bigint' ? Number(cell) : (textIn(cell) ?? cell)]];
    }),
  );
}

function lastMessage(database: DatabaseReader, id: string): Fields {
  const sql = `SELECT ${bounded('data')} FROM message WHERE session_id = ? ORDER BY id DESC LIMIT 1`;
  const [row] = database.rows(sql, id);
  return row ? fields(jsonOf(row, 'data', () => undefined)) : {};
}

function endOf({ role, error, finish }: Fields): SessionInList['end'] {
  if (role === 'user') return 'prompt';
  if (role !== 'assistant') return undefined;
  const { name } = fields(error);
  if (name !== undefined && name !== 'MessageAbortedError') return 'error';
  return finish === undefined || finish === 'tool-calls' || name !== undefined ? 'call' : 'answer';
}
