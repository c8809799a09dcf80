import { TOLD_ELSEWHERE } from '../query/numbers/callTree.js';
import { isObject, textOf } from '../core/message.js';
import { proseOfPart } from '../core/prose.js';
import { pictureAddressIn, pictureIn, type Picture } from '../core/picture.js';
import { withoutTerminalSequences } from '../core/terminalText.js';
import type { UntypedMessage } from '../query/numbers/transcriptItem.js';
import { callsOf, eachCall } from '../query/numbers/toolCalls.js';
import type { LeaveOut } from './textWriter.js';

/** What halves of characters are counted as, which stand for nothing alone and become the sign of what could not be read. */
export const HALVES = 'halves of characters';

/** The fields of a message that pages and tables have a place for. */
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  'role',
  'content',
  'reasoning_content',
  'refusal',
  'tool_calls',
  'tool_call_id',
  'tool_call_ids',
  'is_error',
]);

/** Counts what a message has besides the fields that pages and tables have a place for. */
export function countFurtherFields(message: UntypedMessage, leaveOut: LeaveOut): void {
  for (const [key, value] of Object.entries(message))
    if (
      !(key === 'name' && message.role === 'tool') &&
      !KNOWN_FIELDS.has(key) &&
      value !== null &&
      value !== undefined
    )
      leaveOut('further fields of messages');
  const { tool_calls: calls } = message;
  const nameless = Array.isArray(calls) ? calls.length - callsOf(message).length : 0;
  for (let count = 0; count < nameless; count++) leaveOut('tool calls without a name');
}

/** Counts the parts of a content that are no text. */
export function countParts(content: unknown, leaveOut: LeaveOut): void {
  if (!Array.isArray(content)) return;
  for (const part of content as unknown[]) if (textOf([part]) === '') countPart(part, leaveOut);
}

/** Counts what a message says besides its content: reasoning, a refusal, the arguments of its calls. */
export function countBeside(message: UntypedMessage, leaveOut: LeaveOut): void {
  if (isText(message.reasoning_content)) leaveOut('reasoning');
  if (isText(message.refusal)) leaveOut('refusals');
  eachCall(message, () => leaveOut('arguments of tool calls'));
}

/** Counts a part of a content that cannot be written; an empty text is nothing that is missing. */
export function countPart(part: unknown, leaveOut: LeaveOut): void {
  if (isObject(part) && part.type === 'text') return;
  leaveOut(isObject(part) && part.type === 'image_url' ? 'pictures' : 'parts that are no text');
}

/**
 * What a page shows of a part of a content that is no text: a picture that stands in the part itself, else words. A picture
 * on the web is named by its address, because a page fetches nothing; of everything else the kind is said and what somebody wrote
 * in it, and it is counted.
 */
export function otherPartOf(part: unknown, leaveOut: LeaveOut): Picture | string {
  const picture = pictureIn(part);
  if (picture) return picture;
  const address = pictureAddressIn(part);
  if (address !== undefined) return `picture: ${address}`;
  countPart(part, leaveOut);
  const kind = isObject(part) && typeof part.type === 'string' ? part.type : 'unknown part';
  const said = proseOfPart(part);
  return `(${kind === 'image_url' ? 'picture' : kind})${said === '' ? '' : ` ${said}`}`;
}

/** What a terminal shows of a text; that it was steered besides is counted. */
export function terminalTextOf(text: string, leaveOut: LeaveOut): string {
  const shown = withoutTerminalSequences(text);
  if (shown !== text) leaveOut('texts with terminal sequences');
  return shown;
}

/** Whether a record has what another tool stored beside its message, which only JSON has a place for. */
export function hasSource(item: unknown): boolean {
  return isObject(item) && item.source !== undefined;
}

/** What a record is counted as that carries no message and has no place in a format. */
export function recordWords(record: UntypedMessage): string {
  if (record.type === 'request') return 'details of requests';
  if (record.type === TOLD_ELSEWHERE) return 'records that another session tells';
  return record.type === 'imported' ? 'raw events' : 'records without a message';
}

const isText = (value: unknown) => typeof value === 'string' && value !== '';
