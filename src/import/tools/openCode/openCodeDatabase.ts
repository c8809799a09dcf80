import { isObject } from '../../../core/message.js';
import { textIn, type DatabaseReader, type Row } from '../../../node/sqlite/databaseReader.js';
import { fields, number, parsed, text, type Fields } from '../../reading/fields.js';
import { isSure, type CachedValue, type CachedValues } from '../../databases/cachedValues.js';
import {
  bounded,
  jsonOf,
  keptValueOf,
  plain,
  quoted,
  rowsOf,
  valuesOfRows,
  withoutStarted,
  type SessionInList,
  type StampedRow,
  type ToolDatabase,
} from '../../databases/toolDatabase.js';
import { memberAt, type OpenCodeMember } from './openCodeHome.js';
import { messageOfRow, messageOfInput } from './openCodeMessages.js';

/** How many sessions may start others one inside the other. */
const MAX_DEPTH = 20;

/**
 * OpenCode's `opencode.db`, which it keeps since version 1.2, and those of the tools that were made of it: sessions, their messages
 * and the parts of these.
 */
export const openCodeDatabase: ToolDatabase = {
  of: 'OpenCode',
  is: (database) =>
    database.has('session', ['id', 'title', 'directory', 'time_updated']) &&
    database.has('message', ['id', 'session_id', 'data']) &&
    database.has('part', ['id', 'message_id', 'session_id', 'data']),
  list(database) {
    const sql = `SELECT id, ${parentOf(database)} AS parent, time_updated AS changed FROM session`;
    return withoutStarted(database.rows(sql));
  },
  about(database, id) {
    const [session] = rowsOf(database, 'session', 'id = ?', id);
    if (!session) return undefined;
    const [count] = database.rows('SELECT count(*) AS messages FROM message WHERE session_id = ?', id);
    const [newer] = hasNewer(database)
      ? database.rows(
          `SELECT count(*) AS messages FROM session_message WHERE session_id = ? AND ${IS_SAID}`,
          id,
        )
      : [];
    const last = lastMessage(database, id);
    return {
      title: text(session.title),
      workspace: text(session.directory),
      agent: text(session.agent) ?? text(last.agent),
      model: text(fields(parsed(session.model)).id) ?? text(last.modelID),
      messages: Math.max(Number(count?.messages), Number(newer?.messages ?? 0)),
      end: endOf(last),
    };
  },
  workspace(database, id) {
    const [session] = database.rows('SELECT directory FROM session WHERE id = ?', id);
    return text(textIn(session?.directory));
  },
  read(database, id, kept, path) {
    const problems: string[] = [];
    const tool = memberAt(path);
    const reading = { database, tool, kept, tell: (problem: string) => problems.push(problem) };
    const value = exportOf(reading, id, new Set());
    return { values: value ? [{ ...value, ...(tool !== undefined && { tool }) }] : [], problems };
  },
};

/** A reading of a session: where from, what need not be read again, and who hears what could not be read. */
interface Reading {
  readonly database: DatabaseReader;
  readonly tool: OpenCodeMember | undefined;
  readonly kept: CachedValues;
  readonly tell: (problem: string) => void;
}

/** A session as its tool would export it, with the sessions that it started under `children`. */
function exportOf(reading: Reading, id: string, above: ReadonlySet<string>): Fields | undefined {
  const { database, kept } = reading;
  const [info] = rowsOf(database, 'session', 'id = ?', id);
  if (!info) return undefined;
  const parts = new Map<string, Fields[]>();
  for (const row of rowsWithData(reading, 'part', id)) {
    const of = String(row.message_id);
    const known = parts.get(of);
    const { data, ...own } = row;
    const part = isObject(data) ? { ...own, ...data } : row;
    if (known) known.push(part);
    else parts.set(of, [part]);
  }
  const older = rowsWithData(reading, 'message', id).map(({ data, ...row }) => ({
    ...row,
    info: isObject(data) ? data : { data },
    parts: parts.get(String(row.id)) ?? [],
  }));
  const messages = [...older, ...newerMessages(reading, id, older)];
  const todos = database.has('todo', ['session_id', 'content'])
    ? rowsOf(database, 'todo', 'session_id = ?', id)
    : [];
  // ZCode notes each request, also those of which no message tells.
  const usage = database.has('model_usage', ['session_id', 'model_id', 'input_tokens', 'output_tokens'])
    ? rowsOf(database, 'model_usage', 'session_id = ?', id)
    : [];
  kept.note(`session ${id}`, JSON.stringify([info, todos, usage]));
  const children = [...database.rows(`SELECT id FROM session WHERE ${parentOf(database)} = ?`, id)];
  const within = new Set([...above, id]);
  const started = children.flatMap(({ id: child }) => {
    // A session that started itself, through whichever others, is none that OpenCode writes.
    if (typeof child !== 'string' || within.has(child) || within.size > MAX_DEPTH) return [];
    const value = exportOf(reading, child, within);
    return value ? [value] : [];
  });
  return {
    info: todos.length > 0 ? { ...info, todos } : info,
    messages,
    ...(usage.length > 0 && { usage }),
    ...(started.length > 0 && { children: started }),
  };
}

/** The messages that stand in the tables of version 2 only: it may have taken over those that are older. */
function newerMessages(reading: Reading, id: string, older: readonly Fields[]): readonly Fields[] {
  const { database } = reading;
  const isAfter = (row: Fields) =>
    older.every((before) => (number(before.time_created) ?? 0) < (number(row.time_created) ?? 0));
  const rows = database.has('session_message', ['id', 'session_id', 'type', 'data'])
    ? rowsWithData(reading, 'session_message', id).sort((a, b) => (number(a.seq) ?? 0) - (number(b.seq) ?? 0))
    : [];
  const waiting = database.has('session_input', ['id', 'session_id', 'data', 'promoted_seq'])
    ? rowsWithData(reading, 'session_input', id).filter(({ promoted_seq: taken }) => taken === undefined)
    : [];
  const told = rows.map((row) => ({ row, message: messageOfRow(row) }));
  // What is no message stands in these tables alone.
  const kept = told.filter(({ row, message }) => !message || isAfter(row));
  const said = kept.map(({ row, message }) => message ?? { info: {}, parts: [], ...row });
  return [...said, ...waiting.flatMap((row) => messageOfInput(row) ?? [])];
}

/** The messages or the parts of a session in their order, each with what stands in its data. */
function rowsWithData(
  { database, tool, kept, tell }: Reading,
  table: 'message' | 'part' | 'session_message' | 'session_input',
  session: string,
): Fields[] {
  const others = [...(database.columnsOf(table) ?? [])].filter((column) => column !== 'data');
  const columns = [...others.map(quoted), bounded('data')].join(', ');
  const readRow = (row: Row): CachedValue => {
    const { bytes = null, data = null, ...own } = row;
    const read = keptValueOf({ bytes, data }, 'data');
    return { ...read, value: { ...plain(own), data: read.value } };
  };
  const of = `SELECT ${columns} FROM ${table} WHERE session_id = ?`;
  const read = function* (only?: string): Generator<readonly [string, CachedValue]> {
    const rows =
      only === undefined ? database.rows(of, session) : database.rows(`${of} AND id = ?`, session, only);
    for (const row of rows) yield [String(row.id), readRow(row)];
  };
  const stamped = stampedRows(database, table, session, kept);
  const values = stamped
    ? [...valuesOfRows(stamped, (id) => `${table} ${session} ${id}`, kept, read, tell).values()]
    : Array.from(read(), ([, { value, problems }]) => {
        for (const problem of problems) tell(problem);
        return value;
      });
  const found = values.map(fields);
  if (tool !== 'zcode') {
    // Ids rise with time.
    return found.sort((a, b) => (String(a.id) < String(b.id) ? -1 : 1));
  }
  // Those of one moment do not.
  const written = database.rows(`SELECT id FROM ${table} WHERE session_id = ? ORDER BY rowid`, session);
  const places = new Map(Array.from(written, ({ id: row }, place) => [String(row), place]));
  return found.sort((a, b) => (places.get(String(a.id)) ?? 0) - (places.get(String(b.id)) ?? 0));
}

/** The rows of a session by their ids; undefined where these do not tell them apart, or nothing says when one has changed. */
function stampedRows(
  database: DatabaseReader,
  table: string,
  session: string,
  kept: CachedValues,
): readonly StampedRow[] | undefined {
  const isStamped = database.has(table, ['time_updated']);
  const sql = `SELECT id, time_updated AS at, octet_length(data) AS bytes FROM ${table} WHERE session_id = ?`;
  const rows = isStamped ? [...database.rows(sql, session)] : [];
  const found = rows.map(({ id, at, bytes }) => ({
    id: String(id),
    // Within the same moment it may be written to once more.
    stamp: isSure(Number(at)) ? `${String(at)} ${String(bytes)}` : kept.unsure(),
  }));
  const isPlain = rows.every(({ id }) => typeof id === 'string');
  if (isStamped && isPlain && new Set(found.map(({ id }) => id)).size === found.length) return found;
  kept.note(`${table} of ${session}`, kept.unsure());
  return undefined;
}

function parentOf(database: DatabaseReader): string {
  return database.has('session', ['parent_id']) ? 'parent_id' : 'NULL';
}

/** Which rows of version 2 are messages, and no changes of the agent or model. */
const IS_SAID = "type IN ('user', 'synthetic', 'system', 'shell', 'assistant', 'compaction')";

function hasNewer(database: DatabaseReader): boolean {
  return database.has('session_message', ['id', 'session_id', 'type', 'seq', 'data']);
}

function lastMessage(database: DatabaseReader, id: string): Fields {
  const newer = `SELECT type, ${bounded('data')} FROM session_message WHERE session_id = ? AND ${IS_SAID} ORDER BY seq DESC LIMIT 1`;
  const [written] = hasNewer(database) ? database.rows(newer, id) : [];
  if (written) {
    const said = fields(jsonOf(written, 'data', () => undefined));
    const role = textIn(written.type) === 'assistant' ? 'assistant' : 'user';
    return { ...said, role, modelID: fields(said.model).id };
  }
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
