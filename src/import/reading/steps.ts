import { TimeSlices } from '../../core/yieldToEventLoop.js';

/** Work that can be left after each of its steps, and gives its result at the end. */
export type Steps<Result> = Generator<void, Result, void>;

/** How long steps are done one after the other before timers, input and signals have their turn, in milliseconds. */
const SLICE_MS = 40;

/** Does all steps, and lets the event loop have its turn meanwhile. Rejects with the signal's reason where it is aborted. */
export async function inSlices<Result>(
  steps: Steps<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  const slices = new TimeSlices(SLICE_MS);
  try {
    for (;;) {
      const { done, value } = steps.next();
      if (done) return value;
      const over = slices.whenOver();
      if (!over) continue;
      await over;
      signal?.throwIfAborted();
    }
  } finally {
    // Files that its steps were going through are closed, where it is left.
    steps.return(undefined as Result);
  }
}

/** Does all steps at once. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}
