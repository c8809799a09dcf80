import { GrowingColumn } from '../growingColumn.js';
import { clipName } from '../values.js';
import type { CacheBreak } from './cacheUse.js';
import { CONTEXT_KINDS, type WholeProvenance } from './contextKinds.js';

/** A request to a model: what filled its window. */
export interface ContextRequest {
  /** The position of the record with its answer. */
  readonly position: number;
  readonly model: string;
  /** In milliseconds since 1970; 0 where it is unknown. */
  readonly time: number;
  /** The tokens of all of it, and how they are known. */
  readonly total: number;
  readonly provenance: WholeProvenance;
  /** The tokens of each of `CONTEXT_KINDS`; they add up to `total`. */
  readonly parts: readonly number[];
  /** Of `total`, those read from and written to a cache; undefined where no request of the window tells of a cache. */
  readonly read: number | undefined;
  readonly written: number | undefined;
  readonly broken: CacheBreak | undefined;
  /** How many compactions there were since the request before. */
  readonly compactions: number;
}

const KINDS = CONTEXT_KINDS.length;
const CAPACITY = 16;

/** The requests of a window in columns of numbers; they are numbered from 0. */
export class SentRequests {
  readonly #position = new GrowingColumn(CAPACITY);
  readonly #model = new GrowingColumn(CAPACITY);
  readonly #time = new GrowingColumn(CAPACITY, Float64Array);
  readonly #total = new GrowingColumn(CAPACITY);
  readonly #isEstimated = new GrowingColumn(CAPACITY);
  readonly #parts = new GrowingColumn(CAPACITY * KINDS);
  /** One more than the tokens; 0 where none are told. */
  readonly #read = new GrowingColumn(CAPACITY);
  readonly #written = new GrowingColumn(CAPACITY);
  readonly #compactions = new GrowingColumn(CAPACITY);
  readonly #broken = new Map<number, CacheBreak>();
  readonly #models: string[] = [];
  readonly #numbers = new Map<string, number>();
  #length = 0;
  #hasReported = false;

  /** How many there are. */
  get length(): number {
    return this.#length;
  }

  /** Whether the provider reported the whole of any of them. */
  get hasReported(): boolean {
    return this.#hasReported;
  }

  /** The numbers of those whose cached prefix was broken, in order. */
  get broken(): readonly number[] {
    return [...this.#broken.keys()];
  }

  add(request: ContextRequest): void {
    const at = this.#length++;
    const { model, parts, read, written, broken } = request;
    this.#position.set(at, request.position);
    this.#model.set(at, this.#numberOf(model));
    this.#time.set(at, request.time);
    this.#total.set(at, request.total);
    if (request.provenance === 'estimated') this.#isEstimated.set(at, 1);
    else this.#hasReported = true;
    for (let kind = 0; kind < KINDS; kind++) {
      const part = parts[kind] ?? 0;
      if (part > 0) this.#parts.set(at * KINDS + kind, part);
    }
    if (read !== undefined) this.#read.set(at, read + 1);
    if (written !== undefined) this.#written.set(at, written + 1);
    if (request.compactions > 0) this.#compactions.set(at, request.compactions);
    if (broken) this.#broken.set(at, broken);
  }

  #numberOf(model: string): number {
    const known = this.#numbers.get(model);
    if (known !== undefined) return known;
    this.#numbers.set(model, this.#models.length);
    return this.#models.push(clipName(model)) - 1;
  }

  totalAt(at: number): number {
    return this.#total.get(at);
  }

  /** Of its tokens those read from a cache, and those written to one; undefined where they are not told. */
  readAt(at: number): number | undefined {
    return told(this.#read.get(at));
  }

  writtenAt(at: number): number | undefined {
    return told(this.#written.get(at));
  }

  brokenAt(at: number): CacheBreak | undefined {
    return this.#broken.get(at);
  }

  compactionsAt(at: number): number {
    return this.#compactions.get(at);
  }

  /** A request; undefined where there is none of this number. */
  at(at: number): ContextRequest | undefined {
    if (!(at >= 0 && at < this.#length)) return undefined;
    return {
      position: this.#position.get(at),
      model: this.#models[this.#model.get(at)] ?? '',
      time: this.#time.get(at),
      total: this.#total.get(at),
      provenance: this.#isEstimated.get(at) === 1 ? 'estimated' : 'reported',
      parts: CONTEXT_KINDS.map((_, kind) => this.#parts.get(at * KINDS + kind)),
      read: this.readAt(at),
      written: this.writtenAt(at),
      broken: this.#broken.get(at),
      compactions: this.#compactions.get(at),
    };
  }

  /** All of them, each made for whoever asks. */
  all(): ContextRequest[] {
    return Array.from({ length: this.#length }, (_, at) => this.at(at)).filter((each) => each !== undefined);
  }
}

function told(cell: number): number | undefined {
  return cell === 0 ? undefined : cell - 1;
}
