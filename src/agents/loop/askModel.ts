import { ABORTED } from '../../core/abort.js';
import type { Failure } from '../../core/record.js';
import { delay } from '../../core/timers.js';
import { plausibleUsage, type Usage } from '../../core/usage.js';
import { messageOf } from '../../core/text.js';
import type { FinishReason, ModelEvent, ModelFailure } from '../../core/ports/model.js';
import { AssistantDraft } from './assistantDraft.js';
import type { CallFrame } from './callFrame.js';
import type { LoopObserver } from './loopObserver.js';
import { PiecesOfAnswer } from './piecesOfAnswer.js';
import { backoffMs, type Backoff } from '../../core/backoff.js';

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
    const request = new Request(frame);
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
      ...(pause !== undefined && answer.draft.text !== '' && { superseded: answer.draft.text }),
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

/** The part of a failure that is recorded. */
export function plainFailure({ code, message, status }: Failure): Failure {
  return { code, message, ...(status !== undefined && { status }) };
}

/** One request to a model: one stream, read to its end. */
class Request {
  firstTokenAt: number | undefined;
  readonly #frame: CallFrame;
  readonly #draft = new AssistantDraft();
  readonly #pieces: PiecesOfAnswer;
  #usage: Usage | undefined;
  #events: AsyncIterator<ModelEvent> | undefined;

  constructor(frame: CallFrame) {
    this.#frame = frame;
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
