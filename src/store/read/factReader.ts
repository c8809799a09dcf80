import { factsOf, type Facts } from '../../query/numbers/facts.js';
import { yieldToEventLoop } from '../../core/yieldToEventLoop.js';
import { messageOf } from '../../core/text.js';
import type { Log } from '../../core/ports/log.js';
import { checkLine } from '../format/lineFormat.js';
import type { ConversationPaths } from '../files/storePaths.js';
import { loadColumns, saveColumns } from './columnsFile.js';
import type { FactColumns } from './factColumns.js';
import { MIN_SAVED_RECORDS } from './openLines.js';
import { factParts, type FactPart } from './factParts.js';
import { FactTaker } from './factTaker.js';
import { readRuns, readSpans, type LineRun, type ReadRoom } from './readSpans.js';
import type { ScanOnThread } from './scannedParts.js';
import type { RecordSource } from './storedTranscript.js';

/** Facts are stored again once there are so many times as many as were stored. */
const WORTH_STORING = 1.1;

/** So many of the first records are parsed before columns are loaded: a person waits to see them. */
const MAX_FIRST_RECORDS = 100;

/** What a reader of facts needs. */
export interface FactReaderOptions {
  readonly paths: ConversationPaths;
  readonly source: Pick<RecordSource, 'index' | 'peek' | 'length' | 'expected' | 'readOn'>;
  /** Reads large journals too; left out, this thread alone does. */
  readonly scan?: ScanOnThread | undefined;
  readonly log: Log;
  /** Whether nothing may be written, not even a cache. */
  readonly readOnly: boolean;
}

/**
 * Gives the facts of a conversation's records: from the columns beside its journal as far as these are of its lines, then by
 * a scan of their bytes. Read in order, they are remembered, and stored once all are read.
 */
export class FactReader {
  readonly #options: FactReaderOptions;
  readonly #taker: FactTaker;
  #loading: Promise<void> | undefined;
  #isLoaded = false;
  /** What other threads read of a journal whose lines are known. */
  #parts: AsyncGenerator<FactPart, void, undefined> | undefined;
  #stored = 0;
  #storing = Promise.resolve();
  /** One at a time, because all read into the same room. */
  #scanning = Promise.resolve();
  readonly #room: ReadRoom = { bytes: Buffer.alloc(0) };

  constructor(options: FactReaderOptions) {
    this.#options = options;
    this.#taker = new FactTaker(options.paths.id);
  }

  get #columns(): FactColumns {
    return this.#taker.columns;
  }

  /** The facts of the records from `start` up to, not including, `end`, as far as there are any. */
  async read(start: number, end: number): Promise<Facts[]> {
    while (this.#options.source.index.size < end && (await this.readOn()));
    const isFirst = start === 0 && end <= MAX_FIRST_RECORDS && !this.#isLoaded;
    if (!isFirst) await (this.#loading ??= this.#load());
    const { source } = this.#options;
    const { index } = source;
    // Determined before the next await, during which a waiting record may be written to the file.
    const written = Math.min(end, index.size);
    const waiting = source.peek(Math.max(0, start - index.size), Math.max(0, end - index.size));
    const columns = this.#columns;
    // Whoever begins behind the end of the columns leaves a gap, which they cannot have.
    const isBehind = start > columns.length + MAX_FIRST_RECORDS && written > start;
    const isApart = isFirst || isBehind;
    const found = isApart ? await this.#parsed(start, written) : await this.#scanned(start, written);
    if (this.#columns.length === index.size && !this.#isReading)
      this.#storing = this.#storing.then(() => this.#store());
    for (const record of waiting) found.push(factsOf(record));
    return found;
  }

  /** Reads the next piece of files that are read for the first time; false where there is none. */
  async readOn(): Promise<boolean> {
    if (this.#isReading) await this.#options.source.readOn?.(this.#taker.visitor, this.#taker.partsVisitor);
    return this.#isReading;
  }

  get #isReading(): boolean {
    const { expected, length } = this.#options.source;
    return expected !== undefined && expected > length;
  }

  /** Resolves when what was read so far is stored, if it is worth it. */
  async stored(): Promise<void> {
    await this.#storing;
  }

  async #parsed(start: number, end: number): Promise<Facts[]> {
    const { paths, source } = this.#options;
    return (await readSpans(paths, source.index, start, end)).map(factsOf);
  }

  async #scanned(start: number, end: number): Promise<Facts[]> {
    this.#scanning = this.#scanning.then(() => this.#scanOn(end));
    const scanning = this.#scanning;
    // Whoever comes next tries again.
    this.#scanning = scanning.catch(() => undefined);
    await scanning;
    return this.#columns.slice(start, end);
  }

  /** Extends the columns by what several threads read, up to a position or as far as they come. */
  async #scanOnThread(end: number, scan: ScanOnThread): Promise<void> {
    const { paths, source, log } = this.#options;
    const taker = this.#taker;
    this.#parts ??= factParts(paths, source.index, this.#columns.length, scan);
    try {
      while (this.#columns.length < end) {
        const { done, value } = await this.#parts.next();
        if (done) break;
        taker.partsVisitor(value.facts, value.first, value.copies);
      }
    } catch (error) {
      log.warn(`The conversation ${paths.id} is read on by one thread: ${messageOf(error)}`);
    }
  }

  /** Extends the columns up to a position; from the second time on, by all that one read gives. */
  async #scanOn(end: number): Promise<void> {
    const { paths, source, scan } = this.#options;
    const columns = this.#columns;
    if (columns.length > 0 && scan) await this.#scanOnThread(end, scan);
    const start = columns.length;
    if (start >= end) return;
    const to = start === 0 ? end : source.index.size;
    for await (const run of readRuns(paths, source.index, start, to, this.#room)) {
      // Others may have been taken meanwhile.
      for (let at = columns.length - run.first; at < run.spans.length; at++) this.#add(run, at);
      if (columns.length >= end) return;
    }
  }

  #add(run: LineRun, at: number): void {
    const { from, to } = run.spans[at] ?? { from: 0, to: 0 };
    const isThere = to <= run.bytes.length;
    this.#taker.add(run, at, isThere ? checkLine(run.bytes.subarray(from, to)) : 'wrong');
  }

  async #load(): Promise<void> {
    const { paths, source, log } = this.#options;
    try {
      const kept = await loadColumns(paths, source.index);
      this.#stored = kept?.length ?? 0;
      // More may have been taken meanwhile, of lines that had to be read all the same.
      if (kept && kept.length > this.#columns.length) this.#taker.columns = kept;
    } catch (error) {
      log.debug(`The facts of ${paths.id} cannot be used: ${String(error)}`);
    }
    this.#isLoaded = true;
  }

  /** Never rejects: it is only a cache. */
  async #store(): Promise<void> {
    const { paths, source, log, readOnly } = this.#options;
    if (readOnly || !this.#isWorthStoring()) return;
    // Whoever read the last facts is answered first.
    await yieldToEventLoop();
    this.#stored = this.#columns.length;
    try {
      await saveColumns(paths, source.index, this.#columns);
    } catch (error) {
      log.debug(`The facts of ${paths.id} could not be stored: ${String(error)}`);
    }
  }

  #isWorthStoring(): boolean {
    const { length } = this.#columns;
    return length >= MIN_SAVED_RECORDS && length >= this.#stored * WORTH_STORING;
  }
}
