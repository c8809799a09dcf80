import { availableParallelism } from 'node:os';
import type { Disposable } from '../../core/event.js';
import { messageOf } from '../../core/text.js';
import { Thread } from '../../node/thread.js';
import type { Log } from '../../core/ports/log.js';
import type { ConversationPaths } from '../../store/files/storePaths.js';
import type { PartRange } from '../../store/read/partScanner.js';
import type { ScannedPart } from '../../store/read/scannedPart.js';
import type { ScanOnThread } from '../../store/read/scannedParts.js';

/** What a thread that reads parts of journals is asked to do. */
export interface ScanCalls {
  /** See `PartScanner`. */
  part(root: string, id: string, name: string, range: PartRange): Promise<ScannedPart>;
}

/** Each thread takes some 30 MB, and more of them find little to do while their parts are put together on one. */
const MAX_THREADS = 4;
/** A larger nursery only lets more of what is read wait for the garbage collector, in megabytes. */
const YOUNG_MEGABYTES = 16;
/** How long a thread lives without work, in milliseconds; its memory ends with it. */
const IDLE_MS = 3_000;
/** A part of so many bytes is a dozen milliseconds of work. */
const PART_BYTES = 2 * 1024 * 1024;
/** Less than that is read before the code of other threads is as fast as that of the one that reads already. */
const LEAST_BYTES = 256 * 1024 * 1024;
/** A thread has one part to read and one to go on with. */
const PARTS_PER_THREAD = 2;

/** What these threads need. */
export interface ScanThreadsOptions {
  readonly log: Log;
  /** The bundle of `scan.worker.ts`. */
  readonly script: URL;
  readonly threads?: number;
  readonly partBytes?: number;
  readonly leastBytes?: number;
}

interface PendingScan {
  readonly signal: AbortSignal;
  readonly begin: (thread: Thread<ScanCalls>) => Promise<void>;
  readonly refuse: (reason: unknown) => void;
}

/** The threads that read parts of large journals for the one that puts them together; they start with the first part. */
export class ScanThreads implements ScanOnThread, Disposable {
  readonly threads: number;
  readonly partBytes: number;
  readonly leastBytes: number;
  readonly #all: readonly Thread<ScanCalls>[];
  #waiting: PendingScan[] = [];

  constructor(options: ScanThreadsOptions) {
    const { partBytes = PART_BYTES, leastBytes = LEAST_BYTES } = options;
    this.threads = options.threads ?? Math.max(1, Math.min(MAX_THREADS, availableParallelism() - 1));
    this.partBytes = partBytes;
    this.leastBytes = leastBytes;
    this.#all = Array.from({ length: this.threads }, () => threadOf(options));
  }

  /** How many threads there are now. */
  get running(): number {
    return this.#all.filter(({ isRunning }) => isRunning).length;
  }

  scan({ root, id, name }: ConversationPaths, range: PartRange, signal: AbortSignal): Promise<ScannedPart> {
    return new Promise((resolve, reject) => {
      const begin = ({ call }: Thread<ScanCalls>) =>
        call('part', root, id, name, range).then(resolve, reject);
      this.#waiting.push({ signal, begin, refuse: reject });
      this.#handOut();
    });
  }

  dispose(): void {
    for (const thread of this.#all) void thread.stop();
    for (const { refuse } of this.#waiting.splice(0)) refuse(new Error('The window is closing.'));
  }

  #handOut(): void {
    for (const { signal, refuse } of this.#waiting) if (signal.aborted) refuse(signal.reason);
    this.#waiting = this.#waiting.filter(({ signal }) => !signal.aborted);
    while (this.#waiting.length > 0) {
      const thread = this.#leastBusy();
      const next = thread && this.#waiting.shift();
      if (!next) return;
      void next.begin(thread).then(() => this.#handOut());
    }
  }

  /** The thread with the least to do, one that runs before one that would have to start; undefined where all have enough. */
  #leastBusy(): Thread<ScanCalls> | undefined {
    const ranked = [...this.#all].sort(
      (one, other) => one.users - other.users || Number(other.isRunning) - Number(one.isRunning),
    );
    return ranked.find(({ users }) => users < PARTS_PER_THREAD);
  }
}

function threadOf({ script, log }: ScanThreadsOptions): Thread<ScanCalls> {
  return new Thread({
    name: 'journal parts',
    script,
    youngMegabytes: YOUNG_MEGABYTES,
    idleMs: IDLE_MS,
    onEnd: (error) => {
      if (error) log.warn(`A thread that reads journals ended: ${messageOf(error)}`);
    },
  });
}
