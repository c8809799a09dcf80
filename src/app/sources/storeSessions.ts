import { dirname, join, resolve } from 'node:path';
import { t } from '../../core/l10n.js';
import { messageOf } from '../../core/text.js';
import { entryAt } from '../../node/plainFile.js';
import type { Log } from '../../core/ports/log.js';
import type { CatalogEntry } from '../../core/ports/transcript.js';
import { conversationOfFile, locate } from '../../store/catalog/conversationFolders.js';
import type { StoreSource } from '../../search/sessions/storeSource.js';
import { stampsOf } from '../../store/read/fileStamp.js';
import { isMarkedRoot } from '../../store/files/storeRoot.js';
import { TranscriptStore } from '../../store/transcriptStore.js';
import type { StoreProblem } from '../../store/write/storeProblem.js';
import type { CachedSessions } from './cachedSessions.js';
import { foundByName, LATEST } from './nameMatch.js';
import { UserError } from '../userError.js';
import type { NamedSession } from '../stores/namedSessions.js';
import { loadStoreQuestions } from './sourceLoaders.js';

/** The folder in which a workspace keeps its conversations. */
export const STORE_FOLDER = '.agent-logbook';

/** The store of a workspace: that of a folder or of the nearest one around it; undefined where there is none. */
export async function storeAround(folder: string): Promise<string | undefined> {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const root = join(at, STORE_FOLDER);
    if (await isMarkedRoot(root)) return root;
    if (dirname(at) === at) return undefined;
  }
}

/** The store that a folder is or holds; undefined where it is neither. */
export async function storeIn(folder: string): Promise<string | undefined> {
  const own = resolve(folder);
  if (await isMarkedRoot(own)) return own;
  const inside = join(own, STORE_FOLDER);
  return (await isMarkedRoot(inside)) ? inside : undefined;
}

/** The store that a file is a journal of, and the conversation; undefined for every other file. */
export async function storedBehind(
  path: string,
): Promise<{ readonly root: string; readonly id: string } | undefined> {
  const root = dirname(dirname(dirname(resolve(path))));
  // Its name is asked first: nearly no other file is called so.
  const id = await conversationOfFile(root, path);
  if (id === undefined || !(await entryAt(root))?.isDirectory()) return undefined;
  return (await isMarkedRoot(root)) ? { root, id } : undefined;
}

/** How the conversations of a store are read. */
export interface StoreSessionsOptions {
  readonly log: Log;
  /** Whether this thread may wait for the disk. */
  readonly mayBlock: boolean;
  /** Whether anybody asks a conversation again, for whom what was read of it is held. */
  readonly asked: 'once' | 'often';
  /** Keeps what is worked out of them, and lets what is read of them be kept beside their journals; left out: nothing is written. */
  readonly cache?: CachedSessions | undefined;
}

/** The conversations of a store, read only: nothing is written there but what the search keeps of a conversation. */
export class StoreSessions {
  readonly #store: TranscriptStore;
  readonly #options: StoreSessionsOptions;
  readonly root: string;
  #source: StoreSource | undefined;
  #hasLooked = false;

  private constructor(root: string, store: TranscriptStore, options: StoreSessionsOptions) {
    this.root = root;
    this.#store = store;
    this.#options = options;
  }

  static async open(root: string, options: StoreSessionsOptions): Promise<StoreSessions> {
    const { log, mayBlock } = options;
    const onProblem = ({ title, detail }: StoreProblem) => log.error(`${title}. ${detail}`);
    // What stands in the place of a store is told to a person when its conversations are listed.
    const store = await TranscriptStore.open({ root, log, onProblem, readOnly: true, mayBlock });
    return new StoreSessions(root, store, options);
  }

  /** All of them, newest first. Throws a UserError where they cannot be listed. */
  async *all(): AsyncGenerator<NamedSession, void, undefined> {
    const entries = await this.#entries();
    for (const [id, session] of await this.#sessions()) {
      const entry = entries.get(id);
      if (entry) yield this.#named(entry, session, entries.size - 1);
    }
  }

  /** What is listed of all of them, newest first; cheaper than `all`. */
  async listed(): Promise<readonly CatalogEntry[]> {
    return [...(await this.#entries()).values()];
  }

  /**
   * One of them: by its id, the beginning of its id where no other begins so, what the tool calls it that recorded it, or
   * `latest`. Throws a UserError where there is none, and where several are meant.
   */
  async one(name: string): Promise<NamedSession> {
    const entries = await this.#entries();
    const entry = this.#find(entries, name);
    const session = (await this.#sessions()).get(entry.conversation);
    if (!session) throw new UserError(t`The conversation ${entry.conversation} is not there any more.`);
    return this.#named(entry, session, 0);
  }

  /** Lets the next question look at the conversations again. */
  forgetLook(): void {
    this.#hasLooked = false;
  }

  async close(): Promise<void> {
    await this.#store.close();
  }

  #find(entries: ReadonlyMap<string, CatalogEntry>, name: string): CatalogEntry {
    const exact = entries.get(name);
    if (exact) return exact;
    const all = [...entries.values()];
    const { found, begun } = foundByName(all, name, ({ conversation }) => conversation);
    if (found) return found;
    // Of several versions of a session, the newest is the one that the tool has now.
    const ofTool = all.filter(({ origin }) => origin?.session === name);
    const [newest] = ofTool.toSorted((a, b) => (b.origin?.version ?? 1) - (a.origin?.version ?? 1));
    if (newest) return newest;
    const [one, other] = begun;
    if (one && other)
      throw new UserError(
        t`${begun.length} conversations begin with ${name}, such as ${one.conversation} and ${other.conversation}; write more of the id.`,
      );
    throw new UserError(
      name === LATEST
        ? t`The store ${this.root} holds no conversation yet.`
        : t`There is no file and no conversation called ${name}; agent-logbook list shows those of the store.`,
    );
  }

  async #entries(): Promise<ReadonlyMap<string, CatalogEntry>> {
    const { catalog } = this.#store;
    if (!this.#hasLooked) await catalog.refresh();
    this.#hasLooked = true;
    const { unreadable } = this.#store;
    if (unreadable) throw new UserError(`${unreadable.title}. ${unreadable.detail}`);
    return new Map(catalog.entries().map((entry) => [entry.conversation, entry]));
  }

  async #sessions() {
    try {
      const { openStoreSource } = await loadStoreQuestions();
      const { log, asked, cache } = this.#options;
      this.#source ??= openStoreSource(this.root, log, { asked, keeps: cache !== undefined });
      const found = await this.#source.sessions();
      const newestFirst = found.toSorted((a, b) => (a.order < b.order ? 1 : -1));
      return new Map(newestFirst.map((session) => [session.place.conversation, session]));
    } catch (error) {
      throw new UserError(t`The store ${this.root} cannot be read: ${messageOf(error)}.`);
    }
  }

  #named(entry: CatalogEntry, session: NamedSession['session'], others: number): NamedSession {
    const { conversation: id, title, source, project, origin } = entry;
    const about = {
      title,
      ...(source !== undefined && { source }),
      ...(project !== undefined && { project }),
    };
    const stamp = async () => JSON.stringify(await stampsOf(await locate(this.root, id)));
    const { cache } = this.#options;
    return {
      id,
      where: this.root,
      kind: 'stored',
      others,
      ...(origin && { origin }),
      session,
      ...(cache && { parts: cache.partsOfStored(this.root, id, stamp) }),
      stamp,
      entry: () => Promise.resolve(entry),
      info: () => Promise.resolve({ session: id, ...about, live: entry.state === 'running' }),
      open: () => this.#store.openTranscript(id),
      openOther: (other) => this.#store.openTranscript(other),
    };
  }
}
