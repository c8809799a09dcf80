import type { Facts } from '../analysis/facts.js';
import { onAbort } from '../core/abort.js';
import type { Event } from '../core/event.js';
import { yieldToEventLoop } from '../core/yieldToEventLoop.js';
import type { DamagedLine, ReadRecord, ScanBatch, Transcript } from '../ports/transcript.js';
import { compileCriteria } from '../query/compileCriteria.js';
import type { ScanQuestion } from '../query/columns/scanQuestion.js';
import type { FilterCriteria } from '../query/filterCriteria.js';
import { allTextOf, contentTextOf } from '../query/textTest.js';
import type { ConversationPaths } from '../store/files/storePaths.js';
import type { FactReader, FactReaderOptions } from '../store/read/factReader.js';
import type { RecordSource } from '../store/read/storedTranscript.js';
import { allTextsSearch, type TextSearch } from '../store/search/indexed/textSearch.js';
import { TranscriptIndex, type IndexStep } from '../store/search/indexed/transcriptIndex.js';
import { prefilterFor } from '../store/search/linePrefilter.js';
import { STOP, CONTROL_LENGTH } from '../store/search/scanQuestion.js';
import { guarded, scanRecords } from '../store/search/scanRecords.js';
import { wholeRecord } from '../store/search/wholeRecord.js';

/** The most memory that the index of one transcript takes, in bytes; what does not fit is searched as bytes. */
const MAX_INDEX_BYTES = 150 * 1024 * 1024;
/** How many records are read at a time for their facts, and how many for their texts, which takes longer. */
const RECORDS_PER_FACTS = 4_000;
const RECORDS_PER_TEXTS = 400;
/** How many texts are indexed before an answer, where their bytes could be searched instead. */
const MAX_BEHIND = 2_000;

/**
 * A transcript that knows the facts of its records and searches them. Facts are taken from the bytes of the lines as they are
 * read for the totals, and indexed once somebody has set a filter; texts once somebody has searched for one, after the
 * answer.
 */
export class IndexedTranscript implements Transcript {
  readonly #inner: Transcript;
  readonly #source: RecordSource;
  readonly #paths: ConversationPaths;
  readonly #maxBytes: number;
  readonly #reader: FactReader;
  #index: TranscriptIndex | undefined = new TranscriptIndex();
  #reading: Promise<void> | undefined;
  #isIndexing = false;

  /** `facts`: where the facts of its records come from. */
  constructor(
    inner: Transcript,
    { source, paths }: Pick<FactReaderOptions, 'paths'> & { readonly source: RecordSource },
    facts: FactReader,
    maxBytes: number = MAX_INDEX_BYTES,
  ) {
    this.#inner = inner;
    this.#source = source;
    this.#paths = paths;
    this.#maxBytes = maxBytes;
    this.#reader = facts;
  }

  get conversation(): string {
    return this.#inner.conversation;
  }

  get length(): number {
    return this.#inner.length;
  }

  get damaged(): readonly DamagedLine[] {
    return this.#inner.damaged;
  }

  get onDidGrow(): Event<void> {
    return this.#inner.onDidGrow;
  }

  /** Of how many records the texts are indexed. */
  get indexed(): number {
    return this.#index?.texts ?? 0;
  }

  read(start: number, end: number): Promise<readonly ReadRecord[]> {
    return this.#inner.read(start, end);
  }

  /** The facts of the records from `start` up to, not including, `end`, as far as there are any. */
  facts(start: number, end: number): Promise<readonly Facts[]> {
    return this.#reader.read(start, end);
  }

  /** Adds the next facts to the index: only once somebody asks for what it answers. */
  async #addFacts(end: number): Promise<void> {
    const start = this.#index?.size ?? end;
    const found = await this.#reader.read(start, end);
    const index = this.#index;
    // Others may have added some meanwhile.
    if (index) for (const facts of found.slice(index.size - start)) index.addFacts(facts);
  }

  readSpill(path: string): Promise<string | undefined> {
    return this.#inner.readSpill(path);
  }

  close(): Promise<void> {
    this.#index = undefined;
    return this.#inner.close();
  }

  /**
   * Finds where a question holds, from a position on and as far as the transcript goes now: by the index as far as it goes,
   * then by the bytes of the rest where that is quick or the index is full, else by what is indexed meanwhile. Throws an
   * error for a person where a pattern is invalid or does not end.
   */
  async *scan(question: ScanQuestion, signal: AbortSignal, from: number): AsyncGenerator<ScanBatch, void> {
    const { length } = this;
    const search = allTextsSearch(question.texts);
    const bytes = criteriaForBytes(question);
    let at = from;
    while (this.#index) {
      for (const step of this.#index.find(question, at)) {
        const positions = await this.#decided(step, search, signal);
        if (signal.aborted) return;
        yield { positions, scanned: step.scanned };
        at = step.scanned;
        await yieldToEventLoop();
      }
      if (at >= length) break;
      const known = this.#index.size;
      const before = this.#progress;
      const isBehind = this.#isFull || (bytes.isQuick && length - this.indexed > MAX_BEHIND);
      if (known <= at || (known < length && (!search || isBehind)))
        await this.#addFacts(known + RECORDS_PER_FACTS);
      else if (isBehind) {
        yield* this.#scanBytes(question, { criteria: bytes.criteria, search }, signal, at, length);
        break;
      } else await this.#readTexts();
      // Nothing came where the files have less than they had.
      if (signal.aborted || this.#progress === before) return;
    }
    if (search) void this.#indexOn();
  }

  /** Searches the bytes of the files, and then the records that are in memory only; all facts are known. */
  async *#scanBytes(
    { structure }: ScanQuestion,
    {
      criteria,
      search,
    }: { readonly criteria?: FilterCriteria | undefined; readonly search?: TextSearch | undefined },
    signal: AbortSignal,
    from: number,
    length: number,
  ): AsyncGenerator<ScanBatch, void> {
    const control = new Int32Array(CONTROL_LENGTH);
    const leave = onAbort(signal, () => void Atomics.store(control, STOP, 1));
    const wanted = new Set(this.#index?.select(structure, from, length) ?? []);
    const holds = (position: number, record: ReadRecord) =>
      wanted.has(position) && (!search || hasText(record, search));
    let at = from;
    try {
      const written = { paths: this.#paths, index: this.#source.index };
      if (criteria) {
        for await (const { found, scanned } of scanRecords(written, criteria, at, control, true)) {
          if (signal.aborted) return;
          const here = found.filter(({ position, record }) => holds(position, record));
          yield { positions: Uint32Array.from(here, ({ position }) => position), scanned };
          at = scanned;
          await yieldToEventLoop();
        }
      }
      while (at < length && !signal.aborted) {
        const read = await this.#inner.read(at, Math.min(length, at + RECORDS_PER_TEXTS));
        if (read.length === 0) return;
        const whole = await Promise.all(read.map((record) => wholeRecord(record, this.#paths)));
        const first = at;
        at += read.length;
        const found = whole.flatMap((record, index) => (holds(first + index, record) ? [first + index] : []));
        yield { positions: Uint32Array.from(found), scanned: at };
        await yieldToEventLoop();
      }
    } finally {
      leave();
    }
  }

  /** How much is known: a number that only grows. */
  get #progress(): number {
    return this.indexed + (this.#index?.size ?? 0);
  }

  /** Whether the rest has to be searched as bytes, which only what is in files can be. */
  get #isFull(): boolean {
    return (this.#index?.bytes ?? 0) > this.#maxBytes && this.#source.index.size > this.indexed;
  }

  /** All positions of a step, after reading the records whose texts are not in the index. Throws where a test is stuck. */
  async #decided(
    { positions, undecided }: IndexStep,
    search: TextSearch | undefined,
    signal: AbortSignal,
  ): Promise<Uint32Array> {
    if (undecided.length === 0) return positions.slice();
    const found = Array.from(positions);
    for (const position of undecided) {
      if (signal.aborted) break;
      const [record] = await this.#inner.read(position, position + 1);
      if (record && (!search || hasText(await wholeRecord(record, this.#paths), search)))
        found.push(position);
    }
    return Uint32Array.from(found).sort();
  }

  /** Indexes all texts as far as they fit, a few at a time; whoever asks for anything meanwhile comes first. */
  async #indexOn(): Promise<void> {
    if (this.#isIndexing) return;
    this.#isIndexing = true;
    try {
      for (let before = -1; !this.#isFull && this.indexed > before && this.indexed < this.length;) {
        before = this.indexed;
        await this.#readTexts();
        await yieldToEventLoop();
      }
    } catch {
      // The next search meets the same error, and says it.
    }
    this.#isIndexing = false;
  }

  /** Indexes the next texts; once, however many wait for them. */
  #readTexts(): Promise<void> {
    this.#reading ??= this.#addTexts().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #addTexts(): Promise<void> {
    const start = this.indexed;
    const records = await this.#inner.read(start, start + RECORDS_PER_TEXTS);
    const end = start + records.length;
    const known = this.#index?.size ?? end;
    if (known < end) await this.#addFacts(end);
    for (const record of records) this.#index?.addText(record, !('spill' in record));
  }
}

/**
 * What is looked for in the bytes of lines: the first text that may stand anywhere, if there is one, and whether that is
 * a fraction of the cost of parsing. Whatever else is asked for has to be tested where it is found.
 */
function criteriaForBytes({ texts }: ScanQuestion): { criteria?: FilterCriteria; isQuick: boolean } {
  const [criteria] = texts.filter(({ content }) => content === undefined);
  if (!criteria) return { isQuick: false };
  return { criteria, isQuick: prefilterFor(criteria, compileCriteria(criteria)) !== undefined };
}

/** Tests the texts of a record with a time limit, because this thread, which all panels share, must not be ended. */
function hasText(record: ReadRecord, { test, isRisky }: TextSearch): boolean {
  const isMatch = () => test((part) => (part === 'all' ? allTextOf(record) : contentTextOf(record)));
  return isRisky ? guarded(isMatch)(record) : isMatch();
}
