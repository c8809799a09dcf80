import type { Clock } from '../core/clock.js';
import type { Log } from '../ports/log.js';
import type { JournalLimits } from './journal/journalOptions.js';
import type { StoreProblem } from './storeProblem.js';

/** What a store is opened with. */
export interface LogbookStoreOptions {
  /** The absolute path of the store's folder, usually `.agent-logbook` in a workspace folder. */
  readonly root: string;
  readonly log: Log;
  readonly clock?: Clock;
  /** Nothing is written, caches included. */
  readonly readOnly?: boolean;
  readonly limits?: Partial<JournalLimits>;
  /** A journal goes on in a new file when one has grown to this; 1 GiB unless given. */
  readonly segmentBytes?: number;
  /** The bundle of `scan.worker.ts`; where the build puts it unless given. */
  readonly scanScript?: URL;
  /** A person must know; told at once, and once for each kind and conversation. */
  readonly onProblem: (problem: StoreProblem) => void;
  /** What was told is over: everything is written. */
  readonly onSolved?: (problem: StoreProblem) => void;
}
