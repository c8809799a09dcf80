import { isObject } from '../../../core/message.js';
import {
  asText,
  fields,
  list,
  objects,
  text,
  time,
  without,
  withoutKeys,
  type Fields,
} from '../../reading/fields.js';
import type { ImportSink } from '../../building/importSink.js';
import { itemMessages } from '../../messages/itemMessages.js';
import { openAiUsage } from '../../messages/usage.js';
import { Groups } from '../../trace/groups.js';
import { answersIn, saidIn } from '../../trace/spanMessages.js';
import { TraceReader } from '../../trace/traceReader.js';
import type { SpanKind, TraceSpan } from '../../trace/traceSpan.js';
import { most, type TranscriptFormat } from '../../building/transcriptFormat.js';

/**
 * Traces of the OpenAI Agents SDK: a trace and its spans, one per line, in one list, or spans in their trace; as the SDK
 * for Python, the one for JavaScript, or a trace processor writes them.
 */
export const agentsSdk: TranscriptFormat = {
  name: 'openai-agents',
  of: 'OpenAI Agents SDK',
  files: 'traces and spans of the SDKs for Python and JavaScript',
  carries: ['messages', 'calls', 'subagents', 'times', 'models', 'usage', 'images', 'thinking'],
  detect: (head) => head.length > 0 && most(flat(head), isTraced),
  *readLines(lines, sink) {
    const traces = new Groups<Fields>(lines, sink);
    for (const value of traces.values(lines)) {
      for (const each of flat([value])) {
        if (isTraced(each))
          traces.add(asText(isSpan(each) ? (each.trace_id ?? each.traceId) : idOf(each)), each);
        else traces.addSingle(each);
      }
      yield;
    }
    for (const traced of traces.all()) {
      readTrace(traced, sink);
      yield;
    }
    if (traces.singleCount === 0) return;
    const builder = sink.conversation(undefined, 'unknown');
    for (const value of traces.singles()) {
      builder.keep(builder.entry, 'unknown', value);
      yield;
    }
  },
};

function flat(values: readonly unknown[]): Fields[] {
  return values.flatMap((value) => {
    if (Array.isArray(value)) return flat(value);
    const about = fields(value);
    const inner = about.data ?? about.items ?? about.spans;
    if (!Array.isArray(inner) || !objects(inner).some(isTraced)) return [about];
    const trace = isObject(about.trace) ? about.trace : without(about, 'data', 'items', 'spans');
    const isTrace = isTraced(trace) || 'workflow_name' in trace || 'workflowName' in trace;
    return [...(isTrace ? [{ object: 'trace', ...trace }] : []), ...objects(inner)];
  });
}

function isTraced(value: unknown): boolean {
  return isObject(value) && (value.object === 'trace' || isSpan(value));
}

function isSpan(value: Fields): boolean {
  const isTold = isObject(value.span_data) || isObject(value.spanData);
  return isTold && (value.object === 'trace.span' || 'trace_id' in value || 'traceId' in value);
}

function idOf(value: Fields): string {
  return asText(value.id ?? value.span_id ?? value.spanId ?? value.trace_id ?? value.traceId);
}

function dataOf(span: Fields): Fields {
  return fields(span.span_data ?? span.spanData);
}

function readTrace(traced: readonly Fields[], sink: ImportSink): void {
  const spans = traced.filter(isSpan);
  const about = traced.find((value) => !isSpan(value));
  const begin = (span: Fields) => time(span.started_at ?? span.startedAt) ?? 0;
  const agents = spans.filter((span) => dataOf(span).type === 'agent').sort((a, b) => begin(a) - begin(b));
  const first = text(dataOf(agents[0] ?? {}).name);
  const id = about ? idOf(about) : (spans[0]?.trace_id ?? spans[0]?.traceId);
  const builder = sink.conversation(id, first ?? 'agent');
  builder.title = text(about?.workflow_name ?? about?.workflowName);
  // All agents of a trace work in one run, also those that one after another takes over.
  const root: TraceSpan = {
    id: 'trace',
    parent: '',
    name: 'trace',
    kind: 'other',
    start: undefined,
    end: undefined,
    input: [],
    output: [],
    source: about ?? { trace_id: id },
  };
  const ids = new Set(spans.map(idOf));
  const below = spans.map((span) => {
    const parent = asText(span.parent_id ?? span.parentId);
    return spanOf(span, ids.has(parent) ? parent : root.id, sink);
  });
  new TraceReader(builder).read([root, ...below]);
}

const KINDS: Readonly<Record<string, SpanKind>> = {
  agent: 'agent',
  generation: 'request',
  response: 'request',
  function: 'tool',
};
const KNOWN =
  /^(?:agent|task|turn|function|generation|response|handoff|guardrail|custom|mcp_tools|speech\w*|transcription)$/;

function spanOf(span: Fields, parent: string, sink: ImportSink): TraceSpan {
  const data = dataOf(span);
  const type = text(data.type) ?? 'unknown';
  if (!KNOWN.test(type)) sink.unknown(`spans of type ${type}`);
  const kind = KINDS[type] ?? 'other';
  const response = fields(data.response ?? data._response);
  const isRequest = kind === 'request';
  const [input, output] = isRequest ? [sent(data), got(data, response)] : [[], []];
  const isTool = kind === 'tool';
  const told = [
    ...(isTool || input.length > 0 ? ['input', '_input'] : []),
    ...(isTool || output.length > 0 ? ['output'] : []),
  ];
  const failed = isObject(span.error) ? span.error : undefined;
  const rest = without(span, 'object', 'span_data', 'spanData');
  return {
    id: idOf(span),
    parent,
    name: type,
    kind,
    start: time(span.started_at ?? span.startedAt),
    end: time(span.ended_at ?? span.endedAt),
    agent: kind === 'agent' ? (text(data.name) ?? 'agent') : undefined,
    input,
    output,
    model: text(data.model) ?? text(response.model),
    usage: isRequest ? openAiUsage(data.usage ?? response.usage) : undefined,
    tool:
      kind === 'tool'
        ? {
            name: text(data.name) ?? 'function',
            input: asText(data.input ?? {}),
            output: data.output ?? undefined,
          }
        : undefined,
    error: failed && { code: text(failed.code) ?? 'error', message: text(failed.message) ?? asText(failed) },
    source: { ...rest, span_data: withoutKeys(data, told) },
  };
}

/** What was sent: chat messages, or the items of the Responses API. */
function sent(data: Fields): Fields[] {
  const input = data.input ?? data._input;
  const instructions = text(fields(data.response ?? data._response).instructions);
  const system = instructions === undefined ? [] : [{ role: 'system', content: instructions }];
  const items = list(input);
  const isItems = objects(items).some(({ type }) => typeof type === 'string');
  return [...system, ...(isItems ? itemMessages(items) : saidIn(input, 'user'))];
}

function got(data: Fields, response: Fields): Fields[] {
  if (Array.isArray(response.output)) return itemMessages(response.output);
  const outputs = objects(data.output);
  if (outputs.some(({ type }) => typeof type === 'string')) return itemMessages(outputs);
  const choices = outputs.flatMap(({ choices: each }) => answersIn({ choices: each }));
  return choices.length > 0
    ? choices
    : outputs.length > 0
      ? outputs.map((each) => ({ role: 'assistant', ...each }))
      : answersIn(data.output);
}
