import { dirname } from 'node:path';
import type { DatabaseReader } from '../../../node/sqlite/databaseReader.js';
import { rowsOf, withoutStarted, type ToolDatabase } from '../../databases/toolDatabase.js';
import {
  type StoredMessage,
  type StoredRequest,
  type StoredSession,
  storedFormat,
} from '../../messages/storedSession.js';
import { contentOf } from '../../messages/anthropicBlocks.js';
import {
  chatMessage,
  encodedPicture,
  linkedPicture,
  toolCall,
  toolMessage,
} from '../../messages/chatMessage.js';
import { usageOf } from '../../messages/usage.js';
import { asText, fields, number, objects, parsed, text, time, type Fields } from '../../reading/fields.js';
import type { Tool } from '../tool.js';

/** How many sessions may start others one inside the other. */
const MAX_DEPTH = 20;

/** Crush's `crush.db`, one in the folder of each project: sessions, and messages with their parts as JSON. */
export const crushDatabase: ToolDatabase = {
  of: 'Crush',
  is: (database) =>
    database.has('sessions', ['id', 'parent_session_id', 'title', 'prompt_tokens', 'updated_at']) &&
    database.has('messages', ['id', 'session_id', 'role', 'parts', 'created_at']),
  list: (database) =>
    withoutStarted(
      database.rows('SELECT id, parent_session_id AS parent, updated_at AS changed FROM sessions'),
    ),
  about(database, id, path) {
    const [session] = rowsOf(database, 'sessions', 'id = ?', id);
    if (!session) return undefined;
    const messages = rowsOf(database, 'messages', 'session_id = ? ORDER BY created_at, rowid', id);
    const last = messages.at(-1);
    const ends = objects(parsed(last?.parts)).findLast(({ type }) => type === 'finish');
    const { reason } = fields(ends?.data);
    return {
      title: text(session.title),
      workspace: projectOf(path),
      agent: undefined,
      model: messages.map(({ model }) => text(model)).findLast((model) => model !== undefined),
      messages: messages.length,
      end:
        reason === 'error'
          ? 'error'
          : last?.role === 'user'
            ? 'prompt'
            : last?.role === 'tool' || reason === 'tool_use'
              ? 'call'
              : 'answer',
    };
  },
  workspace: (_database, _id, path) => projectOf(path),
  read(database, id, kept, path) {
    const session = sessionIn(database, id, path, new Set());
    kept.note(`session ${id}`, JSON.stringify(session ?? null));
    return { values: session ? [session] : [], problems: [] };
  },
};

/** The folder of the project in whose hidden folder a database lies. */
function projectOf(path: string): string | undefined {
  const folder = dirname(path);
  return /[\\/]\.crush$/.test(folder) ? dirname(folder) : undefined;
}

function sessionIn(
  database: DatabaseReader,
  id: string,
  path: string,
  above: ReadonlySet<string>,
): StoredSession | undefined {
  const [about] = rowsOf(database, 'sessions', 'id = ?', id);
  if (!about) return undefined;
  const rows = rowsOf(database, 'messages', 'session_id = ? ORDER BY created_at, rowid', id);
  const within = new Set([...above, id]);
  const children = Array.from(
    database.rows('SELECT id FROM sessions WHERE parent_session_id = ? ORDER BY created_at', id),
  ).flatMap(({ id: child }) => {
    if (typeof child !== 'string' || within.has(child) || within.size > MAX_DEPTH) return [];
    return sessionIn(database, child, path, within) ?? [];
  });
  const failed = rows.flatMap(failureIn).at(-1);
  return {
    id,
    title: text(about.title),
    about: { database: 'crush', ...about, ...(projectOf(path) !== undefined && { cwd: projectOf(path) }) },
    messages: rows.flatMap(messagesOf),
    requests: totalOf(about, rows),
    ...(failed && { failure: failed }),
    ...(children.length > 0 && { children }),
  };
}

/** What all of a session came to: its messages tell no tokens. */
function totalOf(about: Fields, rows: readonly Fields[]): readonly StoredRequest[] {
  const [input, output] = [number(about.prompt_tokens), number(about.completion_tokens)];
  if ((input ?? 0) + (output ?? 0) + (number(about.cost) ?? 0) === 0) return [];
  const model = rows.map((row) => text(row.model)).findLast((each) => each !== undefined);
  return [
    { usage: usageOf({ input, output, cost: about.cost, told: about }), model, time: time(about.updated_at) },
  ];
}

function failureIn(row: Fields): { error: Fields; raw: unknown }[] {
  const ends = objects(parsed(row.parts)).filter(({ type }) => type === 'finish');
  return ends.flatMap(({ data }) => {
    const { reason, message, details } = fields(data);
    if (reason !== 'error') return [];
    const words = [message, details].map(asText).filter((each) => each !== '');
    return [{ error: { message: words.join(': ') }, raw: row }];
  });
}

/** The messages of a row: one, or each of the results in it. */
function messagesOf(row: Fields): StoredMessage[] {
  const parts = objects(parsed(row.parts));
  const dataOf = (kind: string) => parts.filter(({ type }) => type === kind).map(({ data }) => fields(data));
  const at = time(row.created_at);
  const results = dataOf('tool_result').map((result): StoredMessage => ({
    message: toolMessage(result.tool_call_id, asText(result.content)),
    time: at,
    toolName: text(result.name),
    isError: result.is_error === true || undefined,
    raw: row,
  }));
  const said = parts.flatMap(contentPart);
  const calls = dataOf('tool_call').map(({ id, name, input }) => toolCall(id, name, input));
  const reasoning = dataOf('reasoning').map(({ thinking }) => asText(thinking));
  if (results.length > 0 && said.length === 0 && calls.length === 0) return results;
  const message = chatMessage(row.role, said.length === 0 ? null : contentOf(said), {
    reasoning: reasoning.join('\n'),
    calls,
  });
  return [{ message, time: at, model: text(row.model), raw: row }, ...results];
}

/** What a part says or shows. */
function contentPart({ type, data }: Fields): Fields[] {
  const about = fields(data);
  if (type === 'text') return [{ type: 'text', text: asText(about.text) }];
  if (type === 'image_url' && typeof about.url === 'string') return [linkedPicture(about.url)];
  if (type === 'binary' && typeof about.Data === 'string' && asText(about.MIMEType).startsWith('image/'))
    return [encodedPicture(about.Data)];
  return [];
}

/** Crush, whose sessions stand in a database; see `crushDatabase`. */
export const crush: Tool = {
  formats: [
    storedFormat({
      name: 'crush',
      of: 'Crush',
      files: 'sessions in `crush.db`, with those of their subagents',
      carries: ['messages', 'calls', 'subagents', 'times', 'models', 'usage', 'cost', 'images', 'thinking'],
    }),
  ],
};
