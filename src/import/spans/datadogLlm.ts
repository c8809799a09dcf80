import { isObject } from '../../core/message.js';
import type { ImportSink } from '../building/importSink.js';
import { asText, fields, list, number, objects, parsed, text, time, type Fields } from '../reading/fields.js';
import { anyUsage } from '../messages/looseWords.js';
import { Groups } from '../trace/groups.js';
import { answersIn, saidIn } from '../trace/spanMessages.js';
import { TraceReader } from '../trace/traceReader.js';
import type { SpanKind, TraceSpan } from '../trace/traceSpan.js';
import { most, type TranscriptFormat } from '../building/transcriptFormat.js';

/** Spans of Datadog's LLM Observability, as its API takes and gives them. */
export const datadogLlm: TranscriptFormat = {
  name: 'datadog-llm',
  isOfTraces: true,
  of: 'Datadog',
  files: 'spans of LLM Observability, as sent and as exported',
  carries: ['messages', 'calls', 'subagents', 'times', 'models', 'usage'],
  detect: (head) => head.length > 0 && most(head, (value) => spansIn(value).length > 0),
  *readLines(lines, sink) {
    const traces = new Groups<Fields>(lines, sink);
    for (const value of traces.values(lines)) {
      for (const span of spansIn(value)) traces.add(asText(span.trace_id), span);
      yield;
    }
    for (const spans of traces.all()) {
      readTrace(spans, sink);
      yield;
    }
  },
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

function readTrace(spans: readonly Fields[], sink: ImportSink): void {
  const ids = new Set(spans.map(({ span_id }) => span_id));
  const root = spans.find(({ parent_id }) => !ids.has(parent_id));
  const builder = sink.conversation(asText(spans[0]?.trace_id), text(root?.name) ?? 'agent');
  new TraceReader(builder).read(spans.map((span) => spanOf(span)));
}

const KINDS: Readonly<Record<string, SpanKind>> = { llm: 'request', tool: 'tool', agent: 'agent' };

function spanOf(span: Fields): TraceSpan {
  const meta = fields(span.meta);
  const input = fields(meta.input);
  const output = fields(meta.output);
  const word = asText(kindIn(span));
  const kind = (Object.hasOwn(KINDS, word) ? KINDS[word] : undefined) ?? 'other';
  const name = text(span.name) ?? word;
  const start = time(span.start_ns);
  const nanoseconds = number(span.duration);
  const isRequest = kind === 'request';
  return {
    id: asText(span.span_id),
    parent: span.parent_id === 'undefined' ? '' : asText(span.parent_id),
    name,
    kind,
    start,
    end: start === undefined || nanoseconds === undefined ? undefined : start + Math.round(nanoseconds / 1e6),
    agent: kind === 'agent' ? name : undefined,
    input: isRequest ? saidIn(withIds(input.messages) ?? input.value, 'user') : [],
    output: isRequest ? answersIn(withIds(output.messages) ?? output.value) : [],
    model: text(meta.model_name),
    endpoint: text(meta.model_provider),
    usage: isRequest ? anyUsage(span.metrics) : undefined,
    tool:
      kind === 'tool'
        ? { name, input: asText(input.value ?? {}), output: parsed(output.value) ?? undefined }
        : undefined,
    error: failureOf(span),
    source: span,
  };
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

function failureOf(span: Fields): TraceSpan['error'] {
  const { message, type } = fields(fields(span.meta).error);
  if (span.status !== 'error' && text(message) === undefined) return undefined;
  return { code: text(type) ?? 'error', message: text(message) ?? 'It failed.' };
}
