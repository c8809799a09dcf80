import { rmdir } from 'node:fs/promises';
import type { Clock } from '../../core/clock.js';
import type { Log } from '../../core/ports/log.js';
import type { CatalogEntry, ConversationSource } from '../../core/ports/transcript.js';
import type { LiveConversation } from '../catalog/catalog.js';
import type { CatalogRow } from '../catalog/catalogCache.js';
import { ConversationJournal } from './conversationJournal.js';
import type { ProcessLock } from '../../node/processLock.js';
import { lockConversation } from './conversationLock.js';
import {
  addToStored,
  copyOfSummary,
  emptyStored,
  entryOf,
  type StoredSummary,
} from '../catalog/conversationSummary.js';
import { JournalFiles } from './journalFiles.js';
import type { JournalLimits } from './journalOptions.js';
import { LineIndex } from '../read/lineIndex.js';
import { LiveRecords } from '../read/liveRecords.js';
import { makeFolder } from '../../node/plainFile.js';
import { JournalLines, segmentsIn } from '../read/journalLines.js';
import { stampsOf } from '../read/fileStamp.js';
import type { Repair, ResumedConversation } from './resumeConversation.js';
import { names, type ConversationPaths } from '../files/storePaths.js';
import type { StoreProblem } from './storeProblem.js';
import { makeRoot } from '../files/storeRoot.js';

/** What an open conversation needs, and whom it notifies. */
export interface OpenConversationOptions {
  readonly paths: ConversationPaths;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: Partial<JournalLimits> | undefined;
  readonly segmentBytes: number | undefined;
  readonly seals: boolean | undefined;
  onProblem(problem: StoreProblem): void;
  onSolved(problem: StoreProblem): void;
  /** Called after a record was taken. */
  onChanged(): void;
  /** Called when nothing more will be written, before the lock is released. */
  onClosing(conversation: OpenConversation): Promise<void>;
}

/** A conversation that this process writes: its journal, its records so far and its catalog entry. */
export class OpenConversation implements LiveConversation {
  readonly paths: ConversationPaths;
  readonly live: LiveRecords;
  readonly journal: ConversationJournal;
  readonly summary: StoredSummary;
  /** Where the conversation was imported from. */
  readonly #source: ConversationSource | undefined;
  readonly #files: JournalFiles;
  /** The size of the files that are no longer written. */
  readonly #otherBytes: number;

  constructor(options: OpenConversationOptions, resumed?: Partial<ResumedConversation>, row?: CatalogRow) {
    const { paths, clock, log, segmentBytes, seals } = options;
    const last = resumed?.last;
    this.paths = paths;
    this.#source = row?.source;
    this.summary = row ? copyOfSummary(row.summary) : emptyStored();
    const others = row?.stamps.filter(({ segment }) => !last?.file || segment !== last.segment) ?? [];
    this.#otherBytes = others.reduce((sum, { size }) => sum + size, 0);
    this.live = new LiveRecords(resumed?.lines?.index ?? new LineIndex(), (error) =>
      log.error('A listener of a transcript failed', error),
    );
    this.#files = new JournalFiles(
      { paths, created: clock.now(), segmentBytes, seals, log },
      last,
      wordsOf(resumed?.repair),
    );
    this.journal = new ConversationJournal({
      ...options,
      files: this.#files,
      live: this.live,
      lock: resumed?.lock,
      acquire: () => acquire(paths),
      onAccepted: (record) => {
        addToStored(this.summary, record);
        options.onChanged();
      },
      onClosing: () => options.onClosing(this),
      onClosed: () => this.#removeEmptyFolder(),
    });
  }

  get name(): string {
    return this.paths.name;
  }

  entry(): CatalogEntry {
    return entryOf(this.summary, {
      conversation: this.paths.id,
      damaged: this.live.index.damagedCount,
      bytes: this.#otherBytes + (this.#files.end?.start ?? 0),
      live: true,
      source: this.#source,
    });
  }

  /** The lines in the files, once nothing more will be written. */
  async lines(): Promise<JournalLines> {
    const stamps = await stampsOf(this.paths);
    const states = stamps.map(({ segment, size }) => ({
      segment,
      covered: size,
      lines: undefined,
      rest: 0,
      header: undefined,
    }));
    return new JournalLines(this.paths, this.live.index, states);
  }

  /** The final row for the catalog; undefined where something could not be written. */
  async row(): Promise<CatalogRow | undefined> {
    if (this.live.waiting > 0 || !this.#files.end || this.journal.hasLost) return undefined;
    const stamps = (await stampsOf(this.paths)).map((stamp) => ({ ...stamp, covered: stamp.size }));
    return {
      conversation: this.paths.id,
      stamps,
      damaged: this.live.index.damagedCount,
      maxSeq: this.live.index.maxSeq,
      source: this.#source,
      summary: this.summary,
    };
  }

  /** A conversation without records leaves no folder behind. */
  async #removeEmptyFolder(): Promise<void> {
    if (this.#files.end || this.live.length > 0) return;
    // Fails where the folder is not empty, and then it is to stay.
    await rmdir(this.paths.folder).catch(() => undefined);
  }
}

/** What was done to the end of a journal, for its seal; undefined for nothing that is missing now. */
function wordsOf(repair: Repair | undefined): string | undefined {
  return repair?.kind === 'quarantined'
    ? `cut: ${repair.bytes} bytes of a line that was not whole`
    : undefined;
}

/** Another process has the conversation, or it exists already. */
export class TakenError extends Error {}

/** Acquires the lock of a conversation, creating its folder if needed. Throws a `TakenError` or a file-system error. */
async function acquire(paths: ConversationPaths): Promise<ProcessLock> {
  await makeRoot(paths.root);
  await makeFolder(paths.root, names.conversations, paths.name);
  const acquired = await lockConversation(paths);
  if ('refused' in acquired) throw new TakenError(acquired.refused);
  return acquired.lock;
}

/** Acquires the lock of a conversation that must not have a journal yet; otherwise like `acquire`. */
export async function acquireNew(paths: ConversationPaths): Promise<ProcessLock> {
  const lock = await acquire(paths);
  if ((await segmentsIn(paths)).length === 0) return lock;
  await lock.release();
  throw new TakenError('Its journal is there already.');
}
