import { Worker } from 'node:worker_threads';
import { messageOf } from '../core/text.js';
import { PortCalls } from '../node/portCalls.js';
import type { SearchQuestion, SessionPlace } from '../page/protocol/search.js';
import type {
  ArchiveSearchCalls,
  Searched,
  SearchCalls,
  SearchedArchive,
  SearchThreadData,
  ShareHostCalls,
} from './searchCalls.js';
import type { Session } from './session.js';
import { NO_STEP } from './shareSearch.js';
import { shareOf, type RemoteShare, type RemoteStep, type Shares } from './shares.js';
import { Tallies } from './tallies.js';

/** Fewer sessions for each thread are not worth one. */
const MIN_SESSIONS = 200;
/** So many steps of a share wait to be taken; a thread that is further ahead rests. */
const MAX_AHEAD = 2;

/** What threads of a search are started with. */
export interface ShareThreadsOptions {
  /** The bundle of `search.worker.ts`, and what it is started with. */
  readonly script: URL;
  readonly data: SearchThreadData;
  /** The address of the script of the thread that asks an archive; '' where none is asked. */
  readonly archiveScript: string;
  /** How many there may be, with the one that starts them. */
  readonly most: number;
  readonly host: ShareHostCalls;
}

/** Further threads that search, each a share of the sessions; they are started when there are many. */
export class ShareThreads {
  readonly #options: ShareThreadsOptions;
  /** By the number of their share. */
  readonly #threads = new Map<number, PortCalls<SearchCalls>>();
  #shares = 1;
  #archive: PortCalls<ArchiveSearchCalls> | undefined;

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
        const others = (question: SearchQuestion) => [
          ...this.#others(search, question, searched, shares),
          ...this.#archived(search, question, searched, sessions),
        ];
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
    for (const [share, calls] of this.#threads)
      if (share < of) await calls.call('readAhead', searched, { share, of }).catch(ignoreEnded);
  }

  stopReading(): void {
    for (const calls of this.#threads.values()) calls.call('stopReading').catch(ignoreEnded);
  }

  /** The records around a position of a conversation in an archive; rejects like `recordsNear`. */
  near(archive: SearchedArchive, place: SessionPlace, position: number, around: number) {
    return this.#archiveThread().call('nearArchived', archive, place, position, around);
  }

  /** The archive as a share of its own, where it is asked. What is among the sessions that are asked anyway is not asked twice. */
  #archived(
    search: number,
    question: SearchQuestion,
    { archive, ownPrices }: Searched,
    sessions: readonly Session[],
  ): RemoteShare[] {
    if (!archive) return [];
    if ('problem' in archive) return [new FailedShare(question, archive.problem)];
    const known = sessions.flatMap(({ place }) => (place.kind === 'stored' ? [place.conversation] : []));
    const calls = this.#archiveThread();
    const begun = calls.call('beginArchive', search, question, { archive, known, ownPrices });
    const next = async () => {
      try {
        return await calls.call('nextArchive', search);
      } catch (error) {
        return failedStep(question, messageOf(error));
      }
    };
    return [
      new ThreadShare(
        {
          next,
          cancel: () => calls.call('cancel', search),
          end: () => calls.call('end', search),
        },
        begun.catch(ignoreEnded),
        true,
      ),
    ];
  }

  #archiveThread(): PortCalls<ArchiveSearchCalls> {
    if (this.#archive) return this.#archive;
    const script = new URL(this.#options.archiveScript);
    const calls = this.#thread<ArchiveSearchCalls>(script, 'search of the archive', (error) => {
      if (this.#archive !== calls) return;
      this.#archive = undefined;
      this.#options.host.log('error', `The thread that asks the archive has ended: ${messageOf(error)}`);
    });
    this.#archive = calls;
    return calls;
  }

  #others(search: number, question: SearchQuestion, searched: Searched, shares: number): RemoteShare[] {
    const others: RemoteShare[] = [];
    for (let share = 1; share < shares; share++) {
      const calls = this.#threads.get(share) ?? this.#start(share);
      const begun = calls.call('beginShare', search, question, searched, { share, of: shares });
      const onThread: ShareOnThread = {
        next: () => calls.call('nextShare', search),
        cancel: () => calls.call('cancel', search),
        end: () => calls.call('end', search),
      };
      others.push(new ThreadShare(onThread, begun, false));
    }
    return others;
  }

  #start(share: number): PortCalls<SearchCalls> {
    const calls = this.#thread<SearchCalls>(this.#options.script, `search ${share + 1}`, (error) => {
      if (this.#threads.get(share) !== calls) return;
      this.#threads.delete(share);
      this.#options.host.log('error', `A thread of the search has ended: ${messageOf(error)}`);
    });
    this.#threads.set(share, calls);
    return calls;
  }

  /** Starts a thread that ends with the one that starts it, and keeps no program alive. `onEnd` may hear of its end twice. */
  #thread<Calls extends object>(script: URL, name: string, onEnd: (error: Error) => void): PortCalls<Calls> {
    const { data, host } = this.#options;
    const workerData: SearchThreadData = { ...data, isShare: true };
    const worker = new Worker(script, { name, execArgv: [], workerData });
    worker.unref();
    const calls = new PortCalls<Calls>(worker, host);
    const ended = (error: Error) => {
      calls.close();
      onEnd(error);
    };
    worker.on('error', ended);
    worker.on('exit', () => ended(new Error('nobody stopped it.')));
    return calls;
  }
}

/** Whoever asks next is told that a thread has ended. */
function ignoreEnded(): void {}

/** What is asked of a share on another thread. */
interface ShareOnThread {
  readonly next: () => Promise<RemoteStep>;
  readonly cancel: () => Promise<unknown>;
  readonly end: () => Promise<unknown>;
}

/** The only step of an archive that cannot be asked. */
function failedStep(question: SearchQuestion, archiveProblem: string): RemoteStep {
  return { step: NO_STEP, counted: new Tallies(question).take(), archiveProblem };
}

/** An archive of which it is known that it cannot be asked. */
class FailedShare implements RemoteShare {
  readonly isApart = true;
  readonly arrived = () => Promise.resolve();
  #steps: readonly RemoteStep[];

  constructor(question: SearchQuestion, problem: string) {
    this.#steps = [failedStep(question, problem)];
  }

  taken(): readonly RemoteStep[] {
    const steps = this.#steps;
    this.#steps = [];
    return steps;
  }

  cancel(): void {}

  end(): void {}
}

/** The steps of a share on another thread. */
class ThreadShare implements RemoteShare {
  readonly isApart: boolean;
  readonly #share: ShareOnThread;
  #steps: RemoteStep[] = [];
  #coming: Promise<void> | undefined;
  #isOver = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(share: ShareOnThread, begun: Promise<void>, isApart: boolean) {
    this.#share = share;
    this.isApart = isApart;
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
    this.#share.cancel().catch(ignoreEnded);
  }

  end(): void {
    this.#isOver = true;
    this.#share.end().catch(ignoreEnded);
  }

  /** Asks for the next step, unless enough of them wait. */
  #go(): void {
    if (this.#coming || this.#isOver || this.#failure || this.#steps.length >= MAX_AHEAD) return;
    const next = this.#share.next().then((step) => {
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
