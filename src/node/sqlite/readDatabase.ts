import { constants } from 'node:fs';
import { copyFile, link, mkdtemp, open, rm, rmdir, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type * as sqlite from 'node-sqlite3-wasm';
import { DatabaseError, DatabaseReader } from './databaseReader.js';

/** The package, which is CommonJS: the whole of it is its default export. */
type SqliteEngine = typeof sqlite;

let loaded: Promise<SqliteEngine> | undefined;

/**
 * SQLite itself, as WebAssembly: what a hostile database does to it stays in the memory that it was given, and it takes no
 * locks but beside the path that it was told. Loaded with the first database, in a tenth of a second. The build puts its two
 * files into a folder of their own (scripts/sqliteFiles.mjs), because each bundle would else hold a megabyte of it.
 */
function sqliteEngine(): Promise<SqliteEngine> {
  return (loaded ??= import('node-sqlite3-wasm').then(({ default: engine }) => engine));
}

/** The longest log of what is not in the database yet, and the longest database that is copied where no link can be made. */
const MAX_LOG_BYTES = 1024 * 1024 * 1024;
const MAX_COPY_BYTES = 1024 * 1024 * 1024;

/** How often a database is read that is written to meanwhile, and how long is waited between, in milliseconds. */
const ATTEMPTS = 6;
const PAUSE_MS = 40;

/** What a database is called where SQLite sees it. */
const LENT = 'sessions.db';

/** How the journal of a transaction begins that is under way, or was broken off. */
const HOT_JOURNAL = Buffer.from([0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]);

/**
 * Reads a database of another program, which may be writing to it, without locking it and without a copy of it: SQLite is
 * given a folder of its own, with a link to the database and a copy of its write-ahead log as it is now. What it reads holds
 * where the database itself was not written to meanwhile; else it is read again. Rejects with a `DatabaseError` where that
 * does not come to an end, or where it is no database, and with errors of the file system.
 */
export async function readDatabase<T>(path: string, read: (database: DatabaseReader) => T): Promise<T> {
  const { Database } = await sqliteEngine();
  let failure: unknown;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (attempt > 0) await pause(PAUSE_MS * attempt);
    const before = await stampOf(path);
    if (await isBeingWritten(path)) continue;
    const folder = await mkdtemp(join(tmpdir(), 'agent-logbook-db-'));
    try {
      const beside = join(folder, LENT);
      await lend(path, beside);
      const result = readAt(Database, beside, read);
      if ((await stampOf(path)) === before) return result;
      failure = undefined;
    } catch (error) {
      // Half of what is being written cannot be read either.
      if ((await stampOf(path)) === before) throw error;
      failure = error;
    } finally {
      await takeBack(folder);
    }
  }
  if (failure !== undefined) throw failure as Error;
  throw new DatabaseError(
    'It is being written to, or a transaction in it was broken off; try again when its tool has it open.',
  );
}

function readAt<T>(
  Database: SqliteEngine['Database'],
  path: string,
  read: (database: DatabaseReader) => T,
): T {
  let database;
  try {
    database = new Database(path, { readOnly: true, fileMustExist: true });
    // The index of the log is then in memory, and no file beside the database is asked for.
    database.get('PRAGMA locking_mode=EXCLUSIVE');
    return read(new DatabaseReader(database));
  } finally {
    database?.close();
  }
}

/** Lets SQLite see a database under another path, with a copy of its log beside it. */
async function lend(path: string, beside: string): Promise<void> {
  const size = await sizeOf(`${path}-wal`);
  if (size > MAX_LOG_BYTES)
    throw new DatabaseError('Its write-ahead log is longer than 1 GiB; it is not read.');
  if (size > 0) await copyFile(`${path}-wal`, `${beside}-wal`);
  const own = resolve(path);
  for (const make of [symlink, link]) {
    const isMade = await make(own, beside).then(
      () => true,
      () => false,
    );
    // Some systems allow no links to everybody, and none to another disk.
    if (isMade) return;
  }
  if ((await sizeOf(path)) > MAX_COPY_BYTES)
    throw new DatabaseError('It is longer than 1 GiB, and no link to it can be made here; it is not read.');
  await copyFile(path, beside, constants.COPYFILE_FICLONE);
}

/** Removes what SQLite was lent, by name: a link is removed, never what it leads to. */
async function takeBack(folder: string): Promise<void> {
  for (const name of [LENT, `${LENT}-wal`, `${LENT}-shm`]) await rm(join(folder, name), { force: true });
  // Where it could not even be opened, the mark that it is in use stays.
  await rmdir(join(folder, `${LENT}.lock`)).catch(() => undefined);
  await rmdir(folder);
}

/** Which content a database has, apart from its log: one that only grows changes nothing of what was read. */
async function stampOf(path: string): Promise<string> {
  const { ino, size, mtimeNs } = await stat(path, { bigint: true });
  return [ino, size, mtimeNs].join(' ');
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? 0;
}

/** Whether a transaction is under way that changes the database itself. */
async function isBeingWritten(path: string): Promise<boolean> {
  const journal = await open(`${path}-journal`).catch(() => undefined);
  if (!journal) return false;
  try {
    const { bytesRead, buffer } = await journal.read(Buffer.alloc(HOT_JOURNAL.length), 0, HOT_JOURNAL.length);
    return bytesRead === HOT_JOURNAL.length && buffer.equals(HOT_JOURNAL);
  } finally {
    await journal.close();
  }
}
