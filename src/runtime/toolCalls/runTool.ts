import { isObject, type ToolCall } from '../../core/message.js';
import { messageOf } from '../../core/text.js';
import type { Dispatch, ToolResult } from '../../ports/tool.js';
import type { CallFrame } from '../callFrame.js';
import { PausableTimer } from '../limits/pausableTimer.js';
import { toolContext } from './toolContext.js';

/**
 * Runs one tool call with a signal and, unless it waits for another agent, a time of its own. Never rejects; when
 * the call is stopped or the time is over it resolves at once, whether the tool hears of it or not.
 */
export function runTool(frame: CallFrame, call: ToolCall, dispatch: Dispatch): Promise<ToolResult> {
  const { config, gate, tools } = frame;
  const { name, arguments: args } = call.function;
  if (gate.signal.aborted) return Promise.resolve(failed(`${name} was not run: the run was stopped.`));
  return new Promise((resolve) => {
    const controller = new AbortController();
    const end = (result: ToolResult): void => {
      timer?.dispose();
      unlink();
      resolve(isUsable(result) ? result : failed(`${name} answered nothing that can be read.`));
    };
    const stop = (words: string): void => {
      end(failed(words));
      controller.abort();
    };
    const unlink = gate.onAbort(() => stop(`${name} was cancelled while it ran.`));
    const timer = startTimer(frame, name, () => {
      const seconds = Math.round(config.limits.toolMs / 1000);
      stop(`${name} was ended because it took longer than ${seconds} s.`);
    });
    const fail = (error: unknown): void => end(failed(`${name} failed: ${messageOf(error)}`));
    try {
      const context = toolContext(frame, call.id, controller.signal, timer, dispatch);
      tools.execute(name, args, context).then(end, fail);
    } catch (error) {
      fail(error);
    }
  });
}

function startTimer(frame: CallFrame, name: string, expire: () => void): PausableTimer | undefined {
  const effect = frame.toolNamed(name)?.effect;
  const mayTakeLong = effect === undefined || effect === 'dispatch';
  return mayTakeLong ? undefined : new PausableTimer(frame.config.limits.toolMs, expire, frame.config);
}

/** Tools come from anywhere, and what they answer is only as good as they are. */
function isUsable(result: unknown): boolean {
  if (!isObject(result) || typeof result.content !== 'string') return false;
  return result.pictures === undefined || Array.isArray(result.pictures);
}

function failed(content: string): ToolResult {
  return { content, isError: true };
}
