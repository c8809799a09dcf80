import type { Event } from '../event.js';
import type { LogRecord, PieceRecord } from '../record.js';

/** The progress of a journal. */
export interface JournalState {
  /** The highest seq that was appended. */
  readonly taken: number;
  /** The highest seq that survives a power cut. */
  readonly durable: number;
  /** What is wrong and what to do about it, while records cannot be written; they are kept and retried. */
  readonly problem?: string;
  /** Present while so much waits in memory that runs should stop; at twice as much, records are refused. */
  readonly full?: true;
}

/** Keeps the records of one conversation. */
export interface Journal {
  readonly conversation: string;
  readonly state: JournalState;
  readonly onDidChange: Event<JournalState>;
  /** Queues a record; synchronous, never throws, never waits. */
  append(record: LogRecord): void;
  /** Keeps what is being said until `append` is given the record of it; synchronous, never throws, never waits. */
  say?(piece: PieceRecord): void;
  /** Resolves when everything appended so far is durable, or with the problem that prevents it. */
  flush(): Promise<JournalState>;
  /** Writes everything, waiting while the disk cannot take it, then releases the lock. Idempotent. */
  close(): Promise<void>;
}
