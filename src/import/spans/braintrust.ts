import { isObject } from '../../core/message.js';
import { fields, objects, without, type Fields } from '../reading/fields.js';
import { most, type TranscriptFormat } from '../building/transcriptFormat.js';
import { failure, readTraces, type SpanTable } from './spanTable.js';

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
  readLines: (lines, sink) =>
    readTraces(lines, sink, {
      spansIn: (value) => rowsIn([value]).map(fields),
      trace: 'root_span_id',
      table: SPANS,
      isRoot: ({ span_id, root_span_id }) => span_id === root_span_id,
    }),
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

const SPANS: SpanTable = {
  id: ['span_id'],
  parent: ['span_parents.0'],
  name: ['span_attributes.name'],
  kind: ['span_attributes.type'],
  kinds: { llm: 'request', tool: 'tool' },
  start: ['metrics.start', 'created'],
  end: ['metrics.end'],
  model: ['metadata.model'],
  asked: ['input'],
  answered: [choicesIn, 'output'],
  usage: [({ metrics }) => without(fields(metrics), 'start', 'end')],
  given: ['input'],
  result: ['output'],
  error: ({ error }) => failure(error),
};

/** The choices that a request was answered with, if it stands so. */
function choicesIn({ output }: Fields): Fields | undefined {
  return objects(output).some(({ message }) => isObject(message)) ? { choices: output } : undefined;
}
