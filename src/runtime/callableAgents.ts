import type { AgentDefinition } from '../core/agent.js';

/** The agents that `agent` may ask: those its file allows and that may be asked, each name once, never itself. */
export function callableAgents(
  agent: AgentDefinition,
  all: readonly AgentDefinition[],
): readonly AgentDefinition[] {
  const byName = new Map<string, AgentDefinition>();
  for (const other of all) {
    const allowed = agent.agents === '*' || agent.agents.includes(other.name);
    if (!allowed || !other.modelInvocable || other.name === agent.name) continue;
    if (!byName.has(other.name)) byName.set(other.name, other);
  }
  return [...byName.values()];
}
