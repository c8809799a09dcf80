import { isObject } from '../core/message.js';
import type { ReadRecord } from '../core/ports/transcript.js';

type Loose = Readonly<Record<string, unknown>>;

/**
 * A record without anything that was said: who, when, where in the team, which tools, how many tokens, what it cost and how
 * it ended. Only what is named here stays, so that a field nobody has thought of is left out.
 */
export function factsOnly(record: ReadRecord): ReadRecord {
  const { type } = record;
  const loose = record as unknown as Loose;
  const head = picked(loose, HEAD);
  const body =
    type === 'message' ? messageFacts(loose) : { ...picked(loose, BODY.get(type) ?? []), ...EMPTY.get(type) };
  const error = isObject(loose.error)
    ? { error: { ...picked(loose.error, ['code', 'status']), message: '' } }
    : {};
  return { ...head, ...body, ...error } as unknown as ReadRecord;
}

const HEAD = ['seq', 'id', 'time', 'conversation', 'run', 'call', 'parentCall', 'agent', 'depth', 'type'];

const BODY: ReadonlyMap<string, readonly string[]> = new Map([
  ['callStart', ['model', 'scripted', 'tools', 'toolTokens', 'toolCallId']],
  ['callEnd', ['outcome', 'durationMs', 'ownUsage', 'totalUsage']],
  ['dispatch', ['target', 'toolCallId', 'childCall']],
  ['request', ['model', 'attempt', 'durationMs', 'firstTokenMs', 'finishReason', 'usage']],
  ['approval', ['toolName', 'toolCallId', 'decision', 'decidedBy', 'waitedMs']],
  ['error', ['where', 'dropped']],
]);

/** What readers of records expect to be there, without its text. */
const EMPTY: ReadonlyMap<string, Loose> = new Map<string, Loose>([
  ['callStart', { task: '' }],
  ['dispatch', { task: '' }],
  ['request', { endpoint: '' }],
  ['approval', { subject: '' }],
  ['title', { title: '' }],
]);

function messageFacts(record: Loose): Loose {
  const message = isObject(record.message) ? record.message : {};
  const calls = Array.isArray(message.tool_calls) ? (message.tool_calls as unknown[]) : [];
  return {
    message: {
      ...picked(message, ['role', 'tool_call_id']),
      content: '',
      ...(calls.length > 0 && { tool_calls: calls.map(callFacts) }),
    },
    ...picked(record, ['model', 'usage', 'toolName', 'durationMs', 'isError', 'state', 'partial']),
  };
}

function callFacts(call: unknown): Loose {
  const { id, function: called } = isObject(call) ? call : {};
  const name = isObject(called) && typeof called.name === 'string' ? called.name : '';
  return { ...(typeof id === 'string' && { id }), type: 'function', function: { name, arguments: '' } };
}

/** The plain values at some keys, and lists and objects of plain values. */
function picked(from: Loose, keys: readonly string[]): Loose {
  return Object.fromEntries(
    keys.flatMap((key) => (Object.hasOwn(from, key) ? [[key, plain(from[key])]] : [])),
  );
}

/** Where a hostile record has a text instead of counts, it stays one; the gate looks through it as through everything. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return (value as unknown[]).filter((each) => typeof each !== 'object');
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, each]) => typeof each === 'number'));
}
