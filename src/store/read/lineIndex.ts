import { crc32 } from 'node:zlib';
import type { DamagedLine } from '../../core/ports/transcript.js';
import { hashOfText, type IdHash } from '../format/idHash.js';
import { SeqGaps } from './seqGaps.js';

/** The place of a line: its segment of the journal, and its bytes there without the newline. */
export interface LineSpan {
  readonly segment: number;
  readonly start: number;
  readonly length: number;
}

/** The place of a line among bytes that were read: from the first byte up to, not including, the last. */
export interface BytesOfLine {
  readonly from: number;
  readonly to: number;
}

/** The place of a line and its fingerprint, by which copies are told from other lines with the same id. */
export interface MarkedSpan extends LineSpan {
  readonly fingerprint: number;
}

/** What an id was before a record was added: new, that of the same record, or that of a different one. */
export type Added = 'new' | 'copy' | 'other';

/** A start is stored as segment × this + offset: 512 segments of 16 TiB fit into an exact double. */
const SEGMENT_SPAN = 2 ** 44;
/** How many segments a journal may have. */
export const MAX_SEGMENTS = 512;
/** How many damaged lines are listed; further ones are only counted. */
const MAX_DAMAGED_LISTED = 10_000;

/** The columns of an index; `hashes` has two entries per record, the others one. */
export interface IndexColumns {
  readonly starts: Float64Array<ArrayBuffer>;
  readonly lengths: Uint32Array<ArrayBuffer>;
  readonly hashes: Uint32Array<ArrayBuffer>;
  readonly fingerprints: Uint32Array<ArrayBuffer>;
}

/**
 * The place of each record of a conversation, in 24 bytes per record plus a hash table of their ids.
 * Positions count from 0 and never change; copies of a record have one position.
 */
export class LineIndex {
  /** Damaged lines, as far as they are listed. */
  readonly lines: DamagedLine[] = [];
  /** How many lines are damaged. */
  lineCount = 0;
  gaps = new SeqGaps();
  /** The highest seq so far, 0 before the first record. */
  maxSeq = 0;
  #size = 0;
  /** The lengths of the first lines together, and of how many these are. */
  #bytes = 0;
  #summed = 0;
  #starts = new Float64Array(64);
  #lengths = new Uint32Array(64);
  #fingerprints = new Uint32Array(64);
  /** The two halves of each id's hash, interleaved. */
  #hashes = new Uint32Array(128);
  /** A hash table with open addressing: position + 1, 0 for an empty slot; at most half full. Created lazily. */
  #slots: Uint32Array | undefined;

  get size(): number {
    return this.#size;
  }

  /** How many bytes the lines of all records have. */
  get bytes(): number {
    for (; this.#summed < this.#size; this.#summed++) this.#bytes += this.#lengths[this.#summed] ?? 0;
    return this.#bytes;
  }

  /**
   * Appends a record, unless it is a copy of one that is there. One with the id of another but different content gets a
   * position too, where `find` does not find it.
   */
  add(span: MarkedSpan, id: IdHash, seq: number): Added {
    const first = this.#find(id);
    if (first < 0) {
      this.#append(span, id, seq);
      return 'new';
    }
    if (this.#isCopy(first, span)) return 'copy';
    const own = { low: (id.low ^ span.fingerprint) >>> 0, high: (id.high ^ span.length) >>> 0 };
    if (this.#find(own) >= 0) return 'copy';
    this.#append(span, own, seq);
    return 'other';
  }

  #isCopy(position: number, { length, fingerprint }: MarkedSpan): boolean {
    return this.#lengths[position] === length && this.#fingerprints[position] === fingerprint;
  }

  #append(span: MarkedSpan, id: IdHash, seq: number): void {
    this.#grow();
    const position = this.#size++;
    this.#starts[position] = span.segment * SEGMENT_SPAN + span.start;
    this.#lengths[position] = span.length;
    this.#fingerprints[position] = span.fingerprint;
    this.#hashes[2 * position] = id.low;
    this.#hashes[2 * position + 1] = id.high;
    enter(this.#slotsNow(), this.#hashes, position);
    if (seq > this.maxSeq) this.maxSeq = seq;
    else this.gaps.close(seq);
  }

  /** The place of the record at a position, which must exist. */
  span(position: number): LineSpan {
    const start = this.#starts[position];
    const length = this.#lengths[position];
    if (position >= this.#size || start === undefined || length === undefined) {
      throw new RangeError(`no record at position ${position}`);
    }
    const segment = Math.floor(start / SEGMENT_SPAN);
    return { segment, start: start - segment * SEGMENT_SPAN, length };
  }

  /**
   * The places of the lines from `position`, which must exist, up to, not including, `end`, in the bytes that begin with the
   * first: as many as follow each other in one segment and are no more than `most` bytes together; at least one.
   */
  adjacent(position: number, end: number, most: number): BytesOfLine[] {
    const origin = this.#starts[position] ?? 0;
    const limit = Math.min((Math.floor(origin / SEGMENT_SPAN) + 1) * SEGMENT_SPAN, origin + most);
    const spans: BytesOfLine[] = [];
    let last = origin;
    for (let at = position; at < end; at++) {
      const start = this.#starts[at] ?? 0;
      const to = start + (this.#lengths[at] ?? 0);
      if (at > position && (start < last || to > limit)) break;
      spans.push({ from: start - origin, to: to - origin });
      last = start;
    }
    return spans;
  }

  /** The position behind the records that follow the one at a position in the same file, each further down. */
  endInFile(position: number): number {
    let last = this.#starts[position] ?? 0;
    const limit = (Math.floor(last / SEGMENT_SPAN) + 1) * SEGMENT_SPAN;
    let end = position + 1;
    for (; end < this.#size; end++) {
      const start = this.#starts[end] ?? 0;
      if (start <= last || start >= limit) break;
      last = start;
    }
    return end;
  }

  /** The length and the fingerprint of the record at a position, which must exist. */
  mark(position: number): Pick<MarkedSpan, 'length' | 'fingerprint'> {
    const { length } = this.span(position);
    return { length, fingerprint: this.#fingerprints[position] ?? 0 };
  }

  /** A number made of the lines of the first records: what is of lines with the same number is of the same lines. */
  markOf(length: number): number {
    const bytesOf = (column: Uint32Array) =>
      Buffer.from(column.buffer, column.byteOffset, column.BYTES_PER_ELEMENT * length);
    return crc32(bytesOf(this.#lengths), crc32(bytesOf(this.#fingerprints)));
  }

  /** How often places of records have changed. */
  moves = 0;

  /** Sets a new place for the record at a position, which must exist. */
  move(position: number, span: LineSpan): void {
    this.moves++;
    this.#starts[position] = span.segment * SEGMENT_SPAN + span.start;
    this.#lengths[position] = span.length;
  }

  /** The position of the record with an id; -1 where there is none. */
  find(id: string): number {
    return this.#find(hashOfText(id));
  }

  /** Everything wrong in the files: damaged lines, and records that are missing between others. */
  get damaged(): readonly DamagedLine[] {
    return this.gaps.list.length === 0 ? this.lines : [...this.lines, ...this.gaps.damaged];
  }

  get damagedCount(): number {
    return this.lineCount + this.gaps.list.length;
  }

  addDamaged(line: DamagedLine): void {
    this.lineCount++;
    if (this.lines.length < MAX_DAMAGED_LISTED) this.lines.push(line);
  }

  /** The columns for storing; views of this index's memory, so to be written before it changes. */
  columns(): IndexColumns {
    return {
      starts: this.#starts.subarray(0, this.#size),
      lengths: this.#lengths.subarray(0, this.#size),
      hashes: this.#hashes.subarray(0, 2 * this.#size),
      fingerprints: this.#fingerprints.subarray(0, this.#size),
    };
  }

  /** A copy of the columns from a position on. */
  columnsFrom(from: number): IndexColumns {
    return {
      starts: this.#starts.slice(from, this.#size),
      lengths: this.#lengths.slice(from, this.#size),
      hashes: this.#hashes.slice(2 * from, 2 * this.#size),
      fingerprints: this.#fingerprints.slice(from, this.#size),
    };
  }

  /** Replaces all records from a position on, which must not be beyond the end, by those of columns. */
  replaceFrom(from: number, { starts, lengths, hashes, fingerprints }: IndexColumns): void {
    if (from > this.#size) throw new RangeError(`no record before position ${from}`);
    if (from < this.#size) this.#slots = undefined;
    if (from < this.#summed) this.#bytes = this.#summed = 0;
    this.#size = from;
    for (let at = 0; at < starts.length; at++) {
      this.#grow();
      const position = this.#size++;
      this.#starts[position] = starts[at] ?? 0;
      this.#lengths[position] = lengths[at] ?? 0;
      this.#fingerprints[position] = fingerprints[at] ?? 0;
      this.#hashes[2 * position] = hashes[2 * at] ?? 0;
      this.#hashes[2 * position + 1] = hashes[2 * at + 1] ?? 0;
      if (this.#slots) enter(this.#slots, this.#hashes, position);
    }
  }

  /** An index over stored columns, whose memory it takes over. */
  static of({ starts, lengths, hashes, fingerprints }: IndexColumns): LineIndex {
    const index = new LineIndex();
    index.#size = starts.length;
    index.#starts = starts;
    index.#lengths = lengths;
    index.#hashes = hashes;
    index.#fingerprints = fingerprints;
    return index;
  }

  #find({ low, high }: IdHash): number {
    const slots = this.#slotsNow();
    const mask = slots.length - 1;
    for (let slot = low & mask; ; slot = (slot + 1) & mask) {
      const entry = slots[slot] ?? 0;
      if (entry === 0) return -1;
      if (this.#hashes[2 * entry - 2] === low && this.#hashes[2 * entry - 1] === high) return entry - 1;
    }
  }

  #grow(): void {
    if (this.#size === this.#starts.length) {
      const room = Math.max(64, this.#size * 2);
      this.#starts = grown(this.#starts, new Float64Array(room));
      this.#lengths = grown(this.#lengths, new Uint32Array(room));
      this.#fingerprints = grown(this.#fingerprints, new Uint32Array(room));
      this.#hashes = grown(this.#hashes, new Uint32Array(room * 2));
    }
    if (this.#size * 2 >= this.#slotsNow().length) this.#slots = undefined;
  }

  #slotsNow(): Uint32Array {
    this.#slots ??= slotsOf(this.#hashes, this.#size);
    return this.#slots;
  }
}

function slotsOf(hashes: Uint32Array, size: number): Uint32Array {
  let room = 256;
  while (room < size * 4) room *= 2;
  const slots = new Uint32Array(room);
  for (let position = 0; position < size; position++) enter(slots, hashes, position);
  return slots;
}

function enter(slots: Uint32Array, hashes: Uint32Array, position: number): void {
  const mask = slots.length - 1;
  let slot = (hashes[2 * position] ?? 0) & mask;
  while (slots[slot] !== 0) slot = (slot + 1) & mask;
  slots[slot] = position + 1;
}

function grown<T extends Float64Array | Uint32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
