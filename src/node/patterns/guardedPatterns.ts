import {
  PATTERN_TOO_SLOW,
  type PatternAnswer,
  type PatternMatcher,
  type PatternQuestion,
} from '../../core/ports/patternMatcher.js';
import { matchPattern } from './matchPattern.js';
import { endsWithin } from './timeGuard.js';

/**
 * Looks for patterns on the thread that asks, which waits, but never longer than the time that is allowed. For programs
 * in which nothing else waits for that thread; an editor uses `PatternThread`.
 */
export const guardedPatterns: PatternMatcher = {
  find(question: PatternQuestion, { maxMs, signal }): Promise<PatternAnswer> {
    if (signal?.aborted) {
      return Promise.resolve({ ok: false, why: 'cancelled', message: 'The search was cancelled.' });
    }
    let answer: PatternAnswer = { ok: false, why: 'tooSlow', message: PATTERN_TOO_SLOW };
    endsWithin(Math.max(3, maxMs), () => void (answer = matchPattern(question)));
    return Promise.resolve(answer);
  },
};
