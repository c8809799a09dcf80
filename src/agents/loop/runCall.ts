import type { CallResult } from './callResult.js';
import type { Failure } from '../../core/record.js';
import { messageOf } from '../../core/text.js';
import type { CallFrame } from './callFrame.js';
import { chatToolLoop, type LoopResult } from './chatToolLoop.js';
import { createDispatch } from './dispatch.js';
import { roughSchemaTokens } from './limits/roughTokens.js';
import type { LoopObserver } from './loopObserver.js';
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

function begin(frame: CallFrame, knownInstructions: boolean): void {
  const { agent, messages, model, prompt, tools } = frame;
  const { toolCallId } = frame.options;
  frame.record({
    type: 'callStart',
    task: prompt,
    model: model.id,
    ...(model.kind === 'scripted' && { scripted: true }),
    tools: tools.specs.map(({ name }) => name),
    ...(tools.specs.length > 0 && { toolTokens: tools.specs.map(roughSchemaTokens) }),
    ...(toolCallId !== undefined && { toolCallId }),
  });
  if (agent.instructions !== '') {
    const system = { role: 'system', content: agent.instructions } as const;
    messages.splice(0, messages[0]?.role === 'system' ? 1 : 0, system);
    if (!knownInstructions) frame.record({ type: 'message', message: system });
  }
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
