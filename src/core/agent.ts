/** Something wrong with a file that a person wrote; lines and columns count from 1. */
export interface Problem {
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
}

/** Where a definition was found. */
export type AgentOrigin = 'workspace' | 'user';

/** Which convention a definition file follows. */
export type AgentFormat = 'vscode' | 'claude';

/** An agent as its definition file describes it. */
export interface AgentDefinition {
  /** The name shown and used to address it. */
  readonly name: string;
  /** Absolute path of its file. */
  readonly path: string;
  readonly format: AgentFormat;
  readonly origin: AgentOrigin;
  readonly description: string;
  /** The body of the file: the system prompt. */
  readonly instructions: string;
  /** Names as written, first available wins; empty: whatever the user picks. */
  readonly models: readonly string[];
  /** Built-in and other tool names after aliases; undefined: the default set; empty: none. */
  readonly tools: readonly string[] | undefined;
  readonly disallowedTools: readonly string[];
  /** Agents it may call; '*': all others. */
  readonly agents: readonly string[] | '*';
  /** False for agents that only other agents may start. */
  readonly userInvocable: boolean;
  /** False for agents that other agents may not start. */
  readonly modelInvocable: boolean;
  /** At most so many model requests in one call, where the file says so. */
  readonly maxTurns?: number;
  readonly effort?: string;
  /** Keys of the front matter that mean nothing to us, as read. */
  readonly unknownKeys: readonly string[];
}

/** What reading one definition file gave: an agent, problems, or both. Nothing is lost and nothing throws. */
export interface AgentFile {
  readonly path: string;
  readonly origin: AgentOrigin;
  readonly agent?: AgentDefinition;
  readonly problems: readonly Problem[];
  /** The line of each key of the front matter, for problems found later. */
  readonly keyLines?: ReadonlyMap<string, number>;
}
