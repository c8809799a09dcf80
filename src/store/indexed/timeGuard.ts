import { createContext, Script } from 'node:vm';

const script = new Script('work()');
const context: { work?: () => unknown } = createContext({});

/**
 * Does some work that may never end, such as a person's pattern on a text; ends it after `limit` milliseconds, also inside
 * of a pattern. Gives false where it had to. The clock also runs while a busy machine does other things, so the work is
 * tried a second time, in what is left of the limit: it must be one that can begin anew.
 */
export function endsWithin(limit: number, work: () => void): boolean {
  const first = Math.round(limit * FIRST_TRY);
  return endsAtOnce(first, work) || endsAtOnce(limit - first, work);
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

/** The error comes from the script's own world, where `Error` is another. */
function isTimeout(error: unknown): boolean {
  return (
    typeof error === 'object' &&
    error !== null &&
    'code' in error &&
    error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  );
}
