import { messageOf } from '../core/text.js';
import type { SearchQuestion } from '../page/protocol/search.js';
import { planQuery } from '../query/language/plan.js';
import type { ColumnCache } from '../search/columns/columnCache.js';
import type { SessionIdentities } from '../query/numbers/ownership.js';
import type { MarkedPrices } from '../search/columns/readSession.js';
import { OwnerIndex } from '../search/owners.js';
import { keyOf } from '../search/sessions/session.js';
import type { RemoteStep } from '../search/shards.js';
import { NO_STEP, ShardSearch, type ShardStep } from '../search/shardSearch.js';
import { Tallies } from '../search/tallies.js';
import { ArchiveReader } from './archiveReader.js';
import type { Connected } from './archivedTranscript.js';
import { ArchiveSource } from './archiveSource.js';

/** What a question is put to. */
export interface SearchedConversations {
  /** What the places of the archive are called. */
  readonly root: string;
  readonly connected: Connected;
  /** What is known of its conversations from questions before. */
  readonly cache?: ColumnCache;
  /** The ids of conversations that are left out, because they are found elsewhere. */
  readonly known: ReadonlySet<string>;
  /** What the sessions of this machine tell: it counts for them. */
  readonly told: SessionIdentities;
  readonly prices: MarkedPrices;
}

/**
 * A question that is put to the conversations of an archive, as a share of a search. Where the archive fails, that is told with
 * what was found before; none of it fails the search.
 */
export class ArchiveSearch {
  readonly #question: SearchQuestion;
  readonly #asked: SearchedConversations;
  readonly #stop = new AbortController();
  readonly #cancelled: Promise<ShardStep>;
  #cancel: () => void = () => undefined;
  readonly #steps: AsyncGenerator<ShardStep, void, undefined>;
  readonly #tallies: Tallies;
  #problem: string | undefined;

  constructor(question: SearchQuestion, asked: SearchedConversations) {
    this.#question = question;
    this.#asked = asked;
    this.#tallies = new Tallies(question);
    this.#cancelled = new Promise((resolve) => (this.#cancel = () => resolve(NO_STEP)));
    this.#steps = this.#run();
  }

  /** What was found since the step before. Not to be called behind the last step; never rejects. */
  async next(): Promise<RemoteStep> {
    // A statement that the server works on is not waited for.
    const step = await Promise.race([this.#next(), this.#cancelled]);
    const problem = this.#problem;
    return {
      step,
      counted: this.#tallies.take(),
      ...(problem !== undefined && { archiveProblem: problem }),
    };
  }

  /** The step that is worked on, or the next one, is the last. */
  cancel(): void {
    this.#stop.abort();
    this.#cancel();
  }

  async #next(): Promise<ShardStep> {
    try {
      return (await this.#steps.next()).value ?? NO_STEP;
    } catch (error) {
      this.#problem ??= messageOf(error);
      return NO_STEP;
    }
  }

  async *#run(): AsyncGenerator<ShardStep, void, undefined> {
    const { root, known, told, prices, cache } = this.#asked;
    const { signal } = this.#stop;
    const planned = planQuery(this.#question.text, this.#question);
    // Whoever shares the question out has told what is wrong with it.
    if (!planned.ok) return;
    const source = new ArchiveSource(root, new ArchiveReader(() => this.#connected(), cache), planned.plan);
    // What one of them tells may be another's, whichever of them are asked.
    const sessions = (await source.sessions()).filter(({ place }) => !known.has(place.conversation));
    const owned = await new OwnerIndex(told).among(sessions, prices, signal);
    const only = this.#question.only && new Set(this.#question.only.map(keyOf));
    const asked = sessions.filter(({ place }) => only?.has(keyOf(place)) !== false);
    const share = new ShardSearch(this.#question, prices, planned.plan, this.#tallies);
    yield* share.run(
      asked.map((session) => owned.get(keyOf(session.place)) ?? session),
      signal,
    );
  }

  /** The connection; where it fails, nothing more is asked, rather than each conversation being told as one that cannot be read. */
  async #connected(): Promise<Awaited<ReturnType<Connected>>> {
    const failed = (error: unknown) => {
      if (!this.#stop.signal.aborted) this.#problem ??= messageOf(error);
      this.#stop.abort();
      throw error;
    };
    const connection = await this.#asked.connected().catch(failed);
    return { query: (text, values) => connection.query(text, values).catch(failed) };
  }
}
