import type { DatabaseReader } from '../../../node/sqlite/databaseReader.js';
import { textIn } from '../../../node/sqlite/databaseReader.js';
import type { StoredMessage } from '../../messages/storedSession.js';
import { bounded, changedAt, jsonOf, plain, type ToolDatabase } from '../../databases/toolDatabase.js';
import { chatMessage, toolCall, toolMessage } from '../../messages/chatMessage.js';
import { asText, fields, list, objects, text, time, without, type Fields } from '../../reading/fields.js';

/** The database of Kiro's command line: a conversation is one JSON text, by the folder that it was held in. */
export const kiroDatabase: ToolDatabase = {
  of: 'Kiro',
  is: (database) => database.has('conversations_v2', ['key', 'conversation_id', 'value', 'updated_at']),
  list(database) {
    const rows = database.rows(
      'SELECT conversation_id AS id, max(updated_at) AS changed FROM conversations_v2 GROUP BY 1',
    );
    const found = new Map<string, number>();
    for (const { id, changed } of rows) if (typeof id === 'string') found.set(id, changedAt(changed));
    return found;
  },
  about(database, id) {
    const [row, value] = rowOf(database, id, () => undefined);
    if (!row) return undefined;
    const turns = objects(value.history);
    const prompts = turns.flatMap(
      ({ user }) => text(fields(fields(fields(user).content).Prompt).prompt) ?? [],
    );
    const last = fields(turns.at(-1)?.assistant);
    return {
      title: prompts[0],
      workspace: text(row.key),
      agent: undefined,
      model: modelOf(turns.at(-1) ?? {}, value),
      messages: turns.reduce((sum, { assistant }) => sum + (assistant ? 2 : 1), 0),
      end:
        'ToolUse' in last ? 'call' : 'Response' in last ? 'answer' : turns.length > 0 ? 'prompt' : undefined,
    };
  },
  workspace(database, id) {
    const [row] = database.rows('SELECT key FROM conversations_v2 WHERE conversation_id = ?', id);
    return text(textIn(row?.key));
  },
  read(database, id, kept) {
    const problems: string[] = [];
    const [row, value] = rowOf(database, id, (problem) => problems.push(problem));
    if (!row) return { values: [], problems };
    const session = {
      id,
      title: undefined,
      about: { database: 'kiro', ...row, cwd: row.key, ...without(value, 'history') },
      messages: objects(value.history).flatMap((turn) => messagesOf(turn, value)),
    };
    kept.note(`conversation ${id}`, JSON.stringify(session));
    return { values: [session], problems };
  },
};

function rowOf(
  database: DatabaseReader,
  id: string,
  tell: (problem: string) => void,
): readonly [Fields | undefined, Fields] {
  const sql = `SELECT key, conversation_id, created_at, updated_at, ${bounded('value')} FROM conversations_v2 WHERE conversation_id = ? ORDER BY updated_at DESC LIMIT 1`;
  const [row] = database.rows(sql, id);
  if (!row) return [undefined, {}];
  return [without(plain(row), 'value', 'bytes'), fields(jsonOf(row, 'value', tell))];
}

function modelOf({ request_metadata: about }: Fields, value: Fields): string | undefined {
  return text(fields(about).model_id) ?? text(fields(value.model_info).model_id) ?? text(value.model);
}

/** What a turn says: the prompt or the results that were sent, and what came back. */
function messagesOf(turn: Fields, value: Fields): StoredMessage[] {
  const user = fields(turn.user);
  const sent = fields(user.content);
  const about = fields(turn.request_metadata);
  const at = time(user.timestamp) ?? time(about.request_start_timestamp_ms);
  const cancelled = fields(sent.CancelledToolUses);
  const given = [
    ...objects(fields(sent.ToolUseResults).tool_use_results).map((result) => ({
      result,
      isCancelled: false,
    })),
    ...objects(cancelled.tool_use_results).map((result) => ({ result, isCancelled: true })),
  ];
  const results = given.map(({ result, isCancelled }): StoredMessage => {
    const words = list(result.content).map((part) => {
      const { Text: said, Json: data } = fields(part);
      return asText(said ?? data ?? part);
    });
    const isError = !isCancelled && /^error$/i.test(asText(result.status));
    return {
      message: toolMessage(result.tool_use_id, words.join('\n')),
      time: at,
      isError: isError || undefined,
      state: isCancelled ? 'cancelled' : undefined,
      raw: turn,
    };
  });
  const prompt = text(fields(sent.Prompt).prompt) ?? text(cancelled.prompt);
  const asked =
    prompt === undefined ? [] : [{ message: chatMessage('user', prompt, {}), time: at, raw: turn }];
  const { ToolUse: called, Response: answered } = fields(turn.assistant);
  const answer = fields(called ?? answered);
  if (called === undefined && answered === undefined) return [...results, ...asked];
  const message = chatMessage('assistant', text(answer.content) ?? null, {
    calls: objects(answer.tool_uses).map(({ id, name, args }) => toolCall(id, name, args)),
  });
  const ended = time(about.stream_end_timestamp_ms) ?? time(about.request_start_timestamp_ms) ?? at;
  return [...results, ...asked, { message, time: ended, model: modelOf(turn, value), raw: turn }];
}
