import { appendAll } from '../../core/lists.js';
import { GrowingColumn } from '../../query/numbers/growingColumn.js';
import type { Check } from '../format/lineFormat.js';
import { FactColumns, type GatheredFacts } from './factColumns.js';
import type { FactTaker } from './factTaker.js';
import type { SegmentFindings } from './segmentFindings.js';
import type { Findings, LineRecord } from './segmentScan.js';

const CHECKS = ['right', 'wrong', 'absent'] as const satisfies readonly Check[];

/** What was found besides records, and before the record of the part with which number. `why`: undefined for mere harm. */
interface Oddity {
  readonly before: number;
  readonly kind: 'harm' | 'damage' | 'note';
  readonly start: number;
  readonly bytes: number;
  readonly why: string;
  /** The number of its line in the part, from 1. */
  readonly line: number;
}

/** What stands on the lines of a part of a journal file, as it travels between threads; a cell of a column for each record. */
export interface ScannedPart {
  /** How many lines it has. */
  readonly lines: number;
  /** Where the first of them begins in the file, undefined where none does, and where the line behind them begins. */
  readonly begin: number | undefined;
  readonly end: number;
  readonly starts: Float64Array<ArrayBuffer>;
  readonly lengths: Uint32Array<ArrayBuffer>;
  readonly fingerprints: Uint32Array<ArrayBuffer>;
  /** The two halves of the hash of each id, interleaved. */
  readonly hashes: Uint32Array<ArrayBuffer>;
  readonly seqs: Float64Array<ArrayBuffer>;
  /** The number of each record's line in the part, from 1, and the state of its checksum in `CHECKS`. */
  readonly lineNumbers: Uint32Array<ArrayBuffer>;
  readonly checks: Uint8Array<ArrayBuffer>;
  readonly oddities: readonly Oddity[];
  readonly facts: GatheredFacts;
}

/** Gathers what is found on the lines of a part. */
export class PartFindings implements Findings {
  readonly #facts: FactTaker;
  readonly #starts = new GrowingColumn(1024, Float64Array);
  readonly #seqs = new GrowingColumn(1024, Float64Array);
  readonly #lengths = new GrowingColumn();
  readonly #fingerprints = new GrowingColumn();
  readonly #hashes = new GrowingColumn();
  readonly #lineNumbers = new GrowingColumn();
  readonly #checks = new GrowingColumn();
  readonly #oddities: Oddity[] = [];
  #size = 0;

  /** `facts` takes those of the part, and of no other meanwhile. */
  constructor(facts: FactTaker) {
    this.#facts = facts;
    facts.columns = new FactColumns();
  }

  record({ start, length, fingerprint, head, check }: LineRecord, line: number, bytes: Buffer): void {
    const at = this.#size++;
    this.#starts.set(at, start);
    this.#lengths.set(at, length);
    this.#fingerprints.set(at, fingerprint);
    this.#hashes.set(2 * at, head.id.low);
    this.#hashes.set(2 * at + 1, head.id.high);
    this.#seqs.set(at, head.seq);
    this.#lineNumbers.set(at, line);
    this.#checks.set(at, CHECKS.indexOf(check));
    this.#facts.addLine(bytes, at, check);
  }

  harm(): void {
    this.#oddities.push({ before: this.#size, kind: 'harm', start: 0, bytes: 0, why: '', line: 0 });
  }

  damage(start: number, bytes: number, why: string, line: number): void {
    this.#oddities.push({ before: this.#size, kind: 'damage', start, bytes, why, line });
  }

  note(start: number, bytes: number, why: string, line: number): void {
    this.#oddities.push({ before: this.#size, kind: 'note', start, bytes, why, line });
  }

  /** All of it. */
  part(place: Pick<ScannedPart, 'lines' | 'begin' | 'end'>): ScannedPart {
    const size = this.#size;
    const numbers = (column: GrowingColumn, length = size) => Uint32Array.from(column.copy(length));
    return {
      ...place,
      oddities: this.#oddities,
      facts: this.#facts.columns.gathered(),
      starts: Float64Array.from(this.#starts.copy(size)),
      seqs: Float64Array.from(this.#seqs.copy(size)),
      lengths: numbers(this.#lengths),
      fingerprints: numbers(this.#fingerprints),
      hashes: numbers(this.#hashes, 2 * size),
      lineNumbers: numbers(this.#lineNumbers),
      checks: Uint8Array.from(this.#checks.copy(size)),
    };
  }
}

/** The memory of a part, which goes to another thread with it and need not be copied. */
export function memoryOf(part: ScannedPart): ArrayBuffer[] {
  const { starts, lengths, fingerprints, hashes, seqs, lineNumbers, checks, facts } = part;
  const own = [starts, lengths, fingerprints, hashes, seqs, lineNumbers, checks];
  const memory = own.map(({ buffer }) => buffer);
  appendAll(
    memory,
    Object.values(facts.columns).map(({ buffer }) => buffer as ArrayBuffer),
  );
  memory.push(facts.ids.buffer as ArrayBuffer);
  return memory;
}

/**
 * Adds what was found in a part to what was found before it, as if its lines had been read now; `before`: how many lines
 * stand before it, undefined where that is not known.
 */
export function joinPart(
  part: ScannedPart,
  findings: SegmentFindings,
  before: number | undefined,
): ReadonlySet<number> {
  const { starts, lengths, fingerprints, hashes, seqs, lineNumbers, checks, oddities } = part;
  const copies = new Set<number>();
  const lineOf = (line: number) => (before === undefined ? undefined : before + line);
  let odd = 0;
  for (let at = 0; at <= starts.length; at++) {
    for (let next = oddities[odd]; next?.before === at; next = oddities[++odd]) {
      const { kind, start, bytes, why, line } = next;
      if (kind === 'harm') findings.harm();
      else findings[kind](start, bytes, why, lineOf(line));
    }
    if (at === starts.length) break;
    const found = {
      start: starts[at] ?? 0,
      length: lengths[at] ?? 0,
      fingerprint: fingerprints[at] ?? 0,
      head: { seq: seqs[at] ?? 0, id: { low: hashes[2 * at] ?? 0, high: hashes[2 * at + 1] ?? 0 } },
      check: CHECKS[checks[at] ?? 0] ?? 'wrong',
    };
    if (findings.add(found, lineOf(lineNumbers[at] ?? 0)) === 'copy') copies.add(at);
  }
  return copies;
}
