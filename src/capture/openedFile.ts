import { dirname } from 'node:path';
import { Emitter, type Disposable } from '../core/event.js';
import type { Problem } from '../core/agent.js';
import { fileOfPath } from '../core/sessionInDatabase.js';
import { messageOf } from '../core/text.js';
import type { Log } from '../ports/log.js';
import { QUIET_MS } from '../import/quietTime.js';
import type { GainOptions } from '../import/followFile.js';
import type { SaidSoFar } from '../import/followedFile.js';
import type { GainedBeside } from '../reader/importCalls.js';
import type { ConversationBeside, FileBeside } from '../reader/importThread.js';
import { FileStamps } from './fileStamps.js';
import { FileWatch } from './fileWatch.js';

/**
 * How often a file that is open is looked at, in milliseconds, where the system does not tell that it was written to, and
 * where it does; after a long reading less often.
 */
const LOOK_MS = 200;
const WATCHED_LOOK_MS = 2_000;
/** How long after the system has told of a write the file is looked at, in milliseconds: writes come several at a time. */
const TOLD_MS = 20;
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
  readonly saidSoFar: readonly SaidSoFar[];
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
export interface OpenedFileParts {
  /** Reads the file as far as it is written, on a thread of its own, which ends when the reading is closed. */
  readonly read: (
    path: string,
    signal: AbortSignal,
    onProgress: (done: number) => void,
  ) => Promise<FileBeside>;
  /** Stores a conversation of it, or what it has gained; gives its id here. */
  readonly keep: (
    conversation: ConversationBeside,
    from: { readonly tool: string; readonly path: string },
    signal: AbortSignal,
  ) => Promise<string>;
  /** Adds to such a conversation what the file has gained. */
  readonly add: (conversation: string, records: GainedBeside['records']) => Promise<void>;
  readonly now: () => number;
  readonly log: Log;
}

/**
 * A file of another tool that is shown where it is, until it is disposed: read once, then what it gains, or all of it whenever
 * it has changed where its format allows no less.
 */
export class OpenedFile implements Disposable {
  readonly #path: string;
  readonly #parts: OpenedFileParts;
  readonly #stop = new AbortController();
  readonly #changed: Emitter<FileChange>;
  readonly #stamps: FileStamps;
  #report: FileReport | undefined;
  /** The file as it was read last, where what it gains is asked of that. */
  #followed: FileBeside | undefined;
  /** Since when something that was read waits for more, in milliseconds since 1970; undefined where nothing does. */
  #waitsSince: number | undefined;
  readonly #watch: FileWatch;
  #timer: NodeJS.Timeout | undefined;
  /** Before when it is not looked at, in milliseconds since 1970; undefined while it is being looked at. */
  #notBefore: number | undefined;
  /** Whether the system has told of a write since it was looked at last. */
  #isTold = false;
  #isGone = false;

  constructor(path: string, parts: OpenedFileParts) {
    this.#path = path;
    this.#parts = parts;
    this.#changed = new Emitter((error) => parts.log.error('A view could not follow a file', error));
    this.#stamps = new FileStamps(path);
    this.#watch = new FileWatch(() => this.#told());
  }

  /** Fires after the file has changed and was read again. */
  get onDidChange() {
    return this.#changed.event;
  }

  /** What it held when it was read last; undefined before. */
  get report(): FileReport | undefined {
    return this.#report;
  }

  /** Reads it the first time and follows it from then on. Rejects with errors for a person. */
  async open(onProgress: (done: number) => void): Promise<FileReport> {
    const stamp = await this.#stamps.take([]);
    if (!stamp) throw new Error('There is no such file.');
    const took = await this.#read(onProgress, false);
    this.#follow(took);
    if (!this.#report) throw new Error('It was closed.');
    return this.#report;
  }

  dispose(): void {
    this.#stop.abort(new Error('It was closed.'));
    this.#followed?.close();
    clearTimeout(this.#timer);
    this.#watch.dispose();
    this.#changed.dispose();
  }

  /** Looks at it again some time after it took so long to read it. */
  #follow(tookMs: number): void {
    if (this.#stop.signal.aborted) return;
    // Beside a session appears the folder of its subagents, which is called like it.
    const own = this.#path.replace(/\.jsonl$/, '');
    const file = fileOfPath(this.#path);
    this.#watch.follow([file, `${file}-wal`, own, ...(this.#report?.readWith ?? [])], this.#stamps.folders);
    this.#notBefore = this.#parts.now() + tookMs * REST_FACTOR;
    const usual = this.#watch.isComplete ? WATCHED_LOOK_MS : LOOK_MS;
    const quiet = (this.#waitsSince ?? Infinity) + QUIET_MS - this.#parts.now();
    const next = this.#isTold ? TOLD_MS : Math.min(usual, Math.max(0, quiet));
    this.#lookIn(Math.max(next, tookMs * REST_FACTOR));
  }

  /** The system tells that it, or a file beside it, was written to. */
  #told(): void {
    if (this.#isTold || this.#stop.signal.aborted) return;
    this.#isTold = true;
    if (this.#notBefore === undefined) return;
    this.#lookIn(Math.max(TOLD_MS, this.#notBefore - this.#parts.now()));
  }

  #lookIn(wait: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#isTold = false;
      this.#notBefore = undefined;
      void this.#look().then((took) => this.#follow(took));
    }, wait).unref();
  }

  /** Looks whether it has changed; gives how long it took to read it again, in milliseconds. Never rejects. */
  async #look(): Promise<number> {
    try {
      const change = await this.#stamps.changeOf(this.#report?.readWith ?? []);
      if (change === 'gone') {
        // What was read of it stays.
        if (!this.#isGone && this.#waitsSince !== undefined)
          await this.#gain({ isQuiet: true, isBeside: false });
        if (!this.#isGone) this.#failed('The file is not there any more.');
        this.#isGone = true;
        return 0;
      }
      this.#isGone = false;
      if (change === 'none') return this.#isQuiet ? await this.#gain({ isQuiet: true, isBeside: false }) : 0;
      const isBeside = change === 'grownBeside';
      if (this.#followed && (isBeside || change === 'grown'))
        return await this.#gain({ isQuiet: false, isBeside });
      return await this.#read(() => undefined, change === 'replaced');
    } catch (error) {
      if (this.#stop.signal.aborted) return 0;
      this.#parts.log.warn(`${this.#path} cannot be followed: ${messageOf(error)}`);
      this.#failed(messageOf(error));
      return 0;
    }
  }

  /** Whether nothing came for a while after what waits for more. */
  get #isQuiet(): boolean {
    return this.#waitsSince !== undefined && this.#parts.now() - this.#waitsSince >= QUIET_MS;
  }

  /** Adds what the file has gained, or what has waited for more; gives how long that took. */
  async #gain(options: GainOptions): Promise<number> {
    const { add, now } = this.#parts;
    const [begun, before] = [now(), this.#report];
    const [conversation] = before?.conversations ?? [];
    if (!this.#followed?.more || !before || !conversation) return 0;
    let { records } = before;
    for (;;) {
      const gained = await this.#followed.more(options);
      this.#stop.signal.throwIfAborted();
      if (gained.isVoid) return await this.#read(() => undefined, false);
      await add(conversation.conversation, gained.records);
      const { title, problems, isMore, isWaiting, saidSoFar, readWith } = gained;
      this.#waitsSince = isWaiting ? now() : undefined;
      records += gained.records.length;
      const conversations = [{ ...conversation, title }];
      const readAt = options.isQuiet ? before.readAt : now();
      this.#report = {
        ...before,
        conversations,
        problems,
        readWith,
        records,
        readAt,
        saidSoFar,
        failure: undefined,
      };
      if (!isMore) break;
    }
    const hasGained = !options.isQuiet;
    this.#changed.fire({ report: this.#report, moved: new Map(), isReplaced: false, hasGained });
    return now() - begun;
  }

  #failed(failure: string): void {
    if (!this.#report) return;
    this.#report = { ...this.#report, failure };
    this.#changed.fire({ report: this.#report, moved: new Map(), isReplaced: false, hasGained: false });
  }

  async #read(onProgress: (done: number) => void, isReplaced: boolean): Promise<number> {
    const { signal } = this.#stop;
    const { read, keep, now } = this.#parts;
    const begun = now();
    const file = await read(this.#path, signal, onProgress);
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
      const conversations: OpenedConversation[] = [];
      for (const each of held) {
        const conversation = await keep(each, { tool: file.format, path: this.#path }, signal);
        conversations.push({ session: each.id, title: each.title, conversation });
      }
      signal.throwIfAborted();
      this.#followed?.close();
      this.#followed = file.more && file;
      this.#waitsSince = file.waiting?.isWaiting === true ? now() : undefined;
      isFollowed = this.#followed !== undefined;
      this.#report = {
        ...{ path: this.#path, folder: dirname(fileOfPath(this.#path)) },
        ...{ format: file.format, problems: file.problems, readWith: file.readWith },
        conversations,
        records: held.reduce((sum, { length }) => sum + length, 0),
        readAt: now(),
        replacedAt: isReplaced ? now() : before?.replacedAt,
        failure: undefined,
        saidSoFar: file.waiting?.saidSoFar ?? [],
      };
      if (before) {
        const moved = movedFrom(before, conversations);
        const hasGained = isReplaced || moved.size > 0 || this.#report.records !== before.records;
        this.#changed.fire({ report: this.#report, moved, isReplaced, hasGained });
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
