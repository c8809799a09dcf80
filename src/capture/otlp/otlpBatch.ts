import { createHash } from 'node:crypto';
import { isObject } from '../../core/message.js';
import {
  CONVERSATION,
  namesConversation,
  nearestTalk,
  sessionNamed,
  type SpanOfTalk,
} from '../../core/sessionAttributes.js';
import type { BoundedMap } from '../../core/boundedMap.js';
import { MAX_NESTING } from '../../import/reading/nesting.js';
import { keyOfTrace } from './sessionRecordings.js';

/** One kind of what OTLP carries: the names of its lists, from the request down to the things themselves. */
interface Shape {
  readonly resources: 'resourceSpans' | 'resourceLogs';
  readonly scopes: 'scopeSpans' | 'scopeLogs';
  readonly items: 'spans' | 'logRecords';
  /** What is wrong with one of them, in words; undefined for nothing. */
  readonly problemOf: (item: Json) => string | undefined;
  /** Whether the session that one names counts more than that of its trace. */
  readonly isOfOwnSession?: boolean;
}

type Json = Readonly<Record<string, unknown>>;

/** Requests of `/v1/traces`. */
export const TRACES: Shape = {
  resources: 'resourceSpans',
  scopes: 'scopeSpans',
  items: 'spans',
  problemOf: spanProblem,
};

/** Requests of `/v1/logs`. */
export const LOGS: Shape = {
  resources: 'resourceLogs',
  scopes: 'scopeLogs',
  items: 'logRecords',
  problemOf: logProblem,
  // Command lines write their logs within spans of their own machinery, which name no session.
  isOfOwnSession: true,
};

/** A request, taken apart. */
export interface Batch {
  /** Lines for the recording of each conversation, by its key: requests in OTLP's JSON with only what belongs to it. */
  readonly lines: ReadonlyMap<string, readonly Json[]>;
  /** How many spans or records each conversation got. */
  readonly counts: ReadonlyMap<string, number>;
  /** The sessions that traces have named just now, by their ids, as keys of conversations. */
  readonly named: ReadonlyMap<string, string>;
  /** How many were refused, and what is wrong with the first of them. */
  readonly refused: number;
  readonly problem: string;
}

/**
 * Takes a request apart by conversations. A conversation is the session that a span or its trace names, else the trace,
 * else the service; `traces` remembers which trace belongs to which, and `talks` which conversation it named first. Throws an `Error` where the request is no such thing.
 */
export function takeApart(
  request: unknown,
  shape: Shape,
  traces: BoundedMap<string, string>,
  talks: BoundedMap<string, string>,
): Batch {
  const lines = new Map<string, Json[]>();
  const counts = new Map<string, number>();
  const named = new Map<string, string>();
  let refused = 0;
  let problem = '';
  // A span that names the session may stand behind all others.
  for (const resource of listOf(request, shape.resources))
    for (const scope of listOf(resource, shape.scopes))
      learnSessions(listOf(scope, shape.items), shape, traces, named);
  const further = shape === TRACES ? furtherTalks(request, talks) : NO_TALKS;
  for (const resource of listOf(request, shape.resources)) {
    const isResourceDeep = isTooDeep({ ...resource, [shape.scopes]: [] }, 'resource');
    const origin = attributesOf(isObject(resource.resource) ? resource.resource : {});
    for (const scope of listOf(resource, shape.scopes)) {
      const groups = new Map<string, Json[]>();
      const items = listOf(scope, shape.items);
      const isDeep = isResourceDeep || isTooDeep({ ...scope, [shape.items]: [] }, 'scope');
      for (const item of items) {
        const wrong = isDeep || isTooDeep(item, 'item') ? TOO_DEEP : shape.problemOf(item);
        if (wrong !== undefined) {
          refused += 1;
          problem ||= wrong;
          continue;
        }
        const own = shape.isOfOwnSession === true ? sessionIn(attributesOf(item)) : further.get(spanOf(item));
        const key = own === undefined ? keyOf(item, origin, traces) : keyOfSession(own);
        const group = groups.get(key);
        if (group) group.push(item);
        else groups.set(key, [item]);
      }
      for (const [key, all] of groups) {
        const about = { ...resource, [shape.scopes]: [{ ...scope, [shape.items]: all }] };
        const line = { [shape.resources]: [about] };
        counts.set(key, (counts.get(key) ?? 0) + all.length);
        const known = lines.get(key);
        if (known) known.push(line);
        else lines.set(key, [line]);
      }
    }
  }
  return { lines, counts, named, refused, problem };
}

const NO_TALKS: ReadonlyMap<string, string> = new Map();

/**
 * The conversations of spans that are of another one than what their trace named first, by their keys: as they name it, or the
 * nearest span around them in the same request.
 */
function furtherTalks(request: unknown, talks: BoundedMap<string, string>): ReadonlyMap<string, string> {
  const spans = new Map<string, SpanOfTalk & { readonly trace: string }>();
  for (const resource of listOf(request, TRACES.resources))
    for (const scope of listOf(resource, TRACES.scopes))
      for (const item of listOf(scope, TRACES.items)) {
        if (spanProblem(item) !== undefined) continue;
        const trace = traceOf(item);
        const attributes = attributesOf(item);
        const talk = namesConversation(Object.fromEntries(attributes))
          ? textOf(attributes.get(CONVERSATION))
          : undefined;
        spans.set(spanOf(item), {
          parent: `${trace} ${idIn(item.parentSpanId)}`,
          trace,
          talk,
        });
        if (talk !== undefined && !talks.has(trace)) talks.set(trace, talk);
      }
  const further = new Map<string, string>();
  for (const [key, { trace }] of spans) {
    const talk = nearestTalk(key, spans);
    if (talk !== undefined && talk !== talks.get(trace)) further.set(key, talk);
  }
  return further;
}

const idIn = (id: unknown) => (typeof id === 'string' ? id.toLowerCase() : '');

function spanOf(item: Json): string {
  return `${traceOf(item)} ${idIn(item.spanId)}`;
}

/** How many levels are around a part of a request, in a line of its own as well. */
const AROUND = { resource: 2, scope: 4, item: 6 } as const;

const TOO_DEEP = `It nests deeper than ${MAX_NESTING} levels, which nobody could read again.`;

/** Whether a part of a request nests so deep that its line would be refused when it is read. */
function isTooDeep(value: Json, part: keyof typeof AROUND): boolean {
  return nestsDeeper(value, MAX_NESTING - AROUND[part]);
}

function nestsDeeper(value: unknown, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return limit === 0 || Object.values(value).some((each) => nestsDeeper(each, limit - 1));
}

function listOf(value: unknown, name: string): Json[] {
  if (!isObject(value)) throw new Error(`An object with '${name}' is expected.`);
  const list = value[name] ?? [];
  if (!Array.isArray(list)) throw new Error(`'${name}' is no list.`);
  for (const each of list)
    if (!isObject(each)) throw new Error(`'${name}' holds something that is no object.`);
  return list as Json[];
}

/**
 * A trace belongs to the session that the first of its spans names which names any, however late. Log records tell it only of a
 * trace that nothing is known of, and nobody else. What will be refused tells nothing: its trace may be called anything.
 */
function learnSessions(
  items: readonly Json[],
  { problemOf, isOfOwnSession: isOfLogs = false }: Shape,
  traces: BoundedMap<string, string>,
  named: Map<string, string>,
): void {
  for (const item of items) {
    const trace = traceOf(item);
    const known = traces.get(trace);
    if (trace === '' || (known !== undefined && (known !== keyOfTrace(trace) || isOfLogs))) continue;
    const session = sessionIn(attributesOf(item));
    if (session === undefined || problemOf(item) !== undefined) continue;
    traces.set(trace, keyOfSession(session));
    if (!isOfLogs) named.set(trace, keyOfSession(session));
  }
}

/** The key of the conversation that is a session; of one with a very long name, by what that comes to. */
function keyOfSession(session: string): string {
  const isLong = session.length > MAX_SESSION;
  return `session ${isLong ? createHash('sha256').update(session).digest('hex') : session}`;
}

/** How long the name of a session is at most that is remembered as it is, in characters. */
const MAX_SESSION = 512;

function keyOf(item: Json, origin: ReadonlyMap<string, unknown>, traces: BoundedMap<string, string>): string {
  const trace = traceOf(item);
  const byItself = () => {
    const session = sessionIn(attributesOf(item)) ?? sessionIn(origin);
    if (session !== undefined) return keyOfSession(session);
    return trace === '' ? `service ${serviceOf(origin)}` : keyOfTrace(trace);
  };
  return trace === '' ? byItself() : traces.use(trace, byItself);
}

function traceOf({ traceId }: Json): string {
  return typeof traceId === 'string' && !isNoId(traceId) ? traceId.toLowerCase() : '';
}

function serviceOf(origin: ReadonlyMap<string, unknown>): string {
  return [...SERVICE].map((name) => textOf(origin.get(name)) ?? '').join(' ');
}

const SERVICE = ['service.namespace', 'service.name', 'service.instance.id', 'process.pid'] as const;

function sessionIn(attributes: ReadonlyMap<string, unknown>): string | undefined {
  return sessionNamed((name) => textOf(attributes.get(name)));
}

function attributesOf({ attributes }: Json): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown>();
  if (!Array.isArray(attributes)) return found;
  for (const each of attributes as unknown[])
    if (isObject(each) && typeof each.key === 'string') found.set(each.key, each.value);
  return found;
}

/** A text or a number that an attribute holds, as text. */
function textOf(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  const told = value.stringValue ?? value.intValue;
  return (typeof told === 'string' && told !== '') || typeof told === 'number' ? String(told) : undefined;
}

function spanProblem(span: Json): string | undefined {
  const { traceId, spanId, parentSpanId } = span;
  if (!isId(traceId, 32)) return `A span's traceId is ${shown(traceId)}, not 32 hexadecimal digits.`;
  if (!isId(spanId, 16)) return `A span's spanId is ${shown(spanId)}, not 16 hexadecimal digits.`;
  if (!isNoId(parentSpanId) && !isId(parentSpanId, 16))
    return `A span's parentSpanId is ${shown(parentSpanId)}, not 16 hexadecimal digits.`;
  return timeProblem(span, 'startTimeUnixNano') ?? timeProblem(span, 'endTimeUnixNano') ?? listProblem(span);
}

function logProblem(record: Json): string | undefined {
  const { traceId, spanId } = record;
  if (!isNoId(traceId) && !isId(traceId, 32))
    return `A log record's traceId is ${shown(traceId)}, not 32 hexadecimal digits.`;
  if (!isNoId(spanId) && !isId(spanId, 16))
    return `A log record's spanId is ${shown(spanId)}, not 16 hexadecimal digits.`;
  return (
    timeProblem(record, 'timeUnixNano') ?? timeProblem(record, 'observedTimeUnixNano') ?? listProblem(record)
  );
}

function isId(id: unknown, digits: number): boolean {
  return typeof id === 'string' && id.length === digits && /^[\da-f]+$/i.test(id) && !/^0+$/.test(id);
}

/** Whether no id is told: none, an empty one, or one of zeros only. */
function isNoId(id: unknown): boolean {
  return id === undefined || id === null || (typeof id === 'string' && /^0*$/.test(id));
}

/** Nanoseconds since 1970, as text or number, below 2^64. */
function timeProblem(item: Json, name: string): string | undefined {
  const time = item[name] ?? 0;
  const isTime =
    typeof time === 'number'
      ? Number.isFinite(time) && time >= 0
      : typeof time === 'string' && /^\d{1,20}$/.test(time) && BigInt(time) < 1n << 64n;
  return isTime ? undefined : `Its ${name} is ${shown(time)}, not nanoseconds since 1970.`;
}

function listProblem({ attributes }: Json): string | undefined {
  return attributes === undefined || attributes === null || Array.isArray(attributes)
    ? undefined
    : `Its attributes are ${shown(attributes)}, not a list of keys and values.`;
}

/** A value from outside, short enough for an answer. */
function shown(value: unknown): string {
  const text = value === undefined ? 'absent' : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
