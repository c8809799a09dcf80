import { isObject } from '../../core/message.js';
import type { ImportSink } from '../building/importSink.js';
import { asText, fields, list, objects, text, time, without, type Fields } from '../reading/fields.js';
import { anyUsage } from '../messages/looseWords.js';
import { Groups } from '../trace/groups.js';
import { answersIn, saidIn } from '../trace/spanMessages.js';
import { TraceReader } from '../trace/traceReader.js';
import type { TraceSpan } from '../trace/traceSpan.js';
import { most, type TranscriptFormat } from '../building/transcriptFormat.js';

/** Calls of functions as W&B Weave records and exports them; those of one trace are a conversation. */
export const weave: TranscriptFormat = {
  name: 'weave',
  isOfTraces: true,
  of: 'W&B Weave',
  files: 'calls, as a list, as lines or under `calls`',
  carries: ['messages', 'calls', 'times', 'models', 'usage'],
  detect: (head) => {
    const rows = head.flatMap((value) => callsIn(value));
    return rows.length > 0 && most(rows, isCall);
  },
  *readLines(lines, sink) {
    const traces = new Groups<Fields>(lines, sink);
    for (const value of traces.values(lines)) {
      for (const call of callsIn(value)) traces.add(asText(fields(call).trace_id), fields(call));
      yield;
    }
    for (const calls of traces.all()) {
      readTrace(calls, sink);
      yield;
    }
  },
};

function callsIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  const { calls } = fields(value);
  return Array.isArray(calls) ? list(calls) : [value];
}

function isCall(value: unknown): boolean {
  return isObject(value) && typeof value.op_name === 'string' && typeof value.trace_id === 'string';
}

function readTrace(calls: readonly Fields[], sink: ImportSink): void {
  const inOrder = [...calls].sort((a, b) => (time(a.started_at) ?? 0) - (time(b.started_at) ?? 0));
  const ids = new Set(calls.map((call) => call.id));
  const root = inOrder.find(({ parent_id }) => !ids.has(parent_id));
  const builder = sink.conversation(asText(calls[0]?.trace_id), root ? nameOf(root) : 'agent');
  new TraceReader(builder).read(inOrder.map((call) => spanOf(call)));
}

/** The name of a function in `weave:///entity/project/op/name:digest`. */
function nameOf({ display_name, op_name }: Fields): string {
  return (
    text(display_name) ??
    asText(op_name)
      .replace(/^weave:\/\/\/.*\/op\//, '')
      .replace(/:[^:]*$/, '')
  );
}

function spanOf(call: Fields): TraceSpan {
  const inputs = fields(call.inputs);
  const output = fields(call.output);
  const name = nameOf(call);
  const isAsked = Array.isArray(inputs.messages) || Array.isArray(inputs.contents);
  const isRequest = isAsked && (typeof inputs.model === 'string' || Array.isArray(output.choices));
  const isTool = attributesOf(call).kind === 'tool';
  const [model] = Object.keys(fields(fields(call.summary).usage));
  return {
    id: asText(call.id),
    parent: text(call.parent_id) ?? '',
    name,
    kind: isRequest ? 'request' : isTool ? 'tool' : 'other',
    start: time(call.started_at),
    end: time(call.ended_at),
    input: isRequest ? saidIn(inputs, 'user') : [],
    output: isRequest ? answersIn(call.output) : [],
    model: isRequest ? (text(output.model) ?? text(inputs.model) ?? model) : undefined,
    usage: isRequest ? (anyUsage(output.usage) ?? anyUsage(usageOf(call))) : undefined,
    tool: isTool
      ? { name, input: asText(without(inputs, 'self')), output: call.output ?? undefined }
      : undefined,
    error:
      text(call.exception) === undefined ? undefined : { code: 'error', message: asText(call.exception) },
    source: call,
  };
}

function attributesOf(call: Fields): Fields {
  return fields(fields(call.attributes).weave);
}

/** The tokens that a call used, which Weave sums up by model. */
function usageOf(call: Fields): Fields | undefined {
  const models = objects(Object.values(fields(fields(call.summary).usage)));
  return models.length === 1 ? models[0] : undefined;
}
