import type { Row, DatabaseReader } from '../../node/sqlite/databaseReader.js';
import { MAX_VALUE_BYTES, textIn } from '../../node/sqlite/databaseReader.js';
import { parsed } from '../reading/fields.js';

/** What a list shows of a session in a database; what is not told is undefined. */
export interface SessionInList {
  readonly title: string | undefined;
  /** The folder in which it was held. */
  readonly workspace: string | undefined;
  readonly agent: string | undefined;
  readonly model: string | undefined;
  readonly messages: number | undefined;
  /** What its last word is. */
  readonly end: 'answer' | 'call' | 'prompt' | 'error' | undefined;
}

/** What was read of sessions: values as a file of them would hold, and what is missing in them, in words. */
export interface SessionValues {
  readonly values: readonly unknown[];
  readonly problems: readonly string[];
  /** The paths of the files that they were read from, besides the one that names them. */
  readonly readWith?: readonly string[];
}

/** A kind of database that a tool keeps its sessions in. Every function may throw a `DatabaseError`. */
export interface ToolDatabase {
  /** Whose it is. */
  readonly of: string;
  /** Whether a database is one of this kind, by its tables. */
  is(database: DatabaseReader): boolean;
  /**
   * Its sessions, without those that others started, with when each was written to last, in milliseconds since 1970.
   * `known` is what this was told before of the same database: what has not changed since is not read again.
   */
  list(database: DatabaseReader, known: Map<string, KnownSession>): ReadonlyMap<string, number>;
  /** What a list shows of a session; undefined where there is none of this id. */
  about(database: DatabaseReader, id: string): SessionInList | undefined;
  /** The folder in which a session was held; undefined where it is not told. */
  workspace(database: DatabaseReader, id: string): string | undefined;
  /** All that a session, and those that it started, say; none where there is none of this id. */
  read(database: DatabaseReader, id: string): SessionValues;
}

/** What is remembered of a session, and by what it is known to be unchanged. */
export interface KnownSession {
  readonly stamp: string;
  /** Undefined where it is not listed. */
  readonly changed: number | undefined;
}

/** What selects a value that may be too long to be taken, and how long it is. */
export const bounded = (column: string): string =>
  `CASE WHEN octet_length(${column}) <= ${MAX_VALUE_BYTES} THEN ${column} END AS ${column}, octet_length(${column}) AS bytes`;

/** The JSON in a column that was selected by `bounded`; its text where it is none. `tell` hears of one that is too long. */
export function jsonOf(row: Row, column: string, tell: (problem: string) => void): unknown {
  const text = textIn(row[column]);
  if (text !== undefined) return parsed(text) ?? text;
  if (typeof row.bytes === 'number')
    tell(`A value of ${row.bytes.toLocaleString('en-US')} bytes was left out; it is longer than is read.`);
  return undefined;
}
