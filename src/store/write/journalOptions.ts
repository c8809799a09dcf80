import type { KnownOptions } from '../../core/checkOptions.js';
import type { LogRecord } from '../../core/record.js';
import type { Log } from '../../core/ports/log.js';
import { BEAT_MS, type ProcessLock } from '../../node/processLock.js';
import type { JournalFiles } from './journalFiles.js';
import type { LiveRecords } from '../read/liveRecords.js';
import type { ConversationPaths } from '../files/storePaths.js';
import type { StoreProblem } from './storeProblem.js';

/** The limits of a journal. */
export interface JournalLimits {
  /**
   * How many bytes may wait in memory, while the store cannot be written, before `full` asks runs to stop; at twice as
   * many, records are refused.
   */
  readonly waitingBytes: number;
  /** How long lines may wait for their fdatasync, in milliseconds. */
  readonly syncMs: number;
  /** How long lines may wait for being written, in milliseconds, while nobody asks that they are and they are few. */
  readonly lingerMs: number;
  /** How long to wait before a failed write is retried, in milliseconds. */
  readonly retryMs: number;
  /**
   * How often a journal looks whether it still holds its lock and its file is still in place, in milliseconds. Before a write it
   * looks in any case, where it has not done so for a while.
   */
  readonly checkMs: number;
}

/** What `JournalLimits` may hold. */
export const journalLimitKinds: KnownOptions<JournalLimits> = {
  waitingBytes: 'count',
  syncMs: 'count',
  lingerMs: 'count',
  retryMs: 'count',
  checkMs: 'count',
};

/** 64 MiB waiting, written at once, a sync within 50 ms, a retry after half a second, a look with each beat of the lock. */
export const DEFAULT_JOURNAL_LIMITS: JournalLimits = {
  waitingBytes: 64 * 1024 * 1024,
  syncMs: 50,
  lingerMs: 0,
  retryMs: 500,
  checkMs: BEAT_MS,
};

/** What a conversation's journal needs, and whom it notifies. */
export interface ConversationJournalOptions {
  readonly paths: ConversationPaths;
  readonly files: JournalFiles;
  readonly live: LiveRecords;
  readonly log: Log;
  readonly limits?: Partial<JournalLimits> | undefined;
  /** Held already; otherwise it is acquired before the first write. */
  readonly lock: ProcessLock | undefined;
  readonly acquire: () => Promise<ProcessLock>;
  /** Called when a record was taken that the conversation did not have yet. */
  readonly onAccepted: (record: LogRecord) => void;
  readonly onProblem: (problem: StoreProblem) => void;
  readonly onSolved: (problem: StoreProblem) => void;
  /** Called once, when nothing more will be written, before the lock is released. */
  readonly onClosing: () => Promise<void>;
  /** Called once, after the lock was released. */
  readonly onClosed: () => Promise<void>;
}
