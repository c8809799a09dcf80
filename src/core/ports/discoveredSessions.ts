/** A session of another tool that was found on this machine. */
export interface DiscoveredSession {
  /** The tool's id, such as `claude-code`. */
  readonly tool: string;
  /** What a person calls the tool. */
  readonly toolName: string;
  /** The file that holds it, absolute; it opens in place. */
  readonly path: string;
  readonly bytes: number;
  /** When it was last written to, in milliseconds since 1970. */
  readonly changed: number;
}

/** The sessions of other tools on this machine, as far as the person has allowed that they are looked for. */
export interface DiscoveredSessions {
  /**
   * The sessions of all tools that are allowed, newest first; none where none is. Looks at names, sizes and times only.
   * Rejects with the signal's reason.
   */
  list(signal: AbortSignal): Promise<readonly DiscoveredSession[]>;
  /** The folder in which each of these sessions was held, by path; those that do not say so are left out. Reads their beginnings. */
  workspacesOf(sessions: readonly DiscoveredSession[]): Promise<ReadonlyMap<string, string>>;
}
