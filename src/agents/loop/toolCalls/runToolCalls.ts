import type { ChatMessage, ContentPart, ToolCall } from '../../../core/message.js';
import { preview, singleLine } from '../../../core/text.js';
import type { Dispatch, ToolResult } from '../../../core/ports/tool.js';
import type { CallFrame } from '../callFrame.js';
import type { LoopObserver } from '../loopObserver.js';
import { runTool } from './runTool.js';

interface Ended {
  readonly result: ToolResult;
  readonly durationMs: number;
  /** Whether it gave no result because a person stopped the run. */
  readonly isStopped: boolean;
}

/**
 * Runs the tool calls of one message: neighbours that may run at the same time do, all others one after another.
 * Each call is answered exactly once, in the order of the calls, whatever happens. Returns how many were run.
 */
export function runToolCalls(
  frame: CallFrame,
  calls: readonly ToolCall[],
  dispatch: Dispatch,
  observer: LoopObserver,
): Promise<number> {
  return new ToolRound(frame, calls, dispatch, observer).run();
}

class ToolRound {
  readonly #frame: CallFrame;
  readonly #calls: readonly ToolCall[];
  readonly #dispatch: Dispatch;
  readonly #observer: LoopObserver;
  /** By the index of the call. */
  readonly #ended: (Ended | undefined)[] = [];
  #begun = 0;
  #answered = 0;
  #ran = 0;

  constructor(frame: CallFrame, calls: readonly ToolCall[], dispatch: Dispatch, observer: LoopObserver) {
    this.#frame = frame;
    this.#calls = calls;
    this.#dispatch = dispatch;
    this.#observer = observer;
  }

  async run(): Promise<number> {
    const { toolsAtOnce } = this.#frame.config.limits;
    while (this.#begun < this.#calls.length) {
      const end = this.#endOfNeighbours();
      const lanes = Math.min(toolsAtOnce, end - this.#begun);
      if (lanes > 1) await Promise.all(Array.from({ length: lanes }, () => this.#runUntil(end)));
      else await this.#runUntil(end);
    }
    return this.#ran;
  }

  /** The index behind the calls from here on that may run at the same time. */
  #endOfNeighbours(): number {
    let end = this.#begun;
    while (mayOverlap(this.#frame, this.#calls[end])) end++;
    return Math.max(end, this.#begun + 1);
  }

  async #runUntil(end: number): Promise<void> {
    const { toolCallsPerMessage } = this.#frame.config.limits;
    while (this.#begun < end) {
      const index = this.#begun++;
      const call = this.#calls[index];
      if (!call) return;
      this.#ended[index] =
        index < toolCallsPerMessage
          ? await runOne(this.#frame, call, this.#dispatch)
          : tooMany(toolCallsPerMessage);
      if (!this.#ended[index].result.notRun) this.#ran++;
      this.#answerInOrder();
    }
  }

  #answerInOrder(): void {
    for (let next = this.#ended[this.#answered]; next; next = this.#ended[this.#answered]) {
      const call = this.#calls[this.#answered++];
      if (call) answer(this.#frame, call, next, this.#observer);
    }
  }
}

/** Answers tool calls that are not run, with the reason. */
export function refuseToolCalls(
  frame: CallFrame,
  calls: readonly ToolCall[],
  why: string,
  observer: LoopObserver,
): void {
  for (const call of calls) {
    const result = { content: why, isError: true };
    answer(frame, call, { result, durationMs: 0, isStopped: wasStopped(frame, result) }, observer);
  }
}

function answer(
  frame: CallFrame,
  call: ToolCall,
  { result, durationMs, isStopped }: Ended,
  observer: LoopObserver,
): void {
  const message: ChatMessage = { role: 'tool', tool_call_id: call.id, content: contentOf(result) };
  frame.messages.push(message);
  const details = {
    toolName: call.function.name,
    durationMs,
    isError: result.isError ?? false,
    ...(isStopped && { partial: 'cancelled' as const }),
  };
  observer.onToolMessage(message, details);
}

/** Whether a tool fails because a person stopped the run; a limit that ends it is no person. */
function wasStopped({ signal, scope }: CallFrame, { isError }: ToolResult): boolean {
  return isError === true && signal.aborted && scope.limit === undefined;
}

/** The text of an answer, and the pictures behind it where there are any. */
function contentOf({ content, pictures = [] }: ToolResult): string | readonly ContentPart[] {
  return pictures.length === 0 ? content : [{ type: 'text', text: content }, ...pictures];
}

function mayOverlap(frame: CallFrame, call: ToolCall | undefined): boolean {
  return call !== undefined && (frame.toolNamed(call.function.name)?.parallel ?? false);
}

async function runOne(frame: CallFrame, call: ToolCall, dispatch: Dispatch): Promise<Ended> {
  const { name, arguments: args } = call.function;
  const { clock } = frame.config;
  const startedAt = clock.now();
  const about = { toolName: name, toolCallId: call.id };
  frame.emit({ type: 'toolStart', ...about, arguments: args });
  const detail = singleLine(preview(args));
  frame.show((frontend) => frontend.showToolActivity(frame.agent.name, name, 'start', detail, frame.place));
  const result = await runTool(frame, call, dispatch);
  const durationMs = clock.now() - startedAt;
  const isError = result.isError ?? false;
  frame.emit({ type: 'toolEnd', ...about, isError, durationMs });
  const words = isError ? singleLine(preview(result.content)) : `${durationMs} ms`;
  frame.show((frontend) =>
    frontend.showToolActivity(frame.agent.name, name, isError ? 'error' : 'end', words, frame.place),
  );
  return { result, durationMs, isStopped: wasStopped(frame, result) };
}

function tooMany(limit: number): Ended {
  const content = `Not run: one message may hold ${limit} tool calls. Call this one again in the next message.`;
  return { result: { content, isError: true, notRun: true }, durationMs: 0, isStopped: false };
}
