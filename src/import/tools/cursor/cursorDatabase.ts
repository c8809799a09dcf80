import { textIn, type Cell, type DatabaseReader } from '../../../node/sqlite/databaseReader.js';
import { fields, list, number, objects, parsed, text, time, type Fields } from '../../reading/fields.js';
import type { CachedValue, CachedValues } from '../../databases/cachedValues.js';
import {
  bounded,
  jsonOf,
  keptValueOf,
  valuesOfRows,
  type SessionInList,
  type SessionValues,
  type ToolDatabase,
} from '../../databases/toolDatabase.js';

/** How many chats may start others one inside the other. */
const MAX_DEPTH = 20;

/**
 * Cursor's `state.vscdb` in its `globalStorage`: under `composerData:<chat>` what a chat is, with the order of its messages, and
 * under `bubbleId:<chat>:<message>` each message.
 */
export const cursorDatabase: ToolDatabase = {
  of: 'Cursor',
  is: (database) => database.has('cursorDiskKV', ['key', 'value']),
  list(database, known) {
    const sql = `SELECT rowid AS row, key, octet_length(value) AS bytes FROM cursorDiskKV WHERE ${BETWEEN}`;
    const found = new Map<string, number>();
    for (const { row, key, bytes } of Array.from(database.rows(sql, ...startingWith('composerData:')))) {
      const id = String(textIn(key)).slice('composerData:'.length);
      // Cursor writes a new row at each change.
      const stamp = `${String(row)} ${String(bytes)}`;
      const before = known.get(id);
      const session = before?.stamp === stamp ? before : { stamp, changed: changeOf(database, id) };
      known.set(id, session);
      if (session.changed !== undefined) found.set(id, session.changed);
    }
    return found;
  },
  about(database, id) {
    const chat = valueOf(database, `composerData:${id}`);
    if (!chat) return undefined;
    const inside = objects(chat.conversation);
    const named = objects(chat.fullConversationHeadersOnly);
    const bubbleOf = (header: Fields | undefined) =>
      header && valueOf(database, `bubbleId:${id}:${String(header.bubbleId)}`);
    const prompt = inside.find(isPrompt) ?? bubbleOf(named.find(isPrompt));
    return {
      title: text(chat.name) ?? text(prompt?.text),
      workspace: workspaceOf(chat),
      agent: undefined,
      model: text(fields(chat.modelConfig).modelName),
      messages: inside.length + named.length,
      end: endOf(bubbleOf(named.at(-1)) ?? inside.at(-1)),
    };
  },
  workspace(database, id) {
    const chat = valueOf(database, `composerData:${id}`);
    return chat && workspaceOf(chat);
  },
  read(database, id, kept): SessionValues {
    const problems: string[] = [];
    const [last] = database.rows('SELECT max(rowid) AS row FROM cursorDiskKV');
    const reading = { database, kept, last: last?.row, tell: (problem: string) => problems.push(problem) };
    const value = chatOf(reading, id, new Set());
    return { values: value ? [value] : [], problems };
  },
};

/** A reading of a chat: where from, what need not be read again, and who hears what could not be read. */
interface Reading {
  readonly database: DatabaseReader;
  readonly kept: CachedValues;
  /** The number of the table's last row. */
  readonly last: Cell | undefined;
  readonly tell: (problem: string) => void;
}

/** How Cursor numbers who speaks: 1 a person, 2 the model. */
const USER = 1;

const isPrompt = ({ type }: Fields): boolean => type === USER;

/** When a chat that somebody began was last written to; undefined for one that says nothing, and for one that another started. */
function changeOf(database: DatabaseReader, id: string): number | undefined {
  const chat = valueOf(database, `composerData:${id}`);
  const isEmpty = list(chat?.fullConversationHeadersOnly).length + list(chat?.conversation).length === 0;
  if (!chat || isEmpty || Object.keys(fields(chat.subagentInfo)).length > 0) return undefined;
  return time(chat.lastUpdatedAt) ?? time(chat.createdAt) ?? 0;
}

/** A chat with its messages in their order, and those that it started under `children`. */
function chatOf(reading: Reading, id: string, above: ReadonlySet<string>): Fields | undefined {
  const key = `composerData:${id}`;
  const found = keptRows(reading, 'key = ?', key).get(key);
  const composer = found === undefined ? undefined : fields(found);
  if (!composer) return undefined;
  const within = new Set([...above, id]);
  const children = list(composer.subagentComposerIds).flatMap((child) => {
    if (typeof child !== 'string' || within.has(child) || within.size > MAX_DEPTH) return [];
    const chat = chatOf(reading, child, within);
    return chat ? [chat] : [];
  });
  const bubbles = bubblesOf(reading, id, composer);
  return { composerId: id, composer, bubbles, ...(children.length > 0 && { children }) };
}

/** The messages of a chat: in the order that it says, then those that it does not name; older ones stand in the chat itself. */
function bubblesOf(reading: Reading, id: string, composer: Fields): Fields[] {
  const prefix = `bubbleId:${id}:`;
  const rows = keptRows(reading, BETWEEN, ...startingWith(prefix));
  const byId = new Map<string, Fields>();
  for (const [key, value] of rows) byId.set(key.slice(prefix.length), fields(value));
  const inOrder = objects(composer.fullConversationHeadersOnly).flatMap(({ bubbleId }) => {
    const bubble = byId.get(String(bubbleId));
    byId.delete(String(bubbleId));
    return bubble ? [bubble] : [];
  });
  // What a person went back from stands there without being named.
  const others = [...byId.values()].map((bubble) => ({ ...bubble, isLeftOut: true }));
  return [...objects(composer.conversation), ...inOrder, ...others];
}

/** The values of some rows, by their keys, in the order of these. */
function keptRows(
  { database, kept, last, tell }: Reading,
  where: string,
  ...values: readonly string[]
): ReadonlyMap<string, unknown> {
  const sql = `SELECT key, rowid AS row, octet_length(value) AS bytes FROM cursorDiskKV WHERE ${where}`;
  const rows = Array.from(database.rows(sql, ...values), ({ key, row, bytes }) => ({
    id: String(textIn(key)),
    // What changes is written to a new row, but in place of the last row of all the new one has the same number.
    stamp: row === last ? kept.unsure() : `${String(row)} ${String(bytes)}`,
  }));
  const of = `SELECT key, ${bounded('value')} FROM cursorDiskKV WHERE`;
  const read = function* (only?: string): Generator<readonly [string, CachedValue]> {
    const found =
      only === undefined ? database.rows(`${of} ${where}`, ...values) : database.rows(`${of} key = ?`, only);
    for (const row of found) yield [String(textIn(row.key)), keptValueOf(row, 'value')];
  };
  const found = valuesOfRows(rows, (key) => key, kept, read, tell);
  return new Map(rows.map(({ id }) => [id, found.get(id)]));
}

function valueOf(database: DatabaseReader, key: string): Fields | undefined {
  const [row] = database.rows(`SELECT ${bounded('value')} FROM cursorDiskKV WHERE key = ?`, key);
  return row && fields(jsonOf(row, 'value', () => undefined));
}

/** A condition on the key by which its index is used, and the two values in it for keys that start with a prefix. */
const BETWEEN = 'key >= ? AND key < ?';

function startingWith(prefix: string): readonly [string, string] {
  return [prefix, prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)];
}

function workspaceOf({ workspaceIdentifier }: Fields): string | undefined {
  const { uri, configPath } = fields(workspaceIdentifier);
  return text(fields(uri).fsPath) ?? text(fields(configPath).fsPath);
}

function endOf(last: Fields | undefined): SessionInList['end'] {
  if (!last) return undefined;
  if (last.type === USER) return 'prompt';
  const { status } = fields(parsed(last.toolFormerData));
  if (status === 'error') return 'error';
  return number(last.type) !== undefined && last.toolFormerData === undefined ? 'answer' : 'call';
}
