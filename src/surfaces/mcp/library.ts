import { realpath } from 'node:fs/promises';
import { basename, dirname, resolve, sep } from 'node:path';
import { BlamedFiles, type BlamedFile } from '../../app/sources/blamedFiles.js';
import { STORE_FOLDER } from '../../app/sources/storeSessions.js';
import type { NamedSession, SourceProblem } from '../../app/stores/namedSessions.js';
import type { ReportedSession } from '../../app/sources/toolSessions.js';
import { Sources, type Ahead, type SourcesOptions } from '../../app/sources/sources.js';
import { UserError } from '../../app/userError.js';
import type { Redactor } from '../../export/secrets/redact.js';
import { redactorFor } from '../../export/sharing/sharingGate.js';
import { DEFAULT_RULES, type SharingRules } from '../../export/sharing/sharingPolicy.js';
import { countedTotals, type CountedTotals } from '../../app/stores/countedTotals.js';
import type { MarkedPrices } from '../../search/columns/readSession.js';
import type { CatalogEntry, Transcript } from '../../core/ports/transcript.js';
import { BoundedMap } from '../../core/boundedMap.js';
import { messageOf } from '../../core/text.js';
import { NotRead } from './notRead.js';
import { isMeant, shownId, shownName, stateOf, visible } from './shown.js';

/** A session in which something was said so recently may be the one that asks, in milliseconds. */
const ACTIVE_MS = 10 * 60_000;

/** How many sessions are remembered with what they come to. */
const MAX_COUNTED = 2_000;
/** What a session comes to, with its first turns. */
export type CountedSession = CountedTotals;

/** Where sources are looked for; what cannot be read of them is told in answers, and to `onProblem`. */
export type LibraryOptions = Omit<SourcesOptions, 'onProblem'> &
  Partial<Pick<SourcesOptions, 'onProblem'>> & {
    /** Whether git may be asked for the history of files. */
    readonly asksGit?: boolean;
  };

/** What the server may read: the sources that a person chose when it was started, and nothing else. */
export class McpLibrary {
  readonly #options: LibraryOptions;
  readonly #names: readonly string[];
  readonly #redactor: Redactor;
  readonly #now: () => number;
  readonly #sources: Sources;
  readonly #transcripts = new LastTranscript();
  readonly #blamed = new BlamedFiles();
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

  /** The sessions of tools that are live, see `ToolSessions.live`; undefined where no tools were named. */
  async live(): Promise<readonly ReportedSession[] | undefined> {
    const ofTools = await this.#options.ofTools?.();
    return await ofTools?.live(this.#now());
  }

  get signal(): AbortSignal {
    return this.#options.signal;
  }

  /** Any JSON value without its secrets, as of what is worked with further. */
  withoutSecrets<T>(value: T): T {
    return this.#redactor.value(value) as T;
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
   * cannot be read hides no other, and is added to `notRead`. `counted`: for what is told of all of them together, also `ahead`,
   * see `Sources.counted`.
   */
  async *sessions(
    includeActive: boolean,
    notRead: NotRead,
    each: 'counted' | 'whole' = 'whole',
    ahead?: Ahead,
  ): AsyncGenerator<{ readonly session: NamedSession; readonly entry: CatalogEntry }, void, undefined> {
    this.#sources.forgetLook();
    this.#looking.add(notRead);
    try {
      const sources = this.#sources;
      for await (const session of each === 'whole'
        ? sources.sessions(this.#names)
        : sources.counted(this.#names, ahead)) {
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
      await this.#sources.keep();
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

  /**
   * Who wrote the lines of a file, which must lie in the folder of the server or in that of one of its stores; what cannot be read
   * is added to `notRead`. Rejects with a UserError.
   */
  async blame(name: string, notRead: NotRead): Promise<BlamedFile> {
    const { cwd, store, asksGit = false, signal } = this.#options;
    const stores = [...(store === undefined ? [] : [store]), ...this.#names].map((each) =>
      resolve(cwd, each),
    );
    const folders = [cwd, ...stores.map((each) => (basename(each) === STORE_FOLDER ? dirname(each) : each))];
    const file = await fileIn(folders, name);
    if (file === undefined)
      throw new UserError(
        `There is no file ${shownName(name)} in the folder that this server works in. Name one by its path in that folder.`,
      );
    this.#looking.add(notRead);
    try {
      this.#sources.forgetLook();
      return await this.#blamed.blame({
        file,
        called: shownName(name),
        sessions: (isMeant) => this.#sources.sessions(this.#names, { isMeant }),
        asksGit,
        keeps: (root) => this.#sources.keptOf(root),
        signal,
        onProblem: (source, why) => notRead.add({ source, why }),
      });
    } finally {
      this.#looking.delete(notRead);
      await this.#sources.keep();
    }
  }

  /** What a session comes to; read once as long as it stays as it is. */
  async totals(session: NamedSession, prices: MarkedPrices): Promise<CountedSession> {
    const key = `${prices.mark}\n${await keyOf(session)}`;
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

  async #count(session: NamedSession, prices: MarkedPrices): Promise<CountedSession> {
    const counted = await countedTotals(session, prices, this.signal, async (work) => {
      this.counted++;
      return await this.withTranscript(session, work);
    });
    // There may be very many of them, and nobody asks for them here.
    return { ...counted, files: [] };
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

/** The file of a name in the first of some folders that has it, wherever links lead; undefined where none has. */
async function fileIn(folders: readonly string[], name: string): Promise<string | undefined> {
  for (const folder of folders) {
    const [root, file] = await Promise.all(
      [folder, resolve(folder, name)].map((path) => realpath(path).catch(() => '')),
    );
    if (root !== undefined && root !== '' && file?.startsWith(`${root}${sep}`) === true) return file;
  }
  return undefined;
}

interface Opened {
  readonly key: string;
  readonly opening: Promise<Transcript>;
  users: number;
}

/** Keeps the transcript open that was read last: whoever pages through it asks again and again. */
class LastTranscript {
  #last: Opened | undefined;

  /** Does something with the transcript of a session, which is opened where it is not open as it is now. */
  async use<T>(session: NamedSession, work: (transcript: Transcript) => Promise<T>): Promise<T> {
    const key = await keyOf(session);
    const opened = this.#last?.key === key ? this.#last : this.#open(key, session);
    opened.users++;
    try {
      return await work(await opened.opening);
    } finally {
      opened.users--;
      await this.#closeUnused(opened);
    }
  }

  async close(): Promise<void> {
    const last = this.#last;
    this.#last = undefined;
    if (last) await this.#closeUnused(last);
  }

  #open(key: string, session: NamedSession): Opened {
    const before = this.#last;
    this.#last = undefined;
    const opening = (async () => {
      // Of one session, two that are open share what was read of it, which may be what it was before.
      if (before) await this.#closeUnused(before);
      return await session.open();
    })();
    const opened = { key, opening, users: 0 };
    if (before === undefined || before.users === 0) this.#last = opened;
    // What could not be opened may be the next time.
    opening.catch(() => {
      if (this.#last === opened) this.#last = undefined;
    });
    return opened;
  }

  /** Closes one that is neither the last nor in use; what could not be opened needs no closing. */
  async #closeUnused(opened: Opened): Promise<void> {
    if (opened === this.#last || opened.users > 0) return;
    const transcript = await opened.opening.catch(() => undefined);
    await transcript?.close();
  }
}

/** A session as it is now: another key when it has changed. */
async function keyOf(session: NamedSession): Promise<string> {
  return [session.where, session.id, await session.stamp()].join('\n');
}
