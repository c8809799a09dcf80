import type { AgentDefinition } from './agent.js';

/** What two names of agents have in common when they are one name: letter case and Unicode form do not count. */
export function agentNameKey(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

/** The agent of a name: as written, else the same but for letter case. */
export function findAgent(agents: readonly AgentDefinition[], name: string): AgentDefinition | undefined {
  return (
    agents.find((agent) => agent.name === name) ??
    agents.find((agent) => agentNameKey(agent.name) === agentNameKey(name))
  );
}

/** Whom an agent may dispatch to: those on its list that agents may start at all, never itself. */
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
