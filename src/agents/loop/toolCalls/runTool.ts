import { isObject, type ToolCall } from '../../../core/message.js';
import { messageOf } from '../../../core/text.js';
import type { Dispatch, ToolResult } from '../../../core/ports/tool.js';
import type { CallFrame } from '../callFrame.js';
import { PausableTimer } from '../limits/pausableTimer.js';
import { toolContext } from './toolContext.js';

/**
 * Runs one tool call with a signal and, unless it waits for another agent, a time of its own. Never rejects; when
 * the call is stopped or the time is over it resolves at once, whether the tool hears of it or not.
 */
export function runTool(frame: CallFrame, call: ToolCall, dispatch: Dispatch): Promise<ToolResult> {
  if (frame.gate.signal.aborted) {
    return Promise.resolve(failed(`${call.function.name} was not run: the run was stopped.`));
  }
  return new Promise((resolve) => new ToolRun(frame, call, resolve).start(dispatch));
}

/** A tool call under way; the first thing that ends it counts. */
class ToolRun {
  readonly #frame: CallFrame;
  readonly #call: ToolCall;
  readonly #resolve: (result: ToolResult) => void;
  readonly #controller = new AbortController();
  readonly #timer: PausableTimer | undefined;
  readonly #unlink: () => void;

  constructor(frame: CallFrame, call: ToolCall, resolve: (result: ToolResult) => void) {
    this.#frame = frame;
    this.#call = call;
    this.#resolve = resolve;
    this.#unlink = frame.gate.onAbort(() => this.#stop(this.#howItEnded()));
    this.#timer = this.#startTimer();
  }

  start(dispatch: Dispatch): void {
    const { id, function: called } = this.#call;
    try {
      const context = toolContext(this.#frame, id, this.#controller.signal, this.#timer, dispatch);
      this.#frame.tools.execute(called.name, called.arguments, context).then(
        (result) =>
          this.#end(isUsable(result) ? bounded(result) : this.#failed('answered nothing that can be read.')),
        (error: unknown) => this.#fail(error),
      );
    } catch (error) {
      this.#fail(error);
    }
  }

  #startTimer(): PausableTimer | undefined {
    const { config } = this.#frame;
    const { toolMs } = config.limits;
    const effect = this.#frame.toolNamed(this.#call.function.name)?.effect;
    const mayTakeLong = effect === undefined || effect === 'dispatch';
    if (mayTakeLong) return undefined;
    const expire = this.#stop.bind(
      this,
      `was ended because it took longer than ${Math.round(toolMs / 1000)} s.`,
    );
    return new PausableTimer(toolMs, expire, config);
  }

  #howItEnded(): string {
    const { limit } = this.#frame.scope;
    return limit ? `was ended while it ran: ${limit.message}` : 'was cancelled while it ran.';
  }

  #end(result: ToolResult): void {
    this.#timer?.dispose();
    // Agents and questions that the tool has left behind end with the call: they hear of its end by this signal.
    if (!this.#frame.isWaiting) this.#unlink();
    this.#resolve(result);
  }

  #stop(how: string): void {
    this.#end(this.#failed(how));
    this.#controller.abort();
  }

  #fail(error: unknown): void {
    this.#end(this.#failed(`failed: ${messageOf(error)}`));
  }

  #failed(how: string): ToolResult {
    return failed(`${this.#call.function.name} ${how}`);
  }
}

/** Tools come from anywhere, and what they answer is only as good as they are. */
function isUsable(result: unknown): boolean {
  try {
    if (!isObject(result) || typeof result.content !== 'string') return false;
    return result.pictures === undefined || Array.isArray(result.pictures);
  } catch {
    // What throws when it is looked at cannot be read.
    return false;
  }
}

/** The longest answer, in UTF-16 code units: what the store surely reads back, and far more than any model takes. */
const MAX_ANSWER = 80 * 1024 * 1024;

/** The answer, with its end cut off where it is too long to be kept, which the answer then says. */
function bounded(result: ToolResult): ToolResult {
  const { content } = result;
  if (content.length <= MAX_ANSWER) return result;
  const numbers = `${content.length.toLocaleString('en-US')} characters, of which the first ${MAX_ANSWER.toLocaleString('en-US')} are kept`;
  return { ...result, content: `${content.slice(0, MAX_ANSWER)}\n[Cut: the answer had ${numbers}.]` };
}

function failed(content: string): ToolResult {
  return { content, isError: true };
}
