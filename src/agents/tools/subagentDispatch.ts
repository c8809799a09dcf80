import { preview, singleLine } from '../../core/text.js';
import type { Tool, ToolContext, ToolResult } from '../../core/ports/tool.js';
import { failure } from './result.js';

/** An agent that may be asked, as the caller's model sees it. */
export interface CallableAgent {
  readonly name: string;
  readonly description: string;
}

/** How much of each description is shown to the caller's model, in characters. */
const MAX_DESCRIPTION = 1_000;

/** The name of the tool by which an agent asks another one. */
export const SUBAGENT_DISPATCH = 'subagent_dispatch';

/** The tool by which an agent asks one of `callable`; undefined where there is nobody to ask. */
export function subagentDispatch(callable: readonly CallableAgent[]): Tool | undefined {
  if (callable.length === 0) return undefined;
  const names = callable.map(({ name }) => name);
  return {
    name: SUBAGENT_DISPATCH,
    description: [
      'Asks another agent to do a task and waits for its answer. The agent knows nothing of this conversation:',
      'put everything it needs into the task and the context. Several agents can be asked at the same time.',
      'Agents:',
      ...callable.map(
        ({ name, description }) =>
          `- ${name}: ${preview(singleLine(description), MAX_DESCRIPTION) || 'no description'}`,
      ),
    ].join('\n'),
    parameters: {
      type: 'object',
      properties: {
        agent_id: { type: 'string', enum: names, description: 'The agent to ask.' },
        task: { type: 'string', minLength: 1, description: 'What it shall do.' },
        context: { type: 'string', description: 'What it needs to know for that.' },
      },
      required: ['agent_id', 'task'],
      additionalProperties: false,
    },
    effect: 'dispatch',
    parallel: true,
    execute: (args, context) => dispatch(names, args, context),
  };
}

async function dispatch(
  names: readonly string[],
  args: Readonly<Record<string, unknown>>,
  context: ToolContext,
): Promise<ToolResult> {
  const { agent_id: target, task, context: background } = args;
  if (typeof target !== 'string' || !names.includes(target)) {
    return failure(`There is no agent '${String(target)}' to ask. There are: ${names.join(', ')}.`);
  }
  if (typeof task !== 'string' || task === '') return failure('The task is missing.');
  if (context.dispatch === undefined) return failure('Other agents cannot be asked here.');
  const outcome = await context.dispatch({
    target,
    task,
    ...(typeof background === 'string' && background !== '' && { context: background }),
    toolCallId: context.toolCallId,
    caller: context.call,
    signal: context.signal,
  });
  if (outcome.ok) {
    return { content: JSON.stringify({ result: outcome.result, session_id: outcome.session }) };
  }
  const { error, session } = outcome;
  return failure(JSON.stringify({ error, ...(session !== undefined && { session_id: session }) }));
}
