import type { AgentDefinition } from '../../core/agent.js';

/** The agents that can run here. */
export interface Agents {
  /** All of them, a workspace's before the person's own. */
  agents(): Promise<readonly AgentDefinition[]>;
  /** Those that a person may talk to. */
  invocable(): Promise<readonly AgentDefinition[]>;
}
