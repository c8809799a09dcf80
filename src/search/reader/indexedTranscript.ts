import type { Facts } from '../../query/numbers/facts.js';
import type { Event } from '../../core/event.js';
import { yieldToEventLoop } from '../../core/yieldToEventLoop.js';
import { endsWithin, MAX_TEXT_TEST_MS } from '../../node/patterns/timeGuard.js';
import { PATTERN_TOO_SLOW } from '../../core/ports/patternMatcher.js';
import type {
  DamagedLine,
  DamagePosition,
  ReadRecord,
  ScanBatch,
  Transcript,
} from '../../core/ports/transcript.js';
import { PriorityGate, recordsAt } from '../../page/panel/recordReader.js';
import { firstAtLeast } from '../../query/columns/firstAtLeast.js';
import type { ScanQuestion } from '../../query/columns/scanQuestion.js';
import { allTextOf, contentTextOf, type TextCriteria } from '../../query/textTest.js';
import { linesWithAny, rawTextsOfPattern } from '../bytes/rawText.js';
import type { ConversationPaths } from '../../store/files/storePaths.js';
import type { FactReader, FactReaderOptions } from '../../store/read/factReader.js';
import type { RecordSource } from '../../store/read/storedTranscript.js';
import { allTextsSearch, type TextSearch } from '../stored/indexed/textSearch.js';
import { TranscriptIndex, type IndexStep } from '../stored/indexed/transcriptIndex.js';
import { contentSearchFor } from '../stored/contentSearch.js';
import { CandidateFinder, type Candidates } from '../stored/lineCandidates.js';
import { keptFilter, type StoredFilter, type Stretch } from '../stored/storedFilter.js';
import { prefilterFor, type LineFilter } from '../stored/linePrefilter.js';
import { restoredRecord } from '../../store/read/restoredRecords.js';
import type { LineIndex } from '../../store/read/lineIndex.js';
import { readRuns, recordIn, type LineRun } from '../../store/read/readSpans.js';

/** The most memory that the index of one transcript takes, in bytes; what does not fit is searched as bytes. */
const MAX_INDEX_BYTES = 150 * 1024 * 1024;
/** How many records are read at a time for their facts, and how many for their texts, which takes longer. */
const RECORDS_PER_FACTS = 4_000;
const RECORDS_PER_TEXTS = 400;
/** A journal that is so many times as large as its index may be is searched as bytes: little of it would be indexed. */
const TOO_LARGE = 6;
/** Where what is kept of the texts leaves more than this part of the records to be looked at, it is not worth it. */
const MAX_PART_LEFT = 0.5;
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
  readonly #gate: PriorityGate;
  #index: TranscriptIndex | undefined = new TranscriptIndex();
  /** What is kept of the texts, once somebody has asked for one; undefined where nothing is. */
  #filter: Promise<StoredFilter | undefined> | undefined;
  #reading: Promise<void> | undefined;
  #isIndexing = false;
  /** The questions to this transcript: whoever types on would wait for what is indexed meanwhile. */
  readonly #questions = new PriorityGate();

  /** `facts`: where the facts of its records come from; `errands`: what people wait for on this thread. */
  constructor(
    inner: Transcript,
    { source, paths }: Pick<FactReaderOptions, 'paths'> & { readonly source: RecordSource },
    facts: FactReader,
    maxBytes: number = MAX_INDEX_BYTES,
    gate = new PriorityGate(),
  ) {
    this.#gate = gate;
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

  get expected(): number {
    return this.#source.expected ?? this.length;
  }

  get damaged(): readonly DamagedLine[] {
    return this.#inner.damaged;
  }

  damagePositions(): readonly DamagePosition[] {
    return this.#inner.damagePositions?.() ?? [];
  }

  get onDidGrow(): Event<void> {
    return this.#inner.onDidGrow;
  }

  /** Of how many records the texts are indexed. */
  get indexed(): number {
    return this.#index?.texts ?? 0;
  }

  async read(start: number, end: number): Promise<readonly ReadRecord[]> {
    while (this.length < end && (await this.#reader.readOn()));
    return await this.#inner.read(start, end);
  }

  async readAt(positions: readonly number[]): Promise<ReadonlyMap<number, ReadRecord>> {
    while (this.length <= (positions.at(-1) ?? -1) && (await this.#reader.readOn()));
    return await recordsAt(this.#inner, positions);
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
    this.#filter = undefined;
    return this.#inner.close();
  }

  /**
   * Finds where a question holds, from a position on and as far as the transcript goes now: by the index as far as it goes,
   * then by the bytes of the rest where that is quick or the index is full, else by what is indexed meanwhile. Throws an
   * error for a person where a pattern is invalid or does not end.
   */
  async *scan(question: ScanQuestion, signal: AbortSignal, from: number): AsyncGenerator<ScanBatch, void> {
    const leave = this.#questions.hold();
    try {
      yield* this.#scan(question, signal, from);
    } finally {
      leave();
    }
    if (question.texts.length > 0) void this.#indexOn();
  }

  async *#scan(question: ScanQuestion, signal: AbortSignal, from: number): AsyncGenerator<ScanBatch, void> {
    const search = allTextsSearch(question.texts);
    const bytes = bytesSearch(question);
    const left = search && (await this.#left(question));
    let at = from;
    while (this.#index) {
      for (const step of this.#index.find(question, at)) {
        const positions = await this.#decided(step, search, signal);
        if (signal.aborted) return;
        yield { positions, scanned: step.scanned };
        at = step.scanned;
        await yieldToEventLoop();
      }
      if (at >= this.expected) break;
      const known = this.#index.size;
      const before = this.#progress;
      const isBehind = this.#isFull || (bytes?.isQuick === true && this.expected - this.indexed > MAX_BEHIND);
      if (search && left && at < left.length) {
        yield* this.#scanLeft(question, { search, finder: bytes?.finder() }, signal, { ...left, from: at });
        if (signal.aborted) return;
        at = left.length;
        continue;
      }
      if (search && isBehind) {
        yield* this.#scanBytes(question, { bytes, search }, signal, at);
        break;
      }
      if (known <= at || !search) await this.#addFacts(known + RECORDS_PER_FACTS);
      else await this.#readTexts();
      // Nothing came where the files have less than they had.
      if (signal.aborted || this.#progress === before) return;
    }
  }

  /** The records that have to be looked at for a question, where what is kept of the texts leaves few of them. */
  async #left({ grams }: ScanQuestion): Promise<RemainingRecords | undefined> {
    this.#filter ??= keptFilter(this.#paths).catch(() => undefined);
    const filter = await this.#filter;
    if (!filter) return undefined;
    const stretches = filter.stretchesOf(grams);
    const records = stretches.reduce((sum, { from, to }) => sum + to - from, 0);
    return records > filter.length * MAX_PART_LEFT ? undefined : { stretches, length: filter.length };
  }

  /** Searches the lines of the records that have to be looked at; of the others is known that they do not match. */
  async *#scanLeft(
    question: ScanQuestion,
    looking: Looking,
    signal: AbortSignal,
    { stretches, length, from }: RemainingRecords & { readonly from: number },
  ): AsyncGenerator<ScanBatch, void> {
    while (this.#source.index.size < length && (await this.#reader.readOn()));
    for (const { from: first, to } of stretches)
      if (to > from) yield* this.#scanLines(question, looking, signal, { from: Math.max(from, first), to });
    if (!signal.aborted) yield { positions: new Uint32Array(), scanned: length };
  }

  /** Searches the bytes of the files, and then the records that are in memory only. */
  async *#scanBytes(
    question: ScanQuestion,
    { bytes, search }: { readonly bytes: BytesSearch | undefined; readonly search: TextSearch },
    signal: AbortSignal,
    from: number,
  ): AsyncGenerator<ScanBatch, void> {
    const looking = { search, finder: bytes?.finder() };
    let at = from;
    while (bytes) {
      const { size } = this.#source.index;
      yield* this.#scanLines(question, looking, signal, { from: at, to: size });
      if (signal.aborted) return;
      at = Math.max(at, size);
      if (!(await this.#reader.readOn()) && this.#source.index.size === size) break;
    }
    while (at < this.expected && !signal.aborted) {
      const read = await this.read(at, at + RECORDS_PER_TEXTS);
      if (read.length === 0) return;
      const whole = await Promise.all(read.map((record) => restoredRecord(record, this.#paths)));
      const end = at + read.length;
      const found = whole.map((record, index) => ({ position: at + index, record }));
      const positions = await this.#holding(found, { from: at, to: end }, { question, search, signal });
      yield { positions, scanned: end };
      at = end;
      await yieldToEventLoop();
    }
  }

  /** Searches the lines of some records. */
  async *#scanLines(
    question: ScanQuestion,
    { search, finder }: Looking,
    signal: AbortSignal,
    { from, to }: Stretch,
  ): AsyncGenerator<ScanBatch, void> {
    const written = { paths: this.#paths, index: this.#source.index };
    const stretch = { from, to: Math.min(to, written.index.size) };
    const kept = await this.#filter;
    let at = from;
    for await (const { candidates, scanned } of candidateRecords(written, finder, stretch, signal, kept)) {
      if (signal.aborted) return;
      const positions = await this.#holding(
        candidates,
        { from: at, to: scanned },
        { question, search, signal },
      );
      yield { positions, scanned };
      at = scanned;
      await yieldToEventLoop();
    }
  }

  /**
   * Those of the candidates in a stretch whose text holds and of which the columns say what is asked. The columns are asked of
   * what was found only, so that facts are read as far as something was.
   */
  async #holding(
    found: readonly Candidate[],
    { from, to }: Stretch,
    {
      question: { structure },
      search,
      signal,
    }: { readonly question: ScanQuestion; readonly search: TextSearch; readonly signal: AbortSignal },
  ): Promise<Uint32Array> {
    const here: number[] = [];
    for (const { position, record } of found) if (!record || hasText(record, search)) here.push(position);
    const positions = Uint32Array.from(here);
    if (Object.keys(structure).length === 0 || positions.length === 0) return positions;
    for (let before = -1; !signal.aborted && before < (this.#index?.size ?? to);) {
      before = this.#index?.size ?? to;
      if (before < to) await this.#addFacts(Math.min(to, before + RECORDS_PER_FACTS));
      await yieldToEventLoop();
    }
    const wanted = this.#index?.select(structure, from, to) ?? new Uint32Array();
    return positions.filter((position) => wanted[firstAtLeast(wanted, position)] === position);
  }

  /** How much is known: a number that only grows. */
  get #progress(): number {
    return this.indexed + (this.#index?.size ?? 0);
  }

  /** Whether the rest has to be searched as bytes, which only what is in files can be. */
  get #isFull(): boolean {
    const { index } = this.#source;
    if (index.size <= this.indexed) return false;
    return (this.#index?.bytes ?? 0) > this.#maxBytes || index.bytes > this.#maxBytes * TOO_LARGE;
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
      if (record && (!search || hasText(await restoredRecord(record, this.#paths), search)))
        found.push(position);
    }
    return Uint32Array.from(found).sort();
  }

  /** Indexes all texts as far as they fit, a few at a time; whoever asks for anything meanwhile comes first. */
  async #indexOn(): Promise<void> {
    if (this.#isIndexing) return;
    this.#isIndexing = true;
    try {
      for (let before = -1; !this.#isFull && this.indexed > before && this.indexed < this.expected;) {
        before = this.indexed;
        await this.#gate.done();
        await this.#questions.done();
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
    const records = await this.read(start, start + RECORDS_PER_TEXTS);
    const end = start + records.length;
    const known = this.#index?.size ?? end;
    if (known < end) await this.#addFacts(end);
    for (const record of records) this.#index?.addText(record, !('spill' in record));
  }
}

/** The records that have to be looked at, of so many from the first on. */
interface RemainingRecords {
  readonly stretches: readonly Stretch[];
  readonly length: number;
}

/** What is looked for in lines; without a finder, all of them are parsed. */
interface Looking {
  readonly search: TextSearch;
  readonly finder: CandidateFinder | undefined;
}

/** How the bytes of lines are searched: for those that are wanted, or, where that cannot be told, all of them. */
interface BytesSearch {
  readonly isQuick: boolean;
  readonly finder: () => CandidateFinder | undefined;
}

/** How the bytes are searched for the first text that may stand anywhere; undefined where the question has none. */
function bytesSearch({ texts }: ScanQuestion): BytesSearch | undefined {
  const criteria = texts.find(({ content }) => content === undefined);
  if (!criteria) return undefined;
  const wanted = prefilterFor(criteria) ?? patternLines(criteria);
  // Where nothing else is asked for, the bytes of a line prove what they tell.
  const proof = () => (texts.length === 1 ? contentSearchFor(criteria) : undefined);
  return { isQuick: wanted !== undefined, finder: () => wanted && new CandidateFinder(wanted, proof()) };
}

/** Finds the lines that have a text without which a pattern matches nothing; undefined where none is known. */
function patternLines({ text }: TextCriteria): LineFilter | undefined {
  const texts = text instanceof RegExp ? rawTextsOfPattern(text) : undefined;
  return texts && linesWithAny(texts);
}

/** Tests the texts of a record with a time limit, because this thread, which all panels share, must not be ended. */
function hasText(record: ReadRecord, { test, isRisky }: TextSearch): boolean {
  const isMatch = () => test((part) => (part === 'all' ? allTextOf(record) : contentTextOf(record)));
  if (!isRisky) return isMatch();
  let isFound = false;
  if (!endsWithin(MAX_TEXT_TEST_MS, () => void (isFound = isMatch()))) throw new Error(PATTERN_TOO_SLOW);
  return isFound;
}

/** A record in which something may be found. */
interface Candidate {
  readonly position: number;
  /** With its whole texts; undefined where the bytes of its line prove that it has what is looked for. */
  readonly record: ReadRecord | undefined;
}

/** The result of one step. */
interface CandidateStep {
  readonly candidates: readonly Candidate[];
  /** All positions before this one were looked at. */
  readonly scanned: number;
}

/**
 * Reads the records of a conversation from a position on and up to another, a few megabytes per step: those that a finder
 * names, or all. Ends early when the signal is aborted. `kept`: what is kept of its lines.
 */
export async function* candidateRecords(
  { paths, index }: { readonly paths: ConversationPaths; readonly index: LineIndex },
  finder: CandidateFinder | undefined,
  { from, to }: Stretch,
  signal: AbortSignal,
  kept?: StoredFilter,
): AsyncGenerator<CandidateStep, void, undefined> {
  // What is found is made of copies, so the bytes of the next run may take the place of these.
  const room = { bytes: Buffer.alloc(0) };
  for await (const run of readRuns(paths, index, Math.min(from, to), to, room)) {
    const candidates: Candidate[] = [];
    const { lines, proved } = finder?.in(run, kept?.oddIn(run)) ?? allOf(run);
    for (const [next, at] of lines.entries()) {
      const position = run.first + at;
      if (position < from) continue;
      if (signal.aborted) return;
      const isProved = proved[next] === 1;
      const record = isProved ? undefined : await restoredRecord(recordIn(run, at, paths.id), paths);
      candidates.push({ position, record });
    }
    yield { candidates, scanned: Math.max(from, run.first + run.spans.length) };
  }
}

function allOf({ spans }: LineRun): Candidates {
  return { lines: [...spans.keys()], proved: new Uint8Array(spans.length) };
}
