/** A session in a database that holds many. */
export interface SessionInDatabase {
  /** The path of the database's file. */
  readonly database: string;
  /** What its tool calls the session. */
  readonly session: string;
}

/** The databases of tools, by what their files are called. */
const DATABASE =
  /^(?:opencode|kilo|mimocode|icodemate)(?:-[\w.-]+)?\.db$|^db\.sqlite$|^state\.vscdb$|^data\.sqlite3$|^(?:sessions|threads|crush|state|session-store|agent-traces|traces)\.db$/;

/** A session's id, as tools make them; what is none could name anything. */
const SESSION = /^[A-Za-z0-9_$-]{1,100}$/;

/**
 * Which session in which database a path names: the way to one goes on behind its database's file, as if that were a folder,
 * so that a session has a path like any other. Undefined for a path that names a file.
 */
export function sessionInDatabase(path: string): SessionInDatabase | undefined {
  // Asked of every file there is, of which nearly none is a database.
  if (!/\.(?:db|sqlite3?|vscdb)[\\/]/.test(path)) return undefined;
  const [, database, name, session] = /^(.*?[\\/]?([^\\/]+))[\\/]([^\\/]+)$/.exec(path) ?? [];
  if (database === undefined || !DATABASE.test(name ?? '') || !SESSION.test(session ?? '')) return undefined;
  return { database, session: session ?? '' };
}

/** The path of a session in a database. */
export function pathInDatabase({ database, session }: SessionInDatabase): string {
  return `${database}${/^[A-Za-z]:\\|^\\\\/.test(database) ? '\\' : '/'}${session}`;
}

/** The file that holds what a path names: itself, or the database of the session. */
export function fileOfPath(path: string): string {
  return sessionInDatabase(path)?.database ?? path;
}
