import { createHash } from 'node:crypto';
import { isObject } from '../../core/message.js';
import {
  asText,
  fields,
  list,
  number,
  objects,
  text,
  time,
  without,
  withoutKeys,
  type Fields,
} from '../reading/fields.js';

/** Something that happened at a time within a span. */
export interface SpanEvent {
  readonly name: string;
  readonly time: number | undefined;
  readonly attributes: Fields;
}

/** A span as one of the exporters of OpenTelemetry wrote it, with its attributes as plain values under dotted keys. */
export interface RawSpan {
  readonly trace: string;
  readonly id: string;
  readonly parent: string;
  readonly name: string;
  readonly start: number | undefined;
  readonly end: number | undefined;
  readonly attributes: Fields;
  readonly events: readonly SpanEvent[];
  /** What failed; undefined where nothing did. */
  readonly error: string | undefined;
  /** What produced the span: the attributes of its resource, and its instrumentation. */
  readonly origin: Fields;
  /** Everything else that the span says, as it was written. */
  readonly rest: Fields;
}

/**
 * The spans in a value: OTLP's JSON (an object with `resourceSpans`, Tempo's `batches`), Jaeger's and Zipkin's exports,
 * spans as the SDKs print them, rows of Phoenix, or a list of any of these.
 */
export function spansOf(value: unknown): RawSpan[] {
  if (Array.isArray(value)) return value.flatMap((each) => spansOf(each));
  if (!isObject(value)) return [];
  const resources = value.resourceSpans ?? value.resource_spans ?? value.batches;
  if (Array.isArray(resources)) return objects(resources).flatMap(ofResource);
  if (Array.isArray(value.data)) return value.data.flatMap((each) => spansOf(each));
  if (Array.isArray(value.spans))
    return isObject(value.processes) ? ofJaeger(value) : value.spans.flatMap((each) => spansOf(each));
  if (isObject(value.trace)) return spansOf(value.trace);
  // MLflow's traces have their spans within `data`.
  if (isObject(value.data) && Array.isArray(value.data.spans)) return spansOf(value.data.spans);
  const span = spanOf(value, {});
  return span ? [span] : [];
}

function ofResource(resource: Fields): RawSpan[] {
  const scopes =
    resource.scopeSpans ?? resource.scope_spans ?? resource.instrumentationLibrarySpans ?? resource.ilSpans;
  const about = plainAttributes(fields(resource.resource).attributes);
  return objects(scopes).flatMap((scope) => {
    const told = fields(scope.scope ?? scope.instrumentationLibrary ?? scope.instrumentation_library);
    const own =
      Object.keys(told).length > 0
        ? { ...told, ...(told.attributes !== undefined && { attributes: plainAttributes(told.attributes) }) }
        : undefined;
    const beside = without(scope, 'scope', 'spans', 'instrumentationLibrary', 'instrumentation_library');
    const origin = {
      ...(Object.keys(about).length > 0 && { resource: about }),
      ...(own && { scope: own }),
      ...beside,
    };
    return objects(scope.spans).flatMap((span) => spanOf(span, origin) ?? []);
  });
}

/** A span with ids of any spelling; one that leaves them out, as tests and reports do, is known by what it says. */
function spanOf(span: Fields, origin: Fields): RawSpan | undefined {
  const context = fields(span.context ?? span.spanContext ?? span._spanContext);
  const trace = text(
    span.traceId ?? span.trace_id ?? context.trace_id ?? context.traceId ?? span['context.trace_id'],
  );
  const id = text(
    span.spanId ??
      span.span_id ??
      context.span_id ??
      context.spanId ??
      span['context.span_id'] ??
      (isZipkin(span) ? span.id : undefined),
  );
  // A log record names its span, but is none.
  const isLog = 'body' in span && text(span.name) === undefined;
  const isKnown = (trace !== undefined && id !== undefined) || isBareSpan(span);
  if (!isKnown || isLog) return undefined;
  const parent =
    span.parentSpanId ??
    span.parent_span_id ??
    span.parent_id ??
    span.parentId ??
    fields(span.parentSpanContext).spanId;
  const { start, end } = timesOf(span);
  const attributes = plainAttributes(span.attributes ?? span.tags ?? attributeColumns(span));
  return {
    trace: plainId(trace ?? NO_TRACE),
    id: plainId(id ?? `without id ${digestOf(span)}`),
    parent: plainId(text(parent) ?? ''),
    name: text(span.name) ?? '',
    start,
    end,
    attributes: { ...kindOf(span, attributes), ...attributes },
    events: eventsOf(span),
    error: errorOf(span, attributes),
    origin: { ...origin, ...originOf(span) },
    rest: restOf(span),
  };
}

/** The trace of spans that name none. */
const NO_TRACE = 'without trace';

/** The prefixes of attributes by which the work of a model is known. */
const OF_MODELS = /^(?:gen_ai|llm|ai|openinference|traceloop|langfuse|mlflow|pydantic_ai)\./;

/** Whether an object without ids is a span of a model's work all the same: it has a name, a time and such attributes. */
function isBareSpan(span: Fields): boolean {
  if (typeof span.name !== 'string') return false;
  const { start } = timesOf(span);
  if (start === undefined) return false;
  return Object.keys(plainAttributes(span.attributes ?? span.tags)).some((key) => OF_MODELS.test(key));
}

/** A digest of what a span says, so that it is the same span whenever it is read. */
function digestOf(span: Fields): string {
  return createHash('sha256').update(JSON.stringify(span)).digest('hex').slice(0, 16);
}

function isZipkin(span: Fields): boolean {
  return (
    typeof span.id === 'string' &&
    (typeof span.timestamp === 'number' ||
      'localEndpoint' in span ||
      'spanContext' in span ||
      typeof span.duration === 'number')
  );
}

/** Ids are hexadecimal, but protobuf's own JSON has them in base64, and Python prints them with 0x. */
export function plainId(id: string): string {
  if (/^(?:[A-Za-z0-9+/]{11}=|[A-Za-z0-9+/]{22}==)$/.test(id))
    return Buffer.from(id, 'base64').toString('hex');
  return id.replace(/^0x/, '').replace(/^0+$/, '');
}

function timesOf(span: Fields): { start: number | undefined; end: number | undefined } {
  const start = timeOf(
    span.startTimeUnixNano ??
      span.start_time_unix_nano ??
      span.startTime ??
      span.start_time ??
      span.timestamp,
  );
  const end = timeOf(span.endTimeUnixNano ?? span.end_time_unix_nano ?? span.endTime ?? span.end_time);
  const took = number(span.duration);
  // Zipkin and the SDKs' console exporters count durations in microseconds.
  const reached = start !== undefined && took !== undefined ? start + Math.round(took / 1000) : undefined;
  return { start, end: end ?? reached };
}

/** A time in any unit, or as the pair of seconds and nanoseconds that JavaScript's SDK has. */
export function timeOf(value: unknown): number | undefined {
  const [seconds, nanos] = list(value);
  if (typeof seconds === 'number' && typeof nanos === 'number')
    return time(seconds * 1000 + Math.round(nanos / 1e6));
  return time(value);
}

/** Columns of a table of spans, like `attributes.llm.model_name`. */
function attributeColumns(span: Fields): Fields | undefined {
  const columns = Object.entries(span).filter(
    ([key, value]) => key.startsWith('attributes.') && value !== null,
  );
  if (columns.length === 0) return undefined;
  return Object.fromEntries(columns.map(([key, value]) => [key.slice('attributes.'.length), value]));
}

/** Phoenix has the kind of a span beside its attributes. */
function kindOf(span: Fields, attributes: Fields): Fields {
  const kind = text(span.span_kind);
  return kind === undefined || attributes['openinference.span.kind'] !== undefined
    ? {}
    : { 'openinference.span.kind': kind };
}

function errorOf(span: Fields, attributes: Fields): string | undefined {
  const status = fields(span.status);
  const code =
    status.code ??
    status.status_code ??
    span.status_code ??
    (typeof span.status === 'string' ? span.status : undefined);
  const isBad =
    code === 2 || (typeof code === 'string' && /^(?:STATUS_CODE_|StatusCode\.)?ERROR$/i.test(code));
  const told = attributes.error;
  if (!isBad && told !== true && told !== 'true' && attributes['error.type'] === undefined) return undefined;
  const exception = eventsOf(span).find(({ name }) => name === 'exception')?.attributes ?? {};
  const words = [
    status.message,
    status.description,
    span.status_message,
    exception['exception.message'],
    attributes['error.message'],
    attributes['error.type'],
  ];
  return words.map((each) => text(each)).find((each) => each !== undefined) ?? 'It failed.';
}

function eventsOf(span: Fields): SpanEvent[] {
  return objects(span.events ?? span.logs ?? span.annotations).map((event) => ({
    name: asText(event.name ?? event.value),
    time: timeOf(event.timeUnixNano ?? event.time_unix_nano ?? event.timestamp ?? event.time),
    attributes: plainAttributes(event.attributes ?? event.fields),
  }));
}

function originOf(span: Fields): Fields {
  const resource = fields(span.resource);
  const scope = fields(span.instrumentationScope ?? span.instrumentationLibrary ?? span.scope);
  const { serviceName } = fields(span.localEndpoint);
  const about = {
    ...plainAttributes(resource.attributes ?? resource._attributes ?? pairsIn(resource._rawAttributes)),
    ...(text(serviceName) !== undefined && { 'service.name': serviceName }),
  };
  return {
    ...(Object.keys(about).length > 0 && { resource: about }),
    ...(Object.keys(scope).length > 0 && { scope }),
  };
}

/** A resource as JavaScript's SDK has it in memory: pairs of names and values. */
function pairsIn(pairs: unknown): Fields | undefined {
  if (!Array.isArray(pairs)) return undefined;
  return Object.fromEntries(
    pairs.flatMap((pair) => (Array.isArray(pair) ? [[asText(pair[0]), pair[1]]] : [])),
  );
}

const READ = [
  'attributes',
  'tags',
  'resource',
  'instrumentationScope',
  'instrumentationLibrary',
  'localEndpoint',
  'events',
  'logs',
];

/** What is left of a span besides its attributes; of its events, what happened. */
function restOf(span: Fields): Fields {
  const entries = Object.entries(withoutKeys(span, READ)).filter(
    ([key, value]) => !key.startsWith('attributes.') && value !== null && value !== undefined,
  );
  const events = eventsOf(span);
  return { ...Object.fromEntries(entries), ...(events.length > 0 && { events }) };
}

/** Attributes as an object of plain values; those of nested objects stand under dotted keys. */
export function plainAttributes(attributes: unknown): Fields {
  if (Array.isArray(attributes)) {
    // Jaeger writes `{key, type, value}`, OTLP wraps the value by its type.
    const entries = objects(attributes).map(
      ({ key, value }) => [text(key) ?? '', isObject(value) ? plainValue(value) : value] as const,
    );
    return Object.fromEntries(entries);
  }
  const flat: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(fields(attributes)))
    flatten(key, isWrapped(value) ? plainValue(value) : value, flat);
  return flat;
}

/** Lists of which OpenInference numbers the entries. */
const NUMBERED = /(?:^|\.)(?:input_messages|output_messages|documents|tool_calls|contents|tools)$/;

function flatten(key: string, value: unknown, flat: Record<string, unknown>): void {
  const isNumbered = Array.isArray(value) && key.startsWith('llm.') && NUMBERED.test(key);
  if (isNumbered) {
    list(value).forEach((each, index) => {
      flatten(`${key}.${index}`, each, flat);
    });
  } else if (isObject(value) && isNamespace(key)) {
    for (const [name, each] of Object.entries(value)) flatten(`${key}.${name}`, each, flat);
  } else if (value !== null) flat[key] = value;
}

/** Whether the objects at a key only group attributes, as Phoenix stores them. */
function isNamespace(key: string): boolean {
  const isGroup = /^(?:llm|openinference|gen_ai|input|output|tool|session|user|retrieval)(?:\.|$)/.test(key);
  return isGroup && !/\.(?:metadata|arguments|parameters|json_schema|value|result|definitions)$/.test(key);
}

function isWrapped(value: unknown): boolean {
  const keys = Object.keys(fields(value));
  return keys.length === 1 && /^(?:string|int|double|bool|array|kvlist|bytes)Value$/.test(keys[0] ?? '');
}

/** Unwraps an OTLP value; its integers are strings, because JSON has no 64-bit integers. Others stay as they are. */
export function plainValue(value: unknown): unknown {
  if (!isObject(value)) return value;
  const any = fields(value);
  if ('stringValue' in any) return any.stringValue;
  if ('intValue' in any) return integer(any.intValue);
  if ('doubleValue' in any) return any.doubleValue;
  if ('boolValue' in any) return any.boolValue;
  if ('bytesValue' in any) return any.bytesValue;
  if ('arrayValue' in any) return list(fields(any.arrayValue).values).map((each) => plainValue(each));
  if ('kvlistValue' in any) {
    const entries = objects(fields(any.kvlistValue).values);
    return Object.fromEntries(entries.map(({ key, value: each }) => [text(key) ?? '', plainValue(each)]));
  }
  return Object.keys(any).length === 0 ? undefined : value;
}

/** A whole number; as text where a number could not hold it exactly. */
function integer(value: unknown): unknown {
  const whole = Number(value);
  return Number.isSafeInteger(whole) ? whole : value;
}

function ofJaeger(trace: Fields): RawSpan[] {
  return objects(trace.spans).flatMap((span) => {
    const process = fields(fields(trace.processes)[asText(span.processID)]);
    const references = objects(span.references);
    const above = references.find(({ refType }) => refType === 'CHILD_OF') ?? references[0];
    const tags = plainAttributes(span.tags);
    const failed = tags['otel.status_code'] === 'ERROR' || tags.error === true;
    const start = time(span.startTime);
    const logs = objects(span.logs).map(({ timestamp, fields: told }) => {
      const attributes = plainAttributes(told);
      return { name: asText(attributes.event ?? attributes.name), timestamp, attributes };
    });
    const described = {
      ...without(
        span,
        'tags',
        'logs',
        'references',
        'traceID',
        'spanID',
        'operationName',
        'processID',
        'startTime',
        'duration',
      ),
      traceId: span.traceID,
      spanId: span.spanID,
      parentSpanId: above?.spanID,
      name: span.operationName,
      startTime: span.startTime,
      endTime: start === undefined ? undefined : start + Math.round((number(span.duration) ?? 0) / 1000),
      attributes: tags,
      events: logs,
      ...(failed && { status: { code: 2, message: tags['otel.status_description'] } }),
      resource: { attributes: { 'service.name': process.serviceName, ...plainAttributes(process.tags) } },
      ...(tags['otel.scope.name'] !== undefined && {
        scope: { name: tags['otel.scope.name'], version: tags['otel.scope.version'] },
      }),
    };
    return spanOf(described, {}) ?? [];
  });
}
