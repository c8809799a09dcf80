import { type ChatMessage, type ContentPart, type ToolCall, isObject } from '../../../core/message.js';
import { preview, singleLine, messageOf } from '../../../core/text.js';
import type { Dispatch, ToolResult, ToolContext } from '../../../core/ports/tool.js';
import type { CallFrame } from '../callFrame.js';
import type { LoopObserver } from '../askModel.js';
import { PausableTimer } from '../limits/pausableTimer.js';
import type { ApprovalDecision, ApprovalRequest, Approver } from '../../../core/ports/approvals.js';
import type { CallState } from '../../../core/record.js';

/**
 * Runs one tool call with a signal and, unless it waits for another agent, a time of its own. Never rejects; when
 * the call is stopped or the time is over it resolves at once, whether the tool hears of it or not.
 */
function runTool(frame: CallFrame, call: ToolCall, dispatch: Dispatch): Promise<RunResult> {
  if (frame.gate.signal.aborted) {
    return Promise.resolve({ result: failed(`${call.function.name} was not run: the run was stopped.`) });
  }
  return new Promise((resolve) => new ToolRun(frame, call, resolve).start(dispatch));
}

/** What a tool gave, and why that is a failure where the tool itself is not the reason. */
interface RunResult {
  readonly result: ToolResult;
  readonly state?: CallState;
}

/** A tool call under way; the first thing that ends it counts. */
class ToolRun {
  readonly #frame: CallFrame;
  readonly #call: ToolCall;
  readonly #resolve: (ended: RunResult) => void;
  readonly #controller = new AbortController();
  readonly #timer: PausableTimer | undefined;
  readonly #unlink: () => void;
  /** What the latest decision or the time makes of a call that fails. */
  #state: CallState | undefined;

  constructor(frame: CallFrame, call: ToolCall, resolve: (ended: RunResult) => void) {
    this.#frame = frame;
    this.#call = call;
    this.#resolve = resolve;
    this.#unlink = frame.gate.onAbort(() => this.#stop(this.#howItEnded()));
    this.#timer = this.#startTimer();
  }

  start(dispatch: Dispatch): void {
    const { id, function: called } = this.#call;
    try {
      const { signal } = this.#controller;
      const onDecided = ({ approved, decidedBy }: ApprovalDecision) => {
        this.#state = approved || decidedBy === 'cancel' ? undefined : 'denied';
      };
      const approvals = new PausingApprover(this.#frame, signal, this.#timer, onDecided);
      const context = toolContext(this.#frame, id, { signal, timer: this.#timer, approvals }, dispatch);
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
    const expire = () => {
      this.#state = 'timedOut';
      this.#stop(`was ended because it took longer than ${Math.round(toolMs / 1000)} s.`);
    };
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
    const state = result.isError === true ? this.#state : undefined;
    this.#resolve({ result, ...(state && { state }) });
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

/** What a tool call gets: everything it may need, bound to its call and its own end. */
function toolContext(
  frame: CallFrame,
  toolCallId: string,
  {
    signal,
    timer,
    approvals,
  }: Pick<ToolContext, 'signal' | 'approvals'> & { readonly timer: PausableTimer | undefined },
  dispatch: Dispatch,
): ToolContext {
  return {
    frontend: frame.options.frontend,
    signal,
    call: frame.recordPlace,
    toolCallId,
    approvals,
    record: frame.recordDraft,
    dispatch: async (request) => {
      const resume = timer?.pause();
      try {
        return await dispatch(endingWith(signal, request));
      } finally {
        resume?.();
      }
    },
  };
}

/** A request of a tool that brings a signal of its own ends with the tool's call all the same. */
function endingWith<T extends { readonly signal: AbortSignal }>(signal: AbortSignal, request: T): T {
  return request.signal === signal
    ? request
    : { ...request, signal: AbortSignal.any([request.signal, signal]) };
}

/** Asks as before, but the time in which a person thinks counts for nobody. */
class PausingApprover implements Approver {
  readonly #frame: CallFrame;
  readonly #signal: AbortSignal;
  readonly #timer: PausableTimer | undefined;
  readonly #onDecided: (decision: ApprovalDecision) => void;

  constructor(
    frame: CallFrame,
    signal: AbortSignal,
    timer: PausableTimer | undefined,
    onDecided: (decision: ApprovalDecision) => void,
  ) {
    this.#frame = frame;
    this.#signal = signal;
    this.#timer = timer;
    this.#onDecided = onDecided;
  }

  async decide(request: ApprovalRequest): Promise<ApprovalDecision> {
    if (this.#frame.isOver) return { approved: false, decidedBy: 'cancel' };
    const { approvals, runApprovalPolicy } = this.#frame.config;
    const resume = [this.#frame.scope.pause(), this.#timer?.pause()];
    try {
      const asked = approvals.decide(endingWith(this.#signal, request), runApprovalPolicy);
      const decision = await this.#frame.track(asked);
      this.#onDecided(decision);
      return decision;
    } finally {
      for (const go of resume) go?.();
    }
  }
}

interface Ended extends RunResult {
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
      if (this.#frame.isHeld) await this.#frame.goOn(nextOf(this.#frame, call));
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

/** How much of the arguments of a call is told to whoever is asked whether the run goes on, in code points. */
const MAX_NEXT = 2_000;

/** What a run that is held would do next. */
function nextOf({ agent }: CallFrame, { function: { name, arguments: args } }: ToolCall): string {
  return `${agent.name} would call ${name} now:\n${preview(args, MAX_NEXT)}`;
}

function answer(
  frame: CallFrame,
  call: ToolCall,
  { result, state, durationMs, isStopped }: Ended,
  observer: LoopObserver,
): void {
  const message: ChatMessage = { role: 'tool', tool_call_id: call.id, content: contentOf(result) };
  frame.messages.push(message);
  const details = {
    toolName: call.function.name,
    durationMs,
    isError: result.isError ?? false,
    ...(isStopped && { partial: 'cancelled' as const }),
    ...(state && !isStopped && { state }),
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
  const { result, state } = await runTool(frame, call, dispatch);
  const durationMs = clock.now() - startedAt;
  const isError = result.isError ?? false;
  frame.emit({ type: 'toolEnd', ...about, isError, durationMs });
  const words = isError ? singleLine(preview(result.content)) : `${durationMs} ms`;
  frame.show((frontend) =>
    frontend.showToolActivity(frame.agent.name, name, isError ? 'error' : 'end', words, frame.place),
  );
  return { result, ...(state && { state }), durationMs, isStopped: wasStopped(frame, result) };
}

function tooMany(limit: number): Ended {
  const content = `Not run: one message may hold ${limit} tool calls. Call this one again in the next message.`;
  return { result: { content, isError: true, notRun: true }, durationMs: 0, isStopped: false };
}
