import type { Database } from 'node-sqlite3-wasm';
import { messageOf } from '../../core/text.js';

/** The most rows that are taken of one database, and how much they may hold together, in characters. */
const MAX_ROWS = 2_000_000;
const MAX_READ = 512 * 1024 * 1024;

/** The longest value that is taken, in bytes. */
export const MAX_VALUE_BYTES = 64 * 1024 * 1024;

/** A value of a row. */
export type Cell = string | number | bigint | Uint8Array | null;

/** A row, by the names of its columns. */
export type Row = Readonly<Record<string, Cell>>;

/** What cannot be read of a database, in words for a person. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
}

/** Asks an open database, which nobody vouches for: what it takes is bounded, and nothing in it is run. */
export class DatabaseReader {
  readonly #database: Database;
  readonly #columns = new Map<string, ReadonlySet<string> | undefined>();
  #rows = 0;
  #read = 0;

  /** @internal The published types name no package: `readDatabase` makes these. */
  constructor(database: Database) {
    this.#database = database;
    // Whatever a schema brings along, a view, a trigger, a function in an index, is not trusted.
    for (const pragma of ['trusted_schema=OFF', 'query_only=ON', 'cell_size_check=ON'])
      this.#try(() => database.get(`PRAGMA ${pragma}`));
  }

  /**
   * The columns of a table; undefined where there is none. Throws a `DatabaseError` where what has its name computes what it
   * shows: a view, a virtual table, a table with generated columns.
   */
  columnsOf(table: string): ReadonlySet<string> | undefined {
    if (!this.#columns.has(table)) this.#columns.set(table, this.#lookAt(table));
    return this.#columns.get(table);
  }

  /** Whether there is a table with these columns. Throws as `columnsOf` does. */
  has(table: string, columns: readonly string[]): boolean {
    const found = this.columnsOf(table);
    return found !== undefined && columns.every((column) => found.has(column));
  }

  /**
   * The rows that a statement gives, of tables that `columnsOf` has looked at. Throws a `DatabaseError` where they cannot be
   * read, and where they are more than a database of sessions holds.
   */
  *rows(sql: string, ...values: readonly (string | number)[]): Generator<Row> {
    const statement = this.#try(() => this.#database.prepare(sql));
    try {
      const found = this.#try(() => statement.iterate([...values]));
      for (;;) {
        const next = this.#try(() => found.next());
        if (next.done === true) return;
        this.#count(next.value as Row);
        yield next.value as Row;
      }
    } finally {
      // It tells once more what went wrong.
      this.#try(() => statement.finalize());
    }
  }

  #lookAt(table: string): ReadonlySet<string> | undefined {
    const [about] = this.rows('SELECT type, rootpage, sql FROM sqlite_schema WHERE name = ?', table);
    if (!about) return undefined;
    const isVirtual = /^\s*create\s+virtual\b/i.test(String(about.sql));
    const columns = [...this.rows('SELECT name, hidden FROM pragma_table_xinfo(?)', table)];
    if (about.type !== 'table' || isVirtual || columns.some(({ hidden }) => hidden !== 0))
      throw new DatabaseError(`${table} is no plain table in this database; what it computes is not read.`);
    return new Set(columns.map(({ name }) => String(name)));
  }

  #count(row: Row): void {
    this.#rows++;
    for (const value of Object.values(row))
      if (typeof value === 'string' || value instanceof Uint8Array) this.#read += value.length;
    if (this.#rows > MAX_ROWS) throw new DatabaseError('It holds more rows than are read at once.');
    if (this.#read > MAX_READ) throw new DatabaseError('It holds more than is read at once, 512 MiB.');
  }

  #try<T>(step: () => T): T {
    try {
      return step();
    } catch (error) {
      throw new DatabaseError(`SQLite says: ${messageOf(error).replace(/\.$/, '')}.`);
    }
  }
}

/** The text of a cell, which some tools write as bytes; undefined where it is none. */
export function textIn(cell: Cell | undefined): string | undefined {
  if (cell instanceof Uint8Array) return new TextDecoder().decode(cell);
  return typeof cell === 'string' ? cell : undefined;
}
