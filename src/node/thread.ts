import { Worker } from 'node:worker_threads';
import type { Disposable } from '../core/event.js';
import type { Log } from '../core/ports/log.js';
import { ChannelClosed, PortCalls } from './portCalls.js';

/** How a thread is started, and what it may ask for. */
export interface ThreadOptions {
  /** What debuggers and profilers call it. */
  readonly name: string;
  /** The bundle that it runs, which begins with `serveThread`. */
  readonly script: URL;
  /** Makes what it is started with: its `workerData`. */
  readonly data?: () => unknown;
  /** The most memory of its nursery, in megabytes; left out: as Node has it. */
  readonly youngMegabytes?: number;
  /** What it may call here, besides `log`. */
  readonly host?: object;
  /** Takes what it logs. */
  readonly log?: Log;
  /** How long it lives without work, in milliseconds; its memory ends with it. Left out: until it is stopped. */
  readonly idleMs?: number;
  /** Whether it lives on although it has nothing to do. */
  readonly isNeeded?: () => boolean;
  /** Called when it ended: with why, or with nothing where it was stopped or idle. Its open calls are rejected then. */
  readonly onEnd?: (error: Error | undefined) => void;
}

/** A thread that is kept while somebody works with it. */
export interface BorrowedThread<Calls extends object> {
  readonly calls: PortCalls<Calls>;
  /** Says that it is not worked with any more. */
  readonly dispose: () => void;
}

/**
 * A thread that answers calls: it starts with the first of them, ends when it was idle for a while, and starts anew with the
 * next. Whoever waits for an answer keeps the process alive, and nobody else does.
 */
export class Thread<Calls extends object> implements Disposable {
  readonly #options: ThreadOptions;
  #running: { readonly worker: Worker; readonly calls: PortCalls<Calls> } | undefined;
  #users = 0;
  #idle: NodeJS.Timeout | undefined;
  #isDisposed = false;

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  /** Whether it has started and not ended. */
  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** How many work with it. */
  get users(): number {
    return this.#users;
  }

  /** Calls a method; rejects with its error, and where the thread ends before: then the `cause` is why, if it is known. */
  readonly call: PortCalls<Calls>['call'] = async (name, ...args) => {
    const { calls, dispose } = this.hold();
    try {
      return await calls.call(name, ...args);
    } finally {
      dispose();
    }
  };

  /** Calls without waiting, unless the thread has ended. */
  readonly tell: PortCalls<Calls>['tell'] = (name, ...args) => this.#running?.calls.tell(name, ...args);

  /** Keeps the thread, and the process, until that is disposed. Throws once the thread was disposed. */
  hold(): BorrowedThread<Calls> {
    if (this.#isDisposed) throw new ChannelClosed();
    clearTimeout(this.#idle);
    const { worker, calls } = (this.#running ??= this.#start());
    worker.ref();
    this.#users++;
    let isHeld = true;
    const dispose = () => {
      if (!isHeld) return;
      isHeld = false;
      if (--this.#users === 0) this.#running?.worker.unref();
      this.restSoon();
    };
    return { calls, dispose };
  }

  /** Ends it in a while unless there is work; to be called when it is no longer `isNeeded`. */
  restSoon(): void {
    const { idleMs, isNeeded } = this.#options;
    clearTimeout(this.#idle);
    if (idleMs === undefined || this.#users > 0 || isNeeded?.()) return;
    this.#idle = setTimeout(() => void this.stop(), idleMs).unref();
  }

  /** Ends it at once, with all calls; the next one starts another. Resolves when it has ended. */
  async stop(): Promise<void> {
    const running = this.#running;
    this.#end(undefined);
    await running?.worker.terminate();
  }

  /** Ends it at once and for good: later calls are rejected. */
  dispose(): void {
    this.#isDisposed = true;
    void this.stop();
  }

  #start() {
    const { name, script, data, youngMegabytes, host, log } = this.#options;
    const worker = new Worker(script, {
      name,
      execArgv: [],
      workerData: data?.(),
      ...(youngMegabytes && { resourceLimits: { maxYoungGenerationSizeMb: youngMegabytes } }),
    });
    const logging = log && { log: (level: keyof Log, message: string) => log[level](message) };
    const running = { worker, calls: new PortCalls<Calls>(worker, { ...host, ...logging }) };
    // An error comes before the exit that it leads to, and one that was stopped concerns nobody any more.
    const ended = (error: Error) => {
      if (this.#running === running) this.#end(error);
    };
    worker.on('error', ended);
    worker.on('exit', (code) => ended(new Error(`The thread '${name}' ended with code ${code}.`)));
    return running;
  }

  #end(error: Error | undefined): void {
    clearTimeout(this.#idle);
    const running = this.#running;
    this.#running = undefined;
    running?.calls.close(error);
    if (running) this.#options.onEnd?.(error);
  }
}
