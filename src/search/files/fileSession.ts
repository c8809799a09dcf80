import { lstatSync } from 'node:fs';
import { projectOf } from '../../import/projectOf.js';
import { sessionInDatabase } from '../../core/sessionInDatabase.js';
import type { LocatedNote } from '../../core/note.js';
import { TimeSlices } from '../../core/yieldToEventLoop.js';
import type { Event } from '../../core/event.js';
import type { ReadRecord, Transcript } from '../../core/ports/transcript.js';
import { locatedNotes, locateNotes } from '../../query/notes/locateNotes.js';
import type { KeptSessions } from '../../store/notes/keptSessions.js';
import type { SessionLocation } from '../../page/protocol/search.js';
import { IdentityGatherer, type SessionIdentities } from '../../query/numbers/ownership.js';
import { SessionFactsBuilder, sessionFacts } from '../../query/language/sessionFactsBuilder.js';
import { titleOf } from '../../store/catalog/conversationSummary.js';
import { LineIndex } from '../../store/read/lineIndex.js';
import { isSameFile, type FileStamp } from '../../store/read/fileStamp.js';
import type { ColumnCache } from '../columns/columnCache.js';
import { ColumnFacts } from '../columns/columnFacts.js';
import { GramFilterBuilder } from '../stored/columns/gramFilter.js';
import { textsOf, type MarkedPrices } from '../columns/readSession.js';
import { bytesOfColumns, columnsOf } from '../stored/columns/sessionColumns.js';
import {
  ToldIdentities,
  type OpenSession,
  type SearchedTranscript,
  type Session,
} from '../sessions/session.js';
import type { CachedImports } from './cachedImports.js';
import type { CachedFiles } from './cachedFiles.js';

/** How long the records of a file are gone through before messages are taken, in milliseconds. */
const SLICE_MS = 8;

/** A file of another tool that is asked where it is. */
export interface SearchedFile {
  /** Absolute. */
  readonly path: string;
  /** When it was last written to, in milliseconds since 1970. */
  readonly changed: number;
  /** The formats in which the tool whose folder it is in writes sessions; left out, it may be of any. */
  readonly sources?: readonly string[];
  /** Whether an agent is at work in it now, as far as that is known. */
  readonly isLive?: boolean;
}

/** What the sessions of files share. */
export interface FileSessionOptions {
  readonly imports: CachedImports;
  readonly cache: ColumnCache;
  /** What a person keeps about sessions of tools. */
  readonly keptSessions?: KeptSessions | undefined;
  /** Keeps what is known on the disk; left out: it is gone with the thread. */
  readonly kept?: CachedFiles | undefined;
}

/**
 * A conversation of another tool's file, which is read in place. What is known of it without its texts is kept, so that
 * the next question reads the file again only where something may be found.
 */
export class FileSession implements Session {
  readonly place: SessionLocation;
  readonly #options: FileSessionOptions;
  #file: SearchedFile;
  readonly #at: number;
  #stamp: FileStamp | undefined;
  #next: FileSession | undefined;
  readonly #identities = new ToldIdentities();

  /** `at`: which of the conversations of the file, from 0. */
  constructor(file: SearchedFile, at: number, options: FileSessionOptions) {
    this.place = { kind: 'file', root: file.path, conversation: String(at) };
    this.#options = options;
    this.#file = file;
    this.#at = at;
  }

  get order(): string {
    return orderOf(this.#file.changed);
  }

  get sources(): readonly string[] | undefined {
    return this.#file.sources;
  }

  get file(): SearchedFile {
    return this.#file;
  }

  /** The same file as it is found now. */
  set file(file: SearchedFile) {
    this.#file = file;
    if (this.#next) this.#next.file = file;
  }

  get next(): FileSession | undefined {
    return this.#next;
  }

  known({ mark }: MarkedPrices, needsCosts: boolean): Promise<OpenSession | undefined> {
    const facts = this.#factsNow();
    const isKnown = facts && !(needsCosts && facts.head.prices !== mark);
    return Promise.resolve(isKnown ? this.#open(facts, mark) : undefined);
  }

  /** Its bytes are of a format of their own. */
  mayHave(): Promise<boolean> {
    return Promise.resolve(true);
  }

  /** Which sessions a file holds is known once it was read: before, its path tells, which names most sessions. */
  async hasNotes(): Promise<boolean> {
    const { path } = this.#file;
    const all = (await this.#options.keptSessions?.all()) ?? [];
    return all.some((kept) => kept.notes.length > 0 && (kept.path === path || path.includes(kept.session)));
  }

  async notes(transcript: Transcript): Promise<readonly LocatedNote[]> {
    const { session, source = '' } = this.#factsNow()?.info ?? {};
    const kept = session && (await this.#options.keptSessions?.of({ tool: source, session }));
    return kept ? locatedNotes(kept.notes, await locateNotes(kept.notes, transcript)) : [];
  }

  async identities(
    prices: MarkedPrices,
    signal: AbortSignal | undefined,
  ): Promise<SessionIdentities | undefined> {
    const facts = this.#factsNow();
    if (facts) return this.#identities.of(facts, this.place);
    this.#identities.forget();
    await this.read(prices, signal);
    return this.#identities.last;
  }

  async read({ prices, mark }: MarkedPrices, signal: AbortSignal | undefined): Promise<OpenSession> {
    const stamp = this.#stampNow();
    const { imports, cache } = this.#options;
    const file = await imports.open(this.#file.path, signal);
    try {
      const isLast = this.#at + 1 >= file.conversations.length;
      this.#next = isLast
        ? undefined
        : (this.#next ?? new FileSession(this.#file, this.#at + 1, this.#options));
      const conversation = file.conversations[this.#at];
      if (!conversation) return this.#nothing(file.losses);
      const { id, title, records } = conversation;
      const builder = new SessionFactsBuilder(prices);
      const grams = new GramFilterBuilder();
      const identities = new IdentityGatherer({ tool: file.format, session: id });
      const slices = new TimeSlices(SLICE_MS);
      for (const record of records) {
        builder.add(record);
        identities.add(record);
        grams.add(textsOf(record));
        await slices.whenOver();
        signal?.throwIfAborted();
      }
      const about = { source: file.format, project: projectOf(records) };
      const from = { tool: file.format, session: id, path: this.#file.path, title };
      const info = {
        session: id,
        ...about,
        title: titleOf(builder.title, from),
      };
      const facts = builder.finish(info);
      const columns = columnsOf(facts, new LineIndex(), {
        source: about.source,
        project: about.project ?? null,
        // It is the session's own.
        toolSession: null,
        isOpen: builder.isOpen,
        // What of the file could not be understood is told once, with its first conversation.
        damaged: this.#at === 0 ? file.losses : 0,
        prices: mark,
        blocks: grams.blocks(),
        identities: identities.columns(),
        odd: null,
      });
      const kept = ColumnFacts.over(columns, info, cache.recordKinds);
      if (!kept) throw new Error('What was read of it does not fit together.');
      this.#keep(kept, stamp, bytesOfColumns(columns));
      // One that an agent is at work in is another in a moment.
      if (this.#file.isLive !== true)
        await this.#options.kept?.save(this.place, { stamps: [stamp], columns }, id, !isLast);
      return this.#open(kept, mark);
    } finally {
      file.release();
    }
  }

  /** To be called when it is gone. */
  forget(): void {
    this.#options.cache.delete(this);
    this.#next?.forget();
  }

  /** What is known of it as its file is now. */
  #factsNow(): ColumnFacts | undefined {
    const { cache, kept } = this.#options;
    const now = this.#stampNow();
    if (this.#stamp && isSameFile(now, this.#stamp)) {
      const facts = cache.get(this);
      if (facts) return facts;
    }
    const found = kept?.load(this.place, now);
    if (!found) return undefined;
    const { columns, file } = found;
    const { source, project } = columns.head;
    const info = { session: file.session, source: source ?? undefined, project: project ?? undefined };
    const facts = ColumnFacts.over(columns, info, cache.recordKinds);
    if (!facts) return undefined;
    if (file.hasNext) this.#next ??= new FileSession(this.#file, this.#at + 1, this.#options);
    else this.#next = undefined;
    this.#keep(facts, now, bytesOfColumns(columns));
    return facts;
  }

  #keep(facts: ColumnFacts, stamp: FileStamp, bytes: number): void {
    this.#stamp = stamp;
    this.#identities.of(facts, this.place);
    this.#options.cache.set(this, facts, bytes);
  }

  #open(facts: ColumnFacts, mark: string): OpenSession {
    const transcript = () => new LocatedTranscript(this.place, facts.head.records, this.#options.imports);
    const { isLive: live = false } = this.#file;
    const now = live === (facts.info.live ?? false) ? facts : facts.with({ live });
    return {
      facts: now,
      damaged: facts.head.damaged,
      transcript,
      hasOtherPrices: facts.head.prices !== mark,
      about: (info) => now.with(info),
    };
  }

  /** Nothing is said in the file, as in one that was only just begun. */
  #nothing(damaged: number): OpenSession {
    const facts = sessionFacts([], { session: this.#file.path }, undefined);
    return {
      facts,
      about: () => facts,
      damaged,
      transcript: () => new LocatedTranscript(this.place, 0, this.#options.imports),
    };
  }

  /** Throws errors of the file system. */
  #stampNow(): FileStamp {
    const { path, changed } = this.#file;
    // When others in its database were written to does not concern it.
    if (sessionInDatabase(path)) return { segment: 0, size: 0, mtimeMs: changed, ino: 0, covered: 0 };
    const { size, mtimeMs, ino } = lstatSync(path);
    return { segment: 0, size, mtimeMs, ino, covered: size };
  }
}

/** The records of a conversation of a file, as they are when they are read. */
export class LocatedTranscript implements SearchedTranscript {
  readonly damaged = [];
  readonly onDidGrow: Event<void> = () => ({ dispose: () => undefined });

  readonly conversation: string;
  readonly length: number;
  readonly #open: () => ReturnType<CachedImports['open']>;
  readonly #at: number;

  constructor({ root, conversation }: SessionLocation, length: number, imports: CachedImports) {
    this.conversation = conversation;
    this.length = length;
    this.#at = Number(conversation);
    this.#open = () => imports.open(root);
  }

  async read(start: number, end: number): Promise<readonly ReadRecord[]> {
    const file = await this.#open();
    try {
      return (
        file.conversations[this.#at]?.records.slice(Math.max(0, start), Math.min(end, this.length)) ?? []
      );
    } finally {
      file.release();
    }
  }

  /** Imported records hold all of their texts. */
  readSpill(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** A time as the names of our own conversations have it, so that both sort together. */
function orderOf(time: number): string {
  return new Date(time)
    .toISOString()
    .replace(/[-:]/g, '')
    .replace('T', '-')
    .slice(0, '20261121-093015'.length);
}
