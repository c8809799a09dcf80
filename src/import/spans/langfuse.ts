import { greatestOf } from '../../core/lists.js';
import { isObject } from '../../core/message.js';
import type { Usage } from '../../core/usage.js';
import {
  asText,
  fields,
  number,
  objects,
  parsed,
  text,
  time,
  without,
  withoutKeys,
  type Fields,
} from '../reading/fields.js';
import type { ImportSink } from '../building/importSink.js';
import { Groups } from '../trace/groups.js';
import { answersIn, saidIn } from '../trace/spanMessages.js';
import { TraceReader } from '../trace/traceReader.js';
import type { SpanKind, TraceSpan } from '../trace/traceSpan.js';
import { most, type TranscriptFormat } from '../building/transcriptFormat.js';
import { openAiUsage, usageOf, withCost } from '../messages/usage.js';
import { failure, spanBy, type SpanTable } from './spanTable.js';

/** Langfuse's exports: traces with their observations, or observations alone; one conversation per trace. */
export const langfuse: TranscriptFormat = {
  name: 'langfuse',
  isOfTraces: true,
  of: 'Langfuse',
  files: 'traces with their observations, lists of observations',
  carries: ['messages', 'calls', 'subagents', 'times', 'models', 'usage', 'cost', 'images', 'thinking'],
  detect: (head) => head.length > 0 && most(head.flatMap(flat), isOurs),
  *readLines(lines, sink) {
    const loose = new Groups<Fields>(lines, sink);
    for (const value of loose.values(lines)) {
      for (const each of flat(value)) {
        if (isObservation(each) && !isTrace(each)) loose.add(traceOf(each), each);
        else loose.addSingle(each);
      }
      yield;
    }
    for (const value of loose.singles()) {
      if (isTrace(value)) readTrace(value, sink);
      else {
        const builder = sink.conversation(undefined, 'unknown');
        builder.keep(builder.entry, 'unknown', value);
      }
      yield;
    }
    for (const observations of loose.all()) {
      readTrace({ trace: { id: traceOf(observations[0] ?? {}) }, observations }, sink);
      yield;
    }
  },
};

function traceOf(observation: Fields): string {
  return asText(observation.traceId ?? observation.trace_id);
}

function flat(value: unknown): Fields[] {
  if (Array.isArray(value)) return objects(value);
  const { data } = fields(value);
  return Array.isArray(data) ? objects(data) : [fields(value)];
}

function isOurs(value: unknown): boolean {
  return isObject(value) && (isTrace(value) || isObservation(value));
}

function isTrace(value: Fields): boolean {
  return observationsOf(value).some(isObservation);
}

/** The observations of a trace: beside its description, as the page of a trace exports them, or in it, as the API does. */
function observationsOf(value: Fields): Fields[] {
  const beside = objects(value.observations);
  return beside.length > 0 ? beside : objects(fields(value.trace).observations);
}

function isObservation(value: Fields): boolean {
  const isKnown = typeof value.type === 'string' && Object.hasOwn(KINDS, value.type);
  return (
    isKnown && ('traceId' in value || 'trace_id' in value) && ('startTime' in value || 'start_time' in value)
  );
}

const KINDS: Readonly<Record<string, SpanKind>> = {
  GENERATION: 'request',
  AGENT: 'agent',
  TOOL: 'tool',
  SPAN: 'other',
  EVENT: 'other',
  CHAIN: 'other',
  RETRIEVER: 'other',
  EMBEDDING: 'other',
  EVALUATOR: 'other',
  GUARDRAIL: 'other',
};

function readTrace(value: Fields, sink: ImportSink): void {
  const trace = without(isObject(value.trace) ? value.trace : value, 'observations');
  const observations = observationsOf(value);
  const name = text(trace.name);
  const builder = sink.conversation(trace.sessionId ?? trace.id, name ?? 'agent');
  const beside = isObject(value.trace) ? without(value, 'observations', 'trace') : {};
  const about = { ...beside, ...trace };
  const spans = observations.map(spanOf);
  const isAsked = spans.some(({ kind }) => kind === 'request');
  const ids = new Set(spans.map(({ id }) => id));
  // The trace is the root of its observations, and was asked and answered what nothing below it was.
  const root: TraceSpan = {
    id: `trace ${asText(trace.id)}`,
    parent: '',
    name: 'trace',
    kind: 'other',
    start: time(trace.timestamp),
    end: endOf(trace, spans),
    input: saidIn(trace.input, 'user'),
    output: isAsked ? answersIn(trace.output) : words(trace.output),
    source: about,
  };
  const below = spans.map((span) => (ids.has(span.parent) ? span : { ...span, parent: root.id }));
  new TraceReader(builder).read([root, ...below]);
}

/** When a trace ended, which its observations tell better than what is left of its own time. */
function endOf(trace: Fields, spans: readonly TraceSpan[]): number | undefined {
  const ends = spans.flatMap(({ end, start }) => end ?? start ?? []);
  const [begin, seconds] = [time(trace.timestamp), number(trace.latency)];
  const told = begin === undefined ? undefined : begin + Math.round((seconds ?? 0) * 1000);
  return ends.length > 0 ? greatestOf(ends, -Infinity) : told;
}

/** An answer in words; anything else as JSON, because nothing else tells it. */
function words(output: unknown): Fields[] {
  const found = answersIn(output);
  if (found.length > 0 || output === undefined || output === null) return found;
  return [{ role: 'assistant', content: asText(parsed(output)) }];
}

const OBSERVATIONS: SpanTable = {
  id: ['id'],
  parent: ['parentObservationId', 'parent_observation_id'],
  name: ['name'],
  kind: ['type'],
  kinds: KINDS,
  start: ['startTime', 'start_time'],
  end: ['endTime', 'end_time'],
  firstToken: ['completionStartTime', 'completion_start_time'],
  model: ['model', 'providedModelName'],
  asked: ['input'],
  usage: (observation) => withCost(usage(observation), costIn(observation)),
  error: ({ level, statusMessage, status_message }) =>
    level === 'ERROR' ? failure(text(statusMessage ?? status_message) ?? 'It failed.') : undefined,
};

function spanOf(observation: Fields): TraceSpan {
  const span = spanBy(OBSERVATIONS, observation);
  const { kind, name } = span;
  const input = kind === 'agent' ? saidIn(observation.input, 'user') : span.input;
  const output =
    kind === 'request' ? words(observation.output) : kind === 'agent' ? answersIn(observation.output) : [];
  const told = [...(input.length > 0 ? ['input'] : []), ...(output.length > 0 ? ['output'] : [])];
  return {
    ...span,
    input,
    output,
    tool: kind === 'tool' ? toolOf(observation, name) : undefined,
    // What was sent and received is told by messages only as far as these could be made of it.
    source: withoutKeys(observation, isWhole(observation, told) ? told : []),
  };
}

/** Whether messages tell everything of these fields: a text, or nothing but a list of messages. */
function isWhole(observation: Fields, keys: readonly string[]): boolean {
  return keys.every((key) => !isObject(parsed(observation[key])));
}

function toolOf(observation: Fields, name: string): TraceSpan['tool'] {
  const { id, name: told, args, arguments: input } = fields(parsed(observation.input));
  const isCall = typeof told === 'string' && (args !== undefined || input !== undefined);
  const output = observation.output ?? undefined;
  if (!isCall) return { name, input: asText(observation.input ?? {}), output };
  return { name: told, id: text(id), input: asText(args ?? input), output };
}

/** What Langfuse says that an observation cost, in dollars, in its versions' spellings. */
function costIn(observation: Fields): unknown {
  const { total } = fields(parsed(observation.costDetails ?? observation.cost_details));
  return total ?? observation.calculatedTotalCost ?? observation.totalCost ?? observation.total_cost;
}

function usage(observation: Fields): Usage | undefined {
  const details = fields(parsed(observation.usageDetails ?? observation.usage_details));
  const [input, output] = [number(details.input), number(details.output)];
  if (input === undefined && output === undefined) {
    const { input: sent, output: got, ...more } = fields(observation.usage);
    const plain = { prompt_tokens: sent, completion_tokens: got, ...more };
    const told = openAiUsage(plain);
    return told && told.inputTokens + told.outputTokens > 0 ? told : undefined;
  }
  const of = (...keys: string[]) => keys.reduce((sum, key) => sum + (number(details[key]) ?? 0), 0);
  const cached = of('input_cached_tokens', 'input_cache_read', 'cache_read_input_tokens');
  const written = of('input_cache_creation', 'cache_creation_input_tokens', 'input_cache_write');
  const reasoning = of('output_reasoning_tokens', 'output_reasoning');
  // Langfuse counts what it lists by a key of its own apart from the rest.
  return usageOf({
    input: (input ?? 0) + cached + written,
    output: (output ?? 0) + reasoning,
    cached,
    written,
    reasoning,
    told: details,
  });
}
