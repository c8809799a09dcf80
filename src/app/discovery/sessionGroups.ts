import { basename } from 'node:path';
import type { ToolId } from '../../import/toolHomes.js';
import type { SessionFile } from '../../capture/discovery/sessionWalk.js';
import { liveIn, type ListedTool } from './sessionDiscovery.js';

/** How many sessions of a workspace are shown at once, until more are asked for. */
export const SESSIONS_AT_ONCE = 100;

/** A tool in the list of sessions. */
export interface ToolRow {
  readonly kind: 'tool';
  readonly id: ToolId;
  readonly name: string;
  readonly count: number;
  /** How many are being written to. */
  readonly live: number;
  readonly problems: readonly string[];
  /** Whether no other tool is listed. */
  readonly isAlone: boolean;
}

/** The sessions of a tool that were held in one folder. */
export interface WorkspaceRow {
  readonly kind: 'workspace';
  readonly id: ToolId;
  /** The folder; '' where sessions do not name theirs. */
  readonly folder: string;
  /** What it is listed as: the end of the folder's path. */
  readonly label: string;
  /** Newest first. */
  readonly sessions: readonly SessionFile[];
  readonly live: number;
}

/** A session. */
export interface SessionRow {
  readonly kind: 'session';
  readonly id: ToolId;
  readonly file: SessionFile;
}

/** Shows more sessions of a workspace. */
export interface MoreRow {
  readonly kind: 'more';
  readonly of: WorkspaceRow;
  readonly left: number;
}

/** A row of the list of sessions. */
export type SessionsRow = ToolRow | WorkspaceRow | SessionRow | MoreRow;

/** What is asked for the rows. */
export interface SessionSource {
  tools(): Promise<readonly ListedTool[]>;
  workspaces(id: ToolId, paths: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/** The rows of the list of sessions: tools, their workspaces, and in each the newest sessions, as far as they are looked at. */
export class SessionRows {
  readonly #source: SessionSource;
  /** How many sessions of a workspace are shown, where more were asked for. */
  readonly #shown = new Map<string, number>();

  constructor(source: SessionSource) {
    this.#source = source;
  }

  /** The tools that have sessions or problems, those with the newest session first. */
  async tools(now: number): Promise<readonly ToolRow[]> {
    const found = (await this.#source.tools()).filter(
      ({ sessions, problems }) => sessions.size > 0 || problems.length > 0,
    );
    const newest = new Map(found.map((tool) => [tool, newestOf(tool.sessions.values())]));
    return found
      .toSorted((a, b) => (newest.get(b) ?? 0) - (newest.get(a) ?? 0))
      .map(({ id, name, sessions, problems }) => ({
        kind: 'tool',
        id,
        name,
        count: sessions.size,
        problems,
        live: liveIn(sessions.values(), now),
        isAlone: found.length === 1,
      }));
  }

  /** The workspaces of a tool, those with the newest session first. Reads the beginnings of its sessions where these name them. */
  async workspaces({ id }: Pick<ToolRow, 'id'>, now: number): Promise<readonly WorkspaceRow[]> {
    const tool = (await this.#source.tools()).find((each) => each.id === id);
    if (!tool) return [];
    const sessions = [...tool.sessions.values()].sort((a, b) => b.changed - a.changed);
    const folders = await this.#source.workspaces(
      id,
      sessions.map(({ path }) => path),
    );
    const groups = new Map<string, SessionFile[]>();
    for (const file of sessions) {
      const folder = folders.get(file.path) ?? '';
      const group = groups.get(folder);
      if (group) group.push(file);
      else groups.set(folder, [file]);
    }
    const labels = labelsOf([...groups.keys()]);
    return Array.from(groups, ([folder, files]) => ({
      kind: 'workspace',
      id,
      folder,
      sessions: files,
      label: labels.get(folder) ?? folder,
      live: liveIn(files, now),
    }));
  }

  /** The newest sessions of a workspace, and a row for more of them. */
  sessions(of: WorkspaceRow): readonly (SessionRow | MoreRow)[] {
    const shown = this.#shown.get(keyOf(of)) ?? SESSIONS_AT_ONCE;
    const rows: (SessionRow | MoreRow)[] = of.sessions
      .slice(0, shown)
      .map((file) => ({ kind: 'session', id: of.id, file }));
    const left = of.sessions.length - rows.length;
    if (left > 0) rows.push({ kind: 'more', of, left });
    return rows;
  }

  /** Shows more sessions of a workspace from now on. */
  showMore(of: WorkspaceRow): void {
    this.#shown.set(keyOf(of), (this.#shown.get(keyOf(of)) ?? SESSIONS_AT_ONCE) + SESSIONS_AT_ONCE);
  }
}

function keyOf({ id, folder }: WorkspaceRow): string {
  return `${id} ${folder}`;
}

function newestOf(files: Iterable<SessionFile>): number {
  let newest = 0;
  for (const { changed } of files) newest = Math.max(newest, changed);
  return newest;
}

/** The names of folders, with as much of their paths as tells them apart. */
function labelsOf(folders: readonly string[]): ReadonlyMap<string, string> {
  const counts = new Map<string, number>();
  const nameOf = (folder: string) => basename(folder.replace(/\\/g, '/')) || folder;
  for (const folder of folders) counts.set(nameOf(folder), (counts.get(nameOf(folder)) ?? 0) + 1);
  return new Map(
    folders.map((folder) => {
      const name = nameOf(folder);
      return [folder, (counts.get(name) ?? 0) > 1 ? folder : name] as const;
    }),
  );
}
