import { availableParallelism } from 'node:os';
import { onAbort } from '../core/abort.js';
import type { Disposable } from '../core/event.js';
import { forEachAtOnce } from '../core/forEachAtOnce.js';
import { presentTranslations } from '../core/l10n.js';
import { Thread } from '../node/thread.js';
import type { Log } from '../core/ports/log.js';
import type { ArchiveCalls, ArchiveHostCalls, PushAnswer, PushRequest } from './archiveCalls.js';

const SCRIPT = new URL('./workers/archive.js', import.meta.url);

/** More threads than this would only wait for the server. */
const MAX_THREADS = 2;
/** Fewer conversations for each thread are not worth one. */
export const MIN_FOR_A_THREAD = 50;

/** What the threads need. */
export interface ArchiveThreadsOptions {
  readonly log: Log;
  /** What they run, `archive.worker.ts`; by default where the build puts its bundle. */
  readonly script?: URL | undefined;
  /** How many there may be; by default as the machine has processors, and two at most. */
  readonly most?: number | undefined;
}

/**
 * The threads that push to an archive, beside the one that draws the editor: neither a run nor a panel waits for them. One
 * is started with the first push, a second where there is much to push.
 */
export class ArchiveThreads implements Disposable {
  readonly #options: ArchiveThreadsOptions;
  /** By the number of their share. */
  readonly #threads = new Map<number, Thread<ArchiveCalls>>();
  #onAnswer: (answer: PushAnswer) => void = () => undefined;

  constructor(options: ArchiveThreadsOptions) {
    this.#options = options;
  }

  /**
   * Pushes conversations, each thread a share of them, and tells what came of each; one push at a time. Rejects as
   * `ArchiveCalls` does, where one thread fails, when all have stopped.
   */
  async push(
    request: PushRequest,
    signal: AbortSignal,
    onAnswer: (answer: PushAnswer) => void,
  ): Promise<void> {
    this.#onAnswer = onAnswer;
    const { conversations } = request;
    const { most = Math.min(MAX_THREADS, availableParallelism()) } = this.#options;
    const count = Math.max(1, Math.min(most, Math.floor(conversations.length / MIN_FOR_A_THREAD)));
    const failing = new AbortController();
    const stop = AbortSignal.any([signal, failing.signal]);
    await forEachAtOnce(Array(count).keys(), count, async (share) => {
      const thread = this.#threads.get(share) ?? this.#added(share);
      const leave = onAbort(stop, () => thread.tell('stop'));
      try {
        const own = conversations.filter((_, at) => at % count === share);
        await thread.call('push', { ...request, conversations: own });
      } catch (error) {
        failing.abort(error);
        throw error;
      } finally {
        leave();
      }
    });
  }

  /** Ends them at once: what was not pushed is pushed the next time. */
  dispose(): void {
    for (const thread of this.#threads.values()) void thread.stop();
  }

  #added(share: number): Thread<ArchiveCalls> {
    const { log, script = SCRIPT } = this.#options;
    const host: ArchiveHostCalls = { answered: (answer) => this.#onAnswer(answer) };
    const thread = new Thread<ArchiveCalls>({
      name: `archive ${share + 1}`,
      script,
      data: presentTranslations,
      host,
      onEnd: (error) => {
        if (error) log.error('A thread that pushes to the archive ended', error);
      },
    });
    this.#threads.set(share, thread);
    return thread;
  }
}
