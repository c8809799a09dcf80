import { lstatSync, readdirSync, type Stats, closeSync, fstatSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import { messageOf } from '../../core/text.js';
import { readPlainFileSync, UnsafePathError, openPlainFileSync } from '../../node/plainFile.js';
import type { Log } from '../../core/ports/log.js';
import type { SessionLocation } from '../../page/protocol/search.js';
import { withKnown, type SessionFacts, type SessionInfo } from '../../query/language/sessionFacts.js';
import { sessionFacts } from '../../query/language/sessionFactsBuilder.js';
import { segmentOf, type ConversationPaths } from '../../store/files/storePaths.js';
import type { SessionIdentities } from '../../query/numbers/ownership.js';
import type { LocatedNote } from '../../core/note.js';
import type { Transcript } from '../../core/ports/transcript.js';
import { locatedNotes, locateNotes } from '../../query/notes/locateNotes.js';
import { withKept, type KeptSession, type KeptSessions } from '../../store/notes/keptSessions.js';
import { keyOfConversation } from '../../core/sessionKey.js';
import { hasNotes, readNotes } from '../../store/notes/noteFile.js';
import { isSameFile, onlyGrew, type FileStamp } from '../../store/read/fileStamp.js';
import { firstHeader, isBeingWritten } from '../../store/read/journalLines.js';
import { FollowedLines } from '../../store/read/followedLines.js';
import { readSource } from '../../store/read/sourceTable.js';
import { StoredTranscript, type RecordSource } from '../../store/read/storedTranscript.js';
import type { ColumnCache } from '../columns/columnCache.js';
import { ColumnFacts } from '../columns/columnFacts.js';
import { SessionReader, type MarkedPrices, type ReadSession, textsOf } from '../columns/readSession.js';
import { parseSearchFile, saveSearchFile } from '../stored/columns/searchFile.js';
import { bytesOfColumns, type SessionColumns } from '../stored/columns/sessionColumns.js';
import { ToldIdentities, type OpenSession, type Session } from './session.js';
import type { JournalFinder } from './journalFinder.js';
import { type RawText, searchesFor } from '../bytes/rawText.js';
import type { Event } from '../../core/event.js';
import type { LineIndex } from '../../store/read/lineIndex.js';
import { LINE_FEED, LineRoom } from '../../node/lines.js';
import { readRoom, ROOM_BYTES } from '../../node/readRoom.js';
import { gramsText } from '../../query/language/grams.js';
import { readHeader } from '../../store/format/journalHeader.js';
import { readRecord } from '../../store/format/readRecord.js';
import { refsOf } from '../../store/format/spillTexts.js';

/** A line that is longer is not read for this. */
const MAX_LINE_BYTES = 128 * 1024 * 1024;
/** In so many lines a text may stand where it is none of a message before the journal is read for it. */
const MAX_VAIN_LINES = 200;

/**
 * Whether one of some texts stands in the texts of a journal's file, or whether that cannot be told without reading it.
 * Bytes are looked through, and only lines in which it may stand are parsed. Throws errors of the file system.
 */
export function mayStandIn(path: string, texts: readonly RawText[]): boolean {
  const searches = searchesFor(texts);
  let vain = 0;
  /** Whether a text stands on one of the lines that some bytes consist of. */
  const isIn = (bytes: Buffer): boolean => {
    for (const search of searches) {
      const next = search.over(bytes);
      for (let at = next(0); at >= 0;) {
        const from = at === 0 ? 0 : bytes.lastIndexOf(LINE_FEED, at - 1) + 1;
        const newline = bytes.indexOf(LINE_FEED, at);
        const to = newline < 0 ? bytes.length : newline;
        if (++vain > MAX_VAIN_LINES || standsOn(bytes.subarray(from, to), texts)) return true;
        at = to < bytes.length ? next(to + 1) : -1;
      }
    }
    return false;
  };
  return eachPiece(path, isIn);
}

/** Whether `isIn` holds for some of a file's lines, which it is given in pieces; true where a line is too long to be given. */
function eachPiece(path: string, isIn: (lines: Buffer) => boolean): boolean {
  const file = openPlainFileSync(path);
  try {
    const { size } = fstatSync(file);
    // A longer line is looked through whole.
    const room = new LineRoom(readRoom(Math.max(1, Math.min(size, ROOM_BYTES))));
    for (let at = 0; at < size;) {
      if (room.waiting >= MAX_LINE_BYTES) return true;
      const free = room.free();
      const read = readSync(file, free, 0, Math.min(free.length, size - at), at);
      at = read === 0 ? size : at + read;
      const lines = room.lines(read, at === size);
      if (lines.length > 0 && isIn(lines)) return true;
    }
    return false;
  } finally {
    closeSync(file);
  }
}

/** Whether one of some texts stands in the texts of the record on a line, or in some that the line only refers to. */
function standsOn(line: Buffer, wanted: readonly RawText[]): boolean {
  const record = readRecord(line, '', 0);
  // That there is a damaged line is told once the journal is read.
  if (record.type === 'unreadable') return readHeader(line) === undefined;
  if (refsOf(record).length > 0) return true;
  return textsOf(record).some((text) =>
    wanted.some((each) =>
      each.ignoresCase ? gramsText(text).includes(each.text.toLowerCase()) : text.includes(each.text),
    ),
  );
}

/** The records of a conversation whose lines are known, as they were then. */
class FixedSource implements RecordSource {
  readonly damaged = [];
  readonly onDidGrow: Event<void> = () => ({ dispose: () => undefined });

  constructor(readonly index: LineIndex) {}

  get length(): number {
    return this.index.size;
  }

  peek(): readonly [] {
    return [];
  }
}

const NO_ERROR = { throwIfNoEntry: false } as const;

/** How long after its change a folder may have changed again without another time, in milliseconds. */
const SAME_TIME_MS = 2_000;

/** Whether a folder that was changed at a time cannot have changed again without another time. */
export function isSettled(mtimeMs: number): boolean {
  return Date.now() - mtimeMs > SAME_TIME_MS;
}

/** The sessions that were opened with some facts, for as long as these are in memory. */
const opened = new WeakMap<ColumnFacts, OpenSession>();

/** What a session of the store needs. */
export interface StoredSessionOptions {
  readonly readOnly: boolean;
  readonly log: Log;
  readonly cache: ColumnCache;
  /** Whether each session is asked but once, so that nothing that is read of it is kept for the next question. */
  readonly isAskedOnce?: boolean;
  /** What a person keeps about sessions of tools, which their conversations here have, too. */
  readonly keptSessions?: KeptSessions | undefined;
  /** How many bytes of journals of which nothing is kept may still be read for a text that is looked for; left out: none. */
  readonly ahead?: { bytes: number };
  /** Left out, journals are looked through one by one. */
  readonly finder?: JournalFinder | undefined;
}

/** A conversation of a store, asked by the columns beside its journal as far as these are of its lines. */
export class StoredSession implements Session {
  readonly place: SessionLocation;
  readonly order: string;
  readonly #paths: ConversationPaths;
  readonly #options: StoredSessionOptions;
  /** Whether there was something that is kept of it when its folder was listed last. */
  #hasKept = false;
  /** The segments of its journal, and how its folder was when they were listed. */
  #listed: { readonly segments: readonly number[]; readonly mtimeMs: number } | undefined;
  /** The files of its journal that the columns in memory are of. */
  #stamps: readonly FileStamp[] = [];
  readonly #identities = new ToldIdentities();
  /** Whether it was recorded here, so that nobody else tells of it. */
  #isOwn = false;
  /** The path of its first segment, which nearly every session has only. */
  readonly #first: string;

  constructor(paths: ConversationPaths, options: StoredSessionOptions) {
    this.place = { kind: 'stored', root: paths.root, conversation: paths.id };
    // The names of our own begin with the time.
    this.order = paths.name;
    this.#paths = paths;
    this.#first = paths.segment(0);
    this.#options = options;
  }

  known({ mark }: MarkedPrices, needsCosts: boolean): OpenSession | undefined | Promise<OpenSession> {
    const facts = this.#factsNow();
    const hasOtherPrices = facts?.head.prices !== mark;
    if (!facts || (needsCosts && hasOtherPrices)) return undefined;
    return facts.head.isOpen ? this.#openNow(facts, hasOtherPrices) : this.#open(facts, hasOtherPrices);
  }

  async mayHave(texts: readonly RawText[]): Promise<boolean> {
    // They were listed when it was asked what is known; of most journals nothing more is to be told than that they have none.
    const segments = this.#listed?.segments ?? this.#segments();
    if (segments.length === 0) return true;
    const bytes = () => this.#stampsNow().reduce((sum, { size }) => sum + size, 0);
    const { ahead } = this.#options;
    if (ahead && !this.#hasKept && ahead.bytes > 0) {
      ahead.bytes -= bytes();
      return true;
    }
    const found = await this.#options.finder?.among(texts, bytes);
    const journals = segments.map((segment) => this.#paths.segment(segment));
    return journals.some((path) => found?.has(path) !== false && mayStandIn(path, texts));
  }

  async hasNotes(): Promise<boolean> {
    return (await hasNotes(this.#paths)) || ((await this.#keptHere())?.notes.length ?? 0) > 0;
  }

  async notes(transcript: Transcript): Promise<readonly LocatedNote[]> {
    const notes = withKept((await readNotes(this.#paths)).notes, await this.#keptHere());
    return locatedNotes(notes, await locateNotes(notes, transcript));
  }

  /** What is kept about the session that it was made of; its journal is asked for that only where anything is kept. */
  async #keptHere(): Promise<KeptSession | undefined> {
    const { keptSessions } = this.#options;
    if (!keptSessions || (await keptSessions.all()).length === 0) return undefined;
    const source = (await firstHeader(this.#paths))?.source;
    return await keptSessions.of(keyOfConversation(this.#paths.id, source));
  }

  async identities(
    prices: MarkedPrices,
    signal: AbortSignal | undefined,
  ): Promise<SessionIdentities | undefined> {
    // A conversation that was recorded here stays one.
    if (this.#isOwn) return undefined;
    const facts = this.#factsNow();
    if (facts) return this.#identitiesIn(facts);
    this.#isOwn = (await firstHeader(this.#paths))?.source === undefined;
    if (this.#isOwn) return undefined;
    this.#identities.forget();
    await this.read(prices, signal);
    return this.#identities.last;
  }

  knownIdentities(): Promise<SessionIdentities | undefined> {
    const facts = this.#factsNow();
    return Promise.resolve(facts && this.#identitiesIn(facts));
  }

  #identitiesIn(facts: ColumnFacts): SessionIdentities | undefined {
    this.#isOwn = facts.head.source === null;
    return this.#identities.of(facts, this.place);
  }

  async read(prices: MarkedPrices, signal: AbortSignal | undefined): Promise<OpenSession> {
    // Those of before it is read, so that what is written meanwhile is noticed at the next question.
    const stamps = this.#stampsNow();
    if (stamps.length === 0) return await this.#readOlder(prices);
    const { lines, facts, isOpen, columns } = await this.#readOn(stamps, prices, signal);
    const kept = columns && this.#keep(stamps, columns);
    if (columns && kept) await this.#save(stamps, columns);
    const live = isOpen && (await isBeingWritten(this.#paths));
    const { log } = this.#options;
    const transcript = () => new StoredTranscript(this.#paths, new FollowedLines(lines, log));
    const known = { ...facts, info: { ...facts.info, live }, ...(kept && { recordKinds: kept.recordKinds }) };
    return { facts: known, about: aboutIn(known), damaged: lines.damaged.length, transcript };
  }

  /** Reads its journal, only what has come since where that is all that has changed. */
  async #readOn(
    stamps: readonly FileStamp[],
    prices: MarkedPrices,
    signal: AbortSignal | undefined,
  ): Promise<ReadSession> {
    const { cache, isAskedOnce = false } = this.#options;
    if (isAskedOnce) return await new SessionReader(this.#paths, prices, 'nothing').read(signal);
    const { readers } = cache;
    const before = readers.get(this);
    // Nobody else goes on with a reader meanwhile, and one that fails is not gone on with.
    readers.delete(this);
    const known = before?.mark === prices.mark && onlyGrew(stamps, before.stamps) ? before.reader : undefined;
    const goesOn = known?.isInStep === true;
    const reader = goesOn ? known : new SessionReader(this.#paths, prices);
    const read = await reader.read(signal);
    // One that is at work, or has grown since it was known, will grow again.
    if (read.isOpen || this.#stamps.length > 0) readers.set(this, { reader, stamps, mark: prices.mark });
    return read;
  }

  /** To be called when it is gone. */
  forget(): void {
    this.#options.cache.readers.delete(this);
    this.#options.cache.delete(this);
  }

  /** A conversation of the older layout, which is read whole each time. */
  async #readOlder({ prices }: MarkedPrices): Promise<OpenSession> {
    const source = await readSource(this.#paths, this.#options.log, true);
    const transcript = new StoredTranscript(this.#paths, source);
    const records = await transcript.read(0, transcript.length);
    const facts = sessionFacts(records, { session: this.#paths.id }, prices);
    return {
      facts,
      about: aboutIn(facts),
      damaged: records.filter(({ type }) => type === 'unreadable').length,
      transcript: () => transcript,
    };
  }

  async #openNow(facts: ColumnFacts, hasOtherPrices: boolean): Promise<OpenSession> {
    const live = await isBeingWritten(this.#paths);
    return this.#open(live === (facts.info.live ?? false) ? facts : facts.with({ live }), hasOtherPrices);
  }

  #open(facts: ColumnFacts, hasOtherPrices: boolean): OpenSession {
    const before = opened.get(facts);
    if (before?.hasOtherPrices === hasOtherPrices) return before;
    const open = { ...this.#opening(facts), hasOtherPrices };
    opened.set(facts, open);
    return open;
  }

  #opening(facts: ColumnFacts): OpenSession {
    const transcript = () => new StoredTranscript(this.#paths, new FixedSource(facts.lineIndex()));
    const about = (info: Partial<SessionInfo>) => facts.with(info);
    return { facts, about, damaged: facts.head.damaged, oddLines: facts.oddLines, transcript };
  }

  /** What is known of its lines as they are now. */
  #factsNow(): ColumnFacts | undefined {
    const cached = this.#options.cache.get(this);
    if (cached && this.#isUnchanged()) return cached;
    const stamps = this.#stampsNow();
    return stamps.length === 0 ? undefined : this.#loaded(stamps);
  }

  /** Whether the files of its journal are those that the columns in memory are of. */
  #isUnchanged(): boolean {
    const segments = this.#segments();
    return (
      segments.length === this.#stamps.length &&
      this.#stamps.every((then, at) => {
        if (segments[at] !== then.segment) return false;
        const entry = this.#entry(then.segment);
        return entry?.size === then.size && entry.mtimeMs === then.mtimeMs && entry.ino === then.ino;
      })
    );
  }

  #loaded(stamps: readonly FileStamp[]): ColumnFacts | undefined {
    if (!this.#hasKept) return undefined;
    try {
      const bytes = readPlainFileSync(this.#paths.search);
      const file = bytes && parseSearchFile(bytes);
      const isSame =
        file?.stamps.length === stamps.length && stamps.every((now, at) => isSameFile(now, file.stamps[at]));
      return isSame ? this.#keep(stamps, file.columns) : undefined;
    } catch (error) {
      this.#options.log.debug(`What is kept of ${this.#paths.id} cannot be used: ${messageOf(error)}`);
      return undefined;
    }
  }

  #keep(stamps: readonly FileStamp[], columns: SessionColumns): ColumnFacts | undefined {
    const { cache } = this.#options;
    const { source, project, toolSession } = columns.head;
    const info = {
      session: this.#paths.id,
      source: source ?? undefined,
      project: project ?? undefined,
      toolSession: toolSession ?? undefined,
    };
    const facts = ColumnFacts.over(columns, info, cache.recordKinds);
    if (!facts) return undefined;
    this.#stamps = stamps;
    this.#identitiesIn(facts);
    cache.set(this, facts, bytesOfColumns(columns));
    return facts;
  }

  async #save(stamps: readonly FileStamp[], columns: SessionColumns): Promise<void> {
    const { readOnly, log } = this.#options;
    if (readOnly) return;
    // Only a cache: without it, the journal is read again.
    await saveSearchFile(this.#paths.search, { stamps, columns }).catch((error: unknown) =>
      log.debug(`What ${this.#paths.id} is searched by could not be kept: ${messageOf(error)}`),
    );
  }

  /** The files of its journal as they are now; none for a conversation of the older layout. Throws errors of the file system. */
  #stampsNow(): FileStamp[] {
    const stamps: FileStamp[] = [];
    for (const segment of this.#segments()) {
      const entry = this.#entry(segment);
      if (!entry) continue;
      const { size, mtimeMs, ino } = entry;
      stamps.push({ segment, size, mtimeMs, ino, covered: size });
    }
    return stamps;
  }

  #entry(segment: number): Stats | undefined {
    const path = segment === 0 ? this.#first : this.#paths.segment(segment);
    const entry = lstatSync(path, NO_ERROR);
    if (entry && !entry.isFile()) throw new UnsafePathError(path);
    return entry;
  }

  #segments(): readonly number[] {
    const { folder } = this.#paths;
    const { mtimeMs } = lstatSync(folder);
    if (this.#listed?.mtimeMs === mtimeMs) return this.#listed.segments;
    const entries = readdirSync(folder);
    this.#hasKept = entries.includes(basename(this.#paths.search));
    const segments = entries
      .map(segmentOf)
      .filter((segment) => segment !== undefined)
      .sort((a, b) => a - b);
    this.#listed = isSettled(mtimeMs) ? { segments, mtimeMs } : undefined;
    return segments;
  }
}

/** Gathered facts with what else is known. */
function aboutIn(facts: SessionFacts): OpenSession['about'] {
  return (info) => ({ ...facts, info: withKnown(facts.info, info) });
}
