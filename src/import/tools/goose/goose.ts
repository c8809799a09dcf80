import { endOfWord, ended } from '../../messages/callEnd.js';
import { isObject } from '../../../core/message.js';
import type { Usage } from '../../../core/usage.js';
import { pictureAsPart } from '../../../core/picture.js';
import type { ConversationBuilder, Draft } from '../../building/conversationBuilder.js';
import { denialIn } from '../../building/decisions.js';
import { foundIn } from '../../reading/entries.js';
import type { ImportSink } from '../../building/importSink.js';
import {
  asText,
  fields,
  list,
  number,
  objects,
  text,
  time,
  withoutKeys,
  type Fields,
  parsed,
  without,
} from '../../reading/fields.js';
import { contentOf } from '../../messages/anthropicBlocks.js';
import { chatMessage, toolCall, toolMessage } from '../../messages/chatMessage.js';
import { usageOf } from '../../messages/usage.js';
import type { TranscriptFormat } from '../../building/transcriptFormat.js';
import { textIn } from '../../../node/sqlite/databaseReader.js';
import { changedAt, rowsOf, type ToolDatabase } from '../../databases/toolDatabase.js';

/** Goose's sessions: as they were stored before its database, as it exports them, and what `goose run` prints as JSON. */
export const goose: TranscriptFormat = {
  name: 'goose',
  of: 'Goose',
  files:
    '`sessions.db`, sessions of older versions (`.jsonl`), exports (`goose session export --format json`), what `goose run` prints as JSON',
  carries: ['messages', 'calls', 'times', 'models', 'usage', 'cost', 'images', 'thinking'],
  detect: (head) =>
    head.some((value) => messagesOf(value).some(isOwn)) ||
    (isHeader(head[0]) && [...list(fields(head[0]).conversation), ...head.slice(1)].some(isMessage)),
  *readLines(lines, sink) {
    const header = foundIn(lines, (value) => (isHeader(value) ? value : undefined));
    let about = fields(header ?? foundIn(lines, (value) => value));
    let session = begun(about, sink);
    for (const value of sink.each(lines)) {
      // Of a whole database, each is a session as it would be exported.
      if (isExport(value) && fields(value).id !== about.id) {
        session.finish(about);
        about = fields(value);
        session = begun(about, sink);
      }
      session.add(value);
      yield;
    }
    session.finish(about);
  },
};

/** Begins to read a session, of which this is said. */
function begun(about: Fields, sink: ImportSink): GooseSession {
  const builder = sink.conversation(about.id, 'Goose');
  builder.title = text(about.name) ?? text(about.description);
  return new GooseSession(builder, sink, text(fields(about.model_config).model_name));
}

/** Whether a value is a whole session. */
function isExport(value: unknown): boolean {
  return isHeader(value) && Array.isArray(fields(value).conversation);
}

/** The messages in a value: a line, one in an event of a stream, or the list of an export. */
function messagesOf(value: unknown): readonly unknown[] {
  const { conversation, messages, message, type } = fields(value);
  const listed = list(conversation ?? messages);
  if (listed.length > 0) return listed;
  if (isObject(conversation)) return list(conversation.messages);
  return type === 'message' && isMessage(message) ? [message] : isMessage(value) ? [value] : [];
}

function isMessage(value: unknown): boolean {
  const { role, content } = fields(value);
  return (role === 'user' || role === 'assistant') && Array.isArray(content);
}

/** Whether a message occurs in no other tool's files. */
function isOwn(value: unknown): boolean {
  if (!isMessage(value)) return false;
  const { content, metadata } = fields(value);
  if (typeof fields(metadata).userVisible === 'boolean') return true;
  return objects(content).some(({ type }) => type === 'toolRequest' || type === 'toolResponse');
}

/** The first line of a stored session. */
function isHeader(value: unknown): boolean {
  const { working_dir, role } = fields(value);
  return typeof working_dir === 'string' && role === undefined;
}

/** Reads the messages of a session. */
class GooseSession {
  readonly #builder: ConversationBuilder;
  readonly #sink: ImportSink;
  readonly #model: string | undefined;
  readonly #toolNames = new Map<string, string>();
  /** When a person was asked about calls that have no result yet. */
  readonly #asked = new Map<string, number | undefined>();
  #hasUsage = false;
  /** The answer that is streamed, of which further messages with its id are pieces. */
  #streamed: { id: string; draft: Draft; parts: Fields[] } | undefined;

  constructor(builder: ConversationBuilder, sink: ImportSink, model: string | undefined) {
    this.#builder = builder;
    this.#sink = sink;
    this.#model = model;
  }

  add(value: unknown): void {
    const messages = messagesOf(value);
    const line = fields(value);
    const isLine = messages.length === 1 && messages[0] === value;
    const rest = withoutKeys(line, [
      'conversation',
      'messages',
      ...(line.type === 'message' ? ['message', 'type'] : []),
    ]);
    const type = text(line.type);
    if (!isLine && (Object.keys(rest).length > 0 || messages.length === 0)) {
      if (type !== undefined && !/^(?:message|complete|notification|error|finish)$/i.test(type))
        this.#sink.unknown(`lines of type ${type}`);
      this.#builder.keep(this.#builder.entry, type ?? 'session', messages.length === 0 ? value : rest);
    }
    for (const message of messages) {
      if (isObject(message)) this.#addMessage(message, type === 'message');
      else this.#builder.keep(this.#builder.entry, 'unknown', message);
    }
  }

  /** Where no message tells its tokens, the session tells those of all. */
  finish(about: Fields): void {
    for (const row of objects(about.usage_ledger)) this.#addRequest(row);
    const usage = totalIn(about);
    if (this.#hasUsage || !usage) return;
    this.#builder.request(this.#builder.entry, usage, this.#model);
  }

  /** What a request cost, as newer versions keep it in their database: it stands by no message. */
  #addRequest(row: Fields): void {
    const usage = usageOf({
      input: number(row.input_tokens),
      output: number(row.output_tokens),
      cached: number(row.cache_read_tokens),
      written: number(row.cache_write_tokens),
      cost: row.cost,
      told: row,
    });
    const model = text(row.model) ?? this.#model;
    const draft = this.#builder.request(this.#builder.entry, usage, model, time(row.created_timestamp));
    draft.raws.push(row);
    this.#hasUsage = true;
  }

  #addMessage(said: Fields, isStreamed: boolean): void {
    const id = text(said.id);
    const parts = objects(said.content);
    const before = this.#streamed;
    if (isStreamed && before && before.id === id && said.role === 'assistant') {
      for (const part of parts) addPiece(before.parts, part);
      before.draft.raws.push(said);
      before.draft.body.message = this.#spoken('assistant', before.parts);
      return;
    }
    this.#addResults(said, parts);
    for (const part of parts) this.#noteQuestion(part, time(said.created));
    const spoken = parts.filter(({ type }) => type !== 'toolResponse');
    if (spoken.length === 0 && parts.length > 0) return;
    if (parts.every(isNotice)) {
      this.#notify(said, parts);
      return;
    }
    const { usage, inference } = fields(said.metadata);
    const isAnswer = said.role === 'assistant';
    const tokens = isAnswer ? usageIn(usage) : undefined;
    this.#hasUsage ||= tokens !== undefined;
    const { resolvedModel, requestedModel } = fields(inference);
    const draft = this.#builder.message(this.#builder.entry, this.#spoken(asText(said.role), spoken), {
      time: time(said.created),
      model: isAnswer ? (text(resolvedModel) ?? text(requestedModel) ?? this.#model) : undefined,
      usage: tokens,
      raw: said,
    });
    this.#streamed = isStreamed && isAnswer && id !== undefined ? { id, draft, parts: spoken } : undefined;
  }

  #spoken(role: string, parts: readonly Fields[]): Record<string, unknown> {
    const calls = parts.filter(({ type }) => type === 'toolRequest' || type === 'frontendToolRequest');
    const thoughts = parts.filter(({ type }) => type === 'thinking' || type === 'reasoning');
    const said = parts.filter(
      (part) =>
        // What is redacted is for the provider only.
        part.type !== 'redactedThinking' && ![...calls, ...thoughts].includes(part) && !isConfirmation(part),
    );
    return chatMessage(role, contentOf(said.map(contentPart)), {
      reasoning: thoughts.map(({ thinking, text: words }) => asText(thinking ?? words)).join('\n'),
      calls: calls.map(({ id, toolCall: called }) => {
        const { value, error } = fields(called);
        const { name, arguments: input } = fields(value ?? called);
        this.#toolNames.set(asText(id), asText(name));
        return toolCall(id, name ?? '', input ?? (error === undefined ? {} : { error }));
      }),
    });
  }

  /** Notes that a person was asked whether a call may be made. */
  #noteQuestion(part: Fields, at: number | undefined): void {
    const asked = part.type === 'actionRequired' ? fields(part.data) : part;
    if (isConfirmation(part) && typeof asked.id === 'string') this.#asked.set(asked.id, at);
  }

  /** Keeps what Goose itself tells the person: no model said it. */
  #notify(said: Fields, parts: readonly Fields[]): void {
    const at = time(said.created);
    const words = parts.filter((part) => !isConfirmation(part)).map(({ msg }) => asText(msg));
    if (words.length === 0) this.#builder.keep(this.#builder.entry, 'question', said, at);
    else
      this.#builder.message(
        this.#builder.entry,
        { role: 'system', content: words.join('\n') },
        { time: at, raw: said },
      );
  }

  /** Adds that a person agreed to a call: they were asked, and what came of it is no refusal. */
  #agree(id: unknown, result: unknown, at: number | undefined): void {
    const key = asText(id);
    if (!this.#asked.has(key)) return;
    const askedAt = this.#asked.get(key);
    this.#asked.delete(key);
    if (typeof result === 'string' && denialIn(result)) return;
    // When the person agreed is not told; the result comes after what the tool took.
    const decision = { toolCallId: key, isApproved: true, decidedBy: 'user' } as const;
    this.#builder.decide(this.#builder.entry, decision, askedAt ?? at);
  }

  #addResults(said: Fields, parts: readonly Fields[]): void {
    for (const { id, toolResult, type } of parts) {
      if (type !== 'toolResponse') continue;
      const { status, value, error } = fields(toolResult);
      const { content, isError } = fields(value);
      const given = Array.isArray(value) ? value : content;
      const result = resultOf(objects(given).map(contentPart), value ?? error);
      this.#agree(id, result, time(said.created));
      this.#builder.message(this.#builder.entry, toolMessage(id, result), {
        time: time(said.created),
        ...ended(endOfWord(status), isError === true ? 'failed' : undefined),
        toolName: this.#toolNames.get(asText(id)),
        raw: said,
      });
    }
  }
}

/** What a session says that all of it came to: newer exports say it in an object of its own. Cached tokens are part of the input. */
function totalIn(about: Fields): Usage | undefined {
  const told = fields(about.accumulated_usage);
  const count = (name: string) => number(told[name]) ?? number(about[`accumulated_${name}`]);
  const [input, output] = [count('input_tokens'), count('output_tokens')];
  if (input === undefined && output === undefined) return undefined;
  return usageOf({
    input,
    output,
    cached: count('cache_read_input_tokens') ?? count('cache_read_tokens'),
    written: count('cache_write_input_tokens') ?? count('cache_write_tokens'),
    cost: about.accumulated_cost,
    told,
  });
}

/** Whether a part of a message is a question whether a call may be made. */
function isConfirmation({ type, data }: Fields): boolean {
  return type === 'toolConfirmationRequest' || fields(data).actionType === 'toolConfirmation';
}

/** Whether a part of a message is a notice of Goose itself, or its question whether a call may be made. */
function isNotice(part: Fields): boolean {
  return part.type === 'systemNotification' || part.type === 'conversationCompacted' || isConfirmation(part);
}

/** Adds a piece of a streamed answer; texts and thoughts go on where the piece before ended. */
function addPiece(parts: Fields[], piece: Fields): void {
  const before = parts.at(-1);
  const key = piece.type === 'thinking' ? 'thinking' : 'text';
  if (before && before.type === piece.type && typeof piece[key] === 'string')
    parts[parts.length - 1] = { ...before, [key]: asText(before[key]) + piece[key] };
  else parts.push(piece);
}

function resultOf(parts: readonly Fields[], otherwise: unknown): unknown {
  return parts.length > 0 ? contentOf(parts) : asText(otherwise);
}

/** A part of MCP's contents, without what is said about whom it is for. */
function contentPart(part: Fields): Fields {
  if (part.type === 'image' && typeof part.data === 'string')
    return { ...pictureAsPart({ mimeType: asText(part.mimeType), base64: part.data }) };
  const resource = fields(part.resource);
  if (part.type === 'resource' && typeof resource.text === 'string')
    return { type: 'text', text: resource.text };
  if (part.type === 'resource_link') return { type: 'text', text: asText(part.uri) };
  if (part.type === 'actionRequired') return { type: 'text', text: questionIn(fields(part.data)) };
  return part.type === 'text' ? { type: 'text', text: asText(part.text) } : part;
}

/** The words of a question to the person, or of what they answered into a form. */
function questionIn({ message, user_data }: Fields): string {
  return asText(message ?? user_data ?? '');
}

/** Goose's input tokens contain those read from and written to the cache. */
function usageIn(value: unknown) {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = fields(value);
  if (number(inputTokens) === undefined && number(outputTokens) === undefined) return undefined;
  return usageOf({
    input: number(inputTokens),
    output: number(outputTokens),
    cached: number(cacheReadTokens),
    written: number(cacheWriteTokens),
    told: fields(value),
  });
}

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
