import { createReadStream, realpathSync } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { t } from '../../core/l10n.js';
import { messageOf } from '../../core/text.js';
import type { Log } from '../../core/ports/log.js';
import type { CatalogEntry } from '../../core/ports/transcript.js';
import type { CachedImports } from '../../search/files/cachedImports.js';
import { UserError } from '../userError.js';
import type { QueryPlan } from '../../query/language/plan.js';
import type { ArchiveSessions } from './archiveSessions.js';
import type { CachedSessions } from './cachedSessions.js';
import type { Gathering, Owners } from './countedSessions.js';
import { fileKind, type FileKind } from './fileKind.js';
import type { FileReading } from './fileSessions.js';
import type { NamedSession, SessionParts, SourceProblem } from '../stores/namedSessions.js';
import { expandedNames } from './namedFiles.js';
import { LATEST } from './nameMatch.js';
import { loadFileSessions } from './sourceLoaders.js';
import type { ToolSessions } from './toolSessions.js';
import { STORE_FOLDER, storeAround, storedBehind, storeIn, StoreSessions } from './storeSessions.js';

/** Where sources are looked for, and how they are read. */
export interface SourcesOptions {
  /** The folder that relative paths begin in. */
  readonly cwd: string;
  /** The store that ids are of, as a person named it: its folder, or one that holds it; undefined: that around `cwd`. */
  readonly store?: string | undefined;
  /** Gives the sessions of tools, where these are meant instead of those of a store. */
  readonly ofTools?: (() => Promise<Pick<ToolSessions, 'named' | 'live'>>) | undefined;
  /** Gives the conversations of an archive, where these are meant instead. */
  readonly archive?: (() => Promise<ArchiveSessions>) | undefined;
  /** The bytes behind `-`. */
  readonly stdin: () => AsyncIterable<Uint8Array>;
  readonly log: Log;
  /** Whether this thread may wait for the disk, as that of a program which does nothing else meanwhile. */
  readonly mayBlock?: boolean;
  readonly signal: AbortSignal;
  /** Whether what was read is held, for whoever asks again and again. */
  readonly holdsRead?: boolean;
  /** A folder of this person's cache, in which what is worked out of sessions is kept; left out: nothing is. */
  readonly cache?: { readonly folder: string; readonly program: string } | undefined;
  readonly onProgress?: ((source: string, done: number) => void) | undefined;
  readonly onProblem: (problem: SourceProblem) => void;
}

/** How the files among some sources are read. */
export interface FileWay extends Pick<FileReading, 'isGrowing' | 'onOpening'> {
  /** Says by what is kept of the first session of a file whether any of the file is meant; left out: all are. */
  readonly isMeant?: ((parts: SessionParts) => Promise<boolean>) | undefined;
}

/** Works something out of a session that is open, which keeps it; gives `LEFT_OUT` where it need not be given any more. */
export type Ahead = (session: NamedSession) => Promise<unknown>;
/** See `Ahead`. */
export const LEFT_OUT = Symbol('leftOut');

/** What one question finds out of its sources, which are gone through twice for it. */
interface Looked {
  /** The names of files, once each. */
  names: Promise<readonly string[]> | undefined;
  readonly files: NonNullable<FileReading['looked']>;
  /** The names of files, and how many of their sessions are left out. */
  readonly leftOut: Map<string, number>;
}

/**
 * The same where they are gone through before they are read: what can be read but once is left alone, and nothing is told.
 * `looked`: what was found out of the same sources already.
 */
type Way = FileWay & { readonly isAhead?: boolean; readonly looked?: Looked };

/**
 * The sessions that a person names: a file of any known tool, a folder that is or holds a store, the id of a conversation or
 * the beginning of it, `latest`, or `-` for standard input; where tools are meant, their sessions by the same ids. Nothing
 * is written anywhere.
 */
export class Sources {
  readonly #options: SourcesOptions;
  readonly #stores = new Map<string, StoreSessions>();
  #imports: CachedImports | undefined;
  #cache: Promise<CachedSessions> | undefined;
  #archive: Promise<ArchiveSessions> | undefined;
  #gathering: Gathering | undefined;
  /** What is asked for often is looked at once: the names in the folder, in small letters, and the store of ids. */
  #names: Promise<ReadonlySet<string>> | undefined;
  #own: Promise<StoreSessions> | undefined;

  constructor(options: SourcesOptions) {
    this.#options = options;
  }

  /**
   * The same sessions for sums and questions over all of them: what several tell is told by the one that owns it, see
   * `ownedElsewhere`. They are gone through once before the first is given, where there may be more than one. What `ahead` works
   * out of a file then, and keeps, needs no reading of it later, unless others own some of it.
   */
  async *counted(wanted: readonly string[], ahead?: Ahead): AsyncGenerator<NamedSession, void, undefined> {
    const looked: Looked = { names: undefined, files: new Map(), leftOut: new Map() };
    const owners = await this.#ownersOf(wanted, looked, ahead);
    for await (const session of this.sessions(wanted, { looked })) yield owners?.counted(session) ?? session;
  }

  async #ownersOf(wanted: readonly string[], looked: Looked, ahead?: Ahead): Promise<Owners | undefined> {
    const { ofTools, archive, cwd, signal } = this.#options;
    const named = ofTools || archive ? wanted : await expandedNames(cwd, wanted);
    const [only] = named;
    const isOne = !ofTools && named.length === 1 && only !== undefined;
    if (isOne && (archive || fileKind(resolve(cwd, only), only) !== 'folder')) return undefined;
    const { Gathering, holdImports } = await loadFileSessions();
    this.#imports ??= holdImports();
    this.#gathering ??= new Gathering();
    try {
      return await this.#gathering.ownersOf(this.#goneThrough(wanted, looked, ahead), signal);
    } catch (error) {
      // It is told when they are read.
      if (error instanceof UserError) return undefined;
      throw error;
    }
  }

  async *#goneThrough(
    wanted: readonly string[],
    looked: Looked,
    ahead: Ahead | undefined,
  ): AsyncGenerator<NamedSession, void, undefined> {
    for await (const session of this.sessions(wanted, { isAhead: true, looked })) {
      yield session;
      if (!ahead || session.kind !== 'file' || !session.parts) continue;
      try {
        if ((await ahead(session)) === LEFT_OUT)
          looked.leftOut.set(session.where, (looked.leftOut.get(session.where) ?? 0) + 1);
      } catch (error) {
        // It is told when that is asked for.
        if (!(error instanceof UserError)) throw error;
      }
    }
  }

  /**
   * The sessions of some sources, of each as it is found; without a name, those of the tools that are meant, the newest
   * first, or those of the workspace's store. A source that cannot be read is a problem and hides no other. Throws a
   * UserError where none could be read.
   */
  async *sessions(wanted: readonly string[], way: Way = {}): AsyncGenerator<NamedSession, void, undefined> {
    const archive = await this.#archived();
    if (archive) return yield* archive.named(wanted);
    const ofTools = await this.#options.ofTools?.();
    if (!ofTools && wanted.length === 0) return yield* (await this.#ownStore()).all();
    const named = async () =>
      ofTools
        ? onceEach((await ofTools.named(wanted)).map(({ path }) => path))
        : this.#once(await expandedNames(this.#options.cwd, wanted));
    const names = await (way.looked ? (way.looked.names ??= named()) : named());
    let read = 0;
    let failure: UserError | undefined;
    for (const name of names) {
      try {
        // Of many files that are not meant, each costs a look.
        if (!(await this.#isLeftOut(name, way))) yield* this.#sessionsOf(name, way);
        read++;
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        failure ??= error;
        // Alone it is told by whoever asked.
        if (names.length > 1 && way.isAhead !== true)
          this.#options.onProblem({ source: '', message: error.message, isLoss: true });
      }
    }
    if (read === 0 && failure)
      throw names.length === 1
        ? failure
        : new UserError(t`None of the ${names.length} sources could be read.`);
  }

  /** What is listed of the workspace's store, newest first; cheaper than its sessions. */
  async listed(): Promise<readonly CatalogEntry[]> {
    const archive = await this.#archived();
    return archive ? await archive.listed() : (await this.#ownStore()).listed();
  }

  /** A source that can find by itself what may answer a question leaves out the rest from now on. */
  async narrow(plan: QueryPlan): Promise<void> {
    (await this.#archived())?.narrowTo(plan);
  }

  /** The store that conversations without a path are of, and into which is imported; undefined where there is none. */
  async storeRoot(): Promise<string | undefined> {
    const { store, cwd } = this.#options;
    if (store === undefined) return storeAround(cwd);
    const folder = resolve(cwd, store);
    const root = await storeIn(folder);
    if (root === undefined)
      throw new UserError(
        t`${store} is no store and holds none; a store is the folder ${STORE_FOLDER} of a workspace.`,
      );
    return root;
  }

  /** The same for what is written: a store that is named and not there is to be made in that folder. */
  async storeToWrite(): Promise<string> {
    const { store, cwd } = this.#options;
    if (store === undefined) return (await storeAround(cwd)) ?? join(cwd, STORE_FOLDER);
    const folder = resolve(cwd, store);
    const root = await storeIn(folder);
    if (root !== undefined) return root;
    const entry = await stat(folder).catch(() => undefined);
    if (entry && !entry.isDirectory())
      throw new UserError(t`${store} is no folder; a store is made in one, as its folder ${STORE_FOLDER}.`);
    return basename(folder) === STORE_FOLDER ? folder : join(folder, STORE_FOLDER);
  }

  /** Lets the next question look at the stores again, which is done once for each otherwise. */
  forgetLook(): void {
    this.#names = undefined;
    this.#own = undefined;
    for (const store of this.#stores.values()) store.forgetLook();
  }

  /** How many files were read that are held, for tests. */
  get reads(): number {
    return this.#imports?.reads ?? 0;
  }

  /** What is kept of a folder besides its sessions; undefined where nothing is. */
  async keptOf(folder: string): Promise<SessionParts | undefined> {
    return (await this.cached())?.partsOfStored(folder, '', () => Promise.resolve(''));
  }

  /** Keeps what was worked out of sessions since. */
  async keep(): Promise<void> {
    await (await this.#cache)?.write();
  }

  async close(): Promise<void> {
    await this.keep();
    this.#imports?.close();
    await (await this.#archive?.catch(() => undefined))?.close();
    await Promise.all([...this.#stores.values()].map((store) => store.close()));
  }

  #archived(): Promise<ArchiveSessions | undefined> {
    this.#archive ??= this.#options.archive?.();
    return this.#archive ?? Promise.resolve(undefined);
  }

  /** What is kept of sessions; undefined where nothing is to be. */
  cached(): Promise<CachedSessions | undefined> {
    const { cache, log } = this.#options;
    if (!cache) return Promise.resolve(undefined);
    return (this.#cache ??= loadFileSessions().then(
      ({ CachedSessions }) => new CachedSessions(cache.folder, cache.program, log),
    ));
  }

  /** Some names without those of files that were named before, however they are written. */
  async #once(names: readonly string[]): Promise<readonly string[]> {
    if (names.length < 2) return names;
    const known = new Map<string, string>();
    for (const name of names) {
      const path = resolve(this.#options.cwd, name);
      // A session in a database, an id and what is not there are known by their names.
      const real = this.#options.mayBlock === true ? realNow(path) : await realpath(path).catch(() => path);
      if (!known.has(real)) known.set(real, name);
    }
    return [...known.values()];
  }

  async #isLeftOut(name: string, { isMeant, looked, isAhead }: Way): Promise<boolean> {
    const count = isAhead === true ? undefined : looked?.leftOut.get(name);
    if (count !== undefined) {
      const about = looked?.files.get(resolve(this.#options.cwd, name))?.about;
      // What is wrong with a file is told whatever is found in it.
      return about?.problems.length === 0 && about.conversations.length === count;
    }
    if (!isMeant || name === '-') return false;
    const cache = await this.cached();
    const mark = cache?.known(resolve(this.#options.cwd, name));
    return mark !== undefined && cache !== undefined && !(await isMeant(cache.partsOfFile(mark, '0')));
  }

  async *#sessionsOf(name: string, way: Way): AsyncGenerator<NamedSession, void, undefined> {
    const { cwd, stdin, signal, onProgress } = this.#options;
    const onProblem = way.isAhead === true ? () => undefined : this.#options.onProblem;
    if (name === '-' && way.isAhead === true) return;
    const called = name === '-' ? t`standard input` : name;
    const looked = way.looked?.files;
    const reading = {
      ...way,
      looked,
      signal,
      onProblem,
      onProgress: (done: number) => onProgress?.(called, done),
    };
    if (name === '-') return yield* (await loadFileSessions()).streamSessions(stdin(), called, reading);
    const path = resolve(cwd, name);
    const isPlain = way.isGrowing !== true && way.onOpening === undefined;
    const cache = isPlain ? await this.cached() : undefined;
    // What is kept of a file was a plain file, and is as it was.
    const kind =
      cache && (looked?.has(path) === true || cache.known(path)) ? 'known' : await this.#kindOf(path, name);
    if (kind === 'folder') return yield* (await this.#storeOf(path, name)).all();
    if (kind === 'pipe' && way.isGrowing === true)
      throw new UserError(t`${name} is no plain file, and cannot be followed.`);
    if (kind === 'pipe' && way.isAhead === true) return;
    if (kind === 'pipe')
      return yield* (await loadFileSessions()).streamSessions(createReadStream(path), called, reading);
    if (kind === 'file' || kind === 'known') {
      const stored = kind === 'file' ? await storedBehind(path) : undefined;
      if (stored) return yield await (await this.#open(stored.root)).one(stored.id);
      const { fileSessions, holdImports } = await loadFileSessions();
      if (this.#options.holdsRead === true) this.#imports ??= holdImports();
      return yield* fileSessions(path, name, { ...reading, imports: this.#imports, cache });
    }
    if (isAbsolute(name) || /[/\\]|\.\w+$/.test(name)) throw new UserError(t`There is no file ${name}.`);
    yield await (await this.#storeOfIds(name)).one(name);
  }

  /** What a path leads to; where many are asked for, an id that no entry of the folder is called is looked for no further. */
  async #kindOf(path: string, name: string): Promise<FileKind> {
    const { cwd, holdsRead } = this.#options;
    if (holdsRead !== true || !/^[\w-]+$/.test(name)) return fileKind(path, name);
    this.#names ??= readdir(cwd).then(
      (names) => new Set(names.map((each) => each.toLowerCase())),
      // What cannot be listed may hold what can be read.
      () => new Set<string>(),
    );
    const names = await this.#names;
    return names.size > 0 && !names.has(name.toLowerCase()) ? undefined : fileKind(path, name);
  }

  async #storeOfIds(name: string): Promise<StoreSessions> {
    if (this.#options.holdsRead !== true) return await this.#ownStore(name);
    const own = (this.#own ??= this.#ownStore(name));
    // Why there is none is told of each name.
    return await own.catch(() => this.#ownStore(name));
  }

  async #storeOf(path: string, name: string): Promise<StoreSessions> {
    const root = await storeIn(path);
    if (root === undefined)
      throw new UserError(
        t`${name} is a folder without a store; name the transcript files in it, as with ${name}/*.jsonl.`,
      );
    return this.#open(root);
  }

  async #ownStore(name?: string): Promise<StoreSessions> {
    const root = await this.storeRoot();
    if (root !== undefined) return this.#open(root);
    const { cwd } = this.#options;
    if (name === LATEST)
      throw new UserError(
        t`There is no transcript here yet: no store in ${cwd} or around it. Name a transcript file, a store with --store, or what tools keep on this machine with --from all.`,
      );
    throw new UserError(
      name === undefined
        ? t`There is no store in ${cwd} or around it; name a transcript file, a store with --store, or what tools keep on this machine with --from all.`
        : t`There is no file called ${name}, and no store in ${cwd} or around it that could hold a conversation of this id.`,
    );
  }

  async #open(root: string): Promise<StoreSessions> {
    try {
      const { log, mayBlock = false, holdsRead = false } = this.#options;
      const cache = await this.cached();
      const options = { log, mayBlock, asked: holdsRead ? 'often' : 'once', cache } as const;
      const store = this.#stores.get(root) ?? (await StoreSessions.open(root, options));
      this.#stores.set(root, store);
      return store;
    } catch (error) {
      throw new UserError(t`The store ${root} cannot be read: ${messageOf(error)}.`);
    }
  }
}

/** Paths of files that are no links, without those that lead to one of the others because their folders do. */
function onceEach(paths: readonly string[]): readonly string[] {
  const folders = new Map<string, string>();
  const known = new Map<string, string>();
  for (const path of paths) {
    const folder = dirname(path);
    const real = folders.get(folder) ?? realNow(folder);
    folders.set(folder, real);
    const key = join(real, basename(path));
    if (!known.has(key)) known.set(key, path);
  }
  return [...known.values()];
}

/** Where a path leads; the path itself for what is not there. */
function realNow(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
