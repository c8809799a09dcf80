import { onAbort } from '../../core/abort.js';
import { messageOf } from '../../core/text.js';
import {
  PATTERN_TOO_SLOW,
  type PatternAnswer,
  type PatternBounds,
  type PatternMatcher,
  type PatternQuestion,
} from '../../core/ports/patternMatcher.js';
import { ChannelClosed } from '../portCalls.js';
import { Thread } from '../thread.js';

/** What the thread answers; see `matchPattern`. */
export interface PatternCalls {
  find(question: PatternQuestion): PatternAnswer;
}

/** How long an idle thread is kept, in milliseconds. */
const IDLE_MS = 60_000;

/**
 * Looks for patterns on a thread of their own, one question after another. A question that takes too long ends the
 * thread; the next one gets a new one. The time runs from when the thread has taken the question.
 */
export class PatternThread implements PatternMatcher {
  readonly #thread: Thread<PatternCalls>;
  #last: Promise<unknown> = Promise.resolve();

  /** `script` is the worker's bundle; by default where the build puts it. */
  constructor(script = new URL('./workers/patterns.js', import.meta.url)) {
    this.#thread = new Thread({ name: 'pattern matcher', script, idleMs: IDLE_MS });
  }

  find(question: PatternQuestion, bounds: PatternBounds): Promise<PatternAnswer> {
    const answer = this.#last.then(() => this.#ask(question, bounds));
    this.#last = answer;
    return answer;
  }

  /** Ends the thread; an open question is answered as cancelled. */
  dispose(): void {
    void this.#thread.stop();
  }

  async #ask(question: PatternQuestion, { maxMs, signal }: PatternBounds): Promise<PatternAnswer> {
    if (signal?.aborted) return CANCELLED;
    let isTooSlow = false as boolean;
    const timer = setTimeout(() => {
      isTooSlow = true;
      void this.#thread.stop();
    }, maxMs);
    const leave = onAbort(signal, () => void this.#thread.stop());
    try {
      return await this.#thread.call('find', question);
    } catch (error) {
      if (isTooSlow) return { ok: false, why: 'tooSlow', message: PATTERN_TOO_SLOW };
      const why = error instanceof ChannelClosed ? error.cause : error;
      return why === undefined ? CANCELLED : { ok: false, why: 'broken', message: messageOf(why) };
    } finally {
      clearTimeout(timer);
      leave();
    }
  }
}

const CANCELLED: PatternAnswer = { ok: false, why: 'cancelled', message: 'The search was cancelled.' };
