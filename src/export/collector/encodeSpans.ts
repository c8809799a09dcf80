import { OWN_SCOPE } from '../../core/ownSpans.js';
import type { Attributes, OtlpSpan } from '../otlp/otlpSpan.js';
import type { SpanOrigin } from '../otlp/otlpJson.js';

/** Seconds and nanoseconds since 1970. */
type Time = [number, number];

type Values = Record<string, string | number | boolean | string[]>;

interface SpanContext {
  traceId: string;
  spanId: string;
  traceFlags: number;
}

interface SerializedResource {
  attributes: Values;
  merge(other: SerializedResource | null): SerializedResource;
  getRawAttributes(): never[];
}

/** What OpenTelemetry's serializer reads of a span. */
interface SerializedSpan {
  name: string;
  kind: number;
  spanContext(): SpanContext;
  parentSpanContext?: SpanContext;
  startTime: Time;
  endTime: Time;
  duration: Time;
  ended: boolean;
  status: { code: number; message?: string };
  attributes: Values;
  links: never[];
  events: { name: string; time: Time; attributes: Values }[];
  resource: SerializedResource;
  instrumentationScope: { name: string; version?: string };
  droppedAttributesCount: number;
  droppedEventsCount: number;
  droppedLinksCount: number;
}

/** OpenTelemetry's own way from spans to a request in protobuf, and from its answer back. */
export interface TraceSerializer {
  serializeRequest(spans: SerializedSpan[]): Uint8Array | undefined;
  deserializeResponse(answer: Uint8Array): PartialAnswer;
}

/** What an answer says of spans that were not taken. */
export interface PartialAnswer {
  readonly partialSuccess?: { readonly rejectedSpans?: number; readonly errorMessage?: string };
}

/** A request of OTLP's trace service in protobuf, made by OpenTelemetry's own serializer. */
export function encodeSpans(
  spans: readonly OtlpSpan[],
  { resource, version }: SpanOrigin,
  serializer: Pick<TraceSerializer, 'serializeRequest'>,
): Uint8Array {
  const about: SerializedResource = {
    attributes: plain(resource),
    merge: (other) => other ?? about,
    getRawAttributes: () => [],
  };
  const scope = { name: OWN_SCOPE, ...(version !== '' && { version }) };
  const readable = spans.map((span) => readableSpan(span, about, scope));
  const bytes = serializer.serializeRequest(readable);
  if (!bytes) throw new Error('The serializer gave no request.');
  return bytes;
}

function readableSpan(
  span: OtlpSpan,
  resource: SerializedSpan['resource'],
  instrumentationScope: SerializedSpan['instrumentationScope'],
): SerializedSpan {
  const { traceId, spanId, parentSpanId, name, isClient, start, end, error } = span;
  const contextOf = (id: string) => ({ traceId, spanId: id, traceFlags: 1 });
  return {
    name,
    // What the package calls a kind is one less than what OTLP does.
    kind: isClient ? 2 : 0,
    spanContext: () => contextOf(spanId),
    ...(parentSpanId !== undefined && { parentSpanContext: contextOf(parentSpanId) }),
    startTime: timeOf(start),
    endTime: timeOf(end),
    duration: timeOf(end - start),
    ended: true,
    status: error === undefined ? { code: 0 } : { code: 2, message: error },
    attributes: plain(span.attributes),
    links: [],
    events: span.events.map((event) => ({
      name: event.name,
      time: timeOf(event.time),
      attributes: plain(event.attributes),
    })),
    resource,
    instrumentationScope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

function plain(attributes: Attributes): Values {
  const entries = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, typeof value === 'object' ? [...value] : value] as const],
  );
  return Object.fromEntries(entries);
}

/** The last second that the 64 bits of OTLP's nanoseconds can hold. */
const LAST_SECOND = 18_446_744_073;

function timeOf(ms: number): Time {
  const whole = Math.max(0, Math.round(ms));
  const seconds = Math.min(LAST_SECOND, Math.floor(whole / 1000));
  return [seconds, seconds === LAST_SECOND ? 0 : (whole % 1000) * 1_000_000];
}
