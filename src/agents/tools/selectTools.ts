import type { AgentDefinition } from '../../core/agent.js';
import type { Tool } from '../../core/ports/tool.js';

/** What of a tool its name in an agent file is matched against. */
type NamedTool = Pick<Tool, 'name' | 'provider'>;

/** How VS Code shortens the name of an MCP server in front of a tool's, and the whole. */
const SERVER_LENGTH = 13;
const WHOLE_LENGTH = 64;

/** The tools of an agent: all, or those its file allows, without those its file forbids. */
export function selectTools<T extends NamedTool>(
  all: readonly T[],
  agent: Pick<AgentDefinition, 'tools' | 'disallowedTools'>,
): readonly T[] {
  return all.filter(
    (tool) =>
      (agent.tools?.some((pattern) => namesTool(pattern, tool)) ?? true) &&
      !agent.disallowedTools.some((pattern) => namesTool(pattern, tool)),
  );
}

/** The names of an agent's `tools` that no available tool has. */
export function missingTools(
  all: readonly NamedTool[],
  agent: Pick<AgentDefinition, 'tools'>,
): readonly string[] {
  return (agent.tools ?? []).filter((pattern) => !all.some((tool) => namesTool(pattern, tool)));
}

/**
 * Whether a name in an agent file means a tool: `*` means all, `server/tool` and `server/*` the tools that
 * VS Code names `mcp_server_tool`, long names cut, Claude's `mcp__server__tool` and `mcp__server` the same.
 */
function namesTool(pattern: string, { name: tool, provider }: NamedTool): boolean {
  if (pattern === '*' || pattern === tool) return true;
  const claude = /^mcp__(.+?)(?:__(.+))?$/.exec(pattern);
  const [server, name] = claude ? [claude[1], claude[2] ?? '*'] : splitAtSlash(pattern);
  if (server === undefined || name === undefined) return false;
  const whole = [`mcp_${flat(server)}_`, `${flat(server)}_`, `${server}/`];
  // Two servers may have the same beginning; who provides the tool tells them apart where VS Code says so.
  const isOther = provider !== undefined && flat(provider) !== flat(server);
  const prefixes = isOther ? whole : [...whole, shortPrefix(server)];
  return prefixes.some((prefix) =>
    name === '*'
      ? tool.startsWith(prefix)
      : [name, flat(name)].some((one) => tool === (prefix + one).slice(0, WHOLE_LENGTH)),
  );
}

function splitAtSlash(pattern: string): [string, string] | [] {
  const slash = pattern.lastIndexOf('/');
  return slash > 0 ? [pattern.slice(0, slash), pattern.slice(slash + 1)] : [];
}

/** What VS Code puts in front of the tools of a server. */
function shortPrefix(server: string): string {
  const letters = server.toLowerCase().replace(/[^a-z0-9_.-]+/g, '_');
  return `mcp_${letters.slice(0, SERVER_LENGTH).replaceAll('.', '_')}_`;
}

/** How VS Code writes a server's name inside of a tool's name. */
const flat = (name: string) => name.toLowerCase().replace(/[^a-z0-9_-]/g, '_');
