import { headerOf, type LogRecord } from '../../core/record.js';
import { messageOf } from '../../core/text.js';
import type { Log } from '../../core/ports/log.js';
import { carriedChecksum, roomFor, writeLine } from '../format/lineFormat.js';
import type { MarkedSpan } from '../read/lineIndex.js';
import type { Written } from './journalFiles.js';

const NEWLINE = 0x0a;

/** Lines as they are written to disk, with the end of each. */
export interface Batch {
  /** The buffer that `bytes` is a view of. */
  readonly memory: Buffer;
  readonly bytes: Buffer;
  /** The end of each line, its newline not counted, in `bytes`. */
  readonly ends: readonly number[];
  /** Whether every line is the record that was given: none that cannot be encoded was replaced. */
  readonly isWhole: boolean;
}

/** Buffers that were given back, for reuse. */
const spare: Buffer[] = [];
const MAX_SPARE = 4;
const FIRST_BYTES = 1024 * 1024;
const MAX_SPARE_BYTES = 16 * 1024 * 1024;

/** Encodes records as lines. Never throws: a record that cannot be encoded is replaced by an error record. */
export function encodeBatch(records: readonly LogRecord[], log: Log): Batch {
  const ends: number[] = [];
  let target = spare.pop() ?? Buffer.allocUnsafe(FIRST_BYTES);
  let at = 0;
  let isWhole = true;
  for (const record of records) {
    const { json, isOwn } = jsonOf(record, log);
    isWhole &&= isOwn;
    target = withRoom(target, at, roomFor(json) + 1);
    at = writeLine(target, json, at);
    ends.push(at);
    target[at++] = NEWLINE;
  }
  return { memory: target, bytes: target.subarray(0, at), ends, isWhole };
}

/** Makes the memory of a batch that is no longer read available for the next one. */
export function releaseBatch({ memory }: Batch): void {
  if (spare.length < MAX_SPARE && memory.length <= MAX_SPARE_BYTES) spare.push(memory);
}

function withRoom(target: Buffer, at: number, room: number): Buffer {
  if (target.length - at >= room) return target;
  const larger = Buffer.allocUnsafe(Math.max(2 * target.length, at + room));
  target.copy(larger, 0, 0, at);
  return larger;
}

/** The spans of a batch's lines, once it is written. */
export function spansOf({ bytes, ends }: Batch, { segment, start }: Written): MarkedSpan[] {
  let from = 0;
  return ends.map((end) => {
    const fingerprint = carriedChecksum(bytes.subarray(from, end));
    const span = { segment, start: start + from, length: end - from, fingerprint };
    from = end + 1;
    return span;
  });
}

/** A record as JSON, or the error record in its place. */
function jsonOf(record: LogRecord, log: Log): { readonly json: string; readonly isOwn: boolean } {
  try {
    return { json: JSON.stringify(record), isOwn: true };
  } catch (error) {
    log.error(`Record ${record.seq} of ${record.conversation} is no JSON`, error);
    const failure = {
      code: 'unwritable',
      message: `A record of type ${record.type} could not be written: ${messageOf(error)}`,
    };
    const json = JSON.stringify({ ...headerOf(record), type: 'error', where: 'store', error: failure });
    return { json, isOwn: false };
  }
}
