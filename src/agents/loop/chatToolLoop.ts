import { createHash } from 'node:crypto';
import { appendAll } from '../../core/lists.js';
import type { ChatMessage, ToolCall } from '../../core/message.js';
import type { Failure, Outcome, PartialReason } from '../../core/record.js';
import type { Dispatch } from '../../core/ports/tool.js';
import { askModel, plainFailure, type Answer, type LoopObserver } from './askModel.js';
import type { CallFrame } from './callFrame.js';
import { compactHistory } from './history/compactHistory.js';
import { STOPPED } from './runScope.js';
import { HistoryGuard } from './history/repairHistory.js';
import { refuseToolCalls, runToolCalls } from './toolCalls/runToolCalls.js';
import { sendable } from './history/sendable.js';
import { canonicalJson } from '../../core/canonicalJson.js';
import { CycleDetector } from '../../core/cycles.js';

/**
 * Notices when a call makes the same tool call, or the same short cycle of tool calls, again and again.
 * The cost of a call does not depend on how many there were.
 */
export class RepetitionDetector {
  readonly #allowed: number;
  readonly #cycles = new CycleDetector();

  /** `allowed`: how often something may follow itself. */
  constructor(allowed: number) {
    this.#allowed = allowed;
  }

  /** Takes one more call in; the reason to stop in words, or undefined. */
  add(call: ToolCall): string | undefined {
    const period = this.#cycles.add(keyOf(call), this.#allowed + 2);
    return period === 0 ? undefined : this.#reason(call.function.name, period);
  }

  #reason(name: string, period: number): string {
    return period === 1
      ? `${name} was called ${this.#allowed + 2} times in a row with the same arguments.`
      : `The same ${period} tool calls, the last of them ${name}, were repeated ${this.#allowed + 2} times.`;
  }
}

/** Longer texts are remembered by their hash, which costs more than to keep a short one. */
const MAX_PLAIN_KEY = 512;

function keyOf({ function: { name, arguments: text } }: ToolCall): string {
  const key = `${name}\0${canonical(text)}`;
  return key.length <= MAX_PLAIN_KEY ? key : createHash('sha256').update(key).digest('base64');
}

/** Equal for arguments that mean the same; text that is no JSON, or too deep for it, stays as it is. */
function canonical(text: string): string {
  try {
    return canonicalJson(JSON.parse(text));
  } catch {
    // Texts that cannot be compared by meaning are still compared by letter.
    return text;
  }
}

/** How often a call's history may be halved; a model that still cannot read it never will. */
const MAX_COMPACTIONS = 8;

/** How a call ended; `text` is the final answer, or as much of it as was said. */
export interface LoopResult {
  readonly outcome: Outcome;
  readonly text: string;
  /** Present unless the outcome is `done`. */
  readonly error?: Failure;
}

/**
 * Asks the call's model, runs the tools it calls, feeds back what they say, and so on until the final answer, a
 * limit, a failure or the end of the signal. Everything said goes to `observer` and into the frame's messages,
 * which stay a history that can be gone on with. Never rejects because of a model, a tool or a frontend.
 */
export async function chatToolLoop(
  frame: CallFrame,
  dispatch: Dispatch,
  observer: LoopObserver,
): Promise<LoopResult> {
  return new Loop(frame, dispatch, observer).run();
}

class Loop {
  readonly #frame: CallFrame;
  readonly #dispatch: Dispatch;
  readonly #observer: LoopObserver;
  readonly #guard = new HistoryGuard();
  readonly #repetition: RepetitionDetector;
  readonly #usedIds: Set<string>;
  #fruitless = 0;
  #compactions = 0;

  constructor(frame: CallFrame, dispatch: Dispatch, observer: LoopObserver) {
    this.#frame = frame;
    this.#dispatch = dispatch;
    this.#observer = observer;
    this.#repetition = new RepetitionDetector(frame.config.limits.repetitions);
    this.#usedIds = new Set(frame.messages.flatMap(idsOf));
  }

  async run(): Promise<LoopResult> {
    const { agent, config, messages, signal } = this.#frame;
    const { steps } = config.limits;
    const own = agent.maxTurns ?? Infinity;
    const begun = await this.#makeOpenCalls();
    if (begun) return begun;
    for (let step = 0; ; step++) {
      const turn = config.scheduler.yieldWhenDue();
      if (turn) await turn;
      if (this.#frame.isHeld) await this.#frame.goOn(`${agent.name} would ask its model now.`);
      if (signal.aborted) return this.#stopped('');
      if (step >= steps)
        return this.#endRun('steps', `${agent.name} asked its model ${steps} times, its limit.`);
      if (step >= own)
        return this.#limited(
          'steps',
          `${agent.name} asked its model ${own} times, all that its file allows.`,
        );
      const repairs = this.#guard.repair(messages);
      if (repairs > 0) config.log.info(`${agent.name}: ${repairs} repairs of the history before a request`);
      const answer = await askModel(this.#frame, this.#observer);
      const end = await this.#take(answer);
      if (end) return end;
    }
  }

  /** Makes the calls that nobody answered where a conversation goes on behind a message that makes some. */
  async #makeOpenCalls(): Promise<LoopResult | undefined> {
    const { messages, options, signal } = this.#frame;
    if (options.goingOn?.isSilent !== true || signal.aborted) return undefined;
    const last = messages.findLastIndex(({ role }) => role === 'assistant');
    const answered = new Set(messages.slice(last + 1).map((message) => message.tool_call_id));
    const open = (messages[last]?.tool_calls ?? []).filter(({ id }) => !answered.has(id));
    return open.length > 0 ? await this.#runTools(open, false) : undefined;
  }

  /** Says an answer, runs its tools; how the loop ends, or undefined where it goes on. */
  async #take(answer: Answer): Promise<LoopResult | undefined> {
    const cut = answer.kind === 'finished' && answer.finishReason === 'length';
    const partial = answer.kind === 'finished' ? (cut ? 'length' : undefined) : partialReason(answer.kind);
    const calls = this.#say(answer, partial);
    this.#frame.emit({ type: 'said' });
    const text = answer.draft.text;
    switch (answer.kind) {
      case 'cancelled':
        this.#refuse(calls, 'Not run: the run was stopped before the message was finished.');
        return this.#stopped(text);
      case 'failed':
        this.#refuse(calls, 'Not run: the message that called it broke off.');
        if (answer.failure.code === 'contextLength' && this.#compact()) return undefined;
        this.#observer.onError({ where: 'model', error: plainFailure(answer.failure) });
        return { outcome: 'failed', text, error: plainFailure(answer.failure) };
      case 'finished':
        if (answer.finishReason === 'content_filter') {
          this.#refuse(calls, 'Not run: the provider withheld a part of the message.');
          return this.#final(answer, text);
        }
        return calls.length > 0 ? await this.#runTools(calls, cut) : this.#final(answer, text);
    }
  }

  /** Leaves out a part of a history that the model cannot read whole; false where that cannot help. */
  #compact(): boolean {
    const { agent, messages } = this.#frame;
    if (this.#compactions++ >= MAX_COMPACTIONS) return false;
    const compacted = compactHistory(messages);
    if (!compacted) return false;
    messages.length = 0;
    appendAll(messages, compacted.messages);
    this.#guard.reset();
    this.#frame.forgetDigest();
    const { dropped, shortened } = compacted;
    const what = dropped > 0 ? `${dropped} earlier messages` : `the ends of ${shortened} long tool answers`;
    const message = `${agent.name}'s model cannot read so much: it is no longer sent ${what}. The record keeps them.`;
    const error = { code: 'compacted', message };
    this.#observer.onError({ where: 'model', error, ...(dropped > 0 && { dropped }) });
    return true;
  }

  #final(answer: Answer & { kind: 'finished' }, text: string): LoopResult {
    if (answer.finishReason === 'length') {
      return this.#limited('length', 'The answer was cut at the longest that the model may say.', text);
    }
    if (answer.finishReason === 'content_filter') {
      const error = { code: 'contentFilter', message: 'The provider withheld the answer or a part of it.' };
      this.#observer.onError({ where: 'model', error });
      return { outcome: 'failed', text, error };
    }
    return { outcome: 'done', text };
  }

  async #runTools(calls: readonly ToolCall[], cut: boolean): Promise<LoopResult | undefined> {
    const { config, scope } = this.#frame;
    if (this.#isAborted()) {
      this.#refuse(calls, `Not run: ${scope.limit?.message ?? 'the run was stopped.'}`);
      return this.#stopped('');
    }
    const repeated = calls.map((call) => this.#repetition.add(call)).find((reason) => reason !== undefined);
    if (repeated !== undefined) {
      this.#refuse(calls, `Not run: ${repeated}`);
      return this.#endRun('repetition', repeated);
    }
    if (cut) this.#refuse(calls, 'Not run: the message was cut at its length limit. Say less at once.');
    const ran = cut ? 0 : await runToolCalls(this.#frame, calls, this.#dispatch, this.#observer);
    if (this.#isAborted()) return this.#stopped('');
    if (this.#frame.exhausted) return this.#endRun(this.#frame.exhausted.code, this.#frame.exhausted.message);
    this.#fruitless = ran > 0 ? 0 : this.#fruitless + 1;
    if (this.#fruitless <= config.limits.corrections) return undefined;
    return this.#limited(
      'corrections',
      `None of the tool calls of ${this.#fruitless} messages in a row could be run.`,
    );
  }

  /** Makes the answer a message of the history and of the record; returns its tool calls. */
  #say(answer: Answer, partial: PartialReason | undefined): readonly ToolCall[] {
    if (partial !== undefined && answer.draft.isEmpty) return [];
    const message = answer.draft.toMessage(this.#usedIds);
    this.#frame.messages.push(sendable(message));
    this.#observer.onAssistantMessage(message, {
      model: this.#frame.model.id,
      ...(answer.usage && { usage: answer.usage }),
      ...(partial !== undefined && { partial }),
    });
    return message.tool_calls ?? [];
  }

  #isAborted(): boolean {
    return this.#frame.signal.aborted;
  }

  #refuse(calls: readonly ToolCall[], why: string): void {
    refuseToolCalls(this.#frame, calls, why, this.#observer);
  }

  /** Ends the whole run, however deep this call is: those that wait for it would only ask for more of the same. */
  #endRun(code: string, message: string): LoopResult {
    this.#frame.scope.end(code, message);
    return this.#stopped('');
  }

  /** The end by the signal: a limit of the run, or somebody's wish. */
  #stopped(text: string): LoopResult {
    const { limit } = this.#frame.scope;
    if (limit) return this.#limited(limit.code, limit.message, text);
    return { outcome: 'cancelled', text, error: STOPPED };
  }

  #limited(code: string, message: string, text = ''): LoopResult {
    const error = { code, message };
    this.#observer.onError({ where: 'limit', error });
    return { outcome: 'limited', text, error };
  }
}

function partialReason(kind: 'failed' | 'cancelled'): PartialReason {
  return kind === 'failed' ? 'error' : 'cancelled';
}

function idsOf(message: ChatMessage): string[] {
  return message.role === 'assistant' ? (message.tool_calls ?? []).map(({ id }) => id) : [];
}
