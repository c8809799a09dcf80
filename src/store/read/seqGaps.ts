import type { DamagedLine } from '../../core/ports/transcript.js';

/** Records that are missing: from the seq `low` to the seq `high`, and the line before which they should stand. */
export interface SeqGap {
  low: number;
  high: number;
  readonly before: Pick<DamagedLine, 'file' | 'line' | 'offset'>;
}

/** More gaps than this mean that the numbers say nothing. */
const MAX_GAPS = 1000;

/** The seqs that a journal skips. What a later file brings (as after a failed sync) closes a gap again. */
export class SeqGaps {
  #gaps: SeqGap[];

  constructor(gaps: readonly SeqGap[] = []) {
    this.#gaps = gaps.map((gap) => ({ ...gap }));
  }

  get list(): readonly SeqGap[] {
    return this.#gaps;
  }

  /** The gaps as damages of no bytes. */
  get damaged(): DamagedLine[] {
    return this.#gaps.map(({ low, high, before }) => ({
      ...before,
      bytes: 0,
      why: low === high ? `record ${low} is missing here` : `records ${low} to ${high} are missing here`,
    }));
  }

  open(gap: SeqGap): void {
    if (this.#gaps.length < MAX_GAPS) this.#gaps.push(gap);
  }

  /** To be called for a record whose seq is not above all before it. */
  close(seq: number): void {
    const gap = this.#gaps.find(({ low, high }) => low <= seq && seq <= high);
    if (!gap) return;
    const parts = [
      { ...gap, high: seq - 1 },
      { ...gap, low: seq + 1 },
    ];
    const left = parts.filter(({ low, high }) => low <= high);
    this.#gaps = this.#gaps.flatMap((other) => (other === gap ? left : [other]));
  }
}
