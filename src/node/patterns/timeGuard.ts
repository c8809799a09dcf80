import { errorCode } from '../../core/errorCode.js';
import { createContext, Script } from 'node:vm';

/** A test of one text that takes longer than this, in milliseconds, is assumed never to end. */
export const MAX_TEXT_TEST_MS = 300;

const script = new Script('work()');
const context: { work?: () => unknown } = createContext({});

/**
 * Runs work that may never end, such as a person's pattern on a text, and stops it after `limit` milliseconds, even
 * within a pattern; false where it had to. Because the clock also runs while a busy machine does other things, the work
 * is tried a second time in what is left of the limit, so it must be repeatable.
 */
export function endsWithin(limit: number, work: () => void): boolean {
  const first = Math.max(1, Math.round(limit * FIRST_TRY));
  return endsAtOnce(first, work) || endsAtOnce(Math.max(1, Math.round(limit) - first), work);
}

const FIRST_TRY = 1 / 3;

function endsAtOnce(limit: number, work: () => void): boolean {
  context.work = work;
  try {
    script.runInContext(context, { timeout: limit });
    return true;
  } catch (error) {
    if (isTimeout(error)) return false;
    throw error;
  } finally {
    delete context.work;
  }
}

/** Whether the time was up. The error comes from another realm, so `instanceof` does not work. */
function isTimeout(error: unknown): boolean {
  return errorCode(error) === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}
