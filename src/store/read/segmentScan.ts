import type { LineVisitor } from '../../node/lines.js';
import { readHeader, type JournalHeader } from '../format/journalHeader.js';
import {
  checkLine,
  fingerprintOf,
  isBlank,
  MAX_LINE_BYTES,
  withoutMark,
  withoutReturn,
  type Check,
  parseLine,
} from '../format/lineFormat.js';
import { hashOfBytes, hashOfText, type IdHash } from '../format/idHash.js';

/** What the index needs of a record. */
interface RecordHead {
  readonly seq: number;
  readonly id: IdHash;
}

const SEQ = Buffer.from('{"seq":');
const ID = Buffer.from(',"id":"');

/**
 * Reads seq and id from the first bytes of a line that starts as every line of ours does;
 * undefined where it starts differently.
 */
function readHead(line: Buffer): RecordHead | undefined {
  if (!startsWith(line, 0, SEQ)) return undefined;
  let at = SEQ.length;
  let seq = 0;
  for (; at < line.length; at++) {
    const digit = (line[at] ?? 0) - 0x30;
    if (digit < 0 || digit > 9) break;
    seq = seq * 10 + digit;
  }
  if (at === SEQ.length || !Number.isSafeInteger(seq) || !startsWith(line, at, ID)) return undefined;
  const start = at + ID.length;
  for (let end = start; end < line.length; end++) {
    const byte = line[end];
    if (byte === 0x22) return end > start ? { seq, id: hashOfBytes(line, start, end) } : undefined;
    if (byte === 0x5c) return undefined;
  }
  return undefined;
}

/**
 * The head of a record whose line another program wrote, or why the line has none.
 * A record without an id gets one from its place, so that it is not taken for a duplicate.
 */
function parseHead(line: Buffer, offset: number): RecordHead | { readonly why: string } {
  const parsed = parseLine(line);
  if ('why' in parsed) return parsed;
  const { seq, id, type } = parsed.value;
  if (typeof type !== 'string') return { why: 'no record: it has no type' };
  return {
    seq: typeof seq === 'number' && Number.isSafeInteger(seq) && seq > 0 ? seq : 0,
    id: hashOfText(typeof id === 'string' && id !== '' ? id : `line at ${offset}`),
  };
}

function startsWith(line: Buffer, at: number, what: Buffer): boolean {
  for (let index = 0; index < what.length; index++) {
    if (line[at + index] !== what[index]) return false;
  }
  return true;
}

const RECORD = Buffer.from('{"seq":');

const TAIL = Buffer.from(',"crc":"');

const TAIL_BYTES = 18;

/** Larger lines are not searched, nor more places than this, to limit the cost of a hostile line. */
const MAX_BYTES = 1024 * 1024;

const MAX_PLACES = 16;

/** A record on a line, without its texts. */
export interface LineRecord {
  /** Where its line begins in the file, and how many bytes it has, without its newline. */
  readonly start: number;
  readonly length: number;
  /** See `fingerprintOf`. */
  readonly fingerprint: number;
  readonly head: RecordHead;
  readonly check: Check;
}

/** Takes what is found on the lines of a journal file, in their order. `line`: its number, undefined where that is not known. */
export interface Findings {
  /** The bytes of the line are valid only during the call. */
  record(found: LineRecord, line: number | undefined, bytes: Buffer): void;
  /** The records that follow are parts of a damaged line, which is told of behind them. */
  harm(): void;
  damage(start: number, bytes: number, why: string, line: number | undefined): void;
  /** Something is wrong that explains no gap behind it. */
  note(start: number, bytes: number, why: string, line: number | undefined): void;
}

/** Finds the records of a journal file, and what is damaged in it: what a line is depends on no line before it but the header. */
export class SegmentScan implements LineVisitor {
  readonly maxBytes = MAX_LINE_BYTES;
  /** The header on the file's first line; undefined before it is read, and where it is damaged or missing. */
  header: JournalHeader | undefined;
  /** How many lines were read, with those before the start; undefined where that is not known. */
  lines: number | undefined;
  readonly #findings: Findings;

  /**
   * `header`: that on the file's first line, if the scan starts behind it; `lines`: how many lines stand before the scan's
   * start, undefined where that is not known.
   */
  constructor(findings: Findings, header: JournalHeader | undefined, lines: number | undefined) {
    this.#findings = findings;
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
    const findings = this.#findings;
    findings.harm();
    const found = salvage(line);
    for (const part of found) this.#add(line.subarray(part.start, part.end), start + part.start);
    const why = found.length > 0 ? `${problem}; ${found.length} whole records in it are shown` : problem;
    findings.damage(start, line.length, why, this.lines);
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
    this.#findings.damage(offset, bytes, 'too large to be shown', this.lines);
  }

  #countLine(): void {
    if (this.lines !== undefined) this.lines++;
  }

  /** Tells of the record on a line, or gives the reason why it cannot. */
  #add(line: Buffer, start: number): string | undefined {
    const check = checkLine(line);
    const head = this.#headOf(line, start, check);
    if ('why' in head) return head.why;
    const fingerprint = fingerprintOf(line, check);
    this.#findings.record({ start, length: line.length, fingerprint, head, check }, this.lines, line);
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
    if (checkLine(first) === 'right')
      this.#findings.note(0, 0, 'the header that stood before this line is missing', this.lines);
  }
}

/**
 * Finds complete records within a damaged line, as when the newline between two was lost or a truncated record is followed by
 * another. Gives their starts and ends in the line. Only records with a checksum are found.
 */
function salvage(line: Buffer): { readonly start: number; readonly end: number }[] {
  if (line.length > MAX_BYTES) return [];
  const ends = places(line, TAIL).map((at) => at + TAIL_BYTES);
  const found: { start: number; end: number }[] = [];
  for (const start of places(line, RECORD)) {
    if (start < (found.at(-1)?.end ?? 0)) continue;
    const end = ends.find(
      (at) => at > start && at <= line.length && checkLine(line.subarray(start, at)) === 'right',
    );
    if (end !== undefined) found.push({ start, end });
  }
  return found;
}

function places(line: Buffer, what: Buffer): number[] {
  const found: number[] = [];
  for (let at = line.indexOf(what); at >= 0 && found.length < MAX_PLACES; at = line.indexOf(what, at + 1)) {
    found.push(at);
  }
  return found;
}
