import { OWN_SCOPE } from '../../core/ownSpans.js';
import { nanosOf, type Attributes, type AttributeValue, type OtlpSpan } from './otlpSpan.js';

/** What spans come from. */
export interface SpanOrigin {
  /** The attributes of the resource. */
  readonly resource: Attributes;
  /** The version of the program that wrote them. */
  readonly version: string;
}

/** A request of OTLP's trace service with some spans, in the JSON encoding, on one line. */
export function otlpJson(spans: readonly OtlpSpan[], { resource, version }: SpanOrigin): string {
  const scope = { name: OWN_SCOPE, ...(version !== '' && { version }) };
  return JSON.stringify({
    resourceSpans: [
      { resource: { attributes: pairs(resource) }, scopeSpans: [{ scope, spans: spans.map(jsonSpan) }] },
    ],
  });
}

function jsonSpan(span: OtlpSpan): object {
  const { traceId, spanId, parentSpanId, name, isClient, start, end, attributes, events, error } = span;
  return {
    traceId,
    spanId,
    ...(parentSpanId !== undefined && { parentSpanId }),
    name,
    kind: isClient ? 3 : 1,
    startTimeUnixNano: nanosOf(start),
    endTimeUnixNano: nanosOf(end),
    attributes: pairs(attributes),
    ...(events.length > 0 && {
      events: events.map((event) => ({
        timeUnixNano: nanosOf(event.time),
        name: event.name,
        attributes: pairs(event.attributes),
      })),
    }),
    ...(error !== undefined && { status: { code: 2, message: error } }),
  };
}

function pairs(attributes: Attributes): readonly object[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: wrapped(value) }],
  );
}

/** A value by its type; integers are text, because JSON has none of 64 bits. */
function wrapped(value: AttributeValue): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map((each) => wrapped(each)) } };
}
