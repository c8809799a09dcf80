import { isObject } from '../../core/message.js';
import type { ImportSink } from '../building/importSink.js';
import { asText, fields, list, objects, text, time, without, type Fields } from '../reading/fields.js';
import { anyUsage } from '../messages/looseWords.js';
import { Groups } from '../trace/groups.js';
import { answersIn, saidIn } from '../trace/spanMessages.js';
import { TraceReader } from '../trace/traceReader.js';
import type { SpanKind, TraceSpan } from '../trace/traceSpan.js';
import { most, type TranscriptFormat } from '../building/transcriptFormat.js';

/** Braintrust's logs: spans, of which those with one root are a trace. */
export const braintrust: TranscriptFormat = {
  name: 'braintrust',
  isOfTraces: true,
  of: 'Braintrust',
  files: 'spans of logs and experiments',
  carries: ['messages', 'calls', 'times', 'models', 'usage'],
  detect: (head) => {
    const rows = rowsIn(head);
    return rows.length > 0 && most(rows, isSpan);
  },
  *readLines(lines, sink) {
    const traces = new Groups<Fields>(lines, sink);
    for (const value of traces.values(lines)) {
      for (const row of rowsIn([value])) traces.add(asText(fields(row).root_span_id), fields(row));
      yield;
    }
    for (const spans of traces.all()) {
      readTrace(spans, sink);
      yield;
    }
  },
};

function rowsIn(values: readonly unknown[]): readonly unknown[] {
  return values.flatMap((value): readonly unknown[] =>
    Array.isArray(value) ? (value as unknown[]) : [value],
  );
}

function isSpan(value: unknown): boolean {
  if (!isObject(value)) return false;
  return (
    [value.span_id, value.root_span_id].every((id) => typeof id === 'string') &&
    isObject(value.span_attributes)
  );
}

function readTrace(rows: readonly Fields[], sink: ImportSink): void {
  const root = rows.find(({ span_id, root_span_id }) => span_id === root_span_id);
  const builder = sink.conversation(
    asText(rows[0]?.root_span_id),
    text(fields(root?.span_attributes).name) ?? 'agent',
  );
  new TraceReader(builder).read(rows.map((row) => spanOf(row)));
}

const KINDS: Readonly<Record<string, SpanKind>> = { llm: 'request', tool: 'tool' };

function spanOf(row: Fields): TraceSpan {
  const about = fields(row.span_attributes);
  const metrics = fields(row.metrics);
  const type = asText(about.type);
  const kind = (Object.hasOwn(KINDS, type) ? KINDS[type] : undefined) ?? 'other';
  const name = text(about.name) ?? type;
  const isRequest = kind === 'request';
  const choices = objects(row.output).some(({ message }) => isObject(message))
    ? { choices: row.output }
    : row.output;
  return {
    id: asText(row.span_id),
    parent: text(list(row.span_parents)[0]) ?? '',
    name,
    kind,
    start: time(metrics.start) ?? time(row.created),
    end: time(metrics.end),
    input: isRequest ? saidIn(row.input, 'user') : [],
    output: isRequest ? answersIn(choices) : [],
    model: text(fields(row.metadata).model),
    usage: isRequest ? anyUsage(without(metrics, 'start', 'end')) : undefined,
    tool:
      kind === 'tool' ? { name, input: asText(row.input ?? {}), output: row.output ?? undefined } : undefined,
    error: isFailed(row.error) ? { code: 'error', message: asText(row.error) } : undefined,
    source: row,
  };
}

function isFailed(error: unknown): boolean {
  return error !== undefined && error !== null && error !== '';
}
