import { dirname } from 'node:path';
import { Emitter, type Disposable } from '../core/event.js';
import type { Problem } from '../core/agent.js';
import { fileOfPath } from '../core/sessionInDatabase.js';
import { messageOf } from '../core/text.js';
import type { Log } from '../core/ports/log.js';
import { QUIET_MS } from '../import/following/quietTime.js';
import { changeBetween, type FileStamp, type StampChange } from '../import/reading/fileStamp.js';
import type { TextSoFar } from '../import/following/followedFile.js';
import type { GainedSidecar, ReadWay, ReportedSoFar } from '../search/reader/importCalls.js';
import type {
  ConversationOnThread,
  FileOnThread,
  Filled,
  FollowedOnThread,
} from '../search/reader/importThread.js';
import { FileWatch } from '../node/fileWatch.js';
import type { FolderWatches } from '../node/folderWatches.js';
import type { LookRounds } from './lookRounds.js';

/**
 * How often a file that is open is looked at, in milliseconds, where the system does not tell that it was written to, and
 * where it does; after a long reading less often.
 */
const LOOK_MS = 200;
const WATCHED_LOOK_MS = 2_000;
/** How much longer than it took to read a file nothing is read of it again, at least. */
const REST_FACTOR = 3;

/** A conversation of a file that is open. */
export interface OpenedConversation {
  /** The tool's id of it. */
  readonly session: string;
  readonly title: string;
  /** Its id here, which changes where its file was written anew. */
  readonly conversation: string;
}

/** What reading a file gave. */
export interface FileReport {
  readonly path: string;
  /** The folder in which it lies, or its database does. */
  readonly folder: string;
  /** The tool's name of its format. */
  readonly format: string;
  readonly problems: readonly Problem[];
  /** The paths of further files that were read with it. */
  readonly readWith: readonly string[];
  readonly conversations: readonly OpenedConversation[];
  readonly records: number;
  /** When it was read last, in milliseconds since 1970. */
  readonly readAt: number;
  /** When it was found to be another file than before, as after a rotation; undefined where it never was. */
  readonly replacedAt: number | undefined;
  /** Why it could not be read again; undefined where it could. */
  readonly failure: string | undefined;
  /** The answer that was said last, while it may go on: it is no record yet. */
  readonly saidSoFar: readonly TextSoFar[];
  /** How much of a long file was read so far, from 0 to 1; 1 where it is all. */
  readonly done: number;
}

/** What became of a file that is open. */
export interface FileChange {
  readonly report: FileReport;
  /** The conversations whose records before were not only added to, and those that now stand for them. */
  readonly moved: ReadonlyMap<string, string>;
  /** Whether the file itself was replaced or cut off. */
  readonly isReplaced: boolean;
  /** Whether something came to it: where it stands in a database with others, mostly it was one of these. */
  readonly hasGained: boolean;
}

/** What an open file needs. */
export interface OpenedFileOptions {
  /**
   * Reads the file as far as it is written, or of a long one what its first records need, on a thread of its own, which ends
   * when the reading is closed.
   */
  readonly read: (
    path: string,
    signal: AbortSignal,
    onProgress: (done: number) => void,
    way: ReadWay,
  ) => Promise<FileOnThread>;
  /** How it is on the disk, with files beside it; undefined where it is not there. */
  readonly stamp: (
    path: string,
    beside: readonly string[],
    before?: FileStamp,
  ) => Promise<FileStamp | undefined>;
  /** Stores a conversation of it, or what it has gained; gives its id here. */
  readonly keep: (
    conversation: ConversationOnThread,
    from: { readonly tool: string; readonly path: string },
    signal: AbortSignal,
  ) => Promise<string>;
  /** Adds to such a conversation what the file has gained. */
  readonly add: (conversation: string, records: GainedSidecar['records']) => Promise<void>;
  /** Adds nothing more to such a conversation for now, so that it can be stored with more. */
  readonly rest: (conversation: string) => Promise<void>;
  /** Adds to such a conversation the rest of a long file. */
  readonly fill: (
    conversation: string,
    file: FollowedOnThread,
    signal: AbortSignal,
    onFilled: (told: Filled) => void,
  ) => Promise<Filled>;
  readonly rounds: LookRounds;
  readonly watches: FolderWatches;
  readonly now: () => number;
  readonly log: Log;
}

/**
 * A file of another tool that is shown where it is, until it is disposed: read once, then what it gains, or all of it whenever
 * it has changed where its format allows no less.
 */
export class OpenedFile implements Disposable {
  readonly #path: string;
  readonly #options: OpenedFileOptions;
  readonly #stop = new AbortController();
  readonly #changed: Emitter<FileChange>;
  #report: FileReport | undefined;
  /** How the file was when it was read last, where all of it is read again when it has changed. */
  #stamp: FileStamp | undefined;
  #folders: readonly string[] = [];
  /** The file as it was read last, where what it gains is asked of that. */
  #followed: { readonly file: FileOnThread; readonly more: FollowedOnThread } | undefined;
  /** Whether there is more of it to be read at once. */
  #isMore = false;
  /** Whether only the first records of a long file are there. */
  #isBegun = false;
  /** How a long file must be read: what its later lines say of earlier ones may have to be known first. */
  #way: ReadWay = 'asItComes';
  /** Since when something that was read waits for more, in milliseconds since 1970; undefined where nothing does. */
  #waitsSince: number | undefined;
  readonly #watch: FileWatch;
  /** Before when it is not looked at, in milliseconds since 1970; undefined while it is being looked at. */
  #notBefore: number | undefined;
  /** Whether the system has told of a write since it was looked at last. */
  #isTold = false;
  #isGone = false;
  /** Whether it was found to be another file of which nothing could be read yet. */
  #isReplaced = false;

  constructor(path: string, options: OpenedFileOptions) {
    this.#path = path;
    this.#options = options;
    this.#changed = new Emitter((error) => options.log.error('A view could not follow a file', error));
    this.#watch = new FileWatch(options.watches, () => this.#told());
  }

  /** Fires after the file has changed and was read again, and while a long one is read. */
  get onDidChange() {
    return this.#changed.event;
  }

  /** What it held when it was read last; undefined before. */
  get report(): FileReport | undefined {
    return this.#report;
  }

  /**
   * Reads it the first time, of a long one what its first records need, and follows it from then on. Rejects with errors for a
   * person.
   */
  async open(onProgress: (done: number) => void): Promise<FileReport> {
    this.#stamp = await this.#options.stamp(this.#path, []);
    if (!this.#stamp) throw new Error('There is no such file.');
    this.#folders = this.#stamp.folders;
    // What is written while it is read is seen behind that.
    this.#watch.follow([fileOfPath(this.#path)], this.#folders);
    const took = await this.#read(onProgress, false);
    if (!this.#report) throw new Error('It was closed.');
    this.#goOn(took);
    return this.#report;
  }

  dispose(): void {
    this.#stop.abort(new Error('It was closed.'));
    this.#followed?.file.close();
    this.#options.rounds.forget(this);
    this.#watch.dispose();
    this.#changed.dispose();
  }

  /** What comes after it was read, or looked at, which took so long, in milliseconds. */
  #goOn(tookMs: number): void {
    if (this.#isBegun) void this.#fillAndFollow();
    else this.#follow(tookMs);
  }

  /** Looks at it again some time after it took so long to read it. */
  #follow(tookMs: number): void {
    if (this.#stop.signal.aborted) return;
    // Beside a session appears the folder of its subagents, which is called like it.
    const own = this.#path.replace(/\.jsonl$/, '');
    const file = fileOfPath(this.#path);
    this.#watch.follow([file, `${file}-wal`, own, ...(this.#report?.readWith ?? [])], this.#folders);
    const rest = tookMs * REST_FACTOR;
    this.#notBefore = this.#options.now() + rest;
    if (this.#isTold || this.#isMore) {
      this.#lookSoon();
      return;
    }
    const usual = Math.max(this.#watch.isComplete ? WATCHED_LOOK_MS : LOOK_MS, rest);
    const quiet = (this.#waitsSince ?? Infinity) + QUIET_MS - this.#options.now();
    if (quiet < usual)
      this.#options.rounds.soon(this, this.#options.now() + Math.max(quiet, rest), this.#looks);
    else this.#options.rounds.within(this, usual, this.#looks);
  }

  /** The system tells that it, or a file beside it, was written to. */
  #told(): void {
    if (this.#isTold || this.#stop.signal.aborted) return;
    this.#isTold = true;
    if (this.#notBefore !== undefined) this.#lookSoon();
  }

  #lookSoon(): void {
    this.#options.rounds.soon(this, this.#notBefore ?? 0, this.#looks);
  }

  readonly #looks = (): void => {
    this.#isTold = false;
    this.#notBefore = undefined;
    void this.#look().then((took) => this.#goOn(took));
  };

  /** Looks whether it has changed; gives how long it took to read it again, in milliseconds. Never rejects. */
  async #look(): Promise<number> {
    try {
      return await (this.#followed ? this.#readOn(this.#followed.more) : this.#readAgain());
    } catch (error) {
      const words = messageOf(error);
      // It is tried again with each look, and told once.
      if (this.#stop.signal.aborted || this.#report?.failure === words) return 0;
      this.#options.log.warn(`${this.#path} cannot be followed: ${words}`);
      this.#failed(words);
      return 0;
    }
  }

  /** Reads all of it again where it has changed. */
  async #readAgain(): Promise<number> {
    const before = this.#stamp;
    const now = await this.#options.stamp(this.#path, this.#report?.readWith ?? [], before);
    const change = before ? changeBetween(before, now) : now ? 'written' : 'gone';
    if (this.#noteGone(change)) return 0;
    this.#stamp = now;
    this.#folders = now?.folders ?? [];
    if (change === 'none') return 0;
    return await this.#read(() => undefined, change === 'replaced');
  }

  /** Reads what it has gained, or what has waited for more; all of it where it became another. */
  async #readOn(followed: FollowedOnThread): Promise<number> {
    const begun = this.#options.now();
    const looked = await followed.look(this.#isQuiet);
    this.#stop.signal.throwIfAborted();
    if ('failure' in looked) throw new Error(looked.failure);
    const { change, folders, gained } = looked;
    const wasWaiting = this.#waitsSince !== undefined && !this.#isGone;
    if (gained && !gained.isVoid && (change !== 'gone' || wasWaiting))
      await this.#gain(gained, change !== 'none' && change !== 'gone');
    if (this.#noteGone(change)) return 0;
    this.#folders = folders;
    if (change === 'written' || change === 'replaced' || gained?.isVoid) {
      // Where nothing can be read of it yet, it is read again when it is no longer like this.
      this.#stamp = await this.#options.stamp(this.#path, this.#report?.readWith ?? []);
      return await this.#read(() => undefined, change === 'replaced');
    }
    return gained ? this.#options.now() - begun : 0;
  }

  /** Whether it is not there any more, which is told once. */
  #noteGone(change: StampChange): boolean {
    const isGone = change === 'gone';
    // What was read of it stays.
    if (isGone && !this.#isGone) this.#failed('The file is not there any more.');
    this.#isGone = isGone;
    return isGone;
  }

  /** Whether nothing came for a while after what waits for more. */
  get #isQuiet(): boolean {
    return this.#waitsSince !== undefined && this.#options.now() - this.#waitsSince >= QUIET_MS;
  }

  /** Adds what the file has gained, or what has waited for more. */
  async #gain(gained: GainedSidecar, hasGained: boolean): Promise<void> {
    const { add, now } = this.#options;
    const before = this.#report;
    const [conversation] = before?.conversations ?? [];
    if (!before || !conversation) return;
    if (gained.records.length > 0) await add(conversation.conversation, gained.records);
    this.#isMore = gained.isMore;
    this.#tell(before, gained, gained.records.length);
    if (hasGained) this.#report = { ...(this.#report ?? before), readAt: now() };
    this.#changed.fire({ report: this.#report ?? before, moved: new Map(), isReplaced: false, hasGained });
  }

  /** Notes what is known of it now that it has gained records. */
  #tell(before: FileReport, told: ReportedSoFar, records: number): void {
    const { title, problems, readWith, saidSoFar, isWaiting } = told;
    const [conversation] = before.conversations;
    this.#waitsSince = isWaiting ? this.#options.now() : undefined;
    this.#report = {
      ...before,
      ...(conversation && { conversations: [{ ...conversation, title }] }),
      problems,
      readWith,
      saidSoFar,
      failure: undefined,
      records: before.records + records,
    };
  }

  /** Reads the rest of a long file, of which the first records are there, and follows it then. Never rejects. */
  async #fillAndFollow(): Promise<void> {
    try {
      while (this.#isBegun) await this.#fill();
      this.#follow(0);
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      this.#options.log.warn(`${this.#path} cannot be read on: ${messageOf(error)}`);
      this.#giveUpFollowed();
      this.#failed(messageOf(error));
      this.#follow(0);
    }
  }

  async #fill(): Promise<void> {
    const before = this.#report;
    const [conversation] = before?.conversations ?? [];
    const more = this.#followed?.more;
    this.#isBegun = false;
    if (!before || !conversation || !more) return;
    const size = this.#stamp?.size ?? Infinity;
    const onFilled = (told: Filled, done = Math.min(1, told.bytes / size)) => {
      this.#tell({ ...before, done }, told, told.records);
      if (this.#report)
        this.#changed.fire({ report: this.#report, moved: new Map(), isReplaced: false, hasGained: false });
    };
    const filled = await this.#options.fill(conversation.conversation, more, this.#stop.signal, (told) =>
      onFilled(told),
    );
    this.#stop.signal.throwIfAborted();
    if (!filled.isVoid) onFilled(filled, 1);
    else {
      this.#way = this.#way === 'asItComes' ? 'lookedThrough' : 'whole';
      await this.#read(() => undefined, false);
    }
  }

  #failed(failure: string): void {
    if (!this.#report) return;
    this.#report = { ...this.#report, failure };
    this.#changed.fire({ report: this.#report, moved: new Map(), isReplaced: false, hasGained: false });
  }

  /** What it gains is no longer asked of what was read of it: all of it is read again. */
  #giveUpFollowed(): void {
    this.#followed?.file.close();
    this.#followed = undefined;
    this.#isMore = false;
    this.#waitsSince = undefined;
  }

  async #read(onProgress: (done: number) => void, isReplaced: boolean): Promise<number> {
    const { signal } = this.#stop;
    const { read, rest, keep, now } = this.#options;
    const begun = now();
    this.#isReplaced ||= isReplaced;
    if (isReplaced) this.#way = 'asItComes';
    this.#giveUpFollowed();
    const file = await read(this.#path, signal, onProgress, this.#way);
    let isFollowed = false;
    try {
      const before = this.#report;
      const held = file.conversations.filter(({ hasMessage }) => hasMessage);
      // A file that is just being written anew holds nothing for a moment: what was read of it stays until it does again.
      if (held.length === 0 && before) return now() - begun;
      if (held.length === 0) {
        const why = file.problems.find(({ severity }) => severity === 'error')?.message ?? '';
        throw new Error(`It holds no conversation that could be read. ${why}`.trim());
      }
      for (const { conversation } of before?.conversations ?? []) await rest(conversation);
      const conversations: OpenedConversation[] = [];
      for (const each of held) {
        const conversation = await keep(each, { tool: file.format, path: this.#path }, signal);
        conversations.push({ session: each.id, title: each.title, conversation });
      }
      signal.throwIfAborted();
      const { followed } = file;
      this.#followed = followed && { file, more: followed };
      this.#isBegun = followed?.isMore === true;
      this.#waitsSince = followed?.isWaiting === true ? now() : undefined;
      isFollowed = followed !== undefined;
      // What keeps it from being followed stays in it, so that is not tried again.
      if (!isFollowed) this.#way = 'whole';
      const wasReplaced = this.#isReplaced;
      this.#isReplaced = false;
      this.#report = {
        path: this.#path,
        folder: dirname(fileOfPath(this.#path)),
        format: file.format,
        problems: file.problems,
        readWith: file.readWith,
        conversations,
        records: held.reduce((sum, { length }) => sum + length, 0),
        readAt: now(),
        replacedAt: wasReplaced ? now() : before?.replacedAt,
        failure: undefined,
        saidSoFar: followed?.saidSoFar ?? [],
        done: this.#isBegun ? 0 : 1,
      };
      if (before) {
        const moved = movedFrom(before, conversations);
        const hasGained = wasReplaced || moved.size > 0 || this.#report.records !== before.records;
        this.#changed.fire({ report: this.#report, moved, isReplaced: wasReplaced, hasGained });
      }
      return now() - begun;
    } finally {
      if (!isFollowed) file.close();
    }
  }
}

/** Which conversations stand under another id now; those that the file holds no more are followed by its first. */
function movedFrom(
  before: FileReport,
  conversations: readonly OpenedConversation[],
): ReadonlyMap<string, string> {
  const [first] = conversations;
  const moved = new Map<string, string>();
  for (const { session, conversation } of before.conversations) {
    const next = conversations.find((each) => each.session === session) ?? first;
    if (next && next.conversation !== conversation) moved.set(conversation, next.conversation);
  }
  return moved;
}
