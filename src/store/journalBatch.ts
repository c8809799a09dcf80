import type { LogRecord } from '../core/record.js';
import { messageOf } from '../core/text.js';
import type { Log } from '../ports/log.js';
import { encodeLine } from './lineFormat.js';
import type { LineSpan } from './lineIndex.js';
import type { Written } from './journalFiles.js';

/** Lines as they go to the disk, with where each begins. */
export interface Batch {
  readonly bytes: Buffer;
  /** The end of each line, its newline not counted, in `bytes`. */
  readonly ends: readonly number[];
}

/** The lines of some records. Never throws: what is no JSON becomes an error record in its place. */
export function encodeBatch(records: readonly LogRecord[], log: Log): Batch {
  const lines = records.map((record) => encodeRecord(record, log));
  const bytes = Buffer.allocUnsafe(lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0));
  const ends: number[] = [];
  let at = 0;
  for (const line of lines) {
    at += bytes.write(line, at);
    ends.push(at);
    bytes[at++] = 0x0a;
  }
  return { bytes, ends };
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

function encodeRecord(record: LogRecord, log: Log): string {
  try {
    return encodeLine(record);
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
    return encodeLine({ ...header, type: 'error', where: 'store', error: failure });
  }
}
