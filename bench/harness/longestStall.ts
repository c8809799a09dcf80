import { closeSync, openSync, readSync } from 'node:fs';

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

/** How long the thread that waited for work on other threads was held up by its own work. */
export interface Stall extends Stalled {
  /** The longest time for which it worked itself; the same as `stall` where the system does not tell. */
  readonly worked: number;
}

/**
 * The same while a job works on other threads. The probe sleeps: one that came back as often as it can would take the
 * processor that those threads need, and then wait for it itself.
 */
export async function longestWork(job: () => Promise<unknown>): Promise<Stall> {
  const clock = threadClock();
  let [last, before] = [performance.now(), clock.read()];
  let [stall, worked] = [0, 0];
  const probe = () => {
    const [now, ran] = [performance.now(), clock.read()];
    stall = Math.max(stall, now - last);
    worked = Math.max(worked, ran === undefined || before === undefined ? now - last : ran - before);
    [last, before] = [performance.now(), clock.read()];
  };
  const probing = setInterval(probe, 1);
  const start = performance.now();
  await job();
  const milliseconds = performance.now() - start;
  clearInterval(probing);
  probe();
  clock.close();
  return { milliseconds, stall, worked };
}

/** How long the main thread has run on a processor, in milliseconds: only Linux tells it for one thread alone. */
function threadClock(): { readonly read: () => number | undefined; readonly close: () => void } {
  if (process.platform !== 'linux') return { read: () => undefined, close: () => undefined };
  const file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  const room = Buffer.alloc(128);
  const read = () =>
    Number.parseInt(room.toString('latin1', 0, readSync(file, room, 0, room.length, 0)), 10) / 1e6;
  return { read, close: () => closeSync(file) };
}
