import { textIn } from '../../../node/sqlite/databaseReader.js';
import { fields, parsed, text, without, type Fields } from '../../reading/fields.js';
import { changedAt, rowsOf, type ToolDatabase } from '../../databases/toolDatabase.js';

/** Goose's `sessions.db`, which it keeps since version 1.10: sessions, their messages and, since later, what each request cost. */
export const gooseDatabase: ToolDatabase = {
  of: 'Goose',
  is: (database) =>
    database.has('sessions', ['id', 'working_dir', 'updated_at']) &&
    database.has('messages', ['id', 'session_id', 'role', 'content_json', 'created_timestamp']),
  list(database) {
    const rows = database.rows('SELECT id, updated_at FROM sessions');
    const found = new Map<string, number>();
    for (const { id, updated_at: changed } of rows)
      if (typeof id === 'string') found.set(id, changedAt(changed));
    return found;
  },
  about(database, id) {
    const [session] = rowsOf(database, 'sessions', 'id = ?', id);
    if (!session) return undefined;
    const [count] = database.rows('SELECT count(*) AS messages FROM messages WHERE session_id = ?', id);
    const [last] = database.rows(
      'SELECT role FROM messages WHERE session_id = ? ORDER BY id DESC LIMIT 1',
      id,
    );
    return {
      title: text(session.name) ?? text(session.description),
      workspace: text(session.working_dir),
      agent: undefined,
      model: text(fields(parsed(session.model_config_json)).model_name),
      messages: Number(count?.messages),
      end: last?.role === 'assistant' ? 'answer' : last ? 'prompt' : undefined,
    };
  },
  workspace(database, id) {
    const [session] = database.rows('SELECT working_dir FROM sessions WHERE id = ?', id);
    return text(textIn(session?.working_dir));
  },
  read(database, id, kept) {
    const [session] = rowsOf(database, 'sessions', 'id = ?', id);
    if (!session) return { values: [], problems: [] };
    const messages = rowsOf(database, 'messages', 'session_id = ? ORDER BY id', id);
    const hasLedger = database.has('usage_ledger', ['session_id', 'input_tokens', 'output_tokens']);
    const ledger = hasLedger ? rowsOf(database, 'usage_ledger', 'session_id = ? ORDER BY rowid', id) : [];
    kept.note(`session ${id}`, JSON.stringify([session, messages.length, messages.at(-1), ledger.length]));
    const exported = {
      ...without(session, 'model_config_json'),
      model_config: parsed(session.model_config_json) ?? session.model_config_json,
      ...(ledger.length > 0 && { usage_ledger: ledger }),
      conversation: messages.map(messageOf),
    };
    return { values: [exported], problems: [] };
  },
};

/** A message as Goose exports it. */
function messageOf(row: Fields): Fields {
  const content: unknown = parsed(row.content_json) ?? row.content_json;
  return {
    ...without(row, 'session_id', 'content_json', 'metadata_json', 'created_timestamp'),
    id: row.message_id ?? row.id,
    created: row.created_timestamp,
    content,
    ...(row.metadata_json !== undefined && { metadata: parsed(row.metadata_json) ?? row.metadata_json }),
  };
}
