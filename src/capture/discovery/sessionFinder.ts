import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { forEachAtOnce } from '../../core/forEachAtOnce.js';
import { isObject } from '../../core/message.js';
import { sessionInDatabase } from '../../core/sessionInDatabase.js';
import { messageOf } from '../../core/text.js';
import { aboutInDatabases, DatabaseSessions, workspacesInDatabases } from './databaseSessions.js';
import { aboutSession, workspaceOfSession, type SessionAbout } from './sessionAbout.js';
import { toolHome, type ToolId } from '../../import/toolHomes.js';
import { StateFinder, type StatedSession } from './stateFinder.js';
import type { Machine } from '../../import/tools/home.js';
import { headOf } from '../../import/tools/tool.js';
import { SessionWalk, type SessionFile } from './sessionWalk.js';

/** A tool that a person allowed, with further folders of its sessions from the settings. */
export interface ToolRequest {
  readonly id: ToolId;
  readonly folders: readonly string[];
}

/** What has changed among the sessions of a tool since they were looked for last. */
export interface ToolChange {
  readonly id: ToolId;
  /** New ones, and those that were written to. */
  readonly written: readonly SessionFile[];
  /** The paths of those that are gone. */
  readonly gone: readonly string[];
  /** What could not be looked at, in words. */
  readonly problems: readonly string[];
  /** What was left alone on purpose, in words: nothing is lost by it. */
  readonly leftAlone: readonly string[];
}

/** How many sessions are read at once. */
const AT_ONCE = 16;
/** How much of a file that names a folder is read: a longer one is no such file. */
const MAX_NAMING = 64 * 1024;

/** What is known of a tool's sessions. */
interface CachedSessions {
  readonly walk: SessionWalk;
  readonly databases: DatabaseSessions;
  readonly sessions: Map<string, SessionFile>;
  /** By session, or by the name that stands for a workspace. */
  readonly workspaces: Map<string, string>;
  /** The files of those that consist of several, by the path of the one that is listed. */
  readonly parts: Map<string, readonly string[]>;
}

/** Finds the sessions of tools, and reads as much of them as rows of a list need. It only reads. */
export class SessionFinder {
  readonly #machine: Machine;
  readonly #known = new Map<ToolId, CachedSessions>();
  readonly #states: StateFinder;

  constructor(machine: Machine) {
    this.#machine = machine;
    this.#states = new StateFinder(machine, (id, paths) => this.about(id, paths));
  }

  /**
   * What has changed since the same tools were looked at last; the first time, all. With `since`, those that were not
   * written to since then, in milliseconds since 1970, are taken for unchanged. A tool that is not asked for is forgotten.
   */
  async changes(requests: readonly ToolRequest[], since = 0): Promise<readonly ToolChange[]> {
    for (const id of Array.from(this.#known.keys()))
      if (!requests.some((request) => request.id === id)) this.#known.delete(id);
    const found: ToolChange[] = [];
    for (const request of requests) found.push(await this.#changesOf(request, since));
    return found;
  }

  /** What the sessions of the same tools do at a time, in milliseconds since 1970, as far as they may be live. */
  states(now: number): Promise<readonly StatedSession[]> {
    return this.#states.states(
      Array.from(this.#known, ([id, { sessions, parts }]) => ({ id, sessions, parts })),
      now,
    );
  }

  /** The folder in which each of the sessions was held; undefined where none is told. Reads each but once. */
  async workspaces(id: ToolId, paths: readonly string[]): Promise<readonly (string | undefined)[]> {
    const known = this.#known.get(id);
    if (!known) return paths.map(() => undefined);
    const { sessions, workspaces } = known;
    const keyOf = (path: string) => {
      const key = sessions.get(path)?.workspaceKey;
      return key === undefined ? path : join(folderOfKey(path, key));
    };
    const byKey = new Map<string, string>();
    for (const path of paths) if (!byKey.has(keyOf(path))) byKey.set(keyOf(path), path);
    const asked = [...byKey].filter(([key]) => !workspaces.has(key));
    const inDatabases = asked.flatMap(([, path]) => (sessionInDatabase(path) ? [path] : []));
    for (const [path, folder] of await workspacesInDatabases(inDatabases)) workspaces.set(path, folder);
    const unknown = asked.filter(([, path]) => !sessionInDatabase(path));
    await forEachAtOnce(unknown, AT_ONCE, async ([key, path]) => {
      const isKeyed = key !== path;
      const named = (isKeyed ? await folderNamedIn(key) : undefined) ?? (await this.#named(id, path));
      // What names none yet may do so later, once its first line is written.
      if (named !== undefined) workspaces.set(key, named);
    });
    return paths.map((path) => workspaces.get(keyOf(path)));
  }

  /** What each of the sessions tells; undefined where it cannot be read. */
  async about(id: ToolId, paths: readonly string[]): Promise<readonly (SessionAbout | undefined)[]> {
    const found = new Map(await aboutInDatabases(paths));
    const files = paths.filter((path) => !sessionInDatabase(path));
    const parts = this.#known.get(id)?.parts;
    await forEachAtOnce(files, AT_ONCE, async (path) => {
      const about = await aboutSession(id, path, parts?.get(path)).catch(() => undefined);
      if (about) found.set(path, about);
    });
    return paths.map((path) => found.get(path));
  }

  async #changesOf({ id, folders }: ToolRequest, since: number): Promise<ToolChange> {
    const known = this.#known.get(id) ?? {
      walk: new SessionWalk(),
      databases: new DatabaseSessions(),
      sessions: new Map(),
      workspaces: new Map(),
      parts: new Map(),
    };
    this.#known.set(id, known);
    try {
      const home = toolHome(id);
      const named = (await home.foldersNamed?.(this.#machine)) ?? [];
      const locations = home.places(this.#machine, [...folders, ...named]);
      const walked = await known.walk.walk(locations, since);
      const { files, problems, leftAlone } = await known.databases.expand(walked);
      return { id, ...changed(known.sessions, onceEach(id, files, known.parts)), problems, leftAlone };
    } catch (error) {
      return { id, written: [], gone: [], problems: [messageOf(error)], leftAlone: [] };
    }
  }

  async #named(id: ToolId, path: string): Promise<string | undefined> {
    return workspaceOfSession(id, path).catch(() => undefined);
  }
}

/** Notes what was found; gives what is new in it, and what is gone. */
function changed(
  sessions: Map<string, SessionFile>,
  files: readonly SessionFile[],
): Pick<ToolChange, 'written' | 'gone'> {
  const written = files.filter((file) => {
    const before = sessions.get(file.path);
    return before?.changed !== file.changed || before.bytes !== file.bytes;
  });
  const paths = new Set(files.map(({ path }) => path));
  const gone = [...sessions.keys()].filter((path) => !paths.has(path));
  for (const path of gone) sessions.delete(path);
  for (const file of written) sessions.set(file.path, file);
  return { written, gone };
}

/** Each session once, as its tool says which files are of one; with the time of its latest file, and what all take. */
function onceEach(
  id: ToolId,
  files: readonly SessionFile[],
  parts: Map<string, readonly string[]>,
): readonly SessionFile[] {
  const { sessionOf, partsOf } = toolHome(id);
  if (!sessionOf) return files;
  const bySession = new Map<string, SessionFile[]>();
  for (const file of files) {
    const key = sessionOf(file.path);
    const known = bySession.get(key);
    if (known) known.push(file);
    else bySession.set(key, [file]);
  }
  parts.clear();
  const found: SessionFile[] = [];
  for (const of of bySession.values()) {
    const [first] = of;
    const told =
      of.length > 1
        ? partsOf?.(
            of.map(({ path }) => path),
            headOf,
          )
        : undefined;
    const listed = told ? of.find(({ path }) => path === told.path) : first;
    if (!listed) continue;
    const all = of.filter(({ path }) => told?.parts.includes(path));
    if (all.length < 2) found.push(listed);
    else {
      parts.set(listed.path, told?.parts ?? []);
      const bytes = all.reduce((sum, each) => sum + each.bytes, 0);
      found.push({
        ...listed,
        bytes,
        changed: all.reduce((latest, each) => Math.max(latest, each.changed), 0),
      });
    }
  }
  return found;
}

/** The path of the folder called `key` on the way to a session. */
function folderOfKey(path: string, key: string): string {
  for (let at = dirname(path); dirname(at) !== at; at = dirname(at))
    if (at.slice(dirname(at).length).replace(/^[\\/]+/, '') === key) return at;
  return dirname(path);
}

/** The folder that a file beside the sessions names: VS Code's and Gemini CLI's do. */
async function folderNamedIn(folder: string): Promise<string | undefined> {
  const root = (await shortText(join(folder, '.project_root')))?.trim();
  if (root) return root;
  const about = await shortText(join(folder, 'workspace.json'));
  if (about === undefined) return undefined;
  try {
    const value = JSON.parse(about) as unknown;
    const { folder: one, workspace, configuration } = isObject(value) ? value : {};
    const uri = [one, workspace, configuration].find((each) => typeof each === 'string');
    if (typeof uri !== 'string') return undefined;
    return uri.startsWith('file:') ? fileURLToPath(uri) : decodeURIComponent(uri);
  } catch {
    // It is none of VS Code's: the sessions say where they were held, or nothing does.
    return undefined;
  }
}

async function shortText(path: string): Promise<string | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  return text !== undefined && text.length <= MAX_NAMING ? text : undefined;
}
