import { readHeader, type JournalHeader } from '../format/journalHeader.js';
import { checkLine, withoutMark, withoutReturn } from '../format/lineFormat.js';
import type { LineIndex } from './lineIndex.js';
import type { LineVisitor } from './readLines.js';
import { parseHead, readHead, type RecordHead } from '../format/recordHead.js';
import { salvage } from '../format/salvage.js';
import { segmentName } from '../files/storePaths.js';

/** Called for each record as it is indexed, with its position; the bytes are valid only during the call. */
export type RecordVisitor = (line: Buffer, position: number) => void;

/** Adds the records of one journal file to an index, and collects its damaged lines. */
export class SegmentScan implements LineVisitor {
  /** The header on the file's first line; undefined before it is read, and where it is damaged. */
  header: JournalHeader | undefined;
  readonly #index: LineIndex;
  readonly #segment: number;
  readonly #visit: RecordVisitor | undefined;

  constructor(index: LineIndex, segment: number, header?: JournalHeader, visit?: RecordVisitor) {
    this.#index = index;
    this.#segment = segment;
    this.header = header;
    this.#visit = visit;
  }

  line(whole: Buffer, offset: number): void {
    let bytes = whole;
    if (offset === 0) {
      this.header = readHeader(whole);
      if (this.header) return;
      bytes = withoutMark(whole);
    }
    const start = offset + whole.length - bytes.length;
    const line = withoutReturn(bytes);
    if (line.length === 0) return;
    const problem = this.#add(line, start);
    if (problem === undefined) return;
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
   * complete records can be salvaged; false where it is neither, because it is still being written or was torn.
   */
  tail(bytes: Buffer, offset: number): boolean {
    const isHeader = offset === 0 && readHeader(bytes) !== undefined;
    const line = withoutReturn(offset === 0 ? withoutMark(bytes) : bytes);
    if (!isHeader && 'why' in this.#headOf(line, offset) && salvage(line).length === 0) return false;
    this.line(bytes, offset);
    return true;
  }

  giant(offset: number, bytes: number): void {
    this.#damaged(offset, bytes, 'too large to be shown');
  }

  /** Adds the record on a line, or gives the reason why it cannot. */
  #add(line: Buffer, offset: number): string | undefined {
    const head = this.#headOf(line, offset);
    if ('why' in head) return head.why;
    const position = this.#index.size;
    const span = { segment: this.#segment, start: offset, length: line.length };
    if (this.#index.add(span, head.id, head.seq)) this.#visit?.(line, position);
    return undefined;
  }

  #headOf(line: Buffer, offset: number): RecordHead | { readonly why: string } {
    const check = checkLine(line);
    if (check === 'wrong') return { why: 'changed after it was written: its checksum does not match' };
    if (check === 'absent' && this.header?.checked) return { why: 'not written whole: it has no checksum' };
    // Only a line with the right checksum is certain to be JSON.
    return (check === 'right' ? readHead(line) : undefined) ?? parseHead(line, offset);
  }

  #damaged(offset: number, bytes: number, why: string): void {
    const where = this.#segment === 0 ? '' : ` (in ${segmentName(this.#segment)})`;
    this.#index.addDamaged({ offset, bytes, why: `${why}${where}` });
  }
}
