import { textIn } from '../../../node/sqlite/databaseReader.js';
import { type StoredMessage, type StoredRequest, storedFormat } from '../../messages/storedSession.js';
import { changedAt, rowsOf, timeInColumn, type ToolDatabase } from '../../databases/toolDatabase.js';
import { chatMessage, toolCall, toolMessage } from '../../messages/chatMessage.js';
import { usageOf } from '../../messages/usage.js';
import { asText, fields, number, objects, parsed, text, type Fields } from '../../reading/fields.js';
import type { Tool } from '../tool.js';

/** Hermes' `state.db`: sessions with what they came to, and their messages. */
export const hermesDatabase: ToolDatabase = {
  of: 'Hermes',
  is: (database) =>
    database.has('sessions', ['id', 'source', 'model', 'started_at', 'ended_at']) &&
    database.has('messages', ['session_id', 'role', 'content', 'tool_call_id', 'tool_calls', 'timestamp']),
  list(database) {
    // One that goes on from another has an id of its own, and is one by itself: the messages before are not repeated in it.
    const rows = database.rows(
      `SELECT id, coalesce((SELECT max(timestamp) FROM messages WHERE session_id = sessions.id), ended_at, started_at) AS changed FROM sessions`,
    );
    return new Map(
      Array.from(rows, ({ id, changed }) => [textIn(id) ?? '', changedAt(changed)] as const).filter(
        ([id]) => id !== '',
      ),
    );
  },
  about(database, id) {
    const [session] = rowsOf(database, 'sessions', 'id = ?', id);
    if (!session) return undefined;
    const [count] = database.rows('SELECT count(*) AS messages FROM messages WHERE session_id = ?', id);
    const [first] = rowsOf(
      database,
      'messages',
      `role = 'user' AND session_id = ? ORDER BY rowid LIMIT 1`,
      id,
    );
    const [last] = rowsOf(database, 'messages', 'session_id = ? ORDER BY rowid DESC LIMIT 1', id);
    const isCall = last?.role === 'tool' || objects(parsed(last?.tool_calls)).length > 0;
    return {
      title: text(session.title) ?? text(first?.content),
      workspace: text(session.cwd),
      agent: undefined,
      model: text(session.model),
      messages: Number(count?.messages),
      end: last === undefined ? undefined : last.role === 'user' ? 'prompt' : isCall ? 'call' : 'answer',
    };
  },
  workspace(database, id) {
    const [session] = rowsOf(database, 'sessions', 'id = ?', id);
    return text(session?.cwd);
  },
  read(database, id, kept) {
    const [about] = rowsOf(database, 'sessions', 'id = ?', id);
    if (!about) return { values: [], problems: [] };
    const rows = rowsOf(database, 'messages', 'session_id = ? ORDER BY rowid', id);
    const session = {
      id,
      title: text(about.title),
      about: { database: 'hermes', ...about },
      messages: rows.map((row) => messageIn(row, text(about.model))),
      requests: totalOf(about),
    };
    kept.note(`session ${id}`, JSON.stringify(session));
    return { values: [session], problems: [] };
  },
};

/** What all of a session came to: its messages tell no tokens. Those read from and written to a cache are counted beside the others. */
function totalOf(about: Fields): readonly StoredRequest[] {
  const count = (name: string) => number(about[name]) ?? 0;
  const [cached, written] = [count('cache_read_tokens'), count('cache_write_tokens')];
  const input = count('input_tokens') + cached + written;
  const output = count('output_tokens');
  if (input + output === 0) return [];
  const usage = usageOf({
    input,
    output,
    cached,
    written,
    reasoning: count('reasoning_tokens'),
    cost: about.actual_cost_usd ?? about.estimated_cost_usd,
    told: about,
  });
  return [{ usage, model: text(about.model), time: timeInColumn(about.ended_at) }];
}

function messageIn(row: Fields, model: string | undefined): StoredMessage {
  const at = timeInColumn(row.timestamp);
  const content = contentIn(row.content);
  if (row.role === 'tool')
    return {
      message: toolMessage(row.tool_call_id, content),
      time: at,
      toolName: text(row.tool_name),
      isError: hasFailed(content) || undefined,
      raw: row,
    };
  const calls = objects(parsed(row.tool_calls)).map((call) => {
    const { name, arguments: input } = fields(call.function ?? call);
    return toolCall(call.id, name, input ?? call.input);
  });
  const message = chatMessage(row.role, content === '' && calls.length > 0 ? null : content, {
    reasoning: asText(row.reasoning ?? row.reasoning_content),
    calls,
  });
  return { message, time: at, model: row.role === 'assistant' ? model : undefined, raw: row };
}

/** What a message says: a text, or behind a mark the parts of which it consists. */
function contentIn(value: unknown): unknown {
  const said = asText(value);
  const [, inside] = /^\0?json:(?=[[{])([^]*)$/.exec(said) ?? [];
  return inside === undefined ? said : parsed(inside);
}

/** Whether a result tells of a failure: an exit code, or an error. */
function hasFailed(content: unknown): boolean {
  const { exit_code, error, success } = fields(parsed(content));
  const hasError = error !== undefined && error !== null && error !== '' && error !== false;
  return (number(exit_code) ?? 0) !== 0 || hasError || success === false;
}

/** Hermes, whose sessions stand in a database; see `hermesDatabase`. */
export const hermes: Tool = {
  formats: [
    storedFormat({
      name: 'hermes',
      of: 'Hermes',
      files: 'sessions in `state.db`',
      carries: ['messages', 'calls', 'times', 'models', 'usage', 'cost', 'images', 'thinking'],
    }),
  ],
};
