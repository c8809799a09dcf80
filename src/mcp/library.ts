import type { NamedSession } from '../app/sources/namedSessions.js';
import { Sources, type SourcesOptions } from '../app/sources/sources.js';
import { UserError } from '../app/userError.js';
import type { Redactor } from '../export/redact.js';
import { redactorFor } from '../export/sharing/sharingGate.js';
import { DEFAULT_RULES, type SharingRules } from '../export/sharing/sharingPolicy.js';
import type { CatalogEntry } from '../ports/transcript.js';

/** A session in which something was said so recently may be the one that asks, in milliseconds. */
const ACTIVE_MS = 10 * 60_000;

/** What the server may read: the sources that a person chose when it was started, and nothing else. */
export class McpLibrary {
  readonly #options: SourcesOptions;
  readonly #names: readonly string[];
  readonly #redactor: Redactor;
  readonly #now: () => number;

  /**
   * `names`: the sources; without any, the store of the workspace. `sharing`: what is left out besides secrets.
   */
  constructor(
    options: SourcesOptions,
    names: readonly string[],
    now: () => number,
    sharing: SharingRules = DEFAULT_RULES,
  ) {
    this.#redactor = redactorFor(sharing);
    this.#options = options;
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

  /** Any JSON value without its secrets. */
  clean<T>(value: T): T {
    return this.#redactor.value(value) as T;
  }

  /** Goes through the sessions, newest first where they are of a store; those at work now only where they are wanted. */
  async *sessions(
    includeActive: boolean,
  ): AsyncGenerator<{ readonly session: NamedSession; readonly entry: CatalogEntry }, void, undefined> {
    const sources = new Sources(this.#options);
    try {
      for await (const session of sources.sessions(this.#names)) {
        const entry = await session.entry();
        const isActive = entry.state === 'running' || this.#now() - entry.endedAt < ACTIVE_MS;
        if (includeActive || !isActive) yield { session, entry };
      }
    } finally {
      await sources.close();
    }
  }

  /** Does something with one session. Throws a UserError that says how to find it where there is none of this id. */
  async withSession<T>(
    id: string,
    work: (session: NamedSession, entry: CatalogEntry) => Promise<T>,
  ): Promise<T> {
    for await (const { session, entry } of this.sessions(true))
      if (session.id === id) return await work(session, entry);
    throw new UserError(
      `There is no session ${id}. Call list_sessions or search_sessions and use a "session" from there.`,
    );
  }
}
