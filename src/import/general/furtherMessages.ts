import type { RepeatedParts } from '../../core/repeatedParts.js';
import { asText, fields, list, objects, type Fields } from '../reading/fields.js';
import { messagesIn } from '../messages/anyMessage.js';
import { areTyped } from './exchange.js';
import { itemMessages } from '../messages/itemMessages.js';

/** The lists of a request in which what was said stands. */
const LISTS = ['input', 'messages', 'contents'] as const;

/** What says what stands before these, and what may stand in for it. */
const BESIDE = [
  'system',
  'systemInstruction',
  'system_instruction',
  'instructions',
  'prompt',
  'previous_response_id',
  'conversation',
] as const;

/** A request that was read. */
export interface SentRequest {
  readonly request: Fields;
  /** Whether all parts of its messages have a type, as `areTyped` tells. */
  readonly isTyped: boolean;
}

/**
 * The messages that a request sends behind all of the one before it, of which it repeats parts; undefined where these must be
 * read again to know: they are not all repeated, other instructions stand before them, or what is new belongs to the last of them.
 */
export function furtherMessages(
  request: Fields,
  { request: before, isTyped }: SentRequest,
  { entries }: RepeatedParts,
): readonly Fields[] | undefined {
  const name = LISTS.find((each) => Array.isArray(request[each]));
  if (!isTyped || name === undefined || !hasOnly(request, name) || !hasOnly(before, name)) return undefined;
  const earlier = list(before[name]);
  if (entries[name] !== earlier.length || !isAsked(earlier)) return undefined;
  if (BESIDE.some((key) => !isSame(request[key], before[key]))) return undefined;
  const further = list(request[name]).slice(earlier.length);
  const said = name === 'input' ? itemsBehind(earlier.at(-1), further) : messagesBehind(earlier, further);
  return said && said.length > 0 ? said : undefined;
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

function hasOnly(request: Fields, name: string): boolean {
  return request.prompt === undefined && LISTS.every((each) => each === name || request[each] === undefined);
}

/** Whether a person, or who stands for one, has said something: with that a conversation begins. */
function isAsked(entries: readonly unknown[]): boolean {
  return fields(entries[0]).role === 'user' || fields(entries[1]).role === 'user';
}

function messagesBehind(earlier: readonly unknown[], further: readonly unknown[]): Fields[] | undefined {
  // Where the messages before were read in another way, these are too.
  const isPlain = objects([earlier[0], earlier.at(-1), ...further]).length === further.length + 2;
  return isPlain && areTyped(further) ? messagesIn(further) : undefined;
}

/** What items stand for that belong to nothing before them. */
function itemsBehind(last: unknown, further: readonly unknown[]): Fields[] | undefined {
  const { type, role } = fields(last);
  const isOver = role === 'user' || asText(type).endsWith('_output');
  return isOver && further.every(isWhole) ? itemMessages(further) : undefined;
}

/** Whether an item belongs to others by ids alone. */
function isWhole(item: unknown): boolean {
  const { type, role, call_id: id } = fields(item);
  const kind = asText(type ?? '');
  if (kind === 'message' || (kind === '' && typeof role === 'string') || kind === 'reasoning') return true;
  return /^(?:function|custom_tool)_call(?:_output)?$/.test(kind) && typeof id === 'string';
}
