/**
 * What fills the window of a request, in the order in which it is sent and drawn. `files` are results of tools whose call
 * names a file, `results` all others. `unrecorded` is what the provider counted and no record holds: in most sessions of
 * other tools the system prompt and the schemas of the tools.
 */
export const CONTEXT_KINDS = [
  ...(['unrecorded', 'system', 'tools', 'summary', 'prompts', 'answers', 'thinking'] as const),
  ...(['calls', 'files', 'results', 'images'] as const),
] as const;
/** See `CONTEXT_KINDS`. */
export type ContextKind = (typeof CONTEXT_KINDS)[number];

/** The place of a kind in `CONTEXT_KINDS`, by which numbers of a request are listed. */
export const KIND_INDEX = Object.fromEntries(CONTEXT_KINDS.map((kind, index) => [kind, index])) as Readonly<
  Record<ContextKind, number>
>;

/** How the size of a window is known: the provider said its whole, or all of it is our estimate. */
export type WholeProvenance = 'reported' | 'estimated';

/** Who or what a part of a window is from. */
export interface Contributor {
  readonly kind: ContextKind;
  /** The tool that was called or that answered, or whose schema it is; '' for none. */
  readonly tool: string;
  /** The MCP server of the tool; '' where it is of none, or none is told. */
  readonly server: string;
  /** The file that the tool's call names; '' for none. */
  readonly path: string;
}

/** How tools of MCP servers are named: Claude Code, Codex and Gemini by two underscores, VS Code by one. */
const OF_SERVER = /^mcp__(.+?)__.|^mcp_([^_]+)_./;

/** The MCP server that a tool's name tells; '' where it tells none. */
export function serverOfTool(tool: string): string {
  if (!tool.startsWith('mcp_')) return '';
  const [, claude, code] = OF_SERVER.exec(tool) ?? [];
  return claude ?? code ?? '';
}

/** Of what tool, and of what file, a part of a window is. */
export type Named = Omit<Contributor, 'kind'>;

/** What is of no tool. */
export const NOBODY: Named = Object.freeze({ tool: '', server: '', path: '' });

/** What is of a tool, and of a file where its call names one. */
export function namedTool(tool: string, path = ''): Named {
  return { tool, server: serverOfTool(tool), path };
}
