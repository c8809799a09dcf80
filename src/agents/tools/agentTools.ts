import type { AgentDefinition } from '../../core/agent.js';
import type { Tool } from '../../core/ports/tool.js';
import { selectTools } from './selectTools.js';
import { subagentDispatch } from './subagentDispatch.js';
import type { CallableAgent } from './subagentDispatch.js';

/**
 * The tools of one agent's call: those of all tools and `subagent_dispatch` that its file allows. An agent whose list
 * does not contain the latter dispatches to nobody.
 */
export function agentTools(
  all: readonly Tool[],
  agent: Pick<AgentDefinition, 'tools' | 'disallowedTools'>,
  callable: readonly CallableAgent[],
): readonly Tool[] {
  const dispatch = subagentDispatch(callable);
  return selectTools(dispatch ? [...all, dispatch] : all, agent);
}
