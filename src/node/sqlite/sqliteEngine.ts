import type * as sqlite from 'node-sqlite3-wasm';

/** The package, which is CommonJS: the whole of it is its default export. */
export type SqliteEngine = typeof sqlite;

let loaded: Promise<SqliteEngine> | undefined;

/**
 * SQLite itself, as WebAssembly: what a hostile database does to it stays in the memory that it was given, and it takes no
 * locks but beside the path that it was told. Loaded with the first database, in a tenth of a second. The build puts its two
 * files into a folder of their own (scripts/sqliteFiles.mjs), because each bundle would else hold a megabyte of it.
 */
export function sqliteEngine(): Promise<SqliteEngine> {
  return (loaded ??= import('node-sqlite3-wasm').then(({ default: engine }) => engine));
}
