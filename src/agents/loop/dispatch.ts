import { STOPPED_WORDS } from '../../core/cancelled.js';
import type { AgentDefinition } from '../../core/agent.js';
import { agentNameKey, callableAgents, findAgent } from '../../core/agentLookup.js';
import { newId } from '../../core/ids.js';
import type { Dispatch, DispatchRequest, DispatchResult } from '../../core/ports/tool.js';
import type { CallFrame } from './callFrame.js';
import { isFailure, prepareCall, type PreparedCall } from './prepareCall.js';
import type { CallResult } from './callResult.js';

/** Runs a call to its end. */
type RunCall = (frame: CallFrame) => Promise<CallResult>;

/** The function by which a call's tools start other agents; `runCall` runs the started calls. */
export function createDispatch(frame: CallFrame, runCall: RunCall): Dispatch {
  const dispatch: Dispatch = async (request) => {
    const refuse = (reason: string): DispatchResult => {
      const { target, task, toolCallId } = request;
      frame.record({ type: 'dispatch', target, task, toolCallId, refused: reason });
      frame.emit({ type: 'dispatchFailure', target, reason });
      frame.show((frontend) =>
        frontend.showDispatchFailure(frame.agent.name, target, reason, { ...frame.place, toolCallId }),
      );
      return { ok: false, error: reason };
    };
    const agent = targetOf(frame, request.target);
    if (typeof agent === 'string') return refuse(agent);
    const refusal = refusalOf(frame, agent);
    if (refusal !== undefined) return refuse(refusal);
    const prepared = await prepareCall(agent, frame.config, request.signal);
    if (isFailure(prepared)) return refuse(prepared.message);
    return runChild(frame, request, agent, prepared, runCall);
  };
  return (request) =>
    frame.isOver
      ? Promise.resolve({ ok: false, error: 'The call is over.' })
      : frame.track(dispatch(request));
}

/** The agent that is asked for, or why it cannot be asked. */
function targetOf(frame: CallFrame, name: string): AgentDefinition | string {
  if (agentNameKey(name) === agentNameKey(frame.agent.name)) return `${name} cannot dispatch itself.`;
  const callable = callableAgents(frame.agent, frame.config.agents);
  const agent = findAgent(callable, name);
  if (agent) return agent;
  const names = callable.map((one) => one.name);
  const known = names.length > 0 ? `Known agents: ${names.join(', ')}.` : 'There are no agents to ask.';
  return `There is no agent '${name}' that ${frame.agent.name} may ask. ${known}`;
}

/** The limit that forbids one more call, as a sentence; counts the call where none does. */
function refusalOf(frame: CallFrame, agent: AgentDefinition): string | undefined {
  const { limits, maxDepth } = frame.config;
  const depth = frame.depth + 1;
  if (depth > maxDepth) {
    const from = `${frame.agent.name} (depth ${frame.depth})`;
    return `${from} cannot dispatch ${agent.name}: its depth would be ${depth}, the limit is ${maxDepth}.`;
  }
  if (frame.dispatched >= limits.fanOut) {
    const message = `${frame.agent.name} has dispatched ${frame.dispatched} calls, its limit.`;
    frame.exhausted = { code: 'fanOut', message };
    return message;
  }
  if (!frame.scope.beginCall()) return frame.scope.limit?.message ?? STOPPED_WORDS;
  frame.dispatched++;
  return undefined;
}

async function runChild(
  frame: CallFrame,
  { task: given, context, toolCallId, signal }: DispatchRequest,
  agent: AgentDefinition,
  prepared: PreparedCall,
  runCall: RunCall,
): Promise<DispatchResult> {
  const task = context?.trim() ? `${given}\n\nContext: ${context}` : given;
  const childCall = newId('call');
  const caller = frame.agent.name;
  const target = agent.name;
  const place = { ...frame.place, toolCallId };
  frame.record({ type: 'dispatch', target, task, toolCallId, childCall });
  frame.emit({ type: 'dispatchStart', target, task, childCall });
  frame.show((frontend) => frontend.showDispatchStart(caller, target, given, place));
  const child = frame.fork({ agent, ...prepared, prompt: task, signal, call: childCall, toolCallId });
  const result = await runCall(child);
  const reason = failureOf(target, result);
  if (reason === undefined) {
    frame.emit({ type: 'dispatchResult', target, result: result.text, childCall });
    frame.show((frontend) => frontend.showDispatchResult(caller, target, result.text, place));
    return { ok: true, result: result.text, session: childCall };
  }
  frame.emit({ type: 'dispatchFailure', target, reason, childCall });
  frame.show((frontend) => frontend.showDispatchFailure(caller, target, reason, place));
  return { ok: false, error: reason, session: childCall };
}

/** Why a child gave no answer, with what it said so far; undefined where it gave one. */
function failureOf(target: string, { outcome, error, text }: CallResult): string | undefined {
  if (outcome === 'done') return undefined;
  const how = outcome === 'cancelled' ? 'was cancelled' : outcome === 'limited' ? 'was ended' : 'failed';
  const said = text === '' ? '' : `\n\nIt had said: ${text}`;
  return `${target} ${how}: ${error?.message ?? 'no reason is known'}${said}`;
}
