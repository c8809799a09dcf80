import type { ReadRecord } from '../../ports/transcript.js';
import { segmentsIn } from '../journal/journalLines.js';
import { checkLine, MAX_LINE_BYTES } from '../journal/lineFormat.js';
import { openPlainFile, READ } from '../plainFiles.js';
import { readHeader } from '../journal/journalHeader.js';
import { readRecord } from './readRecord.js';
import type { ConversationPaths } from '../storePaths.js';

const CHUNK_BYTES = 64 * 1024;

/**
 * The last records of a stored conversation, read from the end of its files: quick at any size, without an index.
 * Damaged lines are left out; positions are not known.
 */
export async function readTail(paths: ConversationPaths, count: number): Promise<readonly ReadRecord[]> {
  let records: ReadRecord[] = [];
  for (const segment of (await segmentsIn(paths)).reverse()) {
    if (records.length >= count) break;
    const lines = await lastLines(paths.segment(segment), count - records.length);
    const found = lines
      .filter((line) => checkLine(line) !== 'wrong')
      .map((line) => readRecord(line, paths.id, 0));
    records = [...found.filter(({ type }) => type !== 'unreadable'), ...records];
  }
  return records;
}

/** The last whole lines of a file, up to `count`, without its header. */
async function lastLines(path: string, count: number): Promise<Buffer[]> {
  const handle = await openPlainFile(path, READ);
  try {
    let start = (await handle.stat()).size;
    let held: Buffer = Buffer.alloc(0);
    const lines: Buffer[] = [];
    let isEnd = true;
    while (start > 0 && lines.length < count && held.length <= MAX_LINE_BYTES) {
      const length = Math.min(Math.max(CHUNK_BYTES, held.length), start);
      start -= length;
      const { buffer } = await handle.read(Buffer.alloc(length), 0, length, start);
      held = Buffer.concat([buffer, held]);
      for (let at = held.lastIndexOf(0x0a); at >= 0 && lines.length < count; at = held.lastIndexOf(0x0a)) {
        // What stands behind the last newline is no whole line.
        if (!isEnd && at + 1 < held.length) lines.unshift(held.subarray(at + 1));
        isEnd = false;
        held = held.subarray(0, at);
      }
    }
    if (start === 0 && held.length > 0 && lines.length < count && !readHeader(held)) lines.unshift(held);
    return lines;
  } finally {
    await handle.close();
  }
}
