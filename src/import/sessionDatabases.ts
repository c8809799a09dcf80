import { sessionInDatabase } from '../core/sessionInDatabase.js';
import { beginningOf } from '../node/plainFile.js';
import { beginsAsDatabase, MARK_BYTES } from '../node/sqlite/databaseMark.js';
import { DatabaseError, type DatabaseReader } from '../node/sqlite/databaseReader.js';
import { readDatabase } from '../node/sqlite/readDatabase.js';
import { cursorDatabase } from './tools/cursor/cursorDatabase.js';
import { CachedValues } from './databases/cachedValues.js';
import { copilotStore } from './tools/copilotCli/copilotStore.js';
import { copilotTraces } from './tools/vscodeChat/copilotTraces.js';
import { crushDatabase } from './tools/crush/crush.js';
import { gooseDatabase } from './tools/goose/goose.js';
import { hermesDatabase } from './tools/hermes/hermes.js';
import { kiroDatabase } from './tools/kiro/kiro.js';
import { openCodeDatabase } from './tools/openCode/openCodeDatabase.js';
import { zedDatabase } from './tools/zed/zed.js';
import type { KnownSession, SessionInList, SessionValues, ToolDatabase } from './databases/toolDatabase.js';

/** The databases that are known here. */
const databases: readonly ToolDatabase[] = [
  openCodeDatabase,
  cursorDatabase,
  gooseDatabase,
  zedDatabase,
  crushDatabase,
  kiroDatabase,
  hermesDatabase,
  copilotStore,
  copilotTraces,
];

/** What a person is told of a database of no tool that is known here, and of one that is read from elsewhere than a disk. */
export const UNKNOWN_DATABASE =
  'This is a SQLite database of no kind that is known here: those of OpenCode, Kilo Code, MiMo Code, ICodeMate, ZCode, Cursor, Goose, Zed, Crush, Kiro, Amazon Q, Hermes and Copilot are read, where they lie on a disk. Of another tool, export the session and import that file.';

/**
 * The sessions in a database, or the one that a path in it names, without reading what is `kept`; undefined where the path names neither. Rejects with a
 * `DatabaseError` where what it names cannot be read, and with errors of the file system.
 */
export async function valuesInDatabase(
  path: string,
  keptHere = () => new CachedValues(),
): Promise<SessionValues | undefined> {
  const inside = sessionInDatabase(path);
  if (!inside && !isDatabase(path)) return undefined;
  const kept = keptHere();
  const file = inside?.database ?? path;
  const found = await readDatabase(file, (database) => {
    const kind = kindOf(database);
    kept.begin();
    if (inside) {
      const found = kind.read(database, inside.session, kept, file);
      if (found.values.length === 0) throw new DatabaseError('It holds no such session any more.');
      return found;
    }
    const all = Array.from(kind.list(database, new Map()).keys(), (id) =>
      kind.read(database, id, kept, file),
    );
    return {
      values: all.flatMap(({ values }) => values),
      problems: all.flatMap(({ problems }) => problems),
    };
  });
  // Only now it is known to hold.
  kept.end();
  return found;
}

/** Whether a session in a database is the one that it was when what is `kept` was used; false where that cannot be told. */
export async function isUnchangedInDatabase(path: string, kept: CachedValues): Promise<boolean> {
  try {
    await valuesInDatabase(path, () => kept);
    return !kept.hasChanged;
  } catch {
    // Reading it tells why.
    return false;
  }
}

/** The sessions in a database, by id, with when each was written to last; see `ToolDatabase`. Rejects as above. */
export function sessionsInDatabase(
  path: string,
  known: Map<string, KnownSession>,
): Promise<ReadonlyMap<string, number>> {
  return readDatabase(path, (database) => kindOf(database).list(database, known));
}

/** What a list shows of some sessions in a database, by their ids. Rejects as above. */
export function aboutSessionsIn(
  path: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, SessionInList>> {
  return eachIn(path, ids, (kind, database, id) => kind.about(database, id, path));
}

/** The folders in which some sessions in a database were held, by their ids, as far as it tells. Rejects as above. */
export function workspacesIn(path: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  return eachIn(path, ids, (kind, database, id) => kind.workspace(database, id, path));
}

function eachIn<T>(
  path: string,
  ids: readonly string[],
  ask: (kind: ToolDatabase, database: DatabaseReader, id: string) => T | undefined,
): Promise<ReadonlyMap<string, T>> {
  return readDatabase(path, (database) => {
    const kind = kindOf(database);
    const found = new Map<string, T>();
    for (const id of ids) {
      const told = ask(kind, database, id);
      if (told !== undefined) found.set(id, told);
    }
    return found;
  });
}

function kindOf(database: DatabaseReader): ToolDatabase {
  const kind = databases.find((each) => each.is(database));
  if (!kind) throw new DatabaseError(UNKNOWN_DATABASE);
  return kind;
}

function isDatabase(path: string): boolean {
  const beginning = beginningOf(path, MARK_BYTES);
  return beginning !== undefined && beginsAsDatabase(beginning);
}
