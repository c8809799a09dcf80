import { segmentName } from '../files/storePaths.js';
import type { DamagedLine } from '../../core/ports/transcript.js';
import type { Check } from '../format/lineFormat.js';
import type { Added, LineIndex } from './lineIndex.js';
import type { Findings, LineRecord } from './segmentScan.js';

/**
 * Called for each record as it is indexed, with its position and the state of its line's checksum; the bytes are valid only
 * during the call.
 */
export type RecordVisitor = (line: Buffer, position: number, check: Check) => void;

/** Adds what is found in one journal file to an index: what depends on the lines before it. */
export class SegmentFindings implements Findings {
  readonly #index: LineIndex;
  readonly #segment: number;
  readonly #visit: RecordVisitor | undefined;
  /** Whether a line since the last record is damaged, which may be what a gap in the seqs comes from. */
  #hadDamage = false;

  constructor(index: LineIndex, segment: number, visit?: RecordVisitor) {
    this.#index = index;
    this.#segment = segment;
    this.#visit = visit;
  }

  record(found: LineRecord, line: number | undefined, bytes: Buffer): void {
    const position = this.#index.size;
    if (this.add(found, line) !== 'copy') this.#visit?.(bytes, position, found.check);
  }

  /** Adds a record without telling anybody of its line; gives what its id was before. */
  add({ start, length, fingerprint, head, check }: LineRecord, line: number | undefined): Added {
    const index = this.#index;
    const highest = index.maxSeq;
    const added = index.add({ segment: this.#segment, start, length, fingerprint }, head.id, head.seq);
    if (added === 'other')
      this.note(start, length, 'it has the id of an earlier record and other content; both are shown', line);
    // Only our own numbers are known to be consecutive.
    const isGap = check === 'right' && head.seq > highest + 1 && !this.#hadDamage;
    if (isGap) index.gaps.open({ low: highest + 1, high: head.seq - 1, before: this.#place(start, line) });
    this.#hadDamage = false;
    return added;
  }

  harm(): void {
    this.#hadDamage = true;
  }

  damage(start: number, bytes: number, why: string, line: number | undefined): void {
    this.#hadDamage = true;
    this.note(start, bytes, why, line);
  }

  note(start: number, bytes: number, why: string, line: number | undefined): void {
    this.#index.addDamaged({ ...this.#place(start, line), bytes, why });
  }

  #place(offset: number, line: number | undefined): Pick<DamagedLine, 'file' | 'line' | 'offset'> {
    return { file: segmentName(this.#segment), ...(line !== undefined && { line }), offset };
  }
}
