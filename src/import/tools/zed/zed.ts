import { storedFormat, type StoredSession } from '../../messages/storedSession.js';
import type { Tool } from '../tool.js';
import { isObject } from '../../../core/message.js';
import type { ImportSink } from '../../building/importSink.js';
import {
  asText,
  fields,
  number,
  objects,
  text,
  list,
  parsed,
  without,
  type Fields,
} from '../../reading/fields.js';
import type { TranscriptFormat } from '../../building/transcriptFormat.js';
import {
  MAX_VALUE_BYTES,
  textIn,
  type DatabaseReader,
  type Row,
} from '../../../node/sqlite/databaseReader.js';
import { messageOf } from '../../../core/text.js';
import {
  bounded,
  plain,
  quoted,
  timeInColumn,
  withoutStarted,
  type ToolDatabase,
} from '../../databases/toolDatabase.js';
import { anthropicUsage } from '../../messages/usage.js';
import { unpackZstd } from '../../reading/zstd.js';
import { zedMessages } from './zedMessages.js';

/** Zed's text threads: one text, and where in it each message begins. */
const zedText: TranscriptFormat = {
  name: 'zed-text',
  of: 'Zed',
  files: 'text threads (`.zed.json`)',
  carries: ['messages'],
  detect: (head) => head.length > 0 && head.every(isThread),
  read(entries, sink) {
    for (const value of sink.values(entries)) readThread(value, sink);
  },
};

function isThread(value: unknown): boolean {
  if (!isObject(value) || value.zed !== 'context' || typeof value.text !== 'string') return false;
  const messages = objects(value.messages);
  return messages.length > 0 && messages.every(({ start }) => number(start) !== undefined);
}

function readThread(value: unknown, sink: ImportSink): void {
  const thread = fields(value);
  const builder = sink.conversation(thread.id, 'assistant');
  builder.title = text(thread.summary);
  // Kept whole, because a person may write between messages and beside them.
  builder.keep(builder.entry, 'thread', value);
  // Positions count bytes of UTF-8, as Zed's buffers do.
  const bytes = Buffer.from(asText(thread.text));
  const metadata = fields(thread.message_metadata);
  const messages = objects(thread.messages).toSorted(
    (a, b) => (number(a.start) ?? 0) - (number(b.start) ?? 0),
  );
  for (const [at, { start, ...message }] of messages.entries()) {
    const words = bytes
      .subarray(number(start), number(messages[at + 1]?.start))
      .toString()
      .trim();
    const said = fields(message.metadata);
    const beside = fields(metadata[asText(message.id)]);
    const role = text(said.role) ?? text(beside.role);
    const isError = isObject(said.status) && 'Error' in said.status;
    if (words !== '' && role !== undefined && /^(?:user|assistant|system)$/.test(role))
      builder.message(builder.entry, { role, content: words }, { isError: isError || undefined });
  }
}

/** Zed: text threads, and threads of its agents, which stand in a database; see `zedDatabase`. */
export const zed: Tool = {
  formats: [
    storedFormat({
      name: 'zed',
      of: 'Zed',
      files: 'threads of its agents in `threads.db`, with those of their subagents',
      carries: ['messages', 'calls', 'subagents', 'models', 'usage', 'images', 'thinking'],
    }),
    zedText,
  ],
};

/** How many threads may start others one inside the other. */
const MAX_DEPTH = 20;

/** Who hears what could not be read. */
type Tell = (problem: string) => void;

/** Zed's `threads.db`: the threads of its agents, each one JSON text, which newer versions pack by Zstandard. */
export const zedDatabase: ToolDatabase = {
  of: 'Zed',
  is: (database) => database.has('threads', ['id', 'summary', 'updated_at', 'data_type', 'data']),
  list: (database) =>
    withoutStarted(
      database.rows(`SELECT id, ${parentIn(database)} AS parent, updated_at AS changed FROM threads`),
    ),
  about(database, id) {
    const row = rowOf(database, id);
    if (!row) return undefined;
    const thread = threadIn(row, () => undefined);
    const last = list(thread.messages).at(-1);
    const said = fields(last);
    return {
      title: text(thread.title) ?? text(textIn(row.summary)),
      workspace: folderIn(plainRow(row), thread),
      agent: undefined,
      model: text(fields(thread.model).model),
      messages: list(thread.messages).length,
      end: 'User' in said || said.role === 'user' ? 'prompt' : last === undefined ? undefined : 'answer',
    };
  },
  workspace(database, id) {
    const row = rowOf(database, id);
    return (
      row &&
      folderIn(
        plainRow(row),
        threadIn(row, () => undefined),
      )
    );
  },
  read(database, id, kept) {
    const problems: string[] = [];
    const session = sessionIn(database, id, new Set(), (problem) => problems.push(problem));
    kept.note(`thread ${id}`, JSON.stringify(session ?? null));
    return { values: session ? [session] : [], problems };
  },
};

function sessionIn(
  database: DatabaseReader,
  id: string,
  above: ReadonlySet<string>,
  tell: Tell,
): StoredSession | undefined {
  const row = rowOf(database, id);
  if (!row) return undefined;
  const thread = threadIn(row, tell);
  const within = new Set([...above, id]);
  const started = database.rows(
    `SELECT id FROM threads WHERE ${parentIn(database)} = ? ORDER BY updated_at`,
    id,
  );
  const children = Array.from(started).flatMap(({ id: child }) => {
    if (typeof child !== 'string' || within.has(child) || within.size > MAX_DEPTH) return [];
    return sessionIn(database, child, within, tell) ?? [];
  });
  const about = plainRow(row);
  const model = text(fields(thread.model).model);
  const usage = anthropicUsage(thread.cumulative_token_usage);
  const spent = usage && usage.inputTokens + usage.outputTokens > 0 ? usage : undefined;
  const folder = folderIn(about, thread);
  return {
    id,
    title: text(thread.title) ?? text(about.summary),
    about: {
      database: 'zed',
      ...about,
      ...(folder !== undefined && { cwd: folder }),
      ...without(thread, 'messages'),
    },
    messages: zedMessages(list(thread.messages), model),
    ...(spent && { requests: [{ usage: spent, model, time: timeInColumn(about.updated_at) }] }),
    ...(children.length > 0 && { children }),
  };
}

/** A thread's row; older versions have fewer columns. */
function rowOf(database: DatabaseReader, id: string): Row | undefined {
  const columns = [...(database.columnsOf('threads') ?? [])]
    .filter((column) => column !== 'data')
    .map(quoted);
  const [row] = database.rows(
    `SELECT ${columns.join(', ')}, ${bounded('data')} FROM threads WHERE id = ?`,
    id,
  );
  return row;
}

function plainRow(row: Row): Fields {
  return plain(
    Object.fromEntries(Object.entries(row).filter(([column]) => column !== 'data' && column !== 'bytes')),
  );
}

/** What stands in the data of a row; nothing where it cannot be read, which is told. */
function threadIn({ data_type: type, data = null, bytes = null }: Row, tell: Tell): Fields {
  if (data === null) {
    tell(`A thread of ${String(bytes)} bytes was left out; it is longer than is read.`);
    return {};
  }
  try {
    const packed = data instanceof Uint8Array && textIn(type) === 'zstd';
    const read = packed ? unpackZstd(data, MAX_VALUE_BYTES) : data;
    if (read === undefined) throw new Error('It unpacks to more than is read');
    const value: unknown = parsed(textIn(read));
    if (typeof value === 'string') throw new Error('It holds no JSON');
    return fields(value);
  } catch (error) {
    tell(`What was said in a thread cannot be read: ${messageOf(error).replace(/\.$/, '')}.`);
    return {};
  }
}

/** The folder that a thread was held in: the first that its row or what it says of its project names. */
function folderIn(row: Fields, thread: Fields): string | undefined {
  const told = parsed(row.folder_paths);
  const paths = Array.isArray(told) ? told.map(text) : (text(told)?.split('\n') ?? []);
  const order = text(row.folder_paths_order)?.split(',').map(Number) ?? [];
  const first = number(order.indexOf(0)) ?? -1;
  const [tree] = list(fields(thread.initial_project_snapshot).worktree_snapshots);
  return paths[first] ?? paths[0] ?? text(fields(tree).worktree_path) ?? text(fields(tree).abs_path);
}

function parentIn(database: DatabaseReader): string {
  return database.has('threads', ['parent_id']) ? 'parent_id' : 'NULL';
}
