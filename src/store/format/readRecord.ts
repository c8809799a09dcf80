import type { LogRecord, UnknownRecord } from '../../core/record.js';
import type { ReadRecord } from '../../core/ports/transcript.js';
import { checkLine, parseLine, withoutReturn, type Check } from './lineFormat.js';
import { bodyProblem } from './recordShape.js';

/** How much of an unreadable line is shown, in bytes. */
const RAW_BYTES = 64 * 1024;

/**
 * The record on a line of a conversation. Never throws: a line without one, or whose body does not have the shape of its
 * type, becomes a record of type `unreadable` with `why` and the beginning of the line as `raw`. `check`: the state of the
 * line's checksum, where somebody has compared it.
 */
export function readRecord(bytes: Buffer, conversation: string, position: number, check?: Check): ReadRecord {
  const line = withoutReturn(bytes);
  if ((check ?? checkLine(line)) === 'wrong') {
    return unreadable(
      line,
      conversation,
      position,
      'changed after it was written: its checksum does not match',
    );
  }
  const parsed = parseLine(line);
  if ('why' in parsed) return unreadable(line, conversation, position, parsed.why);
  const { value } = parsed;
  const why = bodyProblem(value);
  if (why !== undefined)
    return { ...unreadable(line, conversation, position, why), ...headerOf(value, conversation, position) };
  return hasPlainHeader(value, conversation)
    ? (value as unknown as LogRecord)
    : ({ ...value, ...headerOf(value, conversation, position) } as ReadRecord);
}

/** Whether a record in a conversation is read back from its line as it is. */
export function isWellFormed(record: LogRecord, conversation: string): boolean {
  const value = record as unknown as Loose;
  return bodyProblem(value) === undefined && hasPlainHeader(value, conversation);
}

/** A placeholder for a line that cannot be read. */
export function unreadable(line: Buffer, conversation: string, position: number, why: string): UnknownRecord {
  const raw = line.toString('utf8', 0, Math.min(line.length, RAW_BYTES));
  return { ...headerOf({}, conversation, position), type: 'unreadable', why, raw, bytes: line.length };
}

type Loose = Readonly<Record<string, unknown>>;

function hasPlainHeader(value: Loose, conversation: string): boolean {
  return (
    isSeq(value.seq) &&
    typeof value.id === 'string' &&
    isTime(value.time) &&
    value.conversation === conversation &&
    typeof value.run === 'string' &&
    typeof value.call === 'string' &&
    (value.parentCall === undefined || typeof value.parentCall === 'string') &&
    typeof value.agent === 'string' &&
    isDepth(value.depth)
  );
}

/** A header whose values have the right types whatever the line says; its conversation is the one that was opened. */
function headerOf(value: Loose, conversation: string, position: number) {
  return {
    seq: isSeq(value.seq) ? value.seq : position + 1,
    id: typeof value.id === 'string' && value.id !== '' ? value.id : `line-${position + 1}`,
    time: isTime(value.time) ? value.time : 0,
    conversation,
    run: text(value.run),
    call: text(value.call),
    ...(typeof value.parentCall === 'string' && { parentCall: value.parentCall }),
    agent: text(value.agent),
    depth: isDepth(value.depth) ? value.depth : 0,
  };
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const isSeq = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0;
const isDepth = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
/** JavaScript dates are invalid outside of these limits. */
const isTime = (value: unknown): value is number =>
  Number.isFinite(value) && Math.abs(value as number) <= 8.64e15;
