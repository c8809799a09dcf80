import type { LogRecord } from '../../core/record.js';
import { BoundedMap } from '../../core/boundedMap.js';
import { sessionInDatabase } from '../../core/sessionInDatabase.js';
import { messageOf } from '../../core/text.js';
import { yieldToEventLoop } from '../../core/yieldToEventLoop.js';
import { openImport, wholeOf, type OpenedFile } from '../../import/importFile.js';
import { projectOf } from '../../import/projectOf.js';
import type { OpenedConversation } from '../../import/readLarge.js';
import type { Log } from '../../core/ports/log.js';
import { pathsOf } from '../../store/files/storePaths.js';
import type { CatalogRow } from '../../store/catalog/catalogCache.js';
import type { ReadTarget } from '../../store/transcriptStore.js';
import { RecordsHere, type Comparison, type WriteOptions } from '../../store/write/importSession.js';
import { appendTo } from '../../store/write/appendTo.js';
import { isUnchangedInDatabase } from '../../import/sessionDatabases.js';
import { CachedValues } from '../../import/databases/cachedValues.js';
import { isSession } from '../../import/reading/importResult.js';
import { changeBetween, stampOf, type FileStamp } from '../../import/reading/fileStamp.js';
import { followFile, lookAt, readOn, type FollowedImport } from '../../import/following/followFile.js';
import type {
  ImportCalls,
  ImportHostCalls,
  ImportWork,
  LookAsk,
  Looked,
  ReadConversation,
  ReadFile,
  ReadOptions,
  RecordsOf,
  ReportedSoFar,
  PendingParts,
} from './importCalls.js';

/** What the files of an import need of their thread. */
export interface FilesOptions extends ImportWork {
  readonly log: Log;
  readonly onProgress: (file: number, done: number) => void;
  readonly onFilled: ImportHostCalls['filled'];
}

/** How often is told how much of a long file was added to its conversation, in milliseconds. */
const TOLD_MS = 250;

/** Of how many sessions that stand in many rows or files is kept what was read of them. */
const MAX_KEPT_SESSIONS = 8;

/** The files that were read on the thread of an import, until their records are stored. */
export class ImportedFiles implements ImportCalls {
  readonly #options: FilesOptions;
  readonly #open = new Map<number, OpenedFile>();
  readonly #followed = new Map<number, FollowedImport>();
  readonly #stops = new Map<number, AbortController>();
  /** What is kept of the sessions in databases and folders that were read last, by their paths. */
  readonly #kept = new BoundedMap<string, CachedValues>(MAX_KEPT_SESSIONS);
  /** The records that are being handed over, by what they are of. */
  readonly #handing = new Map<string, Iterator<readonly LogRecord[]>>();

  constructor(options: FilesOptions) {
    this.#options = options;
  }

  async read(file: number, given: string, { isGrowing, way, ofWhole }: ReadOptions): Promise<ReadFile> {
    const stop = this.#stopOf(file);
    const path = ofWhole === true ? await wholeOf(given) : given;
    const onProgress = (done: number) => {
      this.#check(stop);
      this.#options.onProgress(file, done);
    };
    const isFollowed = isGrowing && way !== 'whole';
    const followed = isFollowed ? await followFile(path, onProgress, way === 'lookedThrough') : undefined;
    if (followed) {
      this.#followed.set(file, followed);
      return { ...this.#toldOf(file, path, followed), followed: waitingIn(followed) };
    }
    const { heldBytes } = this.#options;
    const more = {
      ...(heldBytes !== undefined && { heldBytes }),
      ...(isGrowing && { kept: () => this.#kept.use(path, () => new CachedValues()) }),
    };
    const opened = await openImport(path, { signal: stop.signal, onProgress, isGrowing, ...more });
    if (stop.signal.aborted) opened.close();
    stop.signal.throwIfAborted();
    return this.#toldOf(file, path, opened);
  }

  async look(asked: readonly LookAsk[]): Promise<readonly Looked[]> {
    const found: Looked[] = [];
    for (const each of asked) found.push(await this.#look(each));
    return found;
  }

  async #look({ file, isQuiet }: LookAsk): Promise<Looked> {
    try {
      const followed = this.#foundBy(file);
      const { change, folders, gained } = await lookAt(followed, isQuiet);
      return { change, folders, gained: gained && { ...gained, ...toldBy(followed) } };
    } catch (error) {
      return { failure: messageOf(error) };
    }
  }

  async fill(
    file: number,
    { root, id, name }: ReadTarget,
  ): Promise<ReportedSoFar & { readonly records: number }> {
    const stop = this.#stopOf(file);
    const followed = this.#foundBy(file);
    const end = await appendTo(pathsOf(root, id, name), this.#options.log);
    try {
      let told = Date.now();
      while (followed.isMore && !followed.followed.isVoid) {
        this.#check(stop);
        await end.append(readOn(followed).records);
        if (Date.now() - told < TOLD_MS) continue;
        told = Date.now();
        this.#options.onFilled(file, { ...toldBy(followed), records: end.records });
        // Whoever gives the file up is heard.
        await yieldToEventLoop();
      }
      return { ...toldBy(followed), records: end.records };
    } finally {
      await end.close();
    }
  }

  async stamp(path: string, beside: readonly string[], before?: FileStamp): Promise<FileStamp | undefined> {
    const now = stampOf(path, beside, before);
    const kept = this.#kept.get(path);
    if (!before || !now || !kept || !sessionInDatabase(path)) return now;
    // Mostly others of its sessions were written to.
    const isWritten = ['grown', 'grownBeside'].includes(changeBetween(before, now));
    return isWritten ? { ...now, isSame: await isUnchangedInDatabase(path, kept) } : now;
  }

  #check(stop: AbortController): void {
    if (Atomics.load(this.#options.cancelled, 0) !== 0) stop.abort(new Error('The import was cancelled.'));
    stop.signal.throwIfAborted();
  }

  #foundBy(file: number): FollowedImport {
    this.#open.get(file)?.close();
    const found = this.#followed.get(file);
    if (!found) throw new Error('This file is not open any more.');
    return found;
  }

  compare(of: RecordsOf, { root, id, name }: ReadTarget): Promise<Comparison> {
    return this.#records(of).compare(pathsOf(root, id, name));
  }

  write(
    of: RecordsOf,
    { root, id, name }: ReadTarget,
    options: Omit<WriteOptions, 'signal'>,
  ): Promise<CatalogRow | undefined> {
    const { signal } = this.#stopOf(of[0]);
    return this.#records(of).write(pathsOf(root, id, name), { ...options, signal });
  }

  behind(of: RecordsOf, count: number, conversation: string): readonly LogRecord[] {
    const key = of.join();
    const handing = this.#handing.get(key) ?? this.#records(of).behind(count, conversation);
    this.#handing.set(key, handing);
    const { value, done } = handing.next() as IteratorResult<readonly LogRecord[], undefined>;
    if (!done) return value;
    this.#handing.delete(key);
    return [];
  }

  cancel(file: number): void {
    this.#stops.get(file)?.abort(new Error('The import was cancelled.'));
    this.close(file);
  }

  close(file: number): void {
    this.#open.get(file)?.close();
    this.#followed.get(file)?.followed.close();
    this.#followed.delete(file);
    this.#open.delete(file);
    this.#stops.delete(file);
  }

  #toldOf(file: number, path: string, opened: OpenedFile): ReadFile {
    this.#open.set(file, opened);
    const { format, problems, readWith, conversations } = opened;
    const told = conversations.map((each) => this.#told(each));
    return { format, path, problems, readWith, conversations: told };
  }

  #told(conversation: OpenedConversation): ReadConversation {
    const { id, title, facts, records } = conversation;
    return {
      id,
      title,
      length: records.length,
      ...(facts && { facts }),
      begins: this.#here(conversation).begins,
      hasMessage: isSession(records),
      project: projectOf(records),
    };
  }

  #stopOf(file: number): AbortController {
    const stop = this.#stops.get(file) ?? new AbortController();
    this.#stops.set(file, stop);
    return stop;
  }

  #records([file, conversation]: RecordsOf): RecordsHere {
    const found = this.#open.get(file)?.conversations[conversation];
    if (!found) throw new Error('This file is not open any more.');
    return this.#here(found);
  }

  #here({ records }: OpenedConversation): RecordsHere {
    return new RecordsHere(records, this.#options.log);
  }
}

function waitingIn({ followed: { isWaiting, saidSoFar }, isMore }: FollowedImport): PendingParts {
  return { isWaiting, saidSoFar, isMore };
}

function toldBy(looked: FollowedImport): ReportedSoFar {
  const { isVoid, title, problems, bytes, beside } = looked.followed;
  const readWith = beside.map((each) => each.path);
  return { ...waitingIn(looked), isVoid, title, problems, bytes, readWith };
}
