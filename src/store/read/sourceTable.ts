import type { Disposable, Event } from '../../core/event.js';
import type { Log } from '../../core/ports/log.js';
import type { LogRecord } from '../../core/record.js';
import { FollowedLines } from './followedLines.js';
import { segmentsIn, type JournalLines } from './journalLines.js';
import { LiveFeed, type LiveFollower } from './liveFeed.js';
import type { LiveRecords } from './liveRecords.js';
import { keptLines, openLines, saveLines, type ReadLinesOnThread } from './openLines.js';
import { readLegacy } from '../format/legacyFormat.js';
import { unreadable } from '../format/readRecord.js';
import { SharedSource, type ReplaceableSource } from './sharedSource.js';
import type { ScanOnThread } from './scannedParts.js';
import type { ConversationPaths } from '../files/storePaths.js';
import { LineIndex } from './lineIndex.js';
import type { RecordSource } from './storedTranscript.js';

interface Followed {
  readonly follower: LiveFollower;
  /** Set while this process writes the conversation. */
  feed?: LiveFeed;
}

interface Slot {
  readonly opening: Promise<SharedSource>;
  /** Set once it is open. */
  source?: SharedSource;
}

/** The sources of all open transcripts, one per conversation. */
export class SourceTable {
  readonly #log: Log;
  readonly #readOnly: boolean;
  readonly #liveOf: (id: string) => LiveRecords | undefined;
  readonly #onThread: ReadLinesOnThread | undefined;
  readonly #slots = new Map<string, Slot>();
  readonly #followed = new Map<string, Set<Followed>>();

  constructor(
    log: Log,
    readOnly: boolean,
    liveOf: (id: string) => LiveRecords | undefined,
    onThread?: ReadLinesOnThread,
  ) {
    this.#onThread = onThread;
    this.#log = log;
    this.#readOnly = readOnly;
    this.#liveOf = liveOf;
  }

  /** The source of a conversation, to be released once. Rejects where there is no such conversation. */
  async take(paths: ConversationPaths): Promise<SharedSource> {
    const slot = this.#slots.get(paths.id) ?? this.#begin(paths);
    const source = await slot.opening;
    source.users++;
    return source;
  }

  release(id: string): void {
    const source = this.#slots.get(id)?.source;
    if (!source || --source.users > 0) return;
    this.#slots.delete(id);
    source.dispose();
  }

  /** To be called when this process starts writing a conversation. */
  goLive(id: string, live: LiveRecords): void {
    this.#slots.get(id)?.source?.replace(live);
    for (const followed of this.#followed.get(id) ?? []) this.#feed(followed, live);
  }

  /** Tells a follower on another thread of all that this process writes to a conversation, from now on or later. */
  follow(id: string, follower: LiveFollower): Disposable {
    const followed: Followed = { follower };
    const all = this.#followed.get(id) ?? new Set();
    this.#followed.set(id, all.add(followed));
    const live = this.#liveOf(id);
    if (live) this.#feed(followed, live);
    return {
      dispose: () => {
        followed.feed?.dispose();
        all.delete(followed);
        if (all.size === 0 && this.#followed.get(id) === all) this.#followed.delete(id);
      },
    };
  }

  #feed(followed: Followed, live: LiveRecords): void {
    followed.feed?.dispose();
    const onFailure = (error: unknown) => this.#log.warn('A transcript could not be followed.', error);
    followed.feed = new LiveFeed(live, followed.follower, onFailure);
  }

  /** To be called when this process has stopped writing a conversation; unwritten records stay readable in memory. */
  endLive(live: LiveRecords, lines: JournalLines): void {
    if (live.waiting > 0) return;
    const { id } = lines.paths;
    this.#slots.get(id)?.source?.replace(new FollowedLines(lines, this.#log));
    for (const { feed } of this.#followed.get(id) ?? []) feed?.end(lines.segments);
  }

  #begin(paths: ConversationPaths): Slot {
    const slot: Slot = { opening: this.#open(paths) };
    this.#slots.set(paths.id, slot);
    slot.opening.then(
      (source) => {
        slot.source = source;
        // Writing may have started while the files were being read.
        const live = this.#liveOf(paths.id);
        if (live) source.replace(live);
      },
      () => this.#slots.delete(paths.id),
    );
    return slot;
  }

  async #open(paths: ConversationPaths): Promise<SharedSource> {
    return new SharedSource(
      this.#liveOf(paths.id) ?? (await readSource(paths, this.#log, this.#readOnly, this.#onThread)),
      this.#log,
    );
  }
}

/**
 * The records of a conversation that nobody in this process writes, followed as others write them; unless `readOnly`,
 * the index of its lines is stored. Rejects where there is no such conversation.
 */
export async function readSource(
  paths: ConversationPaths,
  log: Log,
  readOnly: boolean,
  onThread?: ReadLinesOnThread,
): Promise<ReplaceableSource> {
  const lines = await openLines(paths, log, onThread);
  if (lines.hasGrown && !readOnly) void saveLines(lines, log);
  if (lines.segments.length === 0) return await readOlder(paths);
  const source = new FollowedLines(lines, log);
  // Whoever may write has written them.
  if (readOnly) await source.hearLastWords();
  return source;
}

/**
 * The same, of which nothing is read at once but what `RecordSource.readOn` is asked for, piece by piece; a large journal by
 * `scan` too, where it is given.
 */
export async function sourceInPieces(
  paths: ConversationPaths,
  log: Log,
  readOnly: boolean,
  scan?: ScanOnThread,
): Promise<ReplaceableSource> {
  if ((await segmentsIn(paths)).length === 0) return await readOlder(paths);
  const { lines, isUntouched } = await keptLines(paths, log);
  const save = () => {
    if (lines.hasGrown && !readOnly) void saveLines(lines, log);
  };
  return new FollowedLines(lines, log, isUntouched ? undefined : save, scan);
}

/** The records of a conversation of the older layout. */
async function readOlder(paths: ConversationPaths): Promise<ReplaceableSource> {
  const older = await readLegacy(paths);
  if (!older) throw new Error(`There is no conversation ${paths.id}.`);
  if ('records' in older) return new MemorySource(older.records as readonly LogRecord[]);
  return new MemorySource([unreadable(Buffer.alloc(0), paths.id, 0, older.why) as unknown as LogRecord]);
}

/** Records that are all in memory and never grow: a conversation of the older layout. */
class MemorySource implements RecordSource {
  readonly index = new LineIndex();
  readonly damaged = [];
  readonly onDidGrow: Event<void> = () => ({ dispose: () => undefined });
  readonly #records: readonly LogRecord[];

  constructor(records: readonly LogRecord[]) {
    this.#records = records;
  }

  get length(): number {
    return this.#records.length;
  }

  peek(start: number, end: number): readonly LogRecord[] {
    return this.#records.slice(start, end);
  }
}
