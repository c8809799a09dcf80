import type { LogRecord } from '../../core/record.js';
import { messageOf } from '../../core/text.js';
import type { Log } from '../../ports/log.js';
import { roomFor, writeLine } from './lineFormat.js';
import type { LineSpan } from '../reading/lineIndex.js';
import type { Written } from './journalFiles.js';

const NEWLINE = 0x0a;

/** Lines as they go to the disk, with where each begins. */
export interface Batch {
  readonly bytes: Buffer;
  /** The end of each line, its newline not counted, in `bytes`. */
  readonly ends: readonly number[];
}

/** Where lines are put together; larger ones get memory of their own. */
let scratch: Buffer = Buffer.allocUnsafe(1024 * 1024);
const MAX_SCRATCH = 16 * 1024 * 1024;

/** The lines of some records. Never throws: what is no JSON becomes an error record in its place. */
export function encodeBatch(records: readonly LogRecord[], log: Log): Batch {
  const ends: number[] = [];
  let target = scratch;
  let at = 0;
  for (const record of records) {
    const json = jsonOf(record, log);
    target = withRoom(target, at, roomFor(json) + 1);
    at = writeLine(target, json, at);
    ends.push(at);
    target[at++] = NEWLINE;
  }
  if (target.length <= MAX_SCRATCH) scratch = target;
  return { bytes: Buffer.from(target.subarray(0, at)), ends };
}

function withRoom(target: Buffer, at: number, room: number): Buffer {
  if (target.length - at >= room) return target;
  const larger = Buffer.allocUnsafe(Math.max(2 * target.length, at + room));
  target.copy(larger, 0, 0, at);
  return larger;
}

/** Where the lines of a batch lie, once it is written. */
export function spansOf({ ends }: Batch, { segment, start }: Written): LineSpan[] {
  let from = 0;
  return ends.map((end) => {
    const span = { segment, start: start + from, length: end - from };
    from = end + 1;
    return span;
  });
}

function jsonOf(record: LogRecord, log: Log): string {
  try {
    return JSON.stringify(record);
  } catch (error) {
    log.error(`Record ${record.seq} of ${record.conversation} is no JSON`, error);
    const { seq, id, time, conversation, run, call, parentCall, agent, depth } = record;
    const header = {
      seq,
      id,
      time,
      conversation,
      run,
      call,
      ...(parentCall !== undefined && { parentCall }),
      agent,
      depth,
    };
    const failure = {
      code: 'unwritable',
      message: `A record of type ${record.type} could not be written: ${messageOf(error)}`,
    };
    return JSON.stringify({ ...header, type: 'error', where: 'store', error: failure });
  }
}
