import { lstatSync, readdirSync } from 'node:fs';
import { messageOf } from '../core/text.js';
import { readPlainFileSync, UnsafePathError } from '../node/plainFile.js';
import type { Log } from '../ports/log.js';
import type { SessionPlace } from '../protocol/search.js';
import { sessionFacts } from '../query/language/sessionFacts.js';
import { segmentOf, type ConversationPaths } from '../store/files/storePaths.js';
import { isSameFile, type FileStamp } from '../store/read/fileStamp.js';
import { isBeingWritten } from '../store/read/journalLines.js';
import { FixedSource } from './fixedSource.js';
import { FollowedLines } from '../store/read/followedLines.js';
import { readSource } from '../store/read/sourceTable.js';
import { StoredTranscript } from '../store/read/storedTranscript.js';
import type { ColumnCache } from './columns/columnCache.js';
import { ColumnFacts } from './columns/columnFacts.js';
import { readSession, type MarkedPrices } from './columns/readSession.js';
import { parseSearchFile, saveSearchFile } from './columns/searchFile.js';
import type { SessionColumns } from './columns/sessionColumns.js';
import type { OpenSession, Session } from './session.js';
import { mayStandIn, type RawText } from './rawText.js';

/** How long after its change a folder may have changed again without another time, in milliseconds. */
const SAME_TIME_MS = 2_000;

/** What a session of the store needs. */
export interface StoredSessionOptions {
  readonly readOnly: boolean;
  readonly log: Log;
  readonly cache: ColumnCache;
}

/** A conversation of a store, asked by the columns beside its journal as far as these are of its lines. */
export class StoredSession implements Session {
  readonly place: SessionPlace;
  readonly order: string;
  readonly #paths: ConversationPaths;
  readonly #options: StoredSessionOptions;
  /** The segments of its journal, and how its folder was when they were listed. */
  #listed: { readonly segments: readonly number[]; readonly mtimeMs: number } | undefined;
  /** The files of its journal that the columns in memory are of. */
  #stamps: readonly FileStamp[] = [];

  constructor(paths: ConversationPaths, options: StoredSessionOptions) {
    this.place = { kind: 'stored', root: paths.root, conversation: paths.id };
    // The names of our own begin with the time.
    this.order = paths.name;
    this.#paths = paths;
    this.#options = options;
  }

  async known({ mark }: MarkedPrices, needsCosts: boolean): Promise<OpenSession | undefined> {
    const stamps = this.#stampsNow();
    if (stamps.length === 0) return undefined;
    const facts = this.#cached(stamps) ?? this.#loaded(stamps);
    if (!facts || (needsCosts && facts.head.prices !== mark)) return undefined;
    const live = facts.head.isOpen && (await isBeingWritten(this.#paths));
    return this.#open(live === (facts.info.live ?? false) ? facts : facts.withLive(live));
  }

  mayHave(texts: readonly RawText[]): Promise<boolean> {
    const stamps = this.#stampsNow();
    const isThere =
      stamps.length === 0 || stamps.some(({ segment }) => mayStandIn(this.#paths.segment(segment), texts));
    return Promise.resolve(isThere);
  }

  async read(prices: MarkedPrices, signal: AbortSignal | undefined): Promise<OpenSession> {
    // Those of before it is read, so that what is written meanwhile is noticed at the next question.
    const stamps = this.#stampsNow();
    if (stamps.length === 0) return await this.#readOlder(prices);
    const { lines, facts, isOpen, columns } = await readSession(this.#paths, prices, signal);
    const kept = columns && this.#keep(stamps, columns);
    if (columns && kept) await this.#save(stamps, columns);
    const live = isOpen && (await isBeingWritten(this.#paths));
    const { log } = this.#options;
    const transcript = () => new StoredTranscript(this.#paths, new FollowedLines(lines, log));
    return {
      facts: { ...facts, info: { ...facts.info, live }, ...(kept && { shapes: kept.shapes }) },
      ...{ damaged: lines.damaged.length, transcript },
    };
  }

  /** To be called when it is gone. */
  forget(): void {
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
      damaged: records.filter(({ type }) => type === 'unreadable').length,
      transcript: () => transcript,
    };
  }

  #open(facts: ColumnFacts): OpenSession {
    const transcript = () => new StoredTranscript(this.#paths, new FixedSource(facts.lineIndex()));
    return { facts, damaged: facts.head.damaged, transcript };
  }

  #cached(stamps: readonly FileStamp[]): ColumnFacts | undefined {
    const isSame =
      stamps.length === this.#stamps.length && stamps.every((now, at) => isSameFile(now, this.#stamps[at]));
    return isSame ? this.#options.cache.get(this) : undefined;
  }

  #loaded(stamps: readonly FileStamp[]): ColumnFacts | undefined {
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
    const { source, project } = columns.head;
    const info = { session: this.#paths.id, source: source ?? undefined, project: project ?? undefined };
    const facts = ColumnFacts.over(columns, info, cache.shapes);
    if (!facts) return undefined;
    this.#stamps = stamps;
    cache.set(this, facts, sizeOf(columns));
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
    return this.#segments().flatMap((segment) => {
      const path = this.#paths.segment(segment);
      const entry = lstatSync(path, { throwIfNoEntry: false });
      if (!entry) return [];
      if (!entry.isFile()) throw new UnsafePathError(path);
      return [{ segment, size: entry.size, mtimeMs: entry.mtimeMs, ino: entry.ino, covered: entry.size }];
    });
  }

  #segments(): readonly number[] {
    const { folder } = this.#paths;
    const { mtimeMs } = lstatSync(folder);
    if (this.#listed?.mtimeMs === mtimeMs) return this.#listed.segments;
    const segments = readdirSync(folder)
      .map(segmentOf)
      .filter((segment) => segment !== undefined)
      .sort((a, b) => a - b);
    const isSettled = Date.now() - mtimeMs > SAME_TIME_MS;
    this.#listed = isSettled ? { segments, mtimeMs } : undefined;
    return segments;
  }
}

function sizeOf({ columns, blocks, spans }: SessionColumns): number {
  const cells = Object.values(columns).reduce((sum, { byteLength }) => sum + byteLength, 0);
  return blocks.reduce((sum, { bits }) => sum + bits.length, cells + spans.length + 2_000);
}
