import type { ChatMessage, ToolCall } from '../core/message.js';
import { messageOf, preview, singleLine } from '../core/text.js';
import type { Dispatch, Tool, ToolResult } from '../ports/tool.js';
import { ABORTED, AbortGate } from './abortGate.js';
import type { CallFrame } from './callFrame.js';
import type { LoopObserver } from './loopObserver.js';
import { PausableTimer } from './pausableTimer.js';
import { toolContext } from './toolContext.js';

interface Ended {
  readonly result: ToolResult;
  readonly durationMs: number;
}

/**
 * Runs the tool calls of one message: neighbours that may run at the same time do, all others one after another.
 * Each call is answered exactly once, in the order of the calls, whatever happens. Returns how many were run.
 */
export async function runToolCalls(
  frame: CallFrame,
  calls: readonly ToolCall[],
  dispatch: Dispatch,
  observer: LoopObserver,
): Promise<number> {
  const { toolCallsPerMessage, toolsAtOnce } = frame.config.limits;
  const ended: (Ended | undefined)[] = [];
  let answered = 0;
  let ran = 0;
  const keep = (index: number, end: Ended): void => {
    ended[index] = end;
    if (!end.result.notRun) ran++;
    for (let next = ended[answered]; next; next = ended[answered]) {
      const call = calls[answered++];
      if (call) answer(frame, call, next, observer);
    }
  };
  let index = 0;
  const runNext = async (): Promise<void> => {
    const at = index++;
    const call = calls[at];
    if (!call) return;
    keep(at, at < toolCallsPerMessage ? await runOne(frame, call, dispatch) : tooMany(toolCallsPerMessage));
  };
  while (index < calls.length) {
    let end = index + 1;
    if (mayOverlap(frame, calls[index])) while (end < calls.length && mayOverlap(frame, calls[end])) end++;
    const lane = async (): Promise<void> => {
      while (index < end) await runNext();
    };
    await Promise.all(Array.from({ length: Math.min(toolsAtOnce, end - index) }, lane));
  }
  return ran;
}

/** Answers tool calls that are not run, with the reason. */
export function refuseToolCalls(
  frame: CallFrame,
  calls: readonly ToolCall[],
  why: string,
  observer: LoopObserver,
): void {
  for (const call of calls) {
    answer(frame, call, { result: { content: why, isError: true }, durationMs: 0 }, observer);
  }
}

function answer(
  frame: CallFrame,
  call: ToolCall,
  { result, durationMs }: Ended,
  observer: LoopObserver,
): void {
  const message: ChatMessage = { role: 'tool', tool_call_id: call.id, content: result.content };
  frame.messages.push(message);
  const details = { toolName: call.function.name, durationMs, isError: result.isError ?? false };
  observer.onToolMessage(message, details);
}

function mayOverlap(frame: CallFrame, call: ToolCall | undefined): boolean {
  return call !== undefined && (frame.tools.find(call.function.name)?.parallel ?? false);
}

async function runOne(frame: CallFrame, call: ToolCall, dispatch: Dispatch): Promise<Ended> {
  const { name, arguments: args } = call.function;
  const { clock } = frame.config;
  const startedAt = clock.now();
  const about = { toolName: name, toolCallId: call.id };
  frame.emit({ type: 'toolStart', ...about, arguments: args });
  const detail = singleLine(preview(args));
  frame.show((frontend) => frontend.showToolActivity(frame.agent.name, name, 'start', detail, frame.place));
  const result = await new ToolRun(frame, call, frame.tools.find(name)).run(dispatch);
  const durationMs = clock.now() - startedAt;
  const isError = result.isError ?? false;
  frame.emit({ type: 'toolEnd', ...about, isError, durationMs });
  const words = isError ? singleLine(preview(result.content)) : `${durationMs} ms`;
  frame.show((frontend) =>
    frontend.showToolActivity(frame.agent.name, name, isError ? 'error' : 'end', words, frame.place),
  );
  return { result, durationMs };
}

/** One tool call under way: its own signal, and its own time where it does not wait for an agent. */
class ToolRun {
  readonly #frame: CallFrame;
  readonly #call: ToolCall;
  readonly #controller = new AbortController();
  readonly #timer: PausableTimer | undefined;
  #late = false;

  constructor(frame: CallFrame, call: ToolCall, tool: Tool | undefined) {
    this.#frame = frame;
    this.#call = call;
    const expire = (): void => {
      this.#late = true;
      this.#controller.abort();
    };
    const mayTakeLong = tool === undefined || tool.effect === 'dispatch';
    this.#timer = mayTakeLong
      ? undefined
      : new PausableTimer(frame.config.limits.toolMs, expire, frame.config);
  }

  async run(dispatch: Dispatch): Promise<ToolResult> {
    const { gate: outer, tools } = this.#frame;
    const { name, arguments: args } = this.#call.function;
    if (outer.signal.aborted) return failed(`${name} was not run: the run was stopped.`);
    const unlink = outer.onAbort(() => this.#controller.abort());
    const gate = new AbortGate(this.#controller.signal);
    try {
      const context = toolContext(this.#frame, this.#call.id, gate.signal, this.#timer, dispatch);
      const result = await gate.race(tools.execute(name, args, context));
      if (this.#late) return failed(`${name} was ended because it took longer than ${this.#seconds()} s.`);
      return result === ABORTED ? failed(`${name} was cancelled while it ran.`) : result;
    } catch (error) {
      return failed(`${name} failed: ${messageOf(error)}`);
    } finally {
      this.#timer?.dispose();
      gate.dispose();
      unlink();
    }
  }

  #seconds(): number {
    return Math.round(this.#frame.config.limits.toolMs / 1000);
  }
}

function failed(content: string): ToolResult {
  return { content, isError: true };
}

function tooMany(limit: number): Ended {
  const content = `Not run: one message may hold ${limit} tool calls. Call this one again in the next message.`;
  return { result: { content, isError: true, notRun: true }, durationMs: 0 };
}
