/** Something wrong with a file that a person wrote. */
export interface Problem {
  readonly severity: 'error' | 'warning';
  readonly message: string;
  /** From 1. */
  readonly line?: number;
  /** From 1. */
  readonly column?: number;
}

/** Where a definition was found. */
export type AgentOrigin = 'workspace' | 'user';

/** Which convention a definition file follows. */
export type AgentFormat = 'vscode' | 'claude';

/** An agent as its definition file describes it. */
export interface AgentDefinition {
  /** The name that is shown and by which it is called. */
  readonly name: string;
  /** The absolute path of its file. */
  readonly path: string;
  readonly format: AgentFormat;
  readonly origin: AgentOrigin;
  readonly description: string;
  /** The body of the file: the system prompt. */
  readonly instructions: string;
  /** Model names as written; the first available one is used. Empty: whatever the user picks. */
  readonly models: readonly string[];
  /** Names of tools, aliases resolved; undefined: the default set; empty: none. */
  readonly tools: readonly string[] | undefined;
  readonly disallowedTools: readonly string[];
  /** The agents it may call; '*': all others. */
  readonly agents: readonly string[] | '*';
  /** False where only other agents may start it. */
  readonly userInvocable: boolean;
  /** False where other agents may not start it. */
  readonly modelInvocable: boolean;
  /** The most model requests in one call, where the file sets a limit. */
  readonly maxTurns?: number;
  /** The reasoning effort to ask the model for, as written. */
  readonly effort?: string;
  /** Keys of the front matter that have no meaning here, as written. */
  readonly unknownKeys: readonly string[];
}

/** The result of reading one definition file: an agent, problems, or both. */
export interface AgentFile {
  readonly path: string;
  readonly origin: AgentOrigin;
  readonly agent?: AgentDefinition;
  readonly problems: readonly Problem[];
  /** The line of each key of the front matter, from 1, for problems found later. */
  readonly keyLines?: ReadonlyMap<string, number>;
}
