import type { Event } from '../core/event.js';
import type { LogRecord, UnknownRecord } from '../core/record.js';

/** A record as it is read back: of a known type, or of one that a later version wrote. */
export type ReadRecord = LogRecord | UnknownRecord;

/** A line of a journal that could not be read; kept aside, counted and shown, never hiding others. */
export interface DamagedLine {
  /** Where the line starts, in bytes. */
  readonly offset: number;
  readonly bytes: number;
  readonly why: string;
}

/**
 * A readable sequence of records: live, stored or imported. Every view, query and export reads one of these
 * and nothing else. Positions count from 0 and are stable: records are only ever added at the end.
 */
export interface Transcript {
  readonly conversation: string;
  /** How many records can be read now. */
  readonly length: number;
  readonly damaged: readonly DamagedLine[];
  /** Fired after `length` grew. */
  readonly onDidGrow: Event<void>;
  /** The records from `start` up to, not including, `end`; fewer where there are fewer. */
  read(start: number, end: number): Promise<readonly ReadRecord[]>;
  /** The exact content behind a spill reference, or undefined where it is missing or does not match its hash. */
  readSpill(path: string): Promise<string | undefined>;
  /** Ends the reading; once is enough, and again does nothing. */
  close(): Promise<void>;
}

/** The state of a conversation as the catalog knows it. */
export type ConversationState =
  'running' | 'waiting' | 'done' | 'failed' | 'cancelled' | 'limited' | 'interrupted';

/** What is listed of a conversation without opening it. A cache: rebuilt from the journal, never believed over it. */
export interface CatalogEntry {
  readonly conversation: string;
  readonly title: string;
  readonly agents: readonly string[];
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly messages: number;
  readonly runs: number;
  readonly tokens: number;
  readonly tokensEstimated: boolean;
  readonly state: ConversationState;
  readonly scripted: boolean;
  /** Lines that could not be read. */
  readonly damaged: number;
  readonly bytes: number;
}
