import { isObject } from '../../core/message.js';
import { greatestOf, smallestOf } from '../../core/lists.js';
import { asText, fields, list, objects, text, without, type Fields } from '../reading/fields.js';
import { plainAttributes, plainId, plainValue, timeOf, type RawSpan, type SpanEvent } from './rawSpans.js';

/** A log record of OpenTelemetry: something that happened within a span, written beside it. */
export interface SpanLog {
  readonly trace: string;
  /** '' where it belongs to no span. */
  readonly span: string;
  readonly event: SpanEvent;
  /** What produced it: the attributes of its resource, and its instrumentation. */
  readonly origin: Fields;
  /** The record as it was written. */
  readonly record: Fields;
}

/** The log records in a value: OTLP's JSON (an object with `resourceLogs`), records as SDKs print them, or a list of these. */
export function spanLogsOf(value: unknown): SpanLog[] {
  if (Array.isArray(value)) return value.flatMap((each) => spanLogsOf(each));
  if (!isObject(value)) return [];
  const resources = value.resourceLogs ?? value.resource_logs;
  if (!Array.isArray(resources)) return isRecord(value) ? [logOf(value, {})] : [];
  return objects(resources).flatMap((resource) => {
    const about = plainAttributes(fields(resource.resource).attributes);
    return objects(resource.scopeLogs ?? resource.scope_logs).flatMap((scope) => {
      const origin = {
        ...(Object.keys(about).length > 0 && { resource: about }),
        ...(isObject(scope.scope) && { scope: scope.scope }),
      };
      return objects(scope.logRecords ?? scope.log_records).map((record) => logOf(record, origin));
    });
  });
}

/** Whether a log record tells of a model's work, by the conventions for generative AI. */
export function isModelLog({ event }: SpanLog): boolean {
  return event.name.startsWith('gen_ai.');
}

/** Whether an object is a log record that stands alone, as JavaScript's SDK has it in memory, too; a span has a name and no body. */
function isRecord(value: Fields): boolean {
  const isLog = 'body' in value || '_body' in value;
  return isLog && typeof value.name !== 'string' && isObject(value.attributes);
}

function logOf(record: Fields, origin: Fields): SpanLog {
  const attributes = plainAttributes(record.attributes);
  const context = fields(record.spanContext ?? record.context);
  const name = record.eventName ?? record.event_name ?? attributes['event.name'];
  const said = plainValue(record.body ?? record._body);
  return {
    trace: plainId(asText(record.traceId ?? record.trace_id ?? context.traceId)),
    span: plainId(asText(record.spanId ?? record.span_id ?? context.spanId)),
    event: {
      name: text(name) ?? '',
      time: timeOf(
        record.timeUnixNano ??
          record.time_unix_nano ??
          record.hrTime ??
          record.timestamp ??
          record.observedTimeUnixNano,
      ),
      attributes: {
        ...without(attributes, 'event.name'),
        ...(said !== undefined && said !== null && { body: said }),
      },
    },
    origin: { ...origin, ...(isObject(record.resource) && { resource: record.resource }) },
    record,
  };
}

/**
 * The spans of a trace with the log records that belong to them as their events; records whose span is not there become
 * requests, one for each span that they name, and so does each of `requests`, below the span that it names.
 */
export function withLogs(
  spans: readonly RawSpan[],
  logs: readonly SpanLog[],
  requests: readonly SpanLog[],
): readonly RawSpan[] {
  if (logs.length + requests.length === 0) return spans;
  const known = new Set(spans.map(keyOf));
  const grouped = new Map<string, SpanLog[]>();
  for (const log of logs) {
    const key = keyOf({ trace: log.trace, id: log.span });
    const group = grouped.get(key);
    if (group) group.push(log);
    else grouped.set(key, [log]);
  }
  const joined = spans.map((span) => {
    const own = grouped.get(keyOf(span));
    return own ? withEvents(span, own) : span;
  });
  const alone = [...grouped].filter(([key]) => !known.has(key)).map(([, group]) => requestOf(group));
  const model = [...spans, ...logs.map(({ event }) => event)].find(({ attributes }) => MODEL in attributes)
    ?.attributes[MODEL];
  const named = { ...(model !== undefined && { [MODEL]: model }) };
  const below = requests.map((log, at): RawSpan => {
    const request = requestOf([log]);
    const attributes = { ...named, ...request.attributes };
    return { ...request, id: `${log.span}/${at}`, parent: log.span, attributes };
  });
  return [...joined, ...alone, ...below];
}

/** What a record that does not say its model has it from: the rest of the trace. */
const MODEL = 'gen_ai.request.model';

function keyOf({ trace, id }: Pick<RawSpan, 'trace' | 'id'>): string {
  return `${trace}/${id}`;
}

function withEvents(span: RawSpan, logs: readonly SpanLog[]): RawSpan {
  const added = [...logs].sort((a, b) => (a.event.time ?? 0) - (b.event.time ?? 0));
  const events = [...span.events, ...added.map(({ event }) => event)];
  const whole = added.map(({ event, record }) => ({ ...without(record, 'attributes', 'body'), ...event }));
  return { ...span, events, rest: { ...span.rest, events: [...list(span.rest.events), ...whole] } };
}

/** A request of which only the log records are known. */
function requestOf(logs: readonly SpanLog[]): RawSpan {
  const [first] = logs;
  const times = logs.flatMap(({ event }) => event.time ?? []);
  const attributes = Object.fromEntries(
    logs.flatMap(({ event }) => Object.entries(without(event.attributes, 'body'))),
  );
  const bare: RawSpan = {
    trace: first?.trace ?? '',
    id: first?.span ?? '',
    parent: '',
    name: 'chat',
    start: times.length > 0 ? smallestOf(times, Infinity) : undefined,
    end: times.length > 0 ? greatestOf(times, -Infinity) : undefined,
    attributes: { 'gen_ai.operation.name': 'chat', ...attributes },
    events: [],
    error: undefined,
    origin: first?.origin ?? {},
    rest: {},
  };
  return withEvents(bare, logs);
}
