import { join } from 'node:path';

/** The tools whose sessions are looked for, in the order in which they are listed. */
export const TOOL_IDS = [
  'claude-code',
  'codex',
  'copilot-cli',
  'vscode-chat',
  'gemini-cli',
  'opencode',
  'pi',
  'cursor',
  'cline',
  'roo-code',
] as const;

/** What was recorded here of other programs: nobody needs to be asked before it is listed. */
export const RECORDINGS = 'recordings';

/** A tool whose sessions are looked for. */
export type ToolId = (typeof TOOL_IDS)[number] | typeof RECORDINGS;

/** A tool that keeps sessions of its own, which a person is asked about. */
export type AskedToolId = (typeof TOOL_IDS)[number];

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
}

/** Where the sessions of a tool lie: in folders, below which each name on the way to a session's file matches a pattern. */
export interface SessionPlace {
  /** Absolute. */
  readonly folder: string;
  /** A pattern for each name below the folder, the last for the file's. */
  readonly names: readonly RegExp[];
  /**
   * Which of the names tells sessions of different workspaces apart; undefined where only the sessions say what they are of.
   */
  readonly workspaceAt: number | undefined;
}

/** A row of the table of tools. */
export interface SessionTool<Id extends ToolId = ToolId> {
  readonly id: Id;
  /** What a person calls it. */
  readonly name: string;
  /** The usual places, and, with further `folders` from the settings, the same below these. */
  places(machine: Machine, folders: readonly string[]): readonly SessionPlace[];
}

const ANY = /^[^.]/;
const JSON_LINES = /\.jsonl$/;
const JSON_FILES = /\.jsonl?$/;

/** Editors that are built from VS Code, by the folder of their user data. */
const EDITORS = ['Code', 'Code - Insiders', 'VSCodium', 'Cursor', 'Windsurf'] as const;
/** The folders of their servers, which hold the data of extensions that run on a remote machine. */
const SERVERS = ['.vscode-server', '.vscode-server-insiders', '.cursor-server', '.windsurf-server'] as const;

/** Every tool with the places of its sessions, as its documentation or its source names them. */
export const sessionTools: readonly SessionTool<AskedToolId>[] = [
  {
    id: 'claude-code',
    name: 'Claude Code',
    places: ({ home, env }, folders) =>
      roots([join(from(env, 'CLAUDE_CONFIG_DIR') ?? join(home, '.claude'), 'projects')], folders).map(
        (folder) => ({
          folder,
          names: [ANY, /^(?!agent-).*\.jsonl$/],
          workspaceAt: 0,
        }),
      ),
  },
  {
    id: 'codex',
    name: 'Codex',
    places({ home, env }, folders) {
      const own = from(env, 'CODEX_HOME') ?? join(home, '.codex');
      const rollout = /^rollout-.*\.jsonl$/;
      const byDay = { names: [/^\d{4}$/, /^\d\d$/, /^\d\d$/, rollout], workspaceAt: undefined };
      return [
        ...roots([join(own, 'sessions')], folders).map((folder) => ({ folder, ...byDay })),
        { folder: join(own, 'archived_sessions'), names: [rollout], workspaceAt: undefined },
      ];
    },
  },
  {
    id: 'copilot-cli',
    name: 'Copilot CLI',
    places: ({ home, env }, folders) =>
      roots([join(from(env, 'COPILOT_HOME') ?? join(home, '.copilot'), 'session-state')], folders).flatMap(
        (folder) => [
          { folder, names: [ANY, /^events\.jsonl$/], workspaceAt: undefined },
          { folder, names: [JSON_LINES], workspaceAt: undefined },
        ],
      ),
  },
  {
    id: 'vscode-chat',
    name: 'VS Code Chat',
    places: (machine, folders) =>
      roots(editorFolders(machine), folders).flatMap((folder) => [
        {
          folder: join(folder, 'workspaceStorage'),
          names: [ANY, /^chatSessions$/, JSON_FILES],
          workspaceAt: 0,
        },
        {
          folder: join(folder, 'globalStorage'),
          names: [/^emptyWindowChatSessions$/, JSON_FILES],
          workspaceAt: 0,
        },
      ]),
  },
  {
    id: 'gemini-cli',
    name: 'Gemini CLI',
    places: ({ home, env }, folders) =>
      roots([join(from(env, 'GEMINI_CLI_HOME') ?? home, '.gemini', 'tmp')], folders).map((folder) => ({
        folder,
        names: [ANY, /^chats$/, /^session-.*\.jsonl?$/],
        workspaceAt: 0,
      })),
  },
  {
    id: 'opencode',
    name: 'OpenCode',
    places({ home, env }, folders) {
      const data = join(from(env, 'XDG_DATA_HOME') ?? join(home, '.local', 'share'), 'opencode');
      return roots([data], folders).flatMap((folder) => [
        // Newer versions keep all sessions in a database, and leave the files of older ones where they were.
        { folder, names: [/^opencode(?:-[\w.-]+)?\.db$/], workspaceAt: undefined },
        {
          folder: join(folder, 'storage', 'session'),
          names: [ANY, /^ses_.*\.json$/],
          workspaceAt: 0,
        },
      ]);
    },
  },
  {
    id: 'pi',
    name: 'Pi',
    places: ({ home, env }, folders) =>
      roots([join(from(env, 'PI_CODING_AGENT_DIR') ?? join(home, '.pi', 'agent'), 'sessions')], folders).map(
        (folder) => ({ folder, names: [ANY, JSON_LINES], workspaceAt: 0 }),
      ),
  },
  {
    id: 'cursor',
    name: 'Cursor',
    places(machine, folders) {
      const { home, env } = machine;
      const own = join(from(env, 'CURSOR_HOME') ?? join(home, '.cursor'), 'projects');
      const data = editorFolders(machine).filter((folder) => /[\\/]Cursor[\\/]User$/.test(folder));
      const chats = roots(
        data.map((folder) => join(folder, 'globalStorage')),
        folders,
      );
      return [
        ...roots([own], folders).flatMap((folder) => [
          { folder, names: [ANY, /^agent-transcripts$/, ANY, JSON_LINES], workspaceAt: 0 },
          { folder, names: [ANY, /^agent-transcripts$/, JSON_LINES], workspaceAt: 0 },
        ]),
        ...chats.map((folder) => ({ folder, names: [/^state\.vscdb$/], workspaceAt: undefined })),
      ];
    },
  },
  {
    id: 'cline',
    name: 'Cline',
    places: (machine, folders) => [
      ...tasksOf('saoudrizwan.claude-dev', machine, []),
      ...roots(
        [join(from(machine.env, 'CLINE_DIR') ?? join(machine.home, '.cline'), 'data')],
        folders,
      ).flatMap((folder) => [
        ...tasksIn([folder]),
        {
          folder: join(folder, 'sessions'),
          names: [ANY, /\.messages\.json$/],
          workspaceAt: undefined,
        },
      ]),
    ],
  },
  {
    id: 'roo-code',
    name: 'Roo Code',
    places: (machine, folders) => tasksOf('rooveterinaryinc.roo-cline', machine, folders),
  },
];

/** What was recorded here, by the receiver and the proxy. */
const recordings: SessionTool = {
  id: RECORDINGS,
  name: 'Recordings',
  places: ({ recordings: folder }) =>
    folder === undefined ? [] : [{ folder, names: [/\.(?:otlp|exchanges)\.jsonl$/], workspaceAt: undefined }],
};

/** The row of a tool. */
export function sessionTool(id: ToolId): SessionTool {
  const found = [...sessionTools, recordings].find((each) => each.id === id);
  if (!found) throw new Error(`There is no tool ${id}.`);
  return found;
}

/** The folder that a variable names; an empty one names none. */
function from(env: Machine['env'], name: string): string | undefined {
  return env[name] === '' ? undefined : env[name];
}

function roots(usual: readonly string[], further: readonly string[]): readonly string[] {
  return [...new Set([...usual, ...further])];
}

/** What Cline, or a tool that was made of it, keeps of its tasks as an extension of any editor. */
function tasksOf(extension: string, machine: Machine, folders: readonly string[]): readonly SessionPlace[] {
  const { home } = machine;
  const servers = SERVERS.map((name) => join(home, name, 'data', 'User'));
  const data = [...editorFolders(machine), ...servers];
  return tasksIn(
    roots(
      data.map((folder) => join(folder, 'globalStorage', extension)),
      folders,
    ),
  );
}

function tasksIn(folders: readonly string[]): readonly SessionPlace[] {
  return folders.map((folder) => ({
    folder: join(folder, 'tasks'),
    names: [ANY, /^ui_messages\.json$/],
    workspaceAt: undefined,
  }));
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
