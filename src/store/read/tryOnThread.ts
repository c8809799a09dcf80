import type { Log } from '../../core/ports/log.js';

/**
 * What another thread has read of a conversation; undefined where it cannot, which is logged. Then it is to be read here,
 * where a failure of the files is told as ever.
 */
export async function tryOnThread<T>(
  reading: Promise<T>,
  conversation: string,
  log: Log,
): Promise<{ readonly value: T } | undefined> {
  try {
    return { value: await reading };
  } catch (error) {
    log.warn(`The conversation ${conversation} is read on the thread that needs it: ${String(error)}`);
    return undefined;
  }
}
