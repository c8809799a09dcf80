import type { AgentDefinition, AgentFile, Problem } from '../core/agent.js';
import { agentNameKey } from '../core/agentLookup.js';

/** All agents that were found, and all files with their problems. */
export interface AgentCatalog {
  /** One agent per name. */
  readonly agents: readonly AgentDefinition[];
  /** Every file that was read, including those without an agent. */
  readonly files: readonly AgentFile[];
}

/**
 * Combines files. Of several agents with one name (ignoring letter case) the workspace's wins over the user's, then
 * the first file wins; the others remain listed without an agent and with a problem.
 */
export function buildCatalog(files: readonly AgentFile[]): AgentCatalog {
  const winners = new Map<string, AgentDefinition>();
  const ranked = [...files.filter(fromWorkspace), ...files.filter((file) => !fromWorkspace(file))];
  for (const { agent } of ranked) {
    if (agent && !winners.has(agentNameKey(agent.name))) winners.set(agentNameKey(agent.name), agent);
  }
  const agents = files.flatMap(({ agent }) =>
    agent && winners.get(agentNameKey(agent.name)) === agent ? [agent] : [],
  );
  return { agents, files: files.map((file) => withCatalogProblems(file, winners)) };
}

const fromWorkspace = (file: AgentFile) => file.origin === 'workspace';

function withCatalogProblems(file: AgentFile, winners: ReadonlyMap<string, AgentDefinition>): AgentFile {
  const { agent, ...rest } = file;
  if (agent === undefined) return file;
  const winner = winners.get(agentNameKey(agent.name));
  if (winner !== undefined && winner !== agent) {
    const message = `Another agent is already named '${winner.name}': ${winner.path}`;
    return { ...rest, problems: [...file.problems, problemAt(file, 'name', 'error', message)] };
  }
  const unknown = agent.agents === '*' ? [] : agent.agents.filter((name) => !winners.has(agentNameKey(name)));
  const problems = unknown.map((name) =>
    problemAt(file, 'agents', 'warning', `There is no agent named '${name}'.`),
  );
  return problems.length === 0 ? file : { ...file, problems: [...file.problems, ...problems] };
}

function problemAt(file: AgentFile, key: string, severity: Problem['severity'], message: string): Problem {
  const line = file.keyLines?.get(key) ?? file.keyLines?.get('tools');
  return { severity, message, line: line ?? 1, column: 1 };
}
