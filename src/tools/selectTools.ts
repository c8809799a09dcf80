import type { AgentDefinition } from '../core/agent.js';
import type { Tool } from '../ports/tool.js';

/** The tools of an agent: all, or those its file allows, without those its file forbids. */
export function selectTools<T extends Pick<Tool, 'name'>>(
  all: readonly T[],
  agent: Pick<AgentDefinition, 'tools' | 'disallowedTools'>,
): readonly T[] {
  return all.filter(
    ({ name }) =>
      (agent.tools?.some((pattern) => namesTool(pattern, name)) ?? true) &&
      !agent.disallowedTools.some((pattern) => namesTool(pattern, name)),
  );
}

/** The names of an agent's `tools` that no available tool has. */
export function missingTools(
  all: readonly Pick<Tool, 'name'>[],
  agent: Pick<AgentDefinition, 'tools'>,
): readonly string[] {
  return (agent.tools ?? []).filter((pattern) => !all.some(({ name }) => namesTool(pattern, name)));
}

/**
 * Whether a name in an agent file means a tool: `*` means all, `server/tool` and `server/*` the tools that
 * VS Code names `mcp_server_tool`, Claude's `mcp__server__tool` and `mcp__server` the same.
 */
export function namesTool(pattern: string, tool: string): boolean {
  if (pattern === '*' || pattern === tool) return true;
  const claude = /^mcp__(.+?)(?:__(.+))?$/.exec(pattern);
  const [server, name] = claude ? [claude[1], claude[2] ?? '*'] : splitAtSlash(pattern);
  if (server === undefined || name === undefined) return false;
  const prefixes = [`mcp_${flat(server)}_`, `${flat(server)}_`, `${server}/`];
  return prefixes.some((prefix) =>
    name === '*' ? tool.startsWith(prefix) : tool === prefix + name || tool === prefix + flat(name),
  );
}

function splitAtSlash(pattern: string): [string, string] | [] {
  const slash = pattern.lastIndexOf('/');
  return slash > 0 ? [pattern.slice(0, slash), pattern.slice(slash + 1)] : [];
}

/** How VS Code writes a server's name inside of a tool's name. */
const flat = (name: string) => name.toLowerCase().replace(/[^a-z0-9_-]/g, '_');
