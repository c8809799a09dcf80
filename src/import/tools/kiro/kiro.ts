import { storedFormat, type StoredMessage } from '../../messages/storedSession.js';
import type { Tool } from '../tool.js';
import type { TranscriptFormat } from '../../building/transcriptFormat.js';
import { chatMessage, toolCall, toolMessage } from '../../messages/chatMessage.js';
import { asText, fields, list, objects, text, time, type Fields, without } from '../../reading/fields.js';
import { type DatabaseReader, textIn } from '../../../node/sqlite/databaseReader.js';
import { isObject } from '../../../core/message.js';
import {
  bounded,
  changedAt,
  jsonOf,
  plain,
  type KnownSession,
  type ToolDatabase,
} from '../../databases/toolDatabase.js';

/** What a line of a session is. */
const KINDS: ReadonlySet<unknown> = new Set(['Prompt', 'AssistantMessage', 'ToolResults']);

/** The sessions that newer versions of Kiro's command line write: a message a line, in an object that says what it is. */
const kiroLog: TranscriptFormat = {
  name: 'kiro-log',
  of: 'Kiro',
  files: 'sessions of its command line (`.jsonl`)',
  carries: ['messages', 'calls', 'times'],
  detect: (head) =>
    head.some((value) => KINDS.has(fields(value).kind) && Array.isArray(fields(fields(value).data).content)),
  *readLines(lines, sink) {
    const builder = sink.conversation(undefined, 'Kiro');
    for (const value of sink.each(lines)) {
      const { kind, data } = fields(value);
      const { content, meta } = fields(data);
      const about = { time: time(fields(meta).timestamp), raw: value };
      const parts = objects(content);
      const ofKind = (wanted: string) =>
        parts.filter((part) => part.kind === wanted).map((part) => part.data);
      if (kind === 'ToolResults')
        for (const result of ofKind('toolResult').map(fields))
          builder.message(builder.entry, toolMessage(result.toolUseId, wordsOf(result)), {
            ...about,
            isError: /^error$/i.test(asText(result.status)) || undefined,
          });
      else if (KINDS.has(kind)) {
        const words = ofKind('text').map(asText).join('\n');
        const calls = ofKind('toolUse')
          .map(fields)
          .map(({ toolUseId, name, input }) => toolCall(toolUseId, name, input));
        const role = kind === 'Prompt' ? 'user' : 'assistant';
        builder.message(builder.entry, chatMessage(role, text(words) ?? null, { calls }), about);
      } else {
        sink.unknown(`lines of kind ${asText(kind)}`);
        builder.keep(builder.entry, text(kind) ?? 'line', value);
      }
      yield;
    }
  },
};

function wordsOf({ content }: Fields): string {
  return list(content)
    .map((part) => asText(fields(part).data ?? part))
    .join('\n');
}

/** Kiro's command line and that of Amazon Q, whose sessions stand in a database; see `kiroDatabase`. */
export const kiro: Tool = {
  formats: [
    storedFormat({
      name: 'kiro',
      of: 'Kiro',
      files: 'sessions of its command line in `data.sqlite3`',
      carries: ['messages', 'calls', 'times', 'models', 'images'],
    }),
    storedFormat({
      name: 'amazon-q',
      of: 'Amazon Q',
      files:
        'sessions of its command line in `data.sqlite3`, also one a folder as its older versions keep them',
      carries: ['messages', 'calls', 'times', 'models', 'images'],
    }),
    kiroLog,
  ],
};

/**
 * The database of Kiro's command line, and of Amazon Q's, of which that was made: a conversation is one JSON text, by the folder
 * that it was held in. Older versions keep one conversation a folder, whose id stands in its text only.
 */
export const kiroDatabase: ToolDatabase = {
  of: 'Kiro',
  is: (database) => hasNewer(database) || hasOlder(database),
  list(database, known) {
    const found = new Map<string, number>();
    for (const [id, changed] of olderOnes(database, known)) found.set(id, changed);
    const newer = hasNewer(database)
      ? database.rows(
          'SELECT conversation_id AS id, max(updated_at) AS changed FROM conversations_v2 GROUP BY 1',
        )
      : [];
    for (const { id, changed } of newer) if (typeof id === 'string') found.set(id, changedAt(changed));
    return found;
  },
  about(database, id) {
    const [row, value] = rowOf(database, id, () => undefined);
    if (!row) return undefined;
    const turns = turnsOf(value);
    const prompts = turns.flatMap(
      ({ user }) => text(fields(fields(fields(user).content).Prompt).prompt) ?? [],
    );
    const last = fields(turns.at(-1)?.assistant);
    return {
      title: prompts[0],
      workspace: text(row.key),
      agent: undefined,
      model: modelOf(turns.at(-1) ?? {}, value),
      messages: turns.reduce((sum, { assistant }) => sum + (isObject(assistant) ? 2 : 1), 0),
      end:
        'ToolUse' in last ? 'call' : 'Response' in last ? 'answer' : turns.length > 0 ? 'prompt' : undefined,
    };
  },
  workspace(database, id) {
    const [row] = rowOf(database, id, () => undefined);
    return text(row?.key);
  },
  read(database, id, kept, path) {
    const problems: string[] = [];
    const [row, value] = rowOf(database, id, (problem) => problems.push(problem));
    if (!row) return { values: [], problems };
    const session = {
      id,
      title: undefined,
      about: {
        database: isAmazonQ(path) ? 'amazon-q' : 'kiro',
        ...row,
        cwd: row.key,
        ...without(value, 'history', 'next_message'),
      },
      messages: turnsOf(value).flatMap((turn) => messagesOf(turn, value)),
    };
    kept.note(`conversation ${id}`, JSON.stringify(session));
    return { values: [session], problems };
  },
};

function hasNewer(database: DatabaseReader): boolean {
  return database.has('conversations_v2', ['key', 'conversation_id', 'value', 'updated_at']);
}

function hasOlder(database: DatabaseReader): boolean {
  return database.has('conversations', ['key', 'value']) && !database.has('conversations', ['id']);
}

/** Whether a database lies where Amazon Q's command line keeps it. */
function isAmazonQ(path: string): boolean {
  return /(?:^|[\\/])amazon-q[\\/][^\\/]+$/.test(path);
}

/** The ids of the conversations in the older table, with when each was written to last; of what has not changed no text is read. */
function* olderOnes(
  database: DatabaseReader,
  known: Map<string, KnownSession>,
): Generator<readonly [id: string, changed: number]> {
  if (!hasOlder(database)) return;
  const before = new Map(Array.from(known, ([id, session]) => [session.stamp, id]));
  const rows = [
    ...database.rows('SELECT rowid AS row, key, octet_length(value) AS bytes FROM conversations'),
  ];
  for (const { row, key, bytes } of rows) {
    const stamp = `${String(row)} ${String(bytes)} ${String(textIn(key))}`;
    const id = before.get(stamp);
    const changed = id === undefined ? undefined : known.get(id)?.changed;
    if (id !== undefined && changed !== undefined) {
      yield [id, changed];
      continue;
    }
    const [, value] = olderRow(database, Number(row), () => undefined);
    const found = idIn(value, row);
    const at =
      turnsOf(value)
        .flatMap((turn) => timesOf(turn))
        .at(-1) ?? 0;
    known.set(found, { stamp, changed: at });
    yield [found, at];
  }
}

function idIn(value: Fields, row: unknown): string {
  return text(value.conversation_id) ?? `row-${String(row)}`;
}

function rowOf(
  database: DatabaseReader,
  id: string,
  tell: (problem: string) => void,
): readonly [Fields | undefined, Fields] {
  const sql = `SELECT key, conversation_id, created_at, updated_at, ${bounded('value')} FROM conversations_v2 WHERE conversation_id = ? ORDER BY updated_at DESC LIMIT 1`;
  const [newer] = hasNewer(database) ? database.rows(sql, id) : [];
  if (newer) return [without(plain(newer), 'value', 'bytes'), fields(jsonOf(newer, 'value', tell))];
  if (!hasOlder(database)) return [undefined, {}];
  const all = Array.from(database.rows('SELECT rowid AS row FROM conversations'), ({ row }) => Number(row));
  for (const number of all) {
    const problems: string[] = [];
    const [row, value] = olderRow(database, number, (problem) => problems.push(problem));
    if (idIn(value, number) !== id) continue;
    for (const problem of problems) tell(problem);
    return [row, value];
  }
  return [undefined, {}];
}

function olderRow(
  database: DatabaseReader,
  row: number,
  tell: (problem: string) => void,
): readonly [Fields, Fields] {
  const [found] = database.rows(`SELECT key, ${bounded('value')} FROM conversations WHERE rowid = ?`, row);
  if (!found) return [{}, {}];
  return [without(plain(found), 'value', 'bytes'), fields(jsonOf(found, 'value', tell))];
}

/** The turns of a conversation, as pairs in old versions, and what is asked and not answered yet. */
function turnsOf(value: Fields): readonly Fields[] {
  const turns = list(value.history).flatMap((turn) => {
    if (!Array.isArray(turn)) return isObject(turn) ? [turn] : [];
    const [user, assistant] = turn as readonly unknown[];
    return [{ user, assistant }];
  });
  return isObject(value.next_message) ? [...turns, { user: value.next_message }] : turns;
}

/** When a turn was said, as far as it tells. */
function timesOf(turn: Fields): readonly number[] {
  const about = fields(turn.request_metadata);
  const told = [fields(turn.user).timestamp, about.request_start_timestamp_ms, about.stream_end_timestamp_ms];
  return told.flatMap((each) => time(each) ?? []);
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
