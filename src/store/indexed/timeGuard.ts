import { createContext, Script } from 'node:vm';

const script = new Script('work()');
const context: { work?: () => unknown } = createContext({});

/**
 * Does some work that may never end, such as a person's pattern on a text; ends it after `limit` milliseconds, also inside
 * of a pattern. Gives false where it had to.
 */
export function endsWithin(limit: number, work: () => void): boolean {
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
