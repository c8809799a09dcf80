import type { AgentDefinition } from '../../core/agent.js';
import { callableAgents } from '../../core/agentLookup.js';
import type { Failure } from '../../core/record.js';
import { messageOf } from '../../core/text.js';
import type { Model } from '../../core/ports/model.js';
import type { ToolExecutor } from '../../core/ports/tool.js';
import { ABORTED, raceAbort } from '../../core/abort.js';
import { STOPPED } from './runScope.js';
import type { RuntimeConfig } from './runtimeConfig.js';

/** What a call needs before it can start. */
export interface PreparedCall {
  readonly model: Model;
  readonly tools: ToolExecutor;
}

/**
 * Finds an agent's model and tools, or tells why it cannot be called; with the code `cancelled` as soon as the signal is
 * aborted. Sends no request to a model.
 */
export async function prepareCall(
  agent: AgentDefinition,
  config: RuntimeConfig,
  signal: AbortSignal,
): Promise<PreparedCall | Failure> {
  try {
    const found = agent.models.length === 0 ? config.model : config.resolveModel(agent, config.model);
    const model = await raceAbort(Promise.resolve(found), signal);
    if (model === ABORTED || signal.aborted) return STOPPED;
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
