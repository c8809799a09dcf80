import { Worker } from 'node:worker_threads';
import { messageOf } from '../core/text.js';
import { PortCalls } from '../node/portCalls.js';
import type { SearchQuestion } from '../protocol/search.js';
import type { Searched, SearchCalls, SearchHostCalls } from './searchCalls.js';
import type { Session } from './session.js';
import { shareOf, type RemoteShare, type RemoteStep, type Shares } from './shares.js';

/** Fewer sessions for each thread are not worth one. */
const MIN_SESSIONS = 200;
/** So many steps of a share wait to be taken; a thread that is further ahead rests. */
const MAX_AHEAD = 2;

/** What threads of a search are started with. */
export interface ShareThreadsOptions {
  /** The bundle of `search.worker.ts`, and what it is started with. */
  readonly script: URL;
  readonly data: unknown;
  /** How many there may be, with the one that starts them. */
  readonly most: number;
  readonly host: SearchHostCalls;
}

/** Further threads that search, each a share of the sessions; they are started when there are many. */
export class ShareThreads {
  readonly #options: ShareThreadsOptions;
  /** By the number of their share. */
  readonly #threads = new Map<number, PortCalls<SearchCalls>>();
  #shares = 1;

  constructor(options: ShareThreadsOptions) {
    this.#options = options;
  }

  /** How sessions are shared out for a search of this number. */
  sharing(search: number, searched: Searched): Shares {
    return {
      of: (sessions) => {
        const stored = sessions.filter(({ place }) => place.kind === 'stored').length;
        const shares = Math.max(1, Math.min(this.#options.most, Math.floor(stored / MIN_SESSIONS)));
        this.#shares = shares;
        const own = shares === 1 ? sessions : sessions.filter((session) => shareOf(session, shares) === 0);
        const others = (question: SearchQuestion) => this.#others(search, question, searched, shares);
        return { own, others };
      },
    };
  }

  /** Whether a session is looked at by the thread that starts the others, as the last search shared them out. */
  isOwn(session: Session): boolean {
    return shareOf(session, this.#shares) === 0;
  }

  /** Lets the other threads read ahead, one after the other; resolves when they have, or were stopped. */
  async readAhead(searched: Searched): Promise<void> {
    const of = this.#shares;
    for (const [share, calls] of [...this.#threads])
      if (share < of) await calls.call('readAhead', searched, { share, of }).catch(ignoreEnded);
  }

  stopReading(): void {
    for (const calls of this.#threads.values()) calls.call('stopReading').catch(ignoreEnded);
  }

  #others(search: number, question: SearchQuestion, searched: Searched, shares: number): RemoteShare[] {
    const others: RemoteShare[] = [];
    for (let share = 1; share < shares; share++) {
      const calls = this.#threads.get(share) ?? this.#start(share);
      const begun = calls.call('beginShare', search, question, searched, { share, of: shares });
      others.push(new ThreadShare(calls, search, begun));
    }
    return others;
  }

  #start(share: number): PortCalls<SearchCalls> {
    const { script, data, host } = this.#options;
    const worker = new Worker(script, { name: `search ${share + 1}`, execArgv: [], workerData: data });
    // It ends with the thread that starts it, and keeps no program alive.
    worker.unref();
    const calls = new PortCalls<SearchCalls>(worker, host);
    this.#threads.set(share, calls);
    const ended = (error: Error) => {
      calls.close();
      if (this.#threads.get(share) !== calls) return;
      this.#threads.delete(share);
      host.log('error', `A thread of the search has ended: ${messageOf(error)}`);
    };
    worker.on('error', ended);
    worker.on('exit', () => ended(new Error('nobody stopped it.')));
    return calls;
  }
}

/** Whoever asks next is told that a thread has ended. */
function ignoreEnded(): void {}

/** The steps of a share on another thread. */
class ThreadShare implements RemoteShare {
  readonly #calls: PortCalls<SearchCalls>;
  readonly #search: number;
  #steps: RemoteStep[] = [];
  #coming: Promise<void> | undefined;
  #isOver = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(calls: PortCalls<SearchCalls>, search: number, begun: Promise<void>) {
    this.#calls = calls;
    this.#search = search;
    this.#coming = this.#settle(begun);
  }

  async arrived(): Promise<void> {
    while (this.#steps.length === 0 && !this.#failure && this.#coming) await this.#coming;
    if (this.#failure) throw this.#failure.error;
  }

  taken(): readonly RemoteStep[] {
    if (this.#failure) throw this.#failure.error;
    const steps = this.#steps;
    this.#steps = [];
    this.#go();
    return steps;
  }

  cancel(): void {
    this.#calls.call('cancel', this.#search).catch(ignoreEnded);
  }

  end(): void {
    this.#isOver = true;
    this.#calls.call('end', this.#search).catch(ignoreEnded);
  }

  /** Asks for the next step, unless enough of them wait. */
  #go(): void {
    if (this.#coming || this.#isOver || this.#failure || this.#steps.length >= MAX_AHEAD) return;
    const next = this.#calls.call('nextShare', this.#search).then((step) => {
      this.#isOver ||= step.step.isLast;
      this.#steps.push(step);
    });
    this.#coming = this.#settle(next);
  }

  async #settle(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      this.#failure = { error };
    }
    this.#coming = undefined;
    this.#go();
  }
}
