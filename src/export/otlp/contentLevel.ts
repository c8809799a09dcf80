import { isObject } from '../../core/message.js';
import type { UntypedMessage } from '../../query/numbers/transcriptItem.js';

/** How much of what was said is written: no texts at all, texts up to a length, or all of it. */
export const CONTENT_LEVELS = ['none', 'cut', 'full'] as const;
/** See `CONTENT_LEVELS`. */
export type ContentLevel = (typeof CONTENT_LEVELS)[number];

/** A record as far as it is written, and the names of the fields of which something is missing, each as often as it is. */
export interface ReducedRecord {
  readonly record: UntypedMessage;
  readonly missing: readonly string[];
}

/** How deep values are looked through; what lies deeper is left out. */
const MAX_DEPTH = 100;

/**
 * The fields of records that say no more than who did what, when, how long and with how many tokens. Where no texts are written,
 * everything else is left out, so that a field that nobody has thought of never goes out.
 */
const STRUCTURE: ReadonlySet<string> = new Set([
  'seq',
  'id',
  'time',
  'conversation',
  'type',
  'run',
  'call',
  'parentCall',
  'agent',
  'depth',
  'model',
  'usage',
  'toolName',
  'durationMs',
  'isError',
  'state',
  'partial',
  'scripted',
  'tools',
  'toolTokens',
  'toolCallId',
  'outcome',
  'ownUsage',
  'totalUsage',
  'target',
  'childCall',
  'endpoint',
  'attempt',
  'firstTokenMs',
  'finishReason',
  'decision',
  'decidedBy',
  'waitedMs',
  'where',
  'dropped',
  'received',
  'settings',
  'limits',
]);

/** A record without the texts in it; of messages, roles and the names and ids of tool calls stay. */
export function withoutTexts(record: UntypedMessage): ReducedRecord {
  const missing: string[] = [];
  const kept: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(record)) {
    if (STRUCTURE.has(key)) kept[key] = value;
    // Made of all texts that were sent: whoever knows most of them could find out the rest. It is no text that is missing.
    else if (key === 'digest') continue;
    else if (key === 'message' && isObject(value)) kept[key] = silentMessage(value, missing);
    else if (key === 'error' && isObject(value)) kept[key] = silentFailure(value, missing);
    else if (!isEmpty(value)) missing.push(key);
  }
  return { record: kept, missing };
}

function silentMessage(message: UntypedMessage, missing: string[]): UntypedMessage {
  const { role, tool_call_id, tool_calls, ...rest } = message;
  for (const [key, value] of Object.entries(rest)) if (!isEmpty(value)) missing.push(`message.${key}`);
  const calls = Array.isArray(tool_calls) ? (tool_calls as unknown[]).filter(isObject) : [];
  return {
    role,
    ...(tool_call_id !== undefined && { tool_call_id }),
    ...(calls.length > 0 && {
      tool_calls: calls.map((call) => {
        const { name, arguments: given } = isObject(call.function) ? call.function : ({} as UntypedMessage);
        if (!isEmpty(given)) missing.push('message.tool_calls[].function.arguments');
        return { id: call.id, type: 'function', function: { name } };
      }),
    }),
  };
}

function silentFailure({ code, status, message }: UntypedMessage, missing: string[]): UntypedMessage {
  if (!isEmpty(message)) missing.push('error.message');
  return { code, ...(status !== undefined && { status }) };
}

/** A record of whose texts none has more than `maxBytes` in UTF-8; ids and names are not cut. */
export function withShortTexts(record: UntypedMessage, maxBytes: number): ReducedRecord {
  const missing: string[] = [];
  const kept: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(record))
    kept[key] = STRUCTURE.has(key) ? value : shortened(value, key, { maxBytes, missing, depth: 0 });
  return missing.length === 0 ? { record, missing } : { record: kept, missing };
}

interface Cutting {
  readonly maxBytes: number;
  readonly missing: string[];
  readonly depth: number;
}

function shortened(value: unknown, name: string, { maxBytes, missing, depth }: Cutting): unknown {
  const deeper = { maxBytes, missing, depth: depth + 1 };
  if (typeof value === 'string') return shortText(value, name, { maxBytes, missing });
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) {
    missing.push(name);
    return null;
  }
  if (Array.isArray(value)) return value.map((each) => shortened(each, `${name}[]`, deeper));
  const entries = Object.entries(value).map(
    ([key, each]) => [key, shortened(each, `${name}.${key}`, deeper)] as const,
  );
  return Object.fromEntries(entries);
}

function shortText(text: string, name: string, { maxBytes, missing }: Omit<Cutting, 'depth'>): string {
  // Most texts are short, and no character has more than three bytes for each of its units.
  if (text.length * 3 <= maxBytes) return text;
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return text;
  missing.push(name);
  // A part of a picture is none.
  const isEncoded = /^data:[^,]{0,100};base64,/.exec(text);
  return isEncoded
    ? `[${isEncoded[0].slice('data:'.length, -';base64,'.length)}, ${bytes} bytes, left out]`
    : `${firstBytes(text, maxBytes)}… [${bytes} bytes, cut]`;
}

/** The beginning of a text, of whole characters. */
function firstBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text.slice(0, maxBytes));
  let end = Math.min(maxBytes, bytes.length);
  while (end > 0 && end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}

function isEmpty(value: unknown): boolean {
  return (
    value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
  );
}
