import type { AgentDefinition } from './agent.js';

/** A key that is equal for two names of the same agent: letter case and Unicode normalization form are ignored. */
export function agentNameKey(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

/** The agent with this name: an exact match first, else one whose `agentNameKey` is equal. */
export function findAgent(agents: readonly AgentDefinition[], name: string): AgentDefinition | undefined {
  return (
    agents.find((agent) => agent.name === name) ??
    agents.find((agent) => agentNameKey(agent.name) === agentNameKey(name))
  );
}

/** The agents that `caller` may dispatch to: those on its list that other agents may start, never itself. */
export function callableAgents(
  caller: AgentDefinition,
  all: readonly AgentDefinition[],
): readonly AgentDefinition[] {
  const allowed = caller.agents === '*' ? undefined : new Set(caller.agents.map(agentNameKey));
  return all.filter(
    (agent) =>
      agent.modelInvocable &&
      agentNameKey(agent.name) !== agentNameKey(caller.name) &&
      (allowed?.has(agentNameKey(agent.name)) ?? true),
  );
}
