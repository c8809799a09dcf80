import { stat } from 'node:fs/promises';
import { forEachAtOnce } from '../../core/forEachAtOnce.js';
import { pathInDatabase, sessionInDatabase } from '../../core/sessionInDatabase.js';
import { messageOf } from '../../core/text.js';
import { aboutSessionsIn, sessionsInDatabase, workspacesIn } from '../../import/sessionDatabases.js';
import { LifeReader, signOfEnd, type Life } from '../../import/tools/life.js';
import type { KnownSession } from '../../import/databases/toolDatabase.js';
import type { SessionAbout } from './sessionAbout.js';
import type { SessionFile, Walk } from './sessionWalk.js';

/** How many databases are asked at once. */
const AT_ONCE = 2;

/** What is known of a database since it was read last. */
interface Listed {
  readonly stamp: string;
  readonly sessions: ReadonlyMap<string, number>;
  readonly known: Map<string, KnownSession>;
}

/** The sessions in the databases of a tool; each database is read again only when it, or its log, was written to. */
export class DatabaseSessions {
  readonly #listed = new Map<string, Listed>();

  /** What a walk found, with the sessions that databases hold in place of these. */
  async expand({ files, problems, leftAlone }: Walk): Promise<Walk> {
    const found: SessionFile[] = [];
    const told = [...problems];
    const databases = files.filter(({ path }) => isDatabase(path));
    for (const path of this.#listed.keys())
      if (!databases.some((file) => file.path === path)) this.#listed.delete(path);
    for (const file of files) {
      if (!isDatabase(file.path)) found.push(file);
      else
        for (const [session, changed] of await this.#sessionsIn(file.path, told))
          found.push({
            path: pathInDatabase({ database: file.path, session }),
            // What each of them takes of the database is not told.
            bytes: 0,
            // Of one that does not say when, no more is known than when the database was written to.
            changed: changed === 0 ? file.changed : changed,
            workspaceKey: undefined,
          });
    }
    return { files: found, problems: told, leftAlone };
  }

  async #sessionsIn(path: string, problems: string[]): Promise<ReadonlyMap<string, number>> {
    const stamp = await stampOf(path);
    const before = this.#listed.get(path);
    if (before?.stamp === stamp) return before.sessions;
    const known = before?.known ?? new Map<string, KnownSession>();
    try {
      const listed = await sessionsInDatabase(path, known);
      const sessions = new Map([...listed].filter(([id]) => isNamed(path, id)));
      this.#listed.set(path, { stamp, sessions, known });
      return sessions;
    } catch (error) {
      problems.push(`${path} cannot be read: ${messageOf(error)}`);
      // What was listed before stays: it may only be written to just now.
      return before?.sessions ?? new Map<string, number>();
    }
  }
}

/** What a list shows of the sessions in databases that paths name; undefined for what cannot be read. */
export async function aboutInDatabases(paths: readonly string[]): Promise<ReadonlyMap<string, SessionAbout>> {
  const found = await eachDatabase(paths, aboutSessionsIn);
  return new Map(
    Array.from(found, ([path, about]) => [
      path,
      {
        ...about,
        title: about.title ?? '',
        isEstimated: false,
        life: lifeOf(about.end),
      } satisfies SessionAbout,
    ]),
  );
}

/** What the last word in a database says of what its session does: there an answer stands when it is whole. */
function lifeOf(end: SessionAbout['end']): Life | undefined {
  const reader = new LifeReader();
  if (end !== undefined) reader.take(end === 'answer' ? { kind: 'finish' } : signOfEnd(end));
  return reader.life;
}

/** The folders in which the sessions in databases that paths name were held, as far as they tell. */
export function workspacesInDatabases(paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
  return eachDatabase(paths, workspacesIn);
}

/** Asks each database once about its sessions; the answers by their paths. */
async function eachDatabase<T>(
  paths: readonly string[],
  ask: (database: string, ids: readonly string[]) => Promise<ReadonlyMap<string, T>>,
): Promise<ReadonlyMap<string, T>> {
  const ids = new Map<string, string[]>();
  for (const path of paths) {
    const { database, session } = sessionInDatabase(path) ?? {};
    if (database === undefined || session === undefined) continue;
    const known = ids.get(database);
    if (known) known.push(session);
    else ids.set(database, [session]);
  }
  const found = new Map<string, T>();
  await forEachAtOnce(ids, AT_ONCE, async ([database, sessions]) => {
    // Why it cannot be read was told when it was listed.
    const told = await ask(database, sessions).catch(() => new Map<string, T>());
    for (const [session, each] of told) found.set(pathInDatabase({ database, session }), each);
  });
  return found;
}

/** Whether a file is called like a database of sessions: a path behind it would name a session in it. */
function isDatabase(path: string): boolean {
  return isNamed(path, 'session');
}

/** Whether the path of a session in a database is understood as that. */
function isNamed(database: string, session: string): boolean {
  return sessionInDatabase(pathInDatabase({ database, session }))?.database === database;
}

async function stampOf(path: string): Promise<string> {
  const stamps = await Promise.all([path, `${path}-wal`].map((each) => stat(each).catch(() => undefined)));
  return stamps.map((each) => `${each?.ino ?? 0} ${each?.size ?? -1} ${each?.mtimeMs ?? 0}`).join(', ');
}
