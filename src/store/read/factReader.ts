import { factsOf, type Facts } from '../../query/numbers/facts.js';
import { yieldToEventLoop } from '../../core/yieldToEventLoop.js';
import { messageOf } from '../../core/text.js';
import type { Log } from '../../core/ports/log.js';
import { checkLine } from '../format/lineFormat.js';
import type { ConversationPaths } from '../files/storePaths.js';
import { FactColumns, type GatheredFacts } from './factColumns.js';
import { MIN_SAVED_RECORDS } from './openLines.js';
import { FactTaker } from './factTaker.js';
import { readRuns, readSpans, type LineRun, type ReadRoom } from './readSpans.js';
import { type ScanOnThread, scannedParts } from './scannedParts.js';
import type { RecordSource } from './storedTranscript.js';
import type { LineIndex } from './lineIndex.js';
import type { ScannedPart } from './scannedPart.js';
import { cellsAt, cellsOf, isWidth, type Cells, type ColumnHead } from '../../query/numbers/cells.js';
import { isObject } from '../../core/message.js';
import { loadChecked, saveChecked } from './checkedFile.js';
import type { FactTables } from './factTables.js';

/**
 * The file: 16 bytes of header (`LGBKCOL` and a version, then the sizes of what follows the header: of JSON, and of the
 * ids), JSON, the ids as bytes, and the columns as the JSON lists them. In the machine's byte order; a machine with the
 * other order sees a different version.
 */
const MAGIC = Buffer.from('LGBKCOL');
const VERSION = 13;
const HEAD_BYTES = 16;

interface Head {
  /** Of how many records these are the facts, and a number made of the checksums of their lines. */
  readonly length: number;
  readonly mark: number;
  /** A width of 0 is a column of the records that holds nothing but zeros, as most parts of a usage are. */
  readonly columns: readonly ColumnHead[];
  readonly tables: FactTables;
}

/** Stores facts beside the journal of which the index knows the lines. Throws errors of the file system. */
export async function saveColumns(
  paths: ConversationPaths,
  index: LineIndex,
  facts: FactColumns,
): Promise<void> {
  const { length, columns, tables, ids } = facts.stored();
  const cells = Object.entries(columns).map(([name, numbers]) => [name, narrowed(numbers, length)] as const);
  const head: Head = {
    length,
    mark: index.markOf(length),
    tables,
    columns: cells.map(([name, numbers]) =>
      numbers ? [name, numbers.BYTES_PER_ELEMENT as ColumnHead[1], numbers.length] : [name, 0, length],
    ),
  };
  const json = Buffer.from(JSON.stringify(head));
  const start = Buffer.alloc(HEAD_BYTES);
  MAGIC.copy(start);
  start[MAGIC.length] = VERSION;
  new Uint32Array(start.buffer, start.byteOffset, HEAD_BYTES / 4).set([json.length, ids.length], 2);
  const bytes = cells.flatMap(([, numbers]) =>
    numbers ? Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength) : [],
  );
  await saveChecked(paths.columns, [
    start,
    json,
    Buffer.from(ids.buffer, ids.byteOffset, ids.length),
    ...bytes,
  ]);
}

/**
 * The facts stored beside a journal, as far as they are of its lines; undefined where they are missing, damaged, of another
 * version or of other lines. Throws errors of the file system.
 */
export async function loadColumns(
  paths: ConversationPaths,
  index: LineIndex,
): Promise<FactColumns | undefined> {
  const bytes = await loadChecked(paths.columns);
  if (!bytes || bytes.length < HEAD_BYTES) return undefined;
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC) || bytes[MAGIC.length] !== VERSION) return undefined;
  const [jsonBytes = 0, idBytes = 0] = new Uint32Array(bytes.buffer, bytes.byteOffset + 8, 2);
  const idsAt = HEAD_BYTES + jsonBytes;
  if (idsAt + idBytes > bytes.length) return undefined;
  const head: unknown = JSON.parse(bytes.toString('utf8', HEAD_BYTES, idsAt));
  if (!isHead(head) || head.length > index.size || head.mark !== index.markOf(head.length)) return undefined;
  const columns: Record<string, Cells> = {};
  let at = idsAt + idBytes;
  for (const column of head.columns) {
    const [name, width, count] = column;
    const end = at + width * count;
    if (end > bytes.length || (width === 0 && count !== head.length)) return undefined;
    // Copied, because a column begins at any byte.
    const copy = Uint8Array.prototype.slice.call(bytes, at, end).buffer;
    columns[name] = cellsAt(copy, 0, column) ?? new Uint8Array(count);
    at = end;
  }
  const ids = bytes.subarray(idsAt, idsAt + idBytes);
  return await FactColumns.from({ length: head.length, tables: head.tables, columns, ids: Buffer.from(ids) });
}

function isHead(value: unknown): value is Head {
  return (
    isObject(value) &&
    Number.isSafeInteger(value.length) &&
    typeof value.mark === 'number' &&
    isObject(value.tables) &&
    typeof value.tables.start === 'number' &&
    Array.isArray(value.columns) &&
    value.columns.every((column) => Array.isArray(column) && isWidth(column[1]))
  );
}

/** Numbers in cells as small as they allow; undefined for one zero for each of the records. */
function narrowed(numbers: ArrayLike<number>, records: number): Cells | undefined {
  const cells = cellsOf(numbers);
  return cells || numbers.length === records ? cells : new Uint8Array(numbers.length);
}

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

/** The facts of adjacent records, of which some stand on lines that the index does not have: copies of others. */
interface FactPart {
  /** The position of the first of them that the index has. */
  readonly first: number;
  readonly facts: GatheredFacts;
  readonly copies: ReadonlySet<number>;
}

/**
 * The facts of the records from a position on, which is not the first, as far as they stand in one file in the order of the
 * index; read by several threads where that is worth it. Ends where a file is not as the index says. Throws what the threads
 * reject with.
 */
async function* factParts(
  paths: ConversationPaths,
  index: LineIndex,
  position: number,
  scan: ScanOnThread,
): AsyncGenerator<FactPart, void, undefined> {
  const first = index.span(position);
  const end = index.endInFile(position);
  const last = index.span(end - 1);
  const { segment, start: from } = first;
  // With the newline.
  const to = last.start + last.length + 1;
  if (from === 0 || to - from < scan.leastBytes) return;
  let at = position;
  for await (const part of scannedParts(scan, paths, { segment, header: undefined, from, to })) {
    const copies = unknownTo(index, part, at);
    if (!copies) return;
    yield { first: at, facts: part.facts, copies };
    at += part.starts.length - copies.size;
  }
}

/** Which records of a part are not in the index, where those from the position on are all others; else undefined. */
function unknownTo(
  index: LineIndex,
  { starts, lengths }: ScannedPart,
  position: number,
): Set<number> | undefined {
  const unknown = new Set<number>();
  for (let at = 0; at < starts.length; at++) {
    const next = position + at - unknown.size;
    if (next >= index.size) return undefined;
    const { start, length } = index.span(next);
    if (starts[at] === start && lengths[at] === length) continue;
    if ((starts[at] ?? 0) >= start) return undefined;
    unknown.add(at);
  }
  return unknown;
}
