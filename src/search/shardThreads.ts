import { messageOf } from '../core/text.js';
import { Thread } from '../node/thread.js';
import type { Log } from '../core/ports/log.js';
import type { SearchQuestion, SessionLocation } from '../page/protocol/search.js';
import type {
  ArchiveSearchCalls,
  Searched,
  SearchCalls,
  SearchedArchive,
  SearchThreadData,
  ShardHostCalls,
} from './searchCalls.js';
import type { OwnerIndex } from './owners.js';
import { keyOf, type Session } from './sessions/session.js';
import { NO_STEP } from './shardSearch.js';
import { shardOf, type RemoteShard, type RemoteStep, type Shards } from './shards.js';
import { Tallies } from './tallies.js';

/** Fewer sessions for each thread are not worth one. */
const MIN_SESSIONS = 200;
/** So many steps of a share wait to be taken; a thread that is further ahead rests. */
const MAX_AHEAD = 2;

/** What threads of a search are started with. */
export interface ShardThreadsOptions {
  /** The bundle of `search.worker.ts`, and what it is started with. */
  readonly script: URL;
  readonly data: SearchThreadData;
  /** The address of the script of the thread that asks an archive; '' where none is asked. */
  readonly archiveScript: string;
  /** How many there may be, with the one that starts them. */
  readonly most: number;
  readonly host: ShardHostCalls;
  readonly log: Log;
}

/** Further threads that search, each a share of the sessions; they are started when there are many. */
export class ShardThreads {
  readonly #options: ShardThreadsOptions;
  /** By the number of their share. */
  readonly #threads = new Map<number, Thread<SearchCalls>>();
  #archive: Thread<ArchiveSearchCalls> | undefined;
  #shards = 1;

  constructor(options: ShardThreadsOptions) {
    this.#options = options;
  }

  /** How sessions are shared out for a search of this number. */
  sharing(search: number, searched: Searched): Shards {
    return {
      of: (sessions, here) => {
        const stored = sessions.filter(({ place: location }) => location.kind === 'stored').length;
        const shards = Math.max(1, Math.min(this.#options.most, Math.floor(stored / MIN_SESSIONS)));
        this.#shards = shards;
        const own =
          shards === 1
            ? sessions
            : sessions.filter((session) => shardOf(session, shards) === 0 || here.has(keyOf(session.place)));
        const others = (question: SearchQuestion, owners: Pick<OwnerIndex, 'told'>) => [
          ...this.#others(search, question, searched, { of: shards, except: [...here.keys()] }),
          ...this.#archived(search, question, searched, { sessions, owners }),
        ];
        return { own, others };
      },
    };
  }

  /** Whether a session is looked at by the thread that starts the others, as the last search shared them out. */
  isOwn(session: Session): boolean {
    return shardOf(session, this.#shards) === 0;
  }

  /** Lets the other threads read ahead, one after the other; resolves when they have, or were stopped. */
  async readAhead(searched: Searched): Promise<void> {
    const of = this.#shards;
    for (const [shard, thread] of this.#threads)
      if (shard < of && thread.isRunning)
        await thread.call('readAhead', searched, { shard, of }).catch(ignoreEnded);
  }

  stopReading(): void {
    for (const thread of this.#threads.values()) thread.tell('stopReading');
  }

  /** The records around a position of a conversation in an archive; rejects like `recordsNear`. */
  near(archive: SearchedArchive, location: SessionLocation, position: number, around: number) {
    return this.#archiveThread().call('nearArchived', archive, location, position, around);
  }

  /** The archive as a share of its own, where it is asked. What is among the sessions that are asked anyway is not asked twice. */
  #archived(
    search: number,
    question: SearchQuestion,
    { archive, ownPrices }: Searched,
    {
      sessions,
      owners,
    }: { readonly sessions: readonly Session[]; readonly owners: Pick<OwnerIndex, 'told'> },
  ): RemoteShard[] {
    if (!archive) return [];
    if ('problem' in archive) return [new FailedShard(question, archive.problem)];
    const known = sessions.flatMap(({ place: location }) =>
      location.kind === 'stored' ? [location.conversation] : [],
    );
    const { calls, dispose } = this.#archiveThread().hold();
    const asked = { archive, known, told: owners.told, ownPrices };
    const begun = calls.call('beginArchive', search, question, asked);
    const next = async () => {
      try {
        return await calls.call('nextArchive', search);
      } catch (error) {
        return failedStep(question, messageOf(error));
      }
    };
    return [
      new ThreadShard(
        {
          next,
          cancel: () => calls.tell('cancel', search),
          end: () => {
            calls.tell('end', search);
            dispose();
          },
        },
        begun.catch(ignoreEnded),
        true,
      ),
    ];
  }

  #others(
    search: number,
    question: SearchQuestion,
    searched: Searched,
    { of, except }: { readonly of: number; readonly except: readonly string[] },
  ): RemoteShard[] {
    const others: RemoteShard[] = [];
    for (let shard = 1; shard < of; shard++) {
      const { calls, dispose } = this.#shardThread(shard).hold();
      const begun = calls.call('beginShard', search, question, searched, { shard, of, except });
      const onThread: ShardOnThread = {
        next: () => calls.call('nextShard', search),
        cancel: () => calls.tell('cancel', search),
        end: () => {
          calls.tell('end', search);
          dispose();
        },
      };
      others.push(new ThreadShard(onThread, begun, false));
    }
    return others;
  }

  #archiveThread(): Thread<ArchiveSearchCalls> {
    const script = new URL(this.#options.archiveScript);
    const words = 'The thread that asks the archive has ended';
    return (this.#archive ??= this.#thread(script, 'search of the archive', words));
  }

  #shardThread(shard: number): Thread<SearchCalls> {
    const known = this.#threads.get(shard);
    if (known) return known;
    const words = 'A thread of the search has ended';
    const thread = this.#thread<SearchCalls>(this.#options.script, `search ${shard + 1}`, words);
    this.#threads.set(shard, thread);
    return thread;
  }

  #thread<Calls extends object>(script: URL, name: string, words: string): Thread<Calls> {
    const { data, host, log } = this.#options;
    return new Thread({
      name,
      script,
      data: (): SearchThreadData => ({ ...data, isShard: true }),
      host,
      log,
      onEnd: (error) => {
        if (error) log.error(`${words}: ${messageOf(error)}`);
      },
    });
  }
}

/** Whoever asks next is told that a thread has ended. */
function ignoreEnded(): void {}

/** What is asked of a share on another thread. */
interface ShardOnThread {
  readonly next: () => Promise<RemoteStep>;
  readonly cancel: () => void;
  readonly end: () => void;
}

/** The only step of an archive that cannot be asked. */
function failedStep(question: SearchQuestion, archiveProblem: string): RemoteStep {
  return { step: NO_STEP, counted: new Tallies(question).take(), archiveProblem };
}

/** An archive of which it is known that it cannot be asked. */
class FailedShard implements RemoteShard {
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
class ThreadShard implements RemoteShard {
  readonly isApart: boolean;
  readonly #shard: ShardOnThread;
  #steps: RemoteStep[] = [];
  #coming: Promise<void> | undefined;
  #isOver = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(shard: ShardOnThread, begun: Promise<void>, isApart: boolean) {
    this.#shard = shard;
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
    this.#shard.cancel();
  }

  end(): void {
    this.#isOver = true;
    this.#shard.end();
  }

  /** Asks for the next step, unless enough of them wait. */
  #go(): void {
    if (this.#coming || this.#isOver || this.#failure || this.#steps.length >= MAX_AHEAD) return;
    const next = this.#shard.next().then((step) => {
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
