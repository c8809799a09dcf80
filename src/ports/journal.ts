import type { Event } from '../core/event.js';
import type { LogRecord } from '../core/record.js';

/** How far a journal has come. */
export interface JournalState {
  /** The highest seq handed over. */
  readonly taken: number;
  /** The highest seq that survives a power cut. */
  readonly durable: number;
  /** In words, what is wrong and what to do, while records cannot be written; they are kept and tried again. */
  readonly problem?: string;
  /** So much waits in memory that runs should stop; much more would be refused. */
  readonly full?: true;
}

/** Where the records of one conversation are kept. */
export interface Journal {
  readonly conversation: string;
  readonly state: JournalState;
  readonly onDidChange: Event<JournalState>;
  /** Queues a record; synchronous, never throws, never waits. */
  append(record: LogRecord): void;
  /** Resolves when everything appended so far is durable, or with the problem that prevents it. */
  flush(): Promise<JournalState>;
  /** Writes everything, waiting for a disk that cannot take it now; then releases the lock. Safe to call twice. */
  close(): Promise<void>;
}
