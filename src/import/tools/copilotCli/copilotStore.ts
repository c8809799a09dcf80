import type { DatabaseReader } from '../../../node/sqlite/databaseReader.js';
import { textIn } from '../../../node/sqlite/databaseReader.js';
import { storedFormat, type StoredRequest, type StoredSession } from '../../messages/storedSession.js';
import { changedAt, rowsOf, timeInColumn, type ToolDatabase } from '../../databases/toolDatabase.js';
import { chatMessage } from '../../messages/chatMessage.js';
import { usageOf } from '../../messages/usage.js';
import { number, text, type Fields } from '../../reading/fields.js';

/** Copilot bills in units of which 1e11 are a dollar. */
const NANO_AIU_PER_DOLLAR = 1e11;

/** What else a session says, in tables of their own, by what each row is kept as. */
const BESIDE = { session_files: 'file', session_refs: 'reference', checkpoints: 'checkpoint' } as const;

/** The sessions in Copilot's database, of its command line and of VS Code's chat. */
export const copilotStoreFormat = storedFormat({
  name: 'copilot-store',
  of: 'Copilot',
  files:
    '`session-store.db` of Copilot CLI and of Copilot Chat: what was asked and answered, and what requests used',
  carries: ['messages', 'times', 'models', 'usage', 'cost'],
});

/** Copilot's `session-store.db`: turns of sessions, and of its command line what each request used. */
export const copilotStore: ToolDatabase = {
  of: 'Copilot',
  is: (database) =>
    database.has('sessions', ['id', 'summary', 'updated_at']) &&
    database.has('turns', ['session_id', 'user_message', 'assistant_response']),
  list(database) {
    const rows = database.rows('SELECT id, updated_at AS changed FROM sessions');
    return new Map(Array.from(rows, ({ id, changed }) => [textIn(id) ?? '', changedAt(changed)] as const));
  },
  about(database, id) {
    const [session] = rowsOf(database, 'sessions', 'id = ?', id);
    if (!session) return undefined;
    const turns = turnsOf(database, id);
    const last = turns.at(-1);
    return {
      title: text(session.summary) ?? text(turns[0]?.user_message),
      workspace: text(session.cwd),
      agent: undefined,
      model: requestsOf(database, id).at(-1)?.model,
      messages: turns.reduce((sum, turn) => sum + messagesOf(turn).length, 0),
      end: last === undefined ? undefined : text(last.assistant_response) === undefined ? 'prompt' : 'answer',
    };
  },
  workspace(database, id) {
    const [session] = rowsOf(database, 'sessions', 'id = ?', id);
    return text(session?.cwd);
  },
  read(database, id, kept) {
    const [about] = rowsOf(database, 'sessions', 'id = ?', id);
    if (!about) return { values: [], problems: [] };
    const beside = Object.entries(BESIDE).flatMap(([table, as]) =>
      database.has(table, ['session_id'])
        ? rowsOf(database, table, 'session_id = ?', id).map((raw) => ({ kept: as, raw }))
        : [],
    );
    const session: StoredSession = {
      id,
      title: text(about.summary),
      about: { database: copilotStoreFormat.name, ...about },
      messages: [...turnsOf(database, id).flatMap(messagesOf), ...beside],
      requests: requestsOf(database, id),
    };
    kept.note(`session ${id}`, JSON.stringify(session));
    return { values: [session], problems: [] };
  },
};

function turnsOf(database: DatabaseReader, id: string): readonly Fields[] {
  const order = database.has('turns', ['turn_index']) ? 'turn_index' : 'rowid';
  return rowsOf(database, 'turns', `session_id = ? ORDER BY ${order}`, id);
}

function messagesOf(turn: Fields): StoredSession['messages'] {
  const time = timeInColumn(turn.timestamp);
  const said = [
    ['user', text(turn.user_message)],
    ['assistant', text(turn.assistant_response)],
  ] as const;
  return said.flatMap(([role, words]) =>
    words === undefined ? [] : [{ message: chatMessage(role, words, {}), time, raw: turn }],
  );
}

/** What each request used: no turn tells of it. */
function requestsOf(database: DatabaseReader, id: string): readonly StoredRequest[] {
  if (!database.has('assistant_usage_events', ['session_id', 'model', 'input_tokens', 'output_tokens']))
    return [];
  return rowsOf(database, 'assistant_usage_events', 'session_id = ? ORDER BY rowid', id).map((row) => {
    const billed = number(row.total_nano_aiu);
    return {
      usage: usageOf({
        input: number(row.input_tokens),
        output: number(row.output_tokens),
        cached: number(row.cache_read_tokens),
        written: number(row.cache_write_tokens),
        reasoning: number(row.reasoning_tokens),
        cost: billed === undefined ? undefined : billed / NANO_AIU_PER_DOLLAR,
        told: row,
      }),
      model: text(row.model),
      time: timeInColumn(row.created_at),
      raw: row,
    };
  });
}
