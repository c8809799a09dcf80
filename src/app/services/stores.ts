import { isAbsolute, join } from 'node:path';
import { t } from '../../core/l10n.js';
import type { Workspace, WorkspaceFolder } from '../ports/workspace.js';
import type { Dialogs } from '../ports/dialogs.js';
import type { Settings } from '../ports/settings.js';
import { Emitter, type Disposable } from '../../core/event.js';
import { yieldToEventLoop } from '../../core/yieldToEventLoop.js';
import type { Log } from '../../core/ports/log.js';
import type { CatalogEntry } from '../../core/ports/transcript.js';
import type { SearchedFile } from '../../search/files/fileSession.js';
import type { Searched } from '../../search/searchCalls.js';
import type { SessionSearch } from '../../search/sessionSearch.js';
import type { KeptSessions } from '../../store/notes/keptSessions.js';
import type { TranscriptStore } from '../../store/transcriptStore.js';
import { plain } from '../text/plainText.js';
import type { ReadOnThread } from '../../store/write/storeOptions.js';
import type { StoreProblem } from '../../store/write/storeProblem.js';
import { UserError } from '../userError.js';
import { features } from '../features/features.js';
import type { OpenStore, StoredConversation } from '../stores/storedConversation.js';

/** What shows a person the problems of the stores. */
export interface StoreProblemViews {
  show(problem: StoreProblem): void;
  solved(problem: StoreProblem): void;
}

/** What the stores of a window need from it. */
export interface StoresHost {
  readonly settings: Pick<Settings, 'get'>;
  readonly workspace: Workspace;
  readonly dialogs: Pick<Dialogs, 'showWarning'>;
  readonly problems: StoreProblemViews;
  /** Reads large journals on another thread; where there is none, the stores read them themselves. */
  readonly onThread?: ReadOnThread;
  /** A folder of the application's own, absolute: for the store of a window without a folder. */
  readonly ownStorage: string;
  /** Another, for what is known of files of other tools; nothing is kept where there is none. */
  readonly keptFiles?: string;
  /** The file of what is kept about sessions of tools, absolute; nothing is kept where there is none. */
  readonly keptSessions?: string;
  /** The path of ripgrep, '' for none; left out, there is none. */
  readonly ripgrep?: () => string;
  /** The archive as a search asks it; left out, there is none. Never rejects. */
  readonly archive?: () => Promise<Searched['archive']>;
  readonly log: Log;
}

/** A store that is being opened: first it is there, then all of it is listed. */
interface Opening {
  readonly opened: Promise<TranscriptStore>;
  readonly listed: Promise<TranscriptStore>;
}

/** What is listed by now. */
export interface ListedSoFar {
  /** Newest first. */
  readonly conversations: readonly StoredConversation[];
  /** Whether more may come. */
  readonly isReading: boolean;
}

/**
 * The stores of this window: one in each workspace folder, one in the extension's storage where there is no folder (or
 * none on this machine's disk), or a single one where the user chose a place. Opened on first use.
 */
export class Stores implements Disposable {
  readonly #stores = new Map<string, Opening>();
  /** Those that are open, by their folders, also while they are being listed. */
  readonly #opened = new Map<string, TranscriptStore>();
  readonly #changed: Emitter<void>;
  readonly #keeps: Emitter<void>;
  #kept: Promise<KeptSessions | undefined> | undefined;
  readonly #host: StoresHost;
  readonly #following: Disposable;
  #saidElsewhere = false;
  #search: Promise<SessionSearch> | undefined;
  /** Stores of which nothing is listed: a conversation is found by its id, or by a question. */
  readonly #unlisted = new Set<OpenStore>();
  /** Those of them that no question is put to. */
  readonly #unasked = new Set<OpenStore>();
  /** What gives the files of other tools that are searched where they are. */
  readonly #files = new Set<() => Promise<readonly SearchedFile[]>>();

  constructor(host: StoresHost) {
    this.#host = host;
    this.#changed = new Emitter((error) => host.log.error('A view could not follow the catalog', error));
    this.#keeps = new Emitter((error) => host.log.error('A view could not follow what is kept', error));
    this.#following = host.workspace.onDidGrantTrust(() => void this.#reopen());
  }

  /** Fires when a conversation of any store was added, changed or deleted. */
  get onDidChange() {
    return this.#changed.event;
  }

  /** Fires when what is kept about sessions of tools was changed. */
  get onDidKeep() {
    return this.#keeps.event;
  }

  /** What the person keeps about sessions of tools, wherever they come up; undefined where nothing is kept. */
  kept(): Promise<KeptSessions | undefined> {
    return (this.#kept ??= this.#loadKept());
  }

  /** The store to write to in a workspace folder; rejects with a UserError where the folder is gone. */
  async storeFor(folder: WorkspaceFolder | undefined): Promise<OpenStore> {
    if (folder) await this.#host.workspace.requireFolder(folder);
    const root = this.#rootFor(folder);
    return { root, store: await this.#open(root) };
  }

  /** All stores of this window. */
  async all(): Promise<readonly OpenStore[]> {
    return Promise.all(this.roots().map(async (root) => ({ root, store: await this.#open(root) })));
  }

  /** The absolute paths of this window's stores, opened or not. */
  roots(): readonly string[] {
    const { folders } = this.#host.workspace;
    const roots =
      folders.length > 0 ? folders.map((folder) => this.#rootFor(folder)) : [this.#rootFor(undefined)];
    return [...new Set(roots)];
  }

  /** Why a store of this window cannot be read; undefined while all can, and while none is open. */
  get unreadable(): StoreProblem | undefined {
    return [...this.#opened.values()]
      .map((store) => store.unreadable)
      .find((problem) => problem !== undefined);
  }

  /** Every conversation of every store, newest first. */
  async conversations(): Promise<readonly StoredConversation[]> {
    return entriesOf(await this.all());
  }

  /** The same as far as it is known by now: waits until there is one, or until all stores are read. */
  async conversationsSoFar(): Promise<ListedSoFar> {
    const roots = this.roots();
    const all = this.all();
    // Those of folders that were taken out of the workspace stay open.
    const soFar = () =>
      roots.flatMap((root) => {
        const store = this.#opened.get(root);
        return store ? [{ root, store }] : [];
      });
    const isReading = await this.#isKnownBefore(all, () =>
      soFar().some(({ store }) => store.catalog.entries().length > 0),
    );
    return { conversations: entriesOf(isReading ? soFar() : await all), isReading };
  }

  /** Resolves once a conversation is known, or nothing more will be: whether it is the first. */
  #isKnownBefore(all: Promise<unknown>, isKnown: () => boolean): Promise<boolean> {
    return new Promise((resolve) => {
      const look = () => {
        if (isKnown()) end(true);
      };
      const following = this.onDidChange(look);
      const end = (isFirst: boolean) => {
        following.dispose();
        resolve(isFirst);
      };
      void Promise.allSettled([all]).then(() => end(false));
      // Where all are known, that is heard before this turn.
      void yieldToEventLoop().then(look);
    });
  }

  /** The conversation with this id; throws a UserError where it no longer exists. */
  async find(conversation: string): Promise<StoredConversation> {
    const [found] = await this.findAll(new Set([conversation]));
    if (!found) throw new UserError(t`This conversation is not there any more.`);
    return found;
  }

  /** The conversations with these ids that exist, newest first. */
  async findAll(conversations: ReadonlySet<string>): Promise<readonly StoredConversation[]> {
    const unlisted = listed([...this.#unlisted], conversations);
    if (unlisted.length >= conversations.size) return unlisted;
    const stores = [...(await this.all()), ...this.#unlisted];
    const found = listed(stores, conversations);
    if (found.length >= conversations.size) return found;
    // Another window may have written one a moment ago.
    await Promise.all(stores.map(({ store }) => store.catalog.refresh()));
    return listed(stores, conversations);
  }

  /** The catalog entries of all stores that are open, without waiting. */
  get knownEntries(): readonly CatalogEntry[] {
    return [...this.#opened.values()].flatMap((store) => store.catalog.entries());
  }

  /** The catalog entry of a conversation, without waiting; undefined also while its store is not open yet. */
  known(conversation: string): CatalogEntry | undefined {
    for (const store of [
      ...this.#opened.values(),
      ...Array.from(this.#unlisted, ({ store: each }) => each),
    ]) {
      const entry = store.catalog.find(conversation);
      if (entry) return entry;
    }
    return undefined;
  }

  /** The folders of all stores that are searched: those of this window, and what was read of files that are shown. */
  async searched(): Promise<readonly { readonly root: string; readonly isPassing: boolean }[]> {
    const passing = this.#passing.map(({ root }) => ({ root, isPassing: true }));
    return [...(await this.all()).map(({ root }) => ({ root, isPassing: false })), ...passing];
  }

  /**
   * The files of other tools that are searched where they are. One whose conversation is in a store, because it was imported
   * or is shown, is not among them: it is found there.
   */
  async searchedFiles(): Promise<readonly SearchedFile[]> {
    const found = (await Promise.all(Array.from(this.#files, (list) => list()))).flat();
    if (found.length === 0) return [];
    const stores = [...(await this.all()), ...this.#passing];
    const stored = new Set(
      stores.flatMap(({ store }) => store.catalog.entries().map(({ origin }) => origin?.path)),
    );
    return found.filter(({ path }) => !stored.has(path));
  }

  /** How many sessions a search looks at, each file counted as one. */
  async countSearched(): Promise<number> {
    const stores = [...(await this.all()), ...this.#passing];
    const stored = stores.reduce((sum, { store }) => sum + store.catalog.entries().length, 0);
    return stored + (await this.searchedFiles()).length;
  }

  /** Lets the search ask files of other tools where they are; `list` is asked with each question. */
  addSearchedFiles(list: () => Promise<readonly SearchedFile[]>): Disposable {
    this.#files.add(list);
    return { dispose: () => void this.#files.delete(list) };
  }

  /**
   * Makes the conversations of a further store be found by their ids, without listing them; and by questions, unless these are put
   * to where they come from.
   */
  addUnlisted(store: OpenStore, { isAsked }: { readonly isAsked: boolean } = { isAsked: true }): void {
    this.#unlisted.add(store);
    if (!isAsked) this.#unasked.add(store);
  }

  /** Whether a conversation is in no store of the window: it is shown, and not kept. */
  isUnlisted(conversation: string): boolean {
    return [...this.#unlisted].some(({ store }) => store.catalog.find(conversation) !== undefined);
  }

  get #passing(): readonly OpenStore[] {
    return [...this.#unlisted].filter((store) => !this.#unasked.has(store));
  }

  /** The search over all sessions of all stores, loaded with the first question. */
  search(): Promise<SessionSearch> {
    return (this.#search ??= features.transcripts().then(({ searchOf }) => searchOf(this, this.#host)));
  }

  /** Writes out what is queued and closes all stores. */
  async close(): Promise<void> {
    await Promise.allSettled(Array.from(this.#stores.values(), ({ opened }) => opened));
    const opened = [...this.#opened.values()];
    this.#stores.clear();
    this.#opened.clear();
    await Promise.all(opened.map((store) => store.close()));
  }

  dispose(): void {
    void this.#search?.then((search) => search.dispose());
    this.#following.dispose();
    this.#changed.dispose();
    this.#keeps.dispose();
    void this.#kept?.then((kept) => kept?.dispose());
    void this.close().catch((error: unknown) => this.#host.log.error('The store did not close well', error));
  }

  async #loadKept(): Promise<KeptSessions | undefined> {
    const { keptSessions, log } = this.#host;
    if (keptSessions === undefined) return undefined;
    const { KeptSessions: Kept } = await features.transcripts();
    const kept = new Kept(keptSessions, log);
    kept.onDidChange(() => this.#keeps.fire());
    return kept;
  }

  /** Opens the stores anew, for writing, once the workspace is trusted; open transcripts stay readable. */
  async #reopen(): Promise<void> {
    try {
      await this.close();
    } catch (error) {
      this.#host.log.error('The store did not close well', error);
    }
    this.#changed.fire();
  }

  #rootFor(folder: WorkspaceFolder | undefined): string {
    const { root, notice } = storeLocation(folder, {
      chosen: this.#host.settings.get('storePath'),
      ownStorage: this.#host.ownStorage,
    });
    if (notice !== undefined && !this.#saidElsewhere) {
      this.#saidElsewhere = true;
      void this.#host.dialogs.showWarning(plain(notice));
    }
    return root;
  }

  #open(root: string): Promise<TranscriptStore> {
    const known = this.#stores.get(root);
    if (known) return known.listed;
    const opened = this.#openNow(root);
    const listed = opened.then(async (store) => {
      await store.catalog.refresh();
      return store;
    });
    this.#stores.set(root, { opened, listed });
    opened.catch(() => this.#stores.delete(root));
    return listed;
  }

  async #openNow(root: string): Promise<TranscriptStore> {
    const { workspace, problems, onThread, log, settings } = this.#host;
    const { TranscriptStore } = await features.transcripts();
    const kept = await this.kept();
    const store = await TranscriptStore.open({
      root,
      // What a person only looks at stays as it is: a folder from elsewhere may hold a trap.
      readOnly: !workspace.isTrusted,
      ...(onThread && { onThread }),
      ...(kept && { kept }),
      seals: settings.get('recording.more').seals !== false,
      log,
      onProblem: (problem) => problems.show(problem),
      onSolved: (problem) => problems.solved(problem),
    });
    store.catalog.onDidChange(() => this.#changed.fire());
    this.#opened.set(root, store);
    return store;
  }
}

function entriesOf(stores: readonly OpenStore[]): readonly StoredConversation[] {
  return stores
    .flatMap(({ root, store }) => store.catalog.entries().map((entry) => ({ store, root, entry })))
    .sort(byStart);
}

/** The conversations with these ids that the catalogs list, newest first; of several with one id the newest. */
function listed(
  stores: readonly OpenStore[],
  conversations: ReadonlySet<string>,
): readonly StoredConversation[] {
  return [...conversations]
    .flatMap((conversation) => {
      const found = stores.flatMap(({ root, store }) => {
        const entry = store.catalog.find(conversation);
        return entry ? [{ store, root, entry }] : [];
      });
      return found.sort(byStart).slice(0, 1);
    })
    .sort(byStart);
}

function byStart(a: StoredConversation, b: StoredConversation): number {
  return b.entry.startedAt - a.entry.startedAt;
}

/** The part of a workspace folder that decides the place of its store. */
interface Folder {
  readonly name: string;
  readonly uri: { readonly scheme: string; readonly fsPath: string };
}

/** The place of a store, and what a person must know about it. */
interface StoreLocation {
  /** Absolute. */
  readonly root: string;
  readonly notice?: string;
}

/**
 * The place of a workspace folder's store: in the folder, or where the person chose; in the extension's storage where no
 * folder is open, or the folder is on no file system of this machine. Throws a UserError where the chosen place is not
 * an absolute path.
 */
export function storeLocation(
  folder: Folder | undefined,
  { chosen, ownStorage }: { readonly chosen: string; readonly ownStorage: string },
): StoreLocation {
  if (chosen !== '') {
    if (!isAbsolute(chosen))
      throw new UserError(t`The setting agentLogbook.storePath must be an absolute path.`);
    return { root: chosen };
  }
  if (folder?.uri.scheme === 'file') return { root: join(folder.uri.fsPath, '.agent-logbook') };
  const root = join(ownStorage, 'logbook');
  if (!folder) return { root };
  const where = t`The folder "${folder.name}" is not on a disk of this machine`;
  return { root, notice: t`${where}: its transcripts are kept in the storage of the extension instead.` };
}
