import { isObject } from '../../core/message.js';
import { asText, fields, list, objects, text, time, without, type Fields } from '../reading/fields.js';
import type { SpanKind } from '../trace/traceSpan.js';
import { most, type TranscriptFormat } from '../building/transcriptFormat.js';
import { failure, readTraces, type SpanTable } from './spanTable.js';

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
  readLines: (lines, sink) =>
    readTraces(lines, sink, {
      spansIn: (value) => callsIn(value).map(fields),
      trace: 'trace_id',
      table: CALLS,
      before: (a, b) => (time(a.started_at) ?? 0) - (time(b.started_at) ?? 0),
    }),
};

function callsIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  const { calls } = fields(value);
  return Array.isArray(calls) ? list(calls) : [value];
}

function isCall(value: unknown): boolean {
  return isObject(value) && typeof value.op_name === 'string' && typeof value.trace_id === 'string';
}

const CALLS: SpanTable = {
  id: ['id'],
  parent: ['parent_id'],
  name: ['display_name', functionOf],
  kind: [kindOf],
  kinds: { request: 'request', tool: 'tool' },
  start: ['started_at'],
  end: ['ended_at'],
  model: [modelOf],
  asked: ['inputs'],
  answered: ['output'],
  usage: ['output.usage', usageOf],
  given: [({ inputs }) => without(fields(inputs), 'self')],
  result: ['output'],
  error: ({ exception }) => failure(text(exception)),
};

/** The name of a function in `weave:///entity/project/op/name:digest`. */
function functionOf({ op_name }: Fields): string {
  return asText(op_name)
    .replace(/^weave:\/\/\/.*\/op\//, '')
    .replace(/:[^:]*$/, '');
}

/** A call that was given messages and names a model, or was answered as models answer, is a request. */
function kindOf(call: Fields): SpanKind {
  const inputs = fields(call.inputs);
  const isAsked = Array.isArray(inputs.messages) || Array.isArray(inputs.contents);
  if (isAsked && (typeof inputs.model === 'string' || Array.isArray(fields(call.output).choices)))
    return 'request';
  return fields(fields(call.attributes).weave).kind === 'tool' ? 'tool' : 'other';
}

function modelOf(call: Fields): string | undefined {
  if (kindOf(call) !== 'request') return undefined;
  const [summed] = Object.keys(fields(fields(call.summary).usage));
  return text(fields(call.output).model) ?? text(fields(call.inputs).model) ?? summed;
}

/** The tokens that a call used, which Weave sums up by model. */
function usageOf(call: Fields): Fields | undefined {
  const models = objects(Object.values(fields(fields(call.summary).usage)));
  return models.length === 1 ? models[0] : undefined;
}
