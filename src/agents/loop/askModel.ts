import { ABORTED } from '../../core/abort.js';
import {
  type Failure,
  type ErrorBody,
  type PartialReason,
  type RequestBody,
  draftAt,
  type ToolCallPiece,
} from '../../core/record.js';
import { delay } from '../../core/timers.js';
import { plausibleUsage, type Usage } from '../../core/usage.js';
import { messageOf } from '../../core/text.js';
import type { FinishReason, ModelEvent, ModelFailure } from '../../core/ports/model.js';
import { AssistantDraft } from './assistantDraft.js';
import type { CallFrame } from './callFrame.js';
import { backoffMs, type Backoff } from '../../core/backoff.js';
import type { ChatMessage } from '../../core/message.js';
import type { Disposable } from '../../core/event.js';
import { newId } from '../../core/ids.js';
import type { CallState } from '../../core/record.js';

/** After how long what was said is given on, in milliseconds: nobody loses more than a second of it. */
const PIECE_MS = 500;

/** What a model is saying, given on as pieces while it says it, so that what ends this process does not end its words. */
class PiecesOfAnswer {
  readonly #frame: CallFrame;
  readonly #request = newId('message');
  #text = '';
  #reasoning = '';
  readonly #calls = new Map<number, { id?: string; name?: string; arguments: string }>();
  #timer: Disposable | undefined;

  constructor(frame: CallFrame) {
    this.#frame = frame;
  }

  add(event: ModelEvent): void {
    if (event.type === 'text') this.#text += event.text;
    else if (event.type === 'reasoning') this.#reasoning += event.text;
    else if (event.type === 'toolCall') this.#addToCall(event);
    else return;
    this.#timer ??= this.#frame.config.timers.after(PIECE_MS, () => {
      this.#timer = undefined;
      this.#give();
    });
  }

  /** Gives on nothing more: the whole answer is recorded now. */
  end(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
  }

  #addToCall({ index, id, name, arguments: text = '' }: ModelEvent & { type: 'toolCall' }): void {
    const call = this.#calls.get(index) ?? { arguments: '' };
    this.#calls.set(index, call);
    if (id !== undefined) call.id = id;
    if (name !== undefined) call.name = name;
    call.arguments += text;
  }

  #give(): void {
    const text = this.#text;
    const reasoning = this.#reasoning;
    if (text !== '' || reasoning !== '')
      this.#say({ ...(text !== '' && { text }), ...(reasoning !== '' && { reasoning }) });
    for (const [index, call] of this.#calls) this.#say({ toolCall: { index, ...call } });
    this.#text = this.#reasoning = '';
    this.#calls.clear();
  }

  #say(said: {
    readonly text?: string;
    readonly reasoning?: string;
    readonly toolCall?: ToolCallPiece;
  }): void {
    const { config, recordPlace } = this.#frame;
    config.messageLog.say?.(draftAt(recordPlace, { type: 'piece', request: this.#request, ...said }));
  }
}

/** The share of a wait that is left to chance, of what a provider asks for as well. */
const JITTER = 0.25;

const BACKOFF: Backoff = { firstMs: 500, maxMs: 20_000, jitter: JITTER };

/** The outcome of one request; `draft` is what the model had said by then. */
export type Answer = { readonly draft: AssistantDraft; readonly usage?: Usage } & (
  | { readonly kind: 'finished'; readonly finishReason: FinishReason }
  | { readonly kind: 'failed'; readonly failure: ModelFailure }
  | { readonly kind: 'cancelled' }
);

/**
 * Asks the call's model for its next message, and retries with growing pauses where a failure may be temporary. Nothing
 * of a failed answer has been executed, so a retry repeats no side effect.
 */
export async function askModel(frame: CallFrame, observer: LoopObserver): Promise<Answer> {
  const { limits, scheduler, timers } = frame.config;
  for (let attempt = 1; ; attempt++) {
    const release = await scheduler.acquire(frame.signal);
    if (!release) return { kind: 'cancelled', draft: new AssistantDraft() };
    const startedAt = frame.config.clock.now();
    const digest = frame.digest();
    const request = new Request(frame, digest);
    const answer = await request.run();
    release();
    const pause =
      answer.kind === 'failed' && answer.failure.retryable && attempt <= limits.retries
        ? modelRetryDelay(attempt, answer.failure, limits.retryPauseMs)
        : undefined;
    observer.onRequest({
      model: frame.model.id,
      endpoint: frame.model.endpoint,
      attempt,
      durationMs: frame.config.clock.now() - startedAt,
      ...(request.firstTokenAt !== undefined && { firstTokenMs: request.firstTokenAt - startedAt }),
      ...(answer.kind === 'finished' && { finishReason: answer.finishReason }),
      ...(answer.kind === 'cancelled' && {
        error: { code: 'cancelled', message: 'The request was cancelled.' },
      }),
      ...(answer.usage && { usage: answer.usage }),
      ...(answer.kind === 'failed' && { error: plainFailure(answer.failure) }),
      ...(pause !== undefined && superseded(answer.draft)),
      ...(digest !== undefined && { digest }),
    });
    if (answer.usage) frame.config.usage.add(frame.place, answer.usage);
    const usage =
      answer.usage ??
      (answer.draft.isEmpty ? undefined : frame.roughTokens.usage(frame.messages, answer.draft.length));
    if (usage) frame.scope.spend({ model: frame.model.id, time: startedAt, usage });
    if (answer.kind !== 'failed' || pause === undefined) return answer;
    frame.emit({ type: 'retry', attempt, delayMs: pause, reason: answer.failure.message });
    await delay(timers, pause, frame.signal);
    if (frame.signal.aborted) return { kind: 'cancelled', draft: new AssistantDraft() };
  }
}

/** What is recorded of an answer that never becomes part of the history. */
function superseded({ text, length }: AssistantDraft): Pick<RequestBody, 'superseded' | 'received'> {
  return {
    ...(text !== '' && { superseded: text }),
    ...(length > text.length && { received: length }),
  };
}

/** The part of a failure that is recorded. */
export function plainFailure({ code, message, status }: Failure): Failure {
  return { code, message, ...(status !== undefined && { status }) };
}

/** One request to a model: one stream, read to its end. */
class Request {
  firstTokenAt: number | undefined;
  readonly #frame: CallFrame;
  readonly #digest: string | undefined;
  readonly #draft = new AssistantDraft();
  readonly #pieces: PiecesOfAnswer;
  #usage: Usage | undefined;
  #events: AsyncIterator<ModelEvent> | undefined;

  constructor(frame: CallFrame, digest: string | undefined) {
    this.#frame = frame;
    this.#digest = digest;
    this.#pieces = new PiecesOfAnswer(frame);
  }

  /** Never rejects; ends at once when the signal is aborted, whatever the stream is doing. */
  async run(): Promise<Answer> {
    const answer = await this.#frame.gate.race(this.#ask());
    this.#pieces.end();
    void this.#end();
    return answer === ABORTED ? this.#cancelled() : answer;
  }

  async #ask(): Promise<Answer> {
    const { agent, messages, model, tools, signal } = this.#frame;
    const { effort, name } = agent;
    try {
      const request = {
        messages,
        tools: tools.specs,
        signal,
        agent: name,
        ...(effort !== undefined && { effort }),
        call: this.#frame.place.call,
        ...(this.#digest !== undefined && { digest: this.#digest }),
      };
      this.#events = model.stream(request)[Symbol.asyncIterator]();
      return await this.#read(this.#events);
    } catch (error) {
      const message = `The model's adapter failed: ${messageOf(error)}`;
      return this.#failed({ code: 'adapter', message, retryable: false });
    }
  }

  async #read(events: AsyncIterator<ModelEvent>): Promise<Answer> {
    const { config, signal } = this.#frame;
    const { scheduler, limits } = config;
    for (;;) {
      const next = await events.next();
      // What arrives now is no longer part of the message.
      if (signal.aborted) return this.#cancelled();
      if (next.done) {
        const message = 'The answer broke off before its end.';
        return this.#failed({ code: 'cutStream', message, retryable: true });
      }
      const event = next.value;
      if (event.type === 'end') return this.#finished(event.finishReason);
      if (event.type === 'error') return this.#failed(event.error);
      this.#take(event);
      if (this.#draft.length > limits.answerLength) {
        const message = `The answer is longer than ${limits.answerLength} characters.`;
        return this.#failed({ code: 'tooLong', message, retryable: false });
      }
      const turn = scheduler.yieldWhenDue();
      if (turn) await turn;
    }
  }

  #take(event: ModelEvent): void {
    if (event.type === 'usage') {
      this.#takeUsage(event.usage);
      return;
    }
    this.firstTokenAt ??= this.#frame.config.clock.now();
    this.#draft.add(event);
    this.#pieces.add(event);
    if (event.type === 'text') this.#frame.emit({ type: 'textDelta', text: event.text });
    else if (event.type === 'reasoning') this.#frame.emit({ type: 'reasoningDelta', text: event.text });
  }

  /** A model's adapter may come from anybody; a usage that is wrong would never leave the sums again. */
  #takeUsage(reported: unknown): void {
    const { usage, implausible } = plausibleUsage(reported);
    this.#usage = usage;
    if (implausible.length === 0) return;
    const { model, config } = this.#frame;
    config.log.warn(
      `${model.label} reports a usage that cannot be true and is left out: ${implausible.join(', ')}`,
    );
  }

  #finished(finishReason: FinishReason): Answer {
    return { kind: 'finished', finishReason, ...this.#said() };
  }

  #failed(failure: ModelFailure): Answer {
    return { kind: 'failed', failure, ...this.#said() };
  }

  #cancelled(): Answer {
    return { kind: 'cancelled', ...this.#said() };
  }

  #said(): { readonly draft: AssistantDraft; readonly usage?: Usage } {
    return { draft: this.#draft, ...(this.#usage && { usage: this.#usage }) };
  }

  /** Lets the stream clean up, without waiting for it. */
  async #end(): Promise<void> {
    try {
      await this.#events?.return?.();
    } catch (error) {
      this.#frame.config.log.debug(`Closing a model's stream failed: ${messageOf(error)}`);
    }
  }
}

/**
 * How long to wait before the next try after `attempt` (1 for the first) failed: what the provider asks for, or
 * an exponential back-off, with up to a quarter of jitter so that a team does not come back all at once.
 * Undefined when the provider asks for more than `cap` milliseconds; what is no time at all is not heard.
 * `random` is from 0 up to 1.
 */
export function modelRetryDelay(
  attempt: number,
  { retryAfterMs: asked }: Pick<ModelFailure, 'retryAfterMs'>,
  cap: number,
  random: () => number = Math.random,
): number | undefined {
  const retryAfterMs = asked !== undefined && asked >= 0 ? asked : undefined;
  if (retryAfterMs !== undefined && retryAfterMs > cap) return undefined;
  const luck = random();
  const wait =
    retryAfterMs === undefined
      ? backoffMs(attempt, BACKOFF, () => 1 - luck)
      : retryAfterMs * (1 + JITTER * luck);
  return Math.min(cap, Math.round(wait));
}

/** What is known about an assistant message besides its content. */
export interface AssistantDetails {
  readonly model: string;
  readonly usage?: Usage;
  /** Why it is incomplete. */
  readonly partial?: PartialReason;
}

/** What is known about a tool message besides its content. */
export interface ToolDetails {
  readonly toolName: string;
  readonly durationMs: number;
  readonly isError: boolean;
  /** Where a person stopped the run before it had a result. */
  readonly partial?: 'cancelled';
  /** Where it failed because it was denied, or took too long. */
  readonly state?: CallState;
}

/** Receives what a loop produces, synchronously and in order. */
export interface LoopObserver {
  /** A message of the model is final: no retry will replace it. */
  onAssistantMessage(message: ChatMessage, details: AssistantDetails): void;
  /** A tool call is answered; the answers of one message come in the order of its calls. */
  onToolMessage(message: ChatMessage, details: ToolDetails): void;
  /** A request to the model ended, successfully or not. */
  onRequest(request: Omit<RequestBody, 'type'>): void;
  onError(error: Omit<ErrorBody, 'type'>): void;
}
