import type { Failure } from '../../core/record.js';
import type { Usage } from '../../core/usage.js';
import type { Entries } from '../reading/entries.js';
import type { ImportSink } from '../building/importSink.js';
import { asText, fields, text, time, type Fields } from '../reading/fields.js';
import { anyUsage } from '../messages/looseWords.js';
import { Groups } from '../trace/groups.js';
import { answersIn, saidIn } from '../trace/spanMessages.js';
import { TraceReader } from '../trace/traceReader.js';
import type { SpanKind, TraceSpan } from '../trace/traceSpan.js';

/**
 * Where a span says something: names of fields, those inside each other with dots between, or what looks for it where it
 * lies otherwise. Of several, the first that says something counts.
 */
type Where = readonly (string | ((span: Fields) => unknown))[];

/** Where the spans of a tracing tool say what. */
export interface SpanTable {
  readonly id: Where;
  readonly parent: Where;
  /** Where none says a name, the word for its kind is its name. */
  readonly name: Where;
  /** The tool's word for what a span did, and what its words mean; any other is `other`. */
  readonly kind: Where;
  readonly kinds: Readonly<Record<string, SpanKind>>;
  readonly start: Where;
  readonly end: Where;
  /** When the first words of an answer came. */
  readonly firstToken?: Where;
  readonly model: Where;
  readonly endpoint?: Where;
  /** What a request sent and got, and what it used. */
  readonly asked?: Where;
  readonly answered?: Where;
  readonly usage: Where | ((span: Fields) => Usage | undefined);
  /** What a tool was given and gave. */
  readonly given?: Where;
  readonly result?: Where;
  readonly error: (span: Fields) => Failure | undefined;
}

/** A span as the formats of traces read it; its `kind` is that of the table where none is given. */
export function spanBy(table: SpanTable, span: Fields, kind = kindBy(table, span)): TraceSpan {
  const { usage } = table;
  const name = first(span, table.name, text) ?? wordOf(table, span);
  const start = first(span, table.start, time);
  const token = first(span, table.firstToken, time);
  const isRequest = kind === 'request';
  return {
    id: asText(first(span, table.id)),
    parent: first(span, table.parent, text) ?? '',
    name,
    kind,
    start,
    end: first(span, table.end, time),
    agent: kind === 'agent' ? name : undefined,
    input: isRequest ? saidIn(first(span, table.asked), 'user') : [],
    output: isRequest ? answersIn(first(span, table.answered)) : [],
    model: first(span, table.model, text),
    endpoint: first(span, table.endpoint, text),
    usage: !isRequest ? undefined : typeof usage === 'function' ? usage(span) : first(span, usage, anyUsage),
    firstTokenMs: start !== undefined && token !== undefined ? Math.max(0, token - start) : undefined,
    tool:
      kind === 'tool'
        ? { name, input: asText(first(span, table.given) ?? {}), output: first(span, table.result) }
        : undefined,
    error: table.error(span),
    source: span,
  };
}

/** A failure of a span that says it in a text or in anything else. */
export function failure(error: unknown, code?: unknown): Failure | undefined {
  if (error === undefined || error === null || error === '') return undefined;
  return { code: text(code) ?? 'error', message: asText(error) };
}

/** How the values of a file become traces. */
interface TraceOfSpans {
  /** The spans in a value. */
  readonly spansIn: (value: unknown) => readonly Fields[];
  /** What the spans of one trace have in common. */
  readonly trace: string;
  readonly table: SpanTable;
  /** Whether a span is the one that its trace is named after; the first whose parent is not there where this is missing. */
  readonly isRoot?: (span: Fields) => boolean;
  /** Puts the spans of a trace in their order; they are in that of the file where this is missing. */
  readonly before?: (a: Fields, b: Fields) => number;
}

/** Reads a file of spans that lie beside each other: those of one trace are a conversation. */
export function* readTraces(lines: Entries, sink: ImportSink, of: TraceOfSpans): Generator<void> {
  const traces = new Groups<Fields>(lines, sink);
  for (const value of traces.values(lines)) {
    for (const span of of.spansIn(value)) traces.add(asText(span[of.trace]), span);
    yield;
  }
  for (const spans of traces.all()) {
    readTrace(of.before ? spans.toSorted(of.before) : spans, sink, of);
    yield;
  }
}

function readTrace(spans: readonly Fields[], sink: ImportSink, of: TraceOfSpans): void {
  const read = spans.map((span) => spanBy(of.table, span));
  const ids = new Set(read.map(({ id }) => id));
  const { isRoot = (_: Fields, at: number) => !ids.has(read[at]?.parent ?? '') } = of;
  const root = spans.find((span, at) => isRoot(span, at));
  const name = root && first(root, of.table.name, text);
  const builder = sink.conversation(asText(spans[0]?.[of.trace]), name ?? 'agent');
  new TraceReader(builder).read(read);
}

function kindBy(table: SpanTable, span: Fields): SpanKind {
  const word = wordOf(table, span);
  return (Object.hasOwn(table.kinds, word) ? table.kinds[word] : undefined) ?? 'other';
}

function wordOf(table: SpanTable, span: Fields): string {
  return asText(first(span, table.kind));
}

function first(span: Fields, where: Where | undefined): unknown;
function first<Read>(
  span: Fields,
  where: Where | undefined,
  read: (value: unknown) => Read | undefined,
): Read | undefined;
function first(span: Fields, where: Where = [], read = (value: unknown): unknown => value): unknown {
  for (const each of where) {
    const value = typeof each === 'function' ? each(span) : valueAt(span, each);
    const found = value === undefined || value === null ? undefined : read(value);
    if (found !== undefined) return found;
  }
  return undefined;
}

function valueAt(span: Fields, path: string): unknown {
  let value: unknown = span;
  for (const name of path.split('.'))
    value = Array.isArray(value) ? (value as unknown[])[Number(name)] : fields(value)[name];
  return value;
}
