import type { DamagedLine } from '../../ports/transcript.js';
import { segmentName } from '../files/storePaths.js';
import { readHeader, type JournalHeader } from '../format/journalHeader.js';
import {
  checkLine,
  fingerprintOf,
  isBlank,
  withoutMark,
  withoutReturn,
  type Check,
} from '../format/lineFormat.js';
import { parseHead, readHead, type RecordHead } from '../format/recordHead.js';
import { salvage } from '../format/salvage.js';
import type { LineIndex } from './lineIndex.js';
import type { LineVisitor } from './readLines.js';

/**
 * Called for each record as it is indexed, with its position and the state of its line's checksum; the bytes are valid only
 * during the call.
 */
export type RecordVisitor = (line: Buffer, position: number, check: Check) => void;

/** What a scan continues. */
export interface SegmentScanOptions {
  readonly index: LineIndex;
  readonly segment: number;
  /** The header on the file's first line, if the scan starts behind it. */
  readonly header?: JournalHeader | undefined;
  /** How many lines stand before the scan's start; undefined where that is not known. */
  readonly lines: number | undefined;
  readonly visit?: RecordVisitor | undefined;
}

/** Adds the records of one journal file to an index, and collects what is damaged in it. */
export class SegmentScan implements LineVisitor {
  /** The header on the file's first line; undefined before it is read, and where it is damaged or missing. */
  header: JournalHeader | undefined;
  /** How many lines were read, with those before the start; undefined where that is not known. */
  lines: number | undefined;
  readonly #index: LineIndex;
  readonly #segment: number;
  readonly #visit: RecordVisitor | undefined;
  /** Whether a line since the last record is damaged, which may be what a gap in the seqs comes from. */
  #hadDamage = false;

  constructor({ index, segment, header, lines, visit }: SegmentScanOptions) {
    this.#index = index;
    this.#segment = segment;
    this.#visit = visit;
    this.header = header;
    this.lines = lines;
  }

  line(whole: Buffer, offset: number): void {
    this.#countLine();
    const bytes = withoutMark(whole);
    if (offset === 0) {
      this.header = readHeader(bytes);
      if (this.header) return;
    }
    const start = offset + whole.length - bytes.length;
    const line = withoutReturn(bytes);
    if (isBlank(line)) return;
    const problem = this.#add(line, start);
    if (problem === undefined) {
      if (offset === 0) this.#reportMissingHeader(line);
      return;
    }
    this.#hadDamage = true;
    const found = salvage(line);
    for (const part of found) this.#add(line.subarray(part.start, part.end), start + part.start);
    this.#damaged(
      start,
      line.length,
      found.length > 0 ? `${problem}; ${found.length} whole records in it are shown` : problem,
    );
  }

  /**
   * Takes what follows the last newline, if it is a header or record that only lacks its newline, or a line from which
   * complete records can be salvaged; false where it is neither, because it is still being written or was truncated.
   */
  tail(bytes: Buffer, offset: number): boolean {
    const isHeader = offset === 0 && readHeader(withoutMark(bytes)) !== undefined;
    const line = withoutReturn(withoutMark(bytes));
    const isWhole = isHeader || isBlank(line) || !('why' in this.#headOf(line, offset, checkLine(line)));
    if (!isWhole && salvage(line).length === 0) return false;
    this.line(bytes, offset);
    return true;
  }

  giant(offset: number, bytes: number): void {
    this.#countLine();
    this.#damaged(offset, bytes, 'too large to be shown');
  }

  #countLine(): void {
    if (this.lines !== undefined) this.lines++;
  }

  /** Adds the record on a line, or gives the reason why it cannot. */
  #add(line: Buffer, offset: number): string | undefined {
    const check = checkLine(line);
    const head = this.#headOf(line, offset, check);
    if ('why' in head) return head.why;
    const index = this.#index;
    const position = index.size;
    const highest = index.maxSeq;
    const fingerprint = fingerprintOf(line, check);
    const span = { segment: this.#segment, start: offset, length: line.length, fingerprint };
    const added = index.add(span, head.id, head.seq);
    if (added !== 'copy') this.#visit?.(line, position, check);
    if (added === 'other')
      this.#tell(offset, line.length, 'it has the id of an earlier record and other content; both are shown');
    // Only our own numbers are known to be consecutive.
    const isGap = check === 'right' && head.seq > highest + 1 && !this.#hadDamage;
    if (isGap) index.gaps.open({ low: highest + 1, high: head.seq - 1, before: this.#place(offset) });
    this.#hadDamage = false;
    return undefined;
  }

  #headOf(line: Buffer, offset: number, check: Check): RecordHead | { readonly why: string } {
    if (check === 'wrong') return { why: 'changed after it was written: its checksum does not match' };
    if (check === 'absent' && this.header?.checked) return { why: 'not written whole: it has no checksum' };
    // Only a line with the right checksum is certain to be JSON.
    return (check === 'right' ? readHead(line) : undefined) ?? parseHead(line, offset);
  }

  /** A journal of another program may have no header; one with our checksums had one. */
  #reportMissingHeader(first: Buffer): void {
    if (checkLine(first) === 'right') this.#tell(0, 0, 'the header that stood before this line is missing');
  }

  #damaged(offset: number, bytes: number, why: string): void {
    this.#hadDamage = true;
    this.#tell(offset, bytes, why);
  }

  #tell(offset: number, bytes: number, why: string): void {
    this.#index.addDamaged({ ...this.#place(offset), bytes, why });
  }

  #place(offset: number): Pick<DamagedLine, 'file' | 'line' | 'offset'> {
    const file = segmentName(this.#segment);
    return { file, ...(this.lines !== undefined && { line: this.lines }), offset };
  }
}
