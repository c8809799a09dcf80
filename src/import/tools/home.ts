import { join } from 'node:path';
import type { BridgeFormat } from '../../core/ports/exportFormats.js';
import type { HintsOf } from './hint.js';
import type { AskedFor } from './life.js';

/** What of a machine says where tools keep their sessions. */
export interface Machine {
  readonly home: string;
  readonly platform: NodeJS.Platform;
  /** The person's environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder of this editor's own user data, which holds `workspaceStorage` and `globalStorage`; undefined without an editor. */
  readonly editorData?: string | undefined;
  /** The folder of what was recorded here; undefined where nothing is. */
  readonly recordings?: string | undefined;
  /** The folder of what hooks said; undefined where none are read. */
  readonly hooks?: string | undefined;
  /** Whether it is a container, in which processes of others are not seen. */
  readonly isContained?: boolean;
}

/** Where the sessions of a tool lie: in folders, below which each name on the way to a session's file matches a pattern. */
export interface ToolFolder {
  /** Absolute. */
  readonly folder: string;
  /** A pattern for each name below the folder, the last for the file's. */
  readonly names: readonly RegExp[];
  /**
   * Which of the names tells sessions of different workspaces apart; undefined where only the sessions say what they are of.
   */
  readonly workspaceAt: number | undefined;
}

/** Where a tool keeps its sessions, what they are about, and how it goes on with one: apart from its readers, since a list of sessions needs no more. */
export interface ToolHome<Id extends string = string> {
  readonly id: Id;
  /** What a person calls it. */
  readonly name: string;
  /** The names of the formats in which it writes the sessions of its places; left out where these may be of others. */
  readonly formats?: readonly string[];
  /** What a value of a session's file tells of the session, by the shapes that its readers read whole; left out where databases tell. */
  readonly hintOf?: HintsOf;
  /**
   * What tells that it waits for a yes to a call; left out where nobody knows. `hook`: one that can be installed here;
   * `untold`: one that cannot; `never`: it asks for none.
   */
  readonly approvals?: 'record' | 'registry' | 'hook' | 'untold' | 'never';
  /** Whether what values tell names the calls of tools. */
  readonly tellsCalls?: boolean;
  /** The sessions that it notes as open, where it keeps such a list. */
  readonly registered?: (machine: Machine) => Promise<readonly RegisteredSession[]>;
  /** The folder of the files of agents that a session started, where these are its own. */
  readonly childrenOf?: (path: string) => string;
  /** Where a file that is one JSON text has its messages; left out: in `messages`. */
  readonly messagesIn?: string;
  /** The usual places, and, with further `folders` from the settings, the same below these. */
  readonly places: (machine: Machine, folders: readonly string[]) => readonly ToolFolder[];
  /** Folders that the tool itself notes in a file of its own; they are looked at like further ones. */
  readonly foldersNamed?: (machine: Machine) => Promise<readonly string[]>;
  /** How it goes on with a session that it finds in its folder; undefined where it cannot. */
  readonly handOver?: HandOver;
  /** Where a tool keeps a session in several files, or in several places: what those of one session have in common. */
  readonly sessionOf?: (path: string) => string;
  /**
   * Of several files of one session, in the order of the places: the one that is listed. Those that say the same as another, or
   * nothing, are no `parts`; without this the first is the session.
   */
  readonly partsOf?: (
    paths: readonly string[],
    /** The first bytes of a file as text. */
    headOf: (path: string, bytes: number) => string,
  ) => SessionParts;
}

/** A session that its tool notes as open. */
export interface RegisteredSession {
  /** What the tool itself calls it. */
  readonly id: string;
  readonly pid: number;
  /** When the process was started, as the system tells it; '' where the tool does not note it. */
  readonly started: string;
  /** What it does; undefined where the tool does not say. `shell`: nothing, but a command of its still runs. */
  readonly status: 'busy' | 'waiting' | 'idle' | 'shell' | undefined;
  /** What it waits for, where it says so. */
  readonly waitsFor?: AskedFor;
  /** Since when, in milliseconds since 1970; 0 where it is not told. */
  readonly since: number;
}

/** The files that a session consists of. */
export interface SessionParts {
  /** The one that names it, with which all are read. */
  readonly path: string;
  /** All of them, in the order in which they were begun. */
  readonly parts: readonly string[];
}

/** How a tool goes on with a session of another. */
export interface HandOver {
  readonly format: BridgeFormat;
  /** Where it looks for a session, below the folder of its sessions. */
  readonly fileOf: (session: HandedSession) => string;
  /** What makes it go on, in a terminal. */
  readonly commandOf: (session: Pick<HandedSession, 'id'>) => string;
}

/** A session that is handed over. */
export interface HandedSession {
  /** Its id, a UUID. */
  readonly id: string;
  /** When the conversation began, as `YYYY-MM-DDTHH:MM:SS` in UTC. */
  readonly began: string;
  /** The absolute path of the folder in which it goes on. */
  readonly folder: string;
}

/** A name of a file or folder that is not hidden. */
export const ANY = /^[^.]/;
export const JSON_LINES = /\.jsonl$/;

/** Editors that are built from VS Code, by the folder of their user data. */
const EDITORS = [
  'Code',
  'Code - Insiders',
  'VSCodium',
  'Cursor',
  'Windsurf',
  'Kiro',
  'Trae',
  'Positron',
] as const;
/** The folders of their servers, which hold the data of extensions that run on a remote machine. */
const SERVERS = ['.vscode-server', '.vscode-server-insiders', '.cursor-server', '.windsurf-server'] as const;

/** The folder that a variable names; an empty one names none. */
export function from(env: Machine['env'], name: string): string | undefined {
  return env[name] === '' ? undefined : env[name];
}

/** The usual folders with further ones, each once. */
export function roots(usual: readonly string[], further: readonly string[]): readonly string[] {
  return [...new Set([...usual, ...further])];
}

/** The folders of user data on a machine of editors and of those servers by which they work from another: of this editor first. */
export function userFolders(machine: Machine): readonly string[] {
  const servers = SERVERS.map((name) => join(machine.home, name, 'data', 'User'));
  return [...editorFolders(machine), ...servers];
}

/** The folders of user data of the editors on a machine: of this one first. */
function editorFolders({ home, platform, env, editorData }: Machine): readonly string[] {
  const usual = {
    win32: from(env, 'APPDATA') ?? join(home, 'AppData', 'Roaming'),
    darwin: join(home, 'Library', 'Application Support'),
    other: from(env, 'XDG_CONFIG_HOME') ?? join(home, '.config'),
  }[platform === 'win32' || platform === 'darwin' ? platform : 'other'];
  const own = editorData === undefined ? [] : [editorData];
  return roots(
    own,
    EDITORS.map((name) => join(usual, name, 'User')),
  );
}
