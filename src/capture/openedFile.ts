import { dirname } from 'node:path';
import { Emitter, type Disposable } from '../core/event.js';
import type { Problem } from '../core/agent.js';
import { fileOfPath } from '../core/sessionInDatabase.js';
import { messageOf } from '../core/text.js';
import type { Log } from '../ports/log.js';
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
}

/** What became of a file that is open. */
export interface FileChange {
  readonly report: FileReport;
  /** The conversations whose records before were not only added to, and those that now stand for them. */
  readonly moved: ReadonlyMap<string, string>;
  /** Whether the file itself was replaced or cut off. */
  readonly isReplaced: boolean;
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
  readonly now: () => number;
  readonly log: Log;
}

/** A file of another tool that is shown where it is: read once, then whenever it has changed, until it is disposed. */
export class OpenedFile implements Disposable {
  readonly #path: string;
  readonly #parts: OpenedFileParts;
  readonly #stop = new AbortController();
  readonly #changed: Emitter<FileChange>;
  readonly #stamps: FileStamps;
  #report: FileReport | undefined;
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
    this.#lookIn(Math.max(this.#isTold ? TOLD_MS : usual, tookMs * REST_FACTOR));
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
        if (!this.#isGone) this.#failed('The file is not there any more.');
        this.#isGone = true;
        return 0;
      }
      this.#isGone = false;
      if (change === 'none') return 0;
      return await this.#read(() => undefined, change === 'replaced');
    } catch (error) {
      if (this.#stop.signal.aborted) return 0;
      this.#parts.log.warn(`${this.#path} cannot be followed: ${messageOf(error)}`);
      this.#failed(messageOf(error));
      return 0;
    }
  }

  #failed(failure: string): void {
    if (!this.#report) return;
    this.#report = { ...this.#report, failure };
    this.#changed.fire({ report: this.#report, moved: new Map(), isReplaced: false });
  }

  async #read(onProgress: (done: number) => void, isReplaced: boolean): Promise<number> {
    const { signal } = this.#stop;
    const { read, keep, now } = this.#parts;
    const begun = now();
    const file = await read(this.#path, signal, onProgress);
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
      this.#report = {
        ...{ path: this.#path, folder: dirname(fileOfPath(this.#path)) },
        ...{ format: file.format, problems: file.problems, readWith: file.readWith },
        conversations,
        records: held.reduce((sum, { length }) => sum + length, 0),
        readAt: now(),
        replacedAt: isReplaced ? now() : before?.replacedAt,
        failure: undefined,
      };
      if (before)
        this.#changed.fire({ report: this.#report, moved: movedFrom(before, conversations), isReplaced });
      return now() - begun;
    } finally {
      file.close();
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
