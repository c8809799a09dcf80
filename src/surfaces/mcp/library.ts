import type { NamedSession, SourceProblem } from '../../app/stores/namedSessions.js';
import { Sources, type SourcesOptions } from '../../app/sources/sources.js';
import { UserError } from '../../app/userError.js';
import type { Redactor } from '../../export/secrets/redact.js';
import { redactorFor } from '../../export/sharing/sharingGate.js';
import { DEFAULT_RULES, type SharingRules } from '../../export/sharing/sharingPolicy.js';
import { Approvals, type ApprovalTotals } from '../../query/numbers/approvals.js';
import type { Prices } from '../../core/ports/prices.js';
import type { CatalogEntry, Transcript } from '../../core/ports/transcript.js';
import type { TurnSpan } from '../../query/numbers/turn.js';
import { readTotals, type SessionTotals } from '../../app/sources/sessionTotals.js';
import { BoundedMap } from '../../core/boundedMap.js';
import { messageOf } from '../../core/text.js';
import { keyOf, LastTranscript } from './lastTranscript.js';
import { NotRead } from './notRead.js';
import { isMeant, shownId, stateOf, visible } from './shown.js';

/** A session in which something was said so recently may be the one that asks, in milliseconds. */
const ACTIVE_MS = 10 * 60_000;

/** How many sessions are remembered with what they come to. */
const MAX_COUNTED = 2_000;
/** How many turns of each. */
const MAX_TURNS = 50;

/** What a session comes to, with its first turns. */
export interface CountedSession extends Omit<SessionTotals, 'files' | 'turns'> {
  readonly turns: readonly TurnSpan[];
  readonly turnCount: number;
  readonly records: number;
  readonly approvals: ApprovalTotals;
  /** How many places of it cannot be read. */
  readonly damaged: number;
}

/** Where sources are looked for; what cannot be read of them is told in answers, and to `onProblem`. */
export type LibraryOptions = Omit<SourcesOptions, 'onProblem'> & Partial<Pick<SourcesOptions, 'onProblem'>>;

/** What the server may read: the sources that a person chose when it was started, and nothing else. */
export class McpLibrary {
  readonly #options: LibraryOptions;
  readonly #names: readonly string[];
  readonly #redactor: Redactor;
  readonly #now: () => number;
  readonly #sources: Sources;
  readonly #transcripts = new LastTranscript();
  /** By session and its stamp. */
  readonly #totals = new BoundedMap<string, Promise<CountedSession>>(MAX_COUNTED);
  readonly #entries = new BoundedMap<string, CatalogEntry>(MAX_COUNTED);
  /** Those that are going through the sources, of which each is told what cannot be read: none knows the others' names. */
  readonly #looking = new Set<NotRead>();
  /** How often a session was counted, for tests: one that has not changed is counted once. */
  counted = 0;

  /**
   * `names`: the sources; without any, the store of the workspace. `sharing`: what is left out besides secrets.
   */
  constructor(
    options: LibraryOptions,
    names: readonly string[],
    now: () => number,
    sharing: SharingRules = DEFAULT_RULES,
  ) {
    this.#redactor = redactorFor(sharing);
    this.#options = options;
    this.#sources = new Sources({
      ...options,
      holdsRead: true,
      onProblem: (problem) => {
        this.note(problem);
        options.onProblem?.(problem);
      },
    });
    this.#names = names;
    this.#now = now;
  }

  /** What `7d` and `today` refer to, in milliseconds since 1970. */
  now(): number {
    return this.#now();
  }

  get signal(): AbortSignal {
    return this.#options.signal;
  }

  /** Any JSON value without its secrets, and with every character that cannot be seen written out. */
  clean<T>(value: T): T {
    return visible(this.#redactor.value(value)) as T;
  }

  /** Takes a problem of a source: whoever is going through them tells of it where something is lost. */
  note({ source, message, isLoss }: SourceProblem): void {
    if (isLoss) for (const notRead of this.#looking) notRead.add({ source, why: message });
  }

  /**
   * Goes through the sessions, newest first where they are of a store; those at work now only where they are wanted. What
   * cannot be read hides no other, and is added to `notRead`. `counted`: for what is told of all of them together, see
   * `Sources.counted`.
   */
  async *sessions(
    includeActive: boolean,
    notRead: NotRead,
    each: 'counted' | 'whole' = 'whole',
  ): AsyncGenerator<{ readonly session: NamedSession; readonly entry: CatalogEntry }, void, undefined> {
    this.#sources.forgetLook();
    this.#looking.add(notRead);
    try {
      const sources = this.#sources;
      for await (const session of each === 'whole'
        ? sources.sessions(this.#names)
        : sources.counted(this.#names)) {
        const entry = await this.attempt(notRead, session.id, () => this.#entryOf(session));
        if (!entry) continue;
        const isActive = stateOf(entry) === 'running' || this.#now() - entry.endedAt < ACTIVE_MS;
        if (includeActive || !isActive) yield { session, entry };
        else notRead.active++;
      }
    } catch (error) {
      throw error instanceof UserError ? new UserError(`${error.message}${notRead.words}`) : error;
    } finally {
      this.#looking.delete(notRead);
    }
  }

  /** Does something with one of many sessions; what cannot be read is added to `notRead`, and the others go on. */
  async attempt<T>(notRead: NotRead, source: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      this.signal.throwIfAborted();
      notRead.add({ source, why: messageOf(error) });
      return undefined;
    }
  }

  /** What a session comes to; read once as long as it stays as it is. */
  async totals(session: NamedSession, prices: Prices): Promise<CountedSession> {
    const key = `${prices.version}\n${await keyOf(session)}`;
    const counting = this.#totals.get(key) ?? this.#count(session, prices);
    this.#totals.set(key, counting);
    // What failed may be read the next time.
    counting.catch(() => this.#totals.delete(key));
    return await counting;
  }

  /** Does something with the records of a session, which stay open for the next question to the same one. */
  async withTranscript<T>(session: NamedSession, work: (transcript: Transcript) => Promise<T>): Promise<T> {
    // The records of a file are open for as long as the file is; see `CachedImports`.
    if (session.kind === 'stored') return await this.#transcripts.use(session, work);
    return await work(await session.open());
  }

  /** How many files were read, for tests. */
  get reads(): number {
    return this.#sources.reads;
  }

  /** To be called when nothing more is asked. */
  async close(): Promise<void> {
    await this.#transcripts.close();
    await this.#sources.close();
  }

  /** What is listed of it: of a file, all of its records are gone through for that. */
  async #entryOf(session: NamedSession): Promise<CatalogEntry> {
    if (session.kind === 'stored') return await session.entry();
    const key = await keyOf(session);
    const entry = this.#entries.get(key) ?? (await session.entry());
    this.#entries.set(key, entry);
    return entry;
  }

  async #count(session: NamedSession, prices: Prices): Promise<CountedSession> {
    this.counted++;
    return await this.withTranscript(session, async (transcript) => {
      const approvals = new Approvals();
      const read = await readTotals(transcript, prices, this.signal, (reading) => approvals.add(reading));
      const { statistics, tools, turns, trouble, durationMs, startedAt, endedAt } = read;
      const { length, damaged } = transcript;
      return {
        statistics,
        tools,
        trouble,
        durationMs,
        startedAt,
        endedAt,
        turnCount: turns.length,
        turns: turns.slice(0, MAX_TURNS),
        records: length,
        approvals: approvals.totals(),
        damaged: damaged.length,
      };
    });
  }

  /** Does something with one session. Throws a UserError that says how to find it where there is none of this id. */
  async withSession<T>(
    id: string,
    work: (session: NamedSession, entry: CatalogEntry) => Promise<T>,
  ): Promise<T> {
    const notRead = new NotRead();
    for await (const { session, entry } of this.sessions(true, notRead))
      if (isMeant(id, session.id) || isMeant(id, session.origin?.session ?? session.id))
        return await work(session, entry);
    throw new UserError(
      `There is no session ${shownId(id)}. Call list_sessions or search_sessions and use a "session" from there.${notRead.words}`,
    );
  }
}
