import { availableParallelism } from 'node:os';
import { onAbort } from '../core/abort.js';
import { checkOptions, type KnownOptions } from '../core/checkOptions.js';
import type { Disposable } from '../core/event.js';
import { presentTranslations } from '../core/l10n.js';
import { messageOf } from '../core/text.js';
import { Thread } from '../node/thread.js';
import type { Log } from '../core/ports/log.js';
import type {
  NearRecord,
  SearchLimits,
  SearchQuestion,
  SearchUpdate,
  SessionLocation,
} from '../page/protocol/search.js';
import { ROW_KINDS } from '../query/language/syntax.js';
import type { ArgumentValues } from './argumentValues.js';
import type { SearchedFile } from './files/fileSession.js';
import type {
  SessionQuery,
  RecordMatches,
  SearchCalls,
  Searched,
  SearchedStore,
  SearchThreadData,
} from './searchCalls.js';

/** How long the thread lives without a question, in milliseconds; what it remembers ends with it. */
const IDLE_MS = 10 * 60_000;

/** More threads than this wait for each other's disk and memory. */
const MAX_THREADS = 4;

/** What a search over all sessions needs. */
export interface SessionSearchOptions {
  /** The bundle of `search.worker.ts`; by default where the build puts it. */
  readonly script?: URL;
  readonly log: Log;
  /** How many threads may share the sessions; left out: as many as there are cores, at most four. */
  readonly threads?: number;
  /** The path of the person's file with own prices at this moment; '' or left out for none. */
  readonly ownPrices?: () => string;
  /** The stores at the moment of a question. */
  readonly stores: () => Promise<readonly SearchedStore[]>;
  /** Files of other tools at the moment of a question, which are read where they are; left out for none. */
  readonly files?: () => Promise<readonly SearchedFile[]>;
  /** A folder of our own in which what is known of these files is kept; left out: it is gone with the thread. */
  readonly keptFiles?: string;
  /** The file of what a person keeps about sessions of tools, whose notes are asked, too; left out for none. */
  readonly keptSessions?: string;
  /** The archive, asked where a question is put to it or a place is in it; left out for none. Never rejects. */
  readonly archive?: () => Promise<Searched['archive']>;
  /** The bundle of `archiveReading.worker.ts`; by default where the build puts it. */
  readonly archiveScript?: URL;
  /** The path of ripgrep, which finds journals before anything of them is kept; left out for none. */
  readonly ripgrep?: string;
}

const searchOptionKinds: KnownOptions<SessionSearchOptions> = {
  script: 'object',
  log: 'object',
  threads: 'count',
  ownPrices: 'function',
  stores: 'function',
  files: 'function',
  keptFiles: 'text',
  keptSessions: 'text',
  archive: 'function',
  archiveScript: 'object',
  ripgrep: 'text',
};

const questionKinds: KnownOptions<SearchQuestion> = {
  text: 'text',
  rows: ROW_KINDS,
  now: 'count',
  timeZone: 'text',
  order: ['newest', 'oldest'],
  limits: 'object',
  only: 'list',
  archive: 'flag',
};

const searchLimitKinds: KnownOptions<SearchLimits> = {
  sessions: 'count',
  hitsOfSession: 'count',
  costliest: 'count',
};

/**
 * Asks questions of all sessions, on a thread of their own that starts with the first one. Here, messages are passed on
 * and nothing is read. It needs no editor.
 */
export class SessionSearch implements Disposable {
  readonly #options: SessionSearchOptions;
  readonly #thread: Thread<SearchCalls>;
  #lastId = 0;

  constructor(options: SessionSearchOptions) {
    checkOptions(options, searchOptionKinds, 'SessionSearch');
    this.#options = options;
    const { script = new URL('./workers/search.js', import.meta.url), log } = options;
    this.#thread = new Thread({
      name: 'search',
      script,
      data: () => this.#dataFor(script),
      log,
      idleMs: IDLE_MS,
      onEnd: (error) => {
        if (error) log.error(`The search has ended: ${messageOf(error)}`);
      },
    });
  }

  /**
   * Asks a question and gives what is found as it is found; the thread works on only while the next update is waited for,
   * and whoever stops asking ends the search. The last update has another state than `searching`: when the signal is
   * aborted, `cancelled`, with all that was found before. Throws a TypeError for an unknown option, and an error for a person where the stores cannot be listed
   * or the thread ends.
   */
  async *ask(question: SearchQuestion, signal: AbortSignal): AsyncGenerator<SearchUpdate, void, undefined> {
    checkOptions(question, questionKinds, 'SessionSearch.ask');
    checkOptions(question.limits, searchLimitKinds, 'limits');
    const searched = await this.#searched(question.archive);
    const search = ++this.#lastId;
    const { calls, dispose } = this.#thread.hold();
    const leave = onAbort(signal, () => calls.tell('cancel', search));
    try {
      await calls.call('begin', search, question, searched);
      if (signal.aborted) await calls.call('cancel', search);
      for (;;) {
        const update = await calls.call('next', search);
        if (!update) return;
        yield update;
        if (update.state !== 'searching') return;
      }
    } finally {
      leave();
      calls.tell('end', search);
      dispose();
    }
  }

  /**
   * The records of one session that a question finds, or that belong to the rows that it finds. Rejects with an error for
   * a person where the question has problems or the session cannot be read, and with the signal's reason.
   */
  async recordsIn(
    location: SessionLocation,
    question: SessionQuery,
    signal: AbortSignal,
  ): Promise<RecordMatches> {
    const searched = await this.#searched();
    signal.throwIfAborted();
    const search = ++this.#lastId;
    const leave = onAbort(signal, () => this.#thread.tell('cancel', search));
    try {
      return await this.#thread.call('recordsIn', search, location, question, searched);
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      leave();
    }
  }

  /**
   * The records around a hit, at most `around` before and after it. Rejects with an error for a person where the session
   * cannot be read.
   */
  async near(location: SessionLocation, position: number, around: number): Promise<readonly NearRecord[]> {
    const archive = location.kind === 'archive' ? await this.#options.archive?.() : undefined;
    return await this.#thread.call('near', location, position, around, archive);
  }

  /** What the arguments of tool calls are, for completion: see the function of this name. Rejects with an error for a person. */
  async argumentValues(): Promise<ArgumentValues> {
    return await this.#thread.call('argumentValues', await this.#searched());
  }

  dispose(): void {
    void this.#thread.stop();
  }

  async #searched(withArchive = false): Promise<Searched> {
    const { ownPrices, stores, files, archive } = this.#options;
    return {
      stores: await stores(),
      files: (await files?.()) ?? [],
      ownPrices: ownPrices?.() ?? '',
      ...(withArchive && { archive: await archive?.() }),
    };
  }

  #dataFor(script: URL): SearchThreadData {
    const { archiveScript = new URL('./workers/archiveReading.js', import.meta.url) } = this.#options;
    return {
      translations: presentTranslations(),
      script: script.href,
      threads: this.#options.threads ?? Math.min(MAX_THREADS, availableParallelism()),
      keptFiles: this.#options.keptFiles ?? '',
      keptSessions: this.#options.keptSessions ?? '',
      ripgrep: this.#options.ripgrep ?? '',
      isShard: false,
      archiveScript: archiveScript.href,
    };
  }
}
