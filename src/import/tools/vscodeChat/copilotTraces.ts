import type { DatabaseReader } from '../../../node/sqlite/databaseReader.js';
import { textIn } from '../../../node/sqlite/databaseReader.js';
import { changedAt, rowsOf, type ToolDatabase } from '../../databases/toolDatabase.js';
import { asText, number, objects, parsed, text, type Fields } from '../../reading/fields.js';

/** The columns of a span that are attributes by OpenTelemetry's convention, where no attribute says the same. */
const ATTRIBUTES = {
  operation_name: 'gen_ai.operation.name',
  agent_name: 'gen_ai.agent.name',
  request_model: 'gen_ai.request.model',
  response_model: 'gen_ai.response.model',
  input_tokens: 'gen_ai.usage.input_tokens',
  output_tokens: 'gen_ai.usage.output_tokens',
  cached_tokens: 'gen_ai.usage.cache_read.input_tokens',
  reasoning_tokens: 'gen_ai.usage.reasoning.output_tokens',
  tool_name: 'gen_ai.tool.name',
  tool_call_id: 'gen_ai.tool.call.id',
  chat_session_id: 'copilot_chat.chat_session_id',
  turn_index: 'copilot_chat.turn_index',
  ttft_ms: 'copilot_chat.time_to_first_token',
} as const;

/** Which session a trace is of: of a chat, else of a conversation, else it is one by itself. */
const SESSIONS =
  'SELECT trace_id, coalesce(max(chat_session_id), max(conversation_id), trace_id) AS session, max(coalesce(end_time_ms, start_time_ms)) AS changed FROM spans GROUP BY trace_id';

/** The spans that Copilot Chat keeps by its OpenTelemetry (`agent-traces.db`, `traces.db`): a session is read as its traces. */
export const copilotTraces: ToolDatabase = {
  of: 'Copilot Chat',
  is: (database) =>
    database.has('spans', [
      'span_id',
      'trace_id',
      'parent_span_id',
      'name',
      'start_time_ms',
      'end_time_ms',
      'conversation_id',
      'chat_session_id',
    ]) && database.has('span_attributes', ['span_id', 'key', 'value']),
  list(database) {
    const found = new Map<string, number>();
    for (const { session, changed } of database.rows(SESSIONS)) {
      const id = textIn(session) ?? '';
      found.set(id, Math.max(found.get(id) ?? 0, changedAt(changed)));
    }
    return found;
  },
  about(database, id) {
    const spans = spansOf(database, id);
    if (spans.length === 0) return undefined;
    const chats = spans.filter(({ operation_name: operation }) => operation === 'chat');
    return {
      title: promptOf(database, spans),
      workspace: undefined,
      agent: spans.map(({ agent_name: agent }) => text(agent)).find((agent) => agent !== undefined),
      model: chats.map((span) => text(span.response_model) ?? text(span.request_model)).at(-1),
      messages: chats.length,
      end: undefined,
    };
  },
  workspace: () => undefined,
  read(database, id, kept) {
    const spans = spansOf(database, id).map((span) => spanOf(database, span, id));
    kept.note(`traces of ${id}`, JSON.stringify(spans));
    if (spans.length === 0) return { values: [], problems: [] };
    const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'copilot-chat' } }] };
    return { values: [{ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] }], problems: [] };
  },
};

/** The spans of all traces of a session, in the order in which they began. */
function spansOf(database: DatabaseReader, id: string): readonly Fields[] {
  const traces = Array.from(database.rows(SESSIONS)).flatMap(({ trace_id: trace, session }) =>
    textIn(session) === id ? [textIn(trace) ?? ''] : [],
  );
  return traces
    .flatMap((trace) => rowsOf(database, 'spans', 'trace_id = ?', trace))
    .sort((a, b) => (number(a.start_time_ms) ?? 0) - (number(b.start_time_ms) ?? 0));
}

/** What a person asked first, as the messages of a span tell it. */
function promptOf(database: DatabaseReader, spans: readonly Fields[]): string | undefined {
  for (const span of spans) {
    const told = rowsOf(
      database,
      'span_attributes',
      `key = 'gen_ai.input.messages' AND span_id = ?`,
      asText(span.span_id),
    );
    for (const { role, parts, content } of objects(parsed(told[0]?.value))) {
      const words =
        text(content) ??
        objects(parts)
          .map((part) => asText(part.content ?? part.text))
          .join('');
      if (role === 'user' && words !== '') return words;
    }
  }
  return undefined;
}

/** A span as OTLP's JSON holds it; all of a session are of one conversation. */
function spanOf(database: DatabaseReader, row: Fields, session: string): Fields {
  const id = asText(row.span_id);
  const told = rowsOf(database, 'span_attributes', 'span_id = ?', id);
  const keys = new Set(told.map(({ key }) => key));
  const columns = Object.entries(ATTRIBUTES).flatMap(([column, key]) =>
    row[column] === undefined || keys.has(key) ? [] : [attribute(key, row[column])],
  );
  const attributes = told
    .filter(({ key }) => key !== 'gen_ai.conversation.id')
    .map(({ key, value }) => attribute(asText(key), value));
  const hasEvents = database.has('span_events', ['span_id', 'name']);
  const events = hasEvents ? rowsOf(database, 'span_events', 'span_id = ?', id) : [];
  return {
    traceId: row.trace_id,
    spanId: id,
    ...(text(row.parent_span_id) !== undefined && { parentSpanId: row.parent_span_id }),
    name: row.name,
    startTimeUnixNano: nanosOf(row.start_time_ms),
    endTimeUnixNano: nanosOf(row.end_time_ms),
    status: { code: row.status_code ?? 0, message: row.status_message },
    attributes: [...attributes, ...columns, attribute('gen_ai.conversation.id', session)],
    ...(events.length > 0 && { events: events.map(eventOf) }),
  };
}

function eventOf({ name, timestamp_ms: at, attributes }: Fields): Fields {
  const told = parsed(attributes);
  const all = typeof told === 'object' && told !== null ? Object.entries(told) : [];
  return { name, timeUnixNano: nanosOf(at), attributes: all.map(([key, value]) => attribute(key, value)) };
}

/** An attribute, of which the database keeps numbers as texts. */
function attribute(key: string, value: unknown): Fields {
  const isCount = typeof value === 'string' && key.endsWith('tokens') && /^\d{1,15}$/.test(value);
  const told = isCount ? Number(value) : value;
  if (typeof told !== 'number') return { key, value: { stringValue: asText(told) } };
  return { key, value: Number.isInteger(told) ? { intValue: String(told) } : { doubleValue: told } };
}

function nanosOf(milliseconds: unknown): string | undefined {
  const at = number(milliseconds);
  return at === undefined ? undefined : String(BigInt(Math.round(at * 1000)) * 1000n);
}
