import type { FileHandle } from 'node:fs/promises';
import type { ReadRecord } from '../ports/transcript.js';
import type { LineIndex, LineSpan } from './lineIndex.js';
import { codeOf, openPlainFile, READ } from './plainFiles.js';
import { readRecord, unreadable } from './readRecord.js';
import type { ConversationPaths } from './storePaths.js';

/** Lines that lie close to each other are read at once, up to so many bytes. */
const READ_BYTES = 4 * 1024 * 1024;

/** The records at the positions from `start` up to, not including, `end`, which must be in the index. */
export async function readSpans(
  paths: ConversationPaths,
  index: LineIndex,
  start: number,
  end: number,
): Promise<ReadRecord[]> {
  const records: ReadRecord[] = [];
  const files = new Map<number, FileHandle | undefined>();
  try {
    for (let at = start; at < end;) {
      const first = index.span(at);
      const next = endOfRun(index, first, at, end);
      if (!files.has(first.segment))
        files.set(first.segment, await openIfThere(paths.segment(first.segment)));
      const last = index.span(next - 1);
      const bytes = await readAt(
        files.get(first.segment),
        first.start,
        last.start + last.length - first.start,
      );
      for (; at < next; at++) {
        const span = index.span(at);
        const from = span.start - first.start;
        records.push(recordIn(bytes.subarray(from, from + span.length), span, paths.id, at));
      }
    }
  } finally {
    for (const file of files.values()) await file?.close();
  }
  return records;
}

function recordIn(line: Buffer, span: LineSpan, conversation: string, position: number): ReadRecord {
  if (line.length < span.length)
    return unreadable(line, conversation, position, 'missing: the file was cut or deleted');
  return readRecord(line, conversation, position);
}

/** The end of the positions after `at` whose lines follow each other in one file and may be read at once. */
function endOfRun(index: LineIndex, first: LineSpan, at: number, end: number): number {
  let next = at + 1;
  for (; next < end; next++) {
    const { segment, start, length } = index.span(next);
    const ends = start + length;
    if (segment !== first.segment || start < first.start || ends - first.start > READ_BYTES) break;
  }
  return next;
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await openPlainFile(path, READ);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Fewer bytes where the file ends early. */
async function readAt(file: FileHandle | undefined, start: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  let filled = 0;
  while (file && filled < length) {
    const { bytesRead } = await file.read(buffer, filled, length - filled, start + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}
