import type { CallResult } from './callResult.js';
import type { CallStartBody, Failure, RecordedTool } from '../../core/record.js';
import type { ToolSpec } from '../../core/ports/model.js';
import { messageOf } from '../../core/text.js';
import type { CallFrame } from './callFrame.js';
import { chatToolLoop, type LoopResult } from './chatToolLoop.js';
import { createDispatch } from './dispatch.js';
import { roughSchemaTokens } from './limits/roughTokens.js';
import type { LoopObserver } from './askModel.js';
import { sendable } from './history/sendable.js';

/** What is known about a call before it starts. */
export interface CallStart {
  /** True where the record already has the agent's instructions, from an earlier run. */
  readonly knownInstructions?: boolean;
  /** Why the call cannot be made; it is recorded, and its model is not asked. */
  readonly refusal?: Failure | undefined;
}

/**
 * Runs one call from its start to its end and records everything: start, instructions, prompt, messages, end.
 * Afterwards, the frame's messages are the history. Never rejects, and resolves only when all calls that it dispatched
 * have ended.
 */
export async function runCall(frame: CallFrame, start: CallStart = {}): Promise<CallResult> {
  const { clock, usage } = frame.config;
  const startedAt = clock.now();
  const { call } = frame.place;
  usage.begin(frame.recordPlace);
  begin(frame, start.knownInstructions ?? false);
  const result = start.refusal ? refused(frame, start.refusal) : await loop(frame);
  await frame.finish();
  const end = {
    durationMs: clock.now() - startedAt,
    ownUsage: usage.own(call),
    totalUsage: usage.total(call),
  };
  const { outcome, error } = result;
  frame.record({ type: 'callEnd', outcome, ...(error && { reason: error.message }), ...end });
  return { call, ...result, ...end };
}

/** What a replay needs besides messages. */
function circumstances(frame: CallFrame): Pick<CallStartBody, 'schemas' | 'settings' | 'folder' | 'limits'> {
  const { agent, config, depth, tools } = frame;
  const { effort, maxTurns } = agent;
  const schemas = tools.specs.filter((spec) => isNews(frame, spec)).map((spec) => recordedTool(frame, spec));
  return {
    ...(schemas.length > 0 && { schemas }),
    ...((effort !== undefined || maxTurns !== undefined) && {
      settings: { ...(effort !== undefined && { effort }), ...(maxTurns !== undefined && { maxTurns }) },
    }),
    ...(depth === 0 && config.folder !== undefined && { folder: config.folder }),
    ...(depth === 0 && { limits: { ...config.limits, maxDepth: config.maxDepth } }),
  };
}

/** Whether the run has not told of this tool yet, or told last of another one by this name. */
function isNews({ scope }: CallFrame, spec: ToolSpec): boolean {
  const told = scope.toldTools.get(spec.name);
  if (told === spec) return false;
  const text = textOf(spec);
  if (text === undefined) return false;
  scope.toldTools.set(spec.name, spec);
  return told === undefined || textOf(told) !== text;
}

function textOf({ description, parameters }: ToolSpec): string | undefined {
  try {
    return JSON.stringify([description, parameters]);
  } catch {
    // A schema that is no JSON: the request with it fails, and says so.
    return undefined;
  }
}

function recordedTool(frame: CallFrame, { name, description, parameters }: ToolSpec): RecordedTool {
  const isParallel = frame.toolNamed(name)?.parallel ?? false;
  return { name, description, parameters, ...(isParallel && { parallel: true }) };
}

function begin(frame: CallFrame, knownInstructions: boolean): void {
  const { agent, messages, model, prompt, tools } = frame;
  const { toolCallId, goingOn } = frame.options;
  frame.record({
    type: 'callStart',
    task: prompt,
    model: model.id,
    ...(model.kind === 'scripted' && { scripted: true }),
    tools: tools.specs.map(({ name }) => name),
    ...(tools.specs.length > 0 && { toolTokens: tools.specs.map(roughSchemaTokens) }),
    ...(toolCallId !== undefined && { toolCallId }),
    ...(goingOn && { from: goingOn.from }),
    ...circumstances(frame),
  });
  if (agent.instructions !== '') {
    const system = { role: 'system', content: agent.instructions } as const;
    messages.splice(0, messages[0]?.role === 'system' ? 1 : 0, system);
    if (!knownInstructions) frame.record({ type: 'message', message: system });
  }
  if (goingOn?.own) {
    const { message, isEdited, toolName, isError } = goingOn.own;
    const by = { ...(toolName !== undefined && { toolName }), ...(isError === true && { isError }) };
    frame.record({ type: 'message', message, ...by, ...(isEdited && { edited: true }) });
  }
  if (goingOn?.isSilent === true) return;
  const user = { role: 'user', content: prompt } as const;
  messages.push(sendable(user));
  frame.record({ type: 'message', message: user });
}

function refused(frame: CallFrame, error: Failure): LoopResult {
  frame.record({ type: 'error', where: 'runtime', error });
  return { outcome: 'failed', text: '', error };
}

async function loop(frame: CallFrame): Promise<LoopResult> {
  try {
    return await chatToolLoop(frame, createDispatch(frame, runCall), recordingObserver(frame));
  } catch (error) {
    frame.config.log.error(`The call of ${frame.agent.name} failed`, error);
    const failure = { code: 'internal', message: `The call failed: ${messageOf(error)}` };
    return refused(frame, failure);
  }
}

/** Records what a loop produces, and shows it. */
function recordingObserver(frame: CallFrame): LoopObserver {
  return {
    onAssistantMessage: (message, details) => {
      frame.record({ type: 'message', message, ...details });
      const text = typeof message.content === 'string' ? message.content : '';
      if (text !== '') frame.show((frontend) => frontend.showText(frame.agent.name, text, frame.place));
    },
    onToolMessage: (message, details) => frame.record({ type: 'message', message, ...details }),
    onRequest: (request) => frame.record({ type: 'request', ...request }),
    onError: (error) => frame.record({ type: 'error', ...error }),
  };
}
