import { isObject, textOf } from '../../core/message.js';
import type { NoteTarget } from '../../core/note.js';
import { firstCodePoints, singleLine } from '../../core/text.js';
import { callsOf, rawArgumentsOf } from '../numbers/toolCalls.js';
import { messageIn, roleOf } from '../numbers/transcriptItem.js';
import { textOr } from '../numbers/values.js';
import type { ReadRecord } from '../../core/ports/transcript.js';
import { allTextOf } from '../textTest.js';

/**
 * How much of what a record says is kept with a note, in code points: less than stays in a record whose large texts stand in
 * files of their own, so that it is the same whether these are read or not.
 */
const MAX_EXCERPT = 160;
/** How much is looked at for it, in UTF-16 code units. */
const LOOKED_AT = 400;

/** What a note about a record is about, or about one of the tool calls that it makes. */
export function noteTargetOf(record: ReadRecord, position: number, call: number | undefined): NoteTarget {
  const message = messageIn(record);
  const source = sourceIdOf(record);
  return {
    record: record.id,
    position,
    time: record.time,
    agent: record.agent,
    role: message ? textOr(roleOf(message)) : '',
    excerpt: excerptOf(record, call),
    ...(call !== undefined && { call }),
    ...(source !== undefined && { source }),
  };
}

/** The beginning of what a record says, or of one of its tool calls, on one line. */
export function excerptOf(record: ReadRecord, call: number | undefined): string {
  return firstCodePoints(singleLine(saidBy(record, call).slice(0, LOOKED_AT)), MAX_EXCERPT);
}

/** How many tool calls a record makes. */
export function callCountOf(record: ReadRecord): number {
  return callsOf(messageIn(record) ?? {}).length;
}

function saidBy(record: ReadRecord, call: number | undefined): string {
  const message = messageIn(record);
  if (!message) return allTextOf(record);
  const calls = callsOf(message);
  if (call !== undefined) {
    const called = calls[call];
    return called ? `${called.name} ${rawArgumentsOf(called.input)}` : '';
  }
  return textOf(message.content) || calls.map(({ name }) => name).join(', ');
}

/** The keys under which tools keep the id of a message. */
const ID_KEYS = ['uuid', 'id', 'messageId', 'message_id', 'item_id', 'span_id'] as const;

/** The id that an imported record had in its file; undefined where it had none, or it is not known for one. */
export function sourceIdOf(record: ReadRecord): string | undefined {
  const source: unknown = 'source' in record ? record.source : undefined;
  return idIn(source) ?? (isObject(source) ? idIn(source.message) : undefined);
}

/** By what a message is known in links: the id that its tool gave it, else that of its record. */
export function messageIdOf(record: ReadRecord): string {
  return sourceIdOf(record) ?? record.id;
}

function idIn(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  const id = ID_KEYS.map((key) => value[key]).find((each) => typeof each === 'string' && each !== '');
  return typeof id === 'string' ? id.slice(0, 200) : undefined;
}
