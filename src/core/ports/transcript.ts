import type { Event } from '../event.js';
import type { LogRecord, UnknownRecord } from '../record.js';

/** A record as it is read back: of a type known here, or of one that a later version wrote. */
export type ReadRecord = LogRecord | UnknownRecord;

/** Something wrong in a journal, mostly a line that could not be read; it is counted and shown, and hides no other. */
export interface DamagedLine {
  /** The name of the file in the conversation's folder. */
  readonly file: string;
  /** The number of the line, from 1; absent where it is not known. */
  readonly line?: number;
  /** Where the line starts, in bytes. */
  readonly offset: number;
  /** How long the line is, in bytes; 0 where what is wrong is that something is missing. */
  readonly bytes: number;
  /** What is wrong with it, for a person. */
  readonly why: string;
}

/** Something wrong in a journal where it stands among the records: behind so many of them. */
export interface DamagePosition {
  readonly position: number;
  readonly line: DamagedLine;
}

/**
 * A readable sequence of records: live, stored or imported. Every view, query and export reads a transcript
 * and nothing else. Positions count from 0 and are stable: records are only ever appended.
 */
export interface Transcript {
  readonly conversation: string;
  /** How many records can be read now. */
  readonly length: number;
  /**
   * About how many records there will be once its files are read to their end, while they are not: more than `length`, which
   * grows as somebody asks for more. Else the same as `length`, as where it is left out.
   */
  readonly expected?: number;
  readonly damaged: readonly DamagedLine[];
  /**
   * The same where it stands among the records that can be read now, in order; left out where a record of its own tells of
   * it, as of a line of another tool's file.
   */
  damagePositions?(): readonly DamagePosition[];
  /** Fired after `length` grew. */
  readonly onDidGrow: Event<void>;
  /** The records from `start` up to, not including, `end`; fewer where there are fewer. */
  read(start: number, end: number): Promise<readonly ReadRecord[]>;
  /** The records at ascending positions, as far as they exist; waits for its files, on a thread that may. */
  readAt?(positions: readonly number[]): Promise<ReadonlyMap<number, ReadRecord>>;
  /** The exact content behind a spill reference; undefined where it is missing or does not match its hash. */
  readSpill(path: string): Promise<string | undefined>;
  /** Ends the reading. Idempotent. */
  close(): Promise<void>;
}

/** A part of the answer to a search in one transcript. */
export interface ScanBatch {
  /** The positions of matching records: ascending, and all greater than those of the batch before. */
  readonly positions: Uint32Array;
  /** All positions before this one are decided. */
  readonly scanned: number;
}

/** The state of a conversation as the catalog knows it. */
export type ConversationState =
  | 'running'
  | 'waiting'
  | 'done'
  | 'failed'
  | 'cancelled'
  | 'limited'
  | 'interrupted';

/** Where an imported conversation comes from; stored in the header of its journal. */
export interface ConversationSource {
  /** The tool that recorded it, as its importer names it. */
  readonly tool: string;
  /** The tool's id of the session; where it has none, the name of the file. */
  readonly session: string;
  /** The absolute path of the file; absent where it came from elsewhere. */
  readonly path?: string;
  /** The title that the tool or the first prompt gives. */
  readonly title?: string;
  /** The name of the project that its agents worked in, where the log says so. */
  readonly project?: string;
  /** From 2 on: the file had changed other than by growing, and the versions before are kept. */
  readonly version?: number;
  /** The number of the readers that read it, from 2 on, see `READER`. */
  readonly reader?: number;
}

/** A conversation as it is listed, without being opened. A cache: rebuilt from the journal, which takes precedence. */
export interface CatalogEntry {
  readonly conversation: string;
  readonly title: string;
  readonly agents: readonly string[];
  /** Milliseconds since 1970; a title that is given later is no part of it. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly messages: number;
  /** Records of every type; absent where whoever wrote this did not tell. */
  readonly records?: number;
  /** See `countRun`. */
  readonly runs: number;
  /** Whether any of them was recorded here; of an imported session, none was. */
  readonly recordedHere: boolean;
  /** As reported; where nobody reported any, estimated by the lengths of the texts. */
  readonly tokens: number;
  readonly tokensEstimated: boolean;
  readonly state: ConversationState;
  readonly scripted: boolean;
  /** The conversation that it goes on from, where it does. */
  readonly goesOnFrom?: string;
  /** Places in the journal where something is wrong. */
  readonly damaged: number;
  /** Present for imported conversations. */
  readonly origin?: ConversationSource;
  readonly bytes: number;
  /** The tool whose log it was imported from, where that is known. */
  readonly source?: string;
  /** The name of the project that its agents worked in, where the log says so. */
  readonly project?: string;
}
