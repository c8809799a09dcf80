import { checkOptions, type KnownOptions } from '../../core/checkOptions.js';
import type { AgentDefinition } from '../../core/agent.js';

/** An agent of a team: its definition as read from a file, or as little of it as a program cares to say. */
export interface TeamAgent {
  /** By which it is called, and shown. */
  readonly name: string;
  /** The system prompt. */
  readonly instructions: string;
  /** What other agents are told of it; absent: its name. */
  readonly description?: string;
  /** Names of models, the first that the team has is used; absent or empty: the team's first model. */
  readonly models?: readonly string[];
  /** Names of tools; absent: all of the team's; empty: none, and then it cannot call agents either. */
  readonly tools?: readonly string[] | undefined;
  /** The agents it may call; absent: all others. */
  readonly agents?: readonly string[] | '*';
}

/** What a `TeamAgent` may hold: whatever a definition holds that was read from a file. */
const agentKinds: KnownOptions<AgentDefinition> = {
  name: 'text',
  path: 'text',
  format: ['vscode', 'claude'],
  origin: ['workspace', 'user'],
  description: 'text',
  instructions: 'text',
  models: 'list',
  tools: 'list',
  disallowedTools: 'list',
  agents: 'names',
  userInvocable: 'flag',
  modelInvocable: 'flag',
  maxTurns: 'count',
  effort: 'text',
  unknownKeys: 'list',
};

/** The definition of a team's agent, with the defaults of agent files for what it leaves out. */
export function agentDefinition(agent: TeamAgent): AgentDefinition {
  checkOptions(agent, agentKinds, 'an agent');
  return {
    path: '',
    format: 'vscode',
    origin: 'workspace',
    models: [],
    tools: undefined,
    disallowedTools: [],
    agents: '*',
    userInvocable: true,
    modelInvocable: true,
    unknownKeys: [],
    ...agent,
    description: agent.description ?? agent.name,
  };
}
