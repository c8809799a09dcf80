import type { ChatMessage, ContentPart, ToolCall } from '../../core/message.js';
import { preview, singleLine } from '../../core/text.js';
import type { Dispatch, ToolResult } from '../../ports/tool.js';
import type { CallFrame } from '../callFrame.js';
import type { LoopObserver } from '../loopObserver.js';
import { runTool } from './runTool.js';

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
    const lanes = Math.max(1, Math.min(toolsAtOnce, end - index));
    await Promise.all(Array.from({ length: lanes }, lane));
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
  const message: ChatMessage = { role: 'tool', tool_call_id: call.id, content: contentOf(result) };
  frame.messages.push(message);
  const details = { toolName: call.function.name, durationMs, isError: result.isError ?? false };
  observer.onToolMessage(message, details);
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
  return { result, durationMs };
}

function tooMany(limit: number): Ended {
  const content = `Not run: one message may hold ${limit} tool calls. Call this one again in the next message.`;
  return { result: { content, isError: true, notRun: true }, durationMs: 0 };
}
