import type { KnownOptions } from '../../core/checkOptions.js';
import type { Clock } from '../../core/clock.js';
import type { ReadRowOnThread } from '../catalog/readRow.js';
import type { ReadRowsOnThread } from '../catalog/readRows.js';
import type { ReadLinesOnThread } from '../read/openLines.js';
import type { ReadRecordOnThread } from '../read/readSpans.js';
import type { KeptSessions } from '../notes/keptSessions.js';
import type { Log } from '../../core/ports/log.js';
import type { JournalLimits } from './journalOptions.js';
import type { StoreProblem } from './storeProblem.js';

/** Reads whole journals on another thread, so that this one is not held up by their size or their lines. */
export interface ReadOnThread {
  readonly lines: ReadLinesOnThread;
  readonly row: ReadRowOnThread;
  readonly rows: ReadRowsOnThread;
  readonly record: ReadRecordOnThread;
}

/** The options of a store. */
export interface TranscriptStoreOptions {
  /** The absolute path of the store's folder, usually `.agent-logbook` in a workspace folder. */
  readonly root: string;
  readonly log: Log;
  readonly clock?: Clock;
  /** True: nothing is written, not even caches. */
  readonly readOnly?: boolean;
  /** Whether this thread may wait for the disk where that is faster, as that of a program which does one thing. */
  readonly mayBlock?: boolean;
  readonly limits?: Partial<JournalLimits>;
  /** The size at which a journal continues in a new file; 1 GiB by default. */
  readonly segmentBytes?: number;
  /** Whether what is written is sealed, see docs/security.md; yes by default. */
  readonly seals?: boolean;
  /** Reads journals on another thread, where that is much; by default this one reads them. */
  readonly onThread?: ReadOnThread;
  /** What a person keeps about sessions of tools, which their conversations here show, too. */
  readonly kept?: KeptSessions;
  /** Called with problems that a person must know of, at once, and once per kind and conversation. */
  readonly onProblem: (problem: StoreProblem) => void;
  /** Called when a reported problem is over: everything is written. */
  readonly onSolved?: (problem: StoreProblem) => void;
}

/** What `TranscriptStoreOptions` may hold besides the folder. */
export const storeOptionKinds: KnownOptions<Omit<TranscriptStoreOptions, 'root'>> = {
  log: 'object',
  clock: 'object',
  readOnly: 'flag',
  mayBlock: 'flag',
  limits: 'object',
  segmentBytes: 'count',
  seals: 'flag',
  onThread: 'object',
  kept: 'object',
  onProblem: 'function',
  onSolved: 'function',
};
