import type { FileHandle } from 'node:fs/promises';
import { openPlainFile, READ } from '../../node/plainFile.js';
import type { ConversationPaths } from '../files/storePaths.js';
import type { JournalHeader } from '../format/journalHeader.js';
import { readLines } from './readLines.js';
import { PartFindings, type ScannedPart } from './scannedPart.js';
import { SegmentScan } from './segmentScan.js';

/** A part of a journal file: the lines that begin at `from` or behind it, and before `until`, which end before `to`. */
export interface PartRange {
  readonly segment: number;
  /** That on the file's first line, which is in no part. */
  readonly header: JournalHeader | undefined;
  readonly from: number;
  readonly until: number;
  readonly to: number;
}

const NEWLINE = 0x0a;
/** How many bytes are read at once to find where a line begins. */
const LOOK_BYTES = 16 * 1024;

/** Reads a part of a conversation's journal. Rejects with errors of the file system. */
export async function scanPart(paths: ConversationPaths, range: PartRange): Promise<ScannedPart> {
  const { segment, header, from, until, to } = range;
  const findings = new PartFindings(paths.id);
  const handle = await openPlainFile(paths.segment(segment), READ);
  try {
    const begin = await firstLineFrom(handle, from, until);
    if (begin === undefined) return findings.part({ lines: 0, begin, end: until });
    const scan = new SegmentScan(findings, header, 0);
    const chunks = readLines(handle, scan, begin, to, until);
    for (let chunk = await chunks.next(); ; chunk = await chunks.next())
      if (chunk.done) return findings.part({ lines: scan.lines ?? 0, begin, end: chunk.value.offset });
  } finally {
    await handle.close();
  }
}

/** Where the first line begins from a byte on, which is not the first of the file; undefined where none does before `until`. */
async function firstLineFrom(handle: FileHandle, from: number, until: number): Promise<number | undefined> {
  const room = Buffer.allocUnsafe(LOOK_BYTES);
  for (let at = from - 1; at < until - 1;) {
    const { bytesRead } = await handle.read(room, 0, Math.min(room.length, until - 1 - at), at);
    if (bytesRead === 0) return undefined;
    const found = room.subarray(0, bytesRead).indexOf(NEWLINE);
    if (found >= 0) return at + found + 1;
    at += bytesRead;
  }
  return undefined;
}
