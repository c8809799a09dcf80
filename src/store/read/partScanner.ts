import { CHUNK_BYTES, firstLineFrom, readLines } from '../../node/lines.js';
import { openPlainFile, READ } from '../../node/plainFile.js';
import type { ConversationPaths } from '../files/storePaths.js';
import type { JournalHeader } from '../format/journalHeader.js';
import { FactTaker } from './factTaker.js';
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

/** Reads parts of a conversation's journal, one at a time: what it needs for one it uses again for the next. */
export class PartScanner {
  readonly #paths: ConversationPaths;
  readonly #facts: FactTaker;
  readonly #room = Buffer.allocUnsafe(CHUNK_BYTES);
  #before: Promise<unknown> = Promise.resolve();

  constructor(paths: ConversationPaths) {
    this.#paths = paths;
    this.#facts = new FactTaker(paths.id);
  }

  /** Reads a part, once those are read that were asked for before. Rejects with errors of the file system. */
  scan(range: PartRange): Promise<ScannedPart> {
    const scanning = this.#before.then(() => this.#scan(range));
    // Whoever asked for it hears of its failure.
    this.#before = scanning.catch(() => undefined);
    return scanning;
  }

  async #scan({ segment, header, from, until, to }: PartRange): Promise<ScannedPart> {
    const findings = new PartFindings(this.#facts);
    const handle = await openPlainFile(this.#paths.segment(segment), READ);
    try {
      const begin = await firstLineFrom(handle, from, until);
      if (begin === undefined) return findings.part({ lines: 0, begin, end: until });
      const scan = new SegmentScan(findings, header, 0);
      const chunks = readLines(handle, scan, begin, to, until, this.#room);
      for (let chunk = await chunks.next(); ; chunk = await chunks.next())
        if (chunk.done) return findings.part({ lines: scan.lines ?? 0, begin, end: chunk.value.offset });
    } finally {
      await handle.close();
    }
  }
}
