import type { AgentDefinition } from '../core/agent.js';
import { callableAgents } from '../core/agentLookup.js';
import type { Failure } from '../core/record.js';
import { messageOf } from '../core/text.js';
import type { Model } from '../ports/model.js';
import type { ToolExecutor } from '../ports/tool.js';
import type { RuntimeConfig } from './runtimeConfig.js';

/** What a call needs before it can start. */
export interface PreparedCall {
  readonly model: Model;
  readonly tools: ToolExecutor;
}

/** Finds an agent's model and tools, or says why it cannot be called. Nothing has been asked by then. */
export async function prepareCall(
  agent: AgentDefinition,
  config: RuntimeConfig,
  inherited: Model,
): Promise<PreparedCall | Failure> {
  try {
    const model = agent.models.length === 0 ? config.model : await config.resolveModel(agent, inherited);
    if (isFailure(model)) return model;
    const tools = config.toolsFor(agent, callableAgents(agent, config.agents));
    const twice = duplicate(tools.map(({ name }) => name));
    if (twice !== undefined) {
      return { code: 'duplicateTool', message: `${agent.name} has two tools named ${twice}.` };
    }
    return { model, tools: config.executorFor(tools) };
  } catch (error) {
    return { code: 'notReady', message: `${agent.name} cannot be called: ${messageOf(error)}` };
  }
}

/** Whether a result is a failure; models and prepared calls have no code. */
export function isFailure(value: object): value is Failure {
  return 'code' in value && 'message' in value;
}

function duplicate(names: readonly string[]): string | undefined {
  return names.find((name, index) => names.indexOf(name) !== index);
}
