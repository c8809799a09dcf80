/** How long a job took, and the longest time in which the thread that waits for it could do nothing else. */
export interface Stalled {
  readonly milliseconds: number;
  readonly stall: number;
}

/** Runs a job while a probe comes back to the event loop as often as it can. */
export async function longestStall(job: () => Promise<unknown>): Promise<Stalled> {
  let running = true;
  let last = performance.now();
  let stall = 0;
  const probe = () => {
    const now = performance.now();
    stall = Math.max(stall, now - last);
    last = now;
    if (running) setImmediate(probe);
  };
  setImmediate(probe);
  const start = performance.now();
  await job();
  const milliseconds = performance.now() - start;
  running = false;
  probe();
  return { milliseconds, stall };
}
