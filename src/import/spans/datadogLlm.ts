import { isObject } from '../../core/message.js';
import type { Failure } from '../../core/record.js';
import { asText, fields, list, number, objects, parsed, text, time, type Fields } from '../reading/fields.js';
import { most, type TranscriptFormat } from '../building/transcriptFormat.js';
import { readTraces, type SpanTable } from './spanTable.js';

/** Spans of Datadog's LLM Observability, as its API takes and gives them. */
export const datadogLlm: TranscriptFormat = {
  name: 'datadog-llm',
  isOfTraces: true,
  of: 'Datadog',
  files: 'spans of LLM Observability, as sent and as exported',
  carries: ['messages', 'calls', 'subagents', 'times', 'models', 'usage'],
  detect: (head) => head.length > 0 && most(head, (value) => spansIn(value).length > 0),
  readLines: (lines, sink) => readTraces(lines, sink, { spansIn, trace: 'trace_id', table: SPANS }),
};

/** The spans in a value; what stands around them is said by the first. */
function spansIn(value: unknown): Fields[] {
  if (Array.isArray(value)) return value.flatMap((each) => spansIn(each));
  if (!isObject(value)) return [];
  if (isSpan(value)) return [value];
  const { attributes, ...rest } = fields(value.data ?? value);
  const { spans, ...about } = isObject(attributes) ? attributes : fields(value);
  const found = list(spans).filter(isSpan) as Fields[];
  if (found.length > 0)
    return found.map((span, at) => (at === 0 ? { ...span, around: { ...about, ...rest } } : span));
  // Exports have each span as an event with its attributes.
  if (isObject(attributes) && isSpan(attributes)) return [{ ...attributes, around: rest }];
  return Array.isArray(value.data) ? value.data.flatMap((each) => spansIn(each)) : [];
}

function isSpan(value: unknown): boolean {
  if (!isObject(value) || typeof value.span_id !== 'string' || typeof value.trace_id !== 'string')
    return false;
  return typeof kindIn(value) === 'string' && ('start_ns' in value || isObject(value.meta));
}

function kindIn(span: Fields): unknown {
  return fields(span.meta).kind ?? fields(fields(span.meta).span).kind ?? span.span_kind;
}

const SPANS: SpanTable = {
  id: ['span_id'],
  parent: [({ parent_id }) => (parent_id === 'undefined' ? undefined : asText(parent_id))],
  name: ['name'],
  kind: [kindIn],
  kinds: { llm: 'request', tool: 'tool', agent: 'agent' },
  start: ['start_ns'],
  end: [endOf],
  model: ['meta.model_name'],
  endpoint: ['meta.model_provider'],
  asked: [({ meta }) => withIds(fields(fields(meta).input).messages), 'meta.input.value'],
  answered: [({ meta }) => withIds(fields(fields(meta).output).messages), 'meta.output.value'],
  usage: ['metrics'],
  given: ['meta.input.value'],
  result: [({ meta }) => parsed(fields(fields(meta).output).value)],
  error: failureOf,
};

function endOf({ start_ns, duration }: Fields): number | undefined {
  const start = time(start_ns);
  const nanoseconds = number(duration);
  return start === undefined || nanoseconds === undefined ? undefined : start + Math.round(nanoseconds / 1e6);
}

/** Messages whose calls have their ids under the usual name. */
function withIds(messages: unknown): unknown {
  if (!Array.isArray(messages)) return undefined;
  return objects(messages).map((message) => ({
    ...message,
    ...(Array.isArray(message.tool_calls) && {
      tool_calls: objects(message.tool_calls).map((call) => ({ id: call.tool_id, ...call })),
    }),
  }));
}

function failureOf(span: Fields): Failure | undefined {
  const { message, type } = fields(fields(span.meta).error);
  if (span.status !== 'error' && text(message) === undefined) return undefined;
  return { code: text(type) ?? 'error', message: text(message) ?? 'It failed.' };
}
