import { isObject } from '../../core/message.js';
import { fields, list, objects, text, time, type Fields } from '../reading/fields.js';

/** A span of a trace, with its attributes as plain values. */
export interface Span {
  readonly trace: string;
  readonly id: string;
  readonly parent: string;
  readonly name: string;
  readonly start: number | undefined;
  readonly end: number | undefined;
  readonly attributes: Fields;
  readonly isError: boolean;
  /** The span as it was written. */
  readonly source: Fields;
}

/** The spans in OTLP's JSON: an object with `resourceSpans`, a bare span, or a list of either. */
export function spansOf(value: unknown): Span[] {
  if (Array.isArray(value)) return value.flatMap((each) => spansOf(each));
  if (!isObject(value)) return [];
  if (typeof value.traceId === 'string' && typeof value.spanId === 'string') return [spanOf(value)];
  return objects(value.resourceSpans).flatMap((resource) =>
    objects(resource.scopeSpans ?? resource.instrumentationLibrarySpans).flatMap((scope) =>
      objects(scope.spans).map(spanOf),
    ),
  );
}

function spanOf(span: Fields): Span {
  const code = fields(span.status).code;
  return {
    trace: text(span.traceId) ?? '',
    id: text(span.spanId) ?? '',
    parent: text(span.parentSpanId) ?? '',
    name: text(span.name) ?? '',
    start: time(span.startTimeUnixNano),
    end: time(span.endTimeUnixNano),
    attributes: attributesOf(span.attributes),
    isError: code === 2 || code === 'STATUS_CODE_ERROR',
    source: span,
  };
}

function attributesOf(attributes: unknown): Fields {
  if (isObject(attributes)) return attributes;
  return Object.fromEntries(objects(attributes).map(({ key, value }) => [text(key) ?? '', plain(value)]));
}

/** Unwraps an OTLP value; its integers are strings, because JSON has no 64-bit integers. */
function plain(value: unknown): unknown {
  const any = fields(value);
  if ('stringValue' in any) return any.stringValue;
  if ('intValue' in any) return Number(any.intValue);
  if ('doubleValue' in any) return any.doubleValue;
  if ('boolValue' in any) return any.boolValue;
  if ('arrayValue' in any) return list(fields(any.arrayValue).values).map((each) => plain(each));
  if ('kvlistValue' in any) return attributesOf(fields(any.kvlistValue).values);
  return undefined;
}
