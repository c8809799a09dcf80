import type { Cell, Row, DatabaseReader } from '../../node/sqlite/databaseReader.js';
import { MAX_VALUE_BYTES, textIn } from '../../node/sqlite/databaseReader.js';
import { parsed, time, type Fields } from '../reading/fields.js';
import type { CachedValue, CachedValues } from './cachedValues.js';

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
  /** What a list shows of a session in the database at a path; undefined where there is none of this id. */
  about(database: DatabaseReader, id: string, path: string): SessionInList | undefined;
  /** The folder in which a session was held; undefined where it is not told. */
  workspace(database: DatabaseReader, id: string, path: string): string | undefined;
  /** All that a session, and those that it started, say; none where there is none of this id. What is `kept` is not read again. */
  read(database: DatabaseReader, id: string, kept: CachedValues, path: string): SessionValues;
}

/**
 * Of rows with an `id`, a `parent` and when it was `changed`: the sessions with these times that stand under no other. One whose
 * parent is gone is one by itself.
 */
export function withoutStarted(rows: Iterable<Row>): ReadonlyMap<string, number> {
  const all = [...rows];
  const known = new Set(all.map(({ id }) => id));
  const found = new Map<string, number>();
  for (const { id, parent, changed } of all)
    if (typeof id === 'string' && (parent === null || parent === '' || !known.has(parent ?? null)))
      found.set(id, changedAt(changed));
  return found;
}

/** A time in a column, as a number or a text that SQLite or a program wrote in UTC, in milliseconds since 1970; 0 where it is none. */
export function changedAt(cell: Cell | undefined): number {
  const told = typeof cell === 'bigint' ? Number(cell) : (textIn(cell) ?? cell);
  return timeInColumn(told) ?? 0;
}

/** The same of a value; undefined where it is none. */
export function timeInColumn(value: unknown): number | undefined {
  const isZoneless = typeof value === 'string' && /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d+)?$/.test(value);
  return time(isZoneless ? `${value.replace(' ', 'T')}Z` : value);
}

/** How many rows are read one by one; of more, all are. */
const MAX_ONE_BY_ONE = 50;

/** A row that holds a value, as far as it is known without reading that. */
export interface StampedRow {
  /** The only one with this id. */
  readonly id: string;
  /** See `CachedValues`. */
  readonly stamp: string;
}

/**
 * The values of rows, by their ids: those that are kept, and others as `read` gives them, of one row or of all. What `read` tells
 * of a row stands among `problems`.
 */
export function valuesOfRows(
  rows: readonly StampedRow[],
  nameOf: (id: string) => string,
  kept: CachedValues,
  read: (only?: string) => Iterable<readonly [id: string, CachedValue]>,
  tell: (problem: string) => void,
): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown>();
  const missing = new Map<string, string>();
  const take = (id: string, { value, problems }: CachedValue) => {
    found.set(id, value);
    for (const problem of problems) tell(problem);
  };
  for (const { id, stamp } of rows) {
    const known = kept.find(nameOf(id), stamp);
    if (known) take(id, known);
    else missing.set(id, stamp);
  }
  const asked = missing.size > MAX_ONE_BY_ONE ? [undefined] : missing.keys();
  for (const only of asked) {
    for (const [id, value] of read(only)) {
      const stamp = missing.get(id);
      if (stamp === undefined) continue;
      kept.keep(nameOf(id), stamp, value);
      take(id, value);
    }
  }
  return found;
}

/** What a row that was selected by `bounded` holds. */
export function keptValueOf(row: Row, column: string): CachedValue {
  const problems: string[] = [];
  const value = jsonOf(row, column, (problem) => problems.push(problem));
  return { value, problems, bytes: Number(row.bytes) };
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

/** The rows of a table for which a condition holds, as JSON holds them. */
export function rowsOf(database: DatabaseReader, table: string, where: string, value: string): Fields[] {
  const columns = [...(database.columnsOf(table) ?? [])].map(quoted).join(', ');
  return Array.from(database.rows(`SELECT ${columns} FROM ${table} WHERE ${where}`, value), plain);
}

/** A name as SQL takes it. */
export function quoted(column: string): string {
  return `"${column.replaceAll('"', '""')}"`;
}

/** A row as JSON holds it, without what it leaves empty. */
export function plain(row: Row): Fields {
  return Object.fromEntries(
    Object.entries(row).flatMap(([key, cell]) => {
      if (cell === null) return [];
      return [[key, typeof cell === 'bigint' ? Number(cell) : (textIn(cell) ?? cell)]];
    }),
  );
}
