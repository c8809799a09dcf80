import { Emitter, type Event } from '../core/event.js';
import type { LogRecord } from '../core/record.js';
import type { Journal, JournalState } from '../ports/journal.js';
import type { Log } from '../ports/log.js';
import type { ConversationLock } from './conversationLock.js';
import type { JournalFiles } from './journalFiles.js';
import { JournalGuard } from './journalGuard.js';
import { JournalWriter } from './journalWriter.js';
import type { LiveRecords } from './liveRecords.js';
import { weightOf } from './recordWeight.js';
import { spillOrKeep } from './spillFiles.js';
import type { ConversationPaths } from './storePaths.js';
import { inWords, problems, writingProblem, type StoreProblem } from './storeProblem.js';

export interface JournalLimits {
  /** Bytes that may wait in memory before `full` asks the runs to stop; at twice as many records are refused. */
  readonly waitingBytes: number;
  /** How long lines may wait for their fdatasync, in milliseconds. */
  readonly syncMs: number;
  /** How long to wait before a failed write is tried again, in milliseconds. */
  readonly retryMs: number;
}

export const DEFAULT_JOURNAL_LIMITS: JournalLimits = {
  waitingBytes: 64 * 1024 * 1024,
  syncMs: 50,
  retryMs: 500,
};

/** A write that takes longer than this is told, in milliseconds; a healthy disk needs less than 200. */
const HANGING_MS = 2000;

export interface ConversationJournalOptions {
  readonly paths: ConversationPaths;
  readonly files: JournalFiles;
  readonly live: LiveRecords;
  readonly log: Log;
  readonly limits?: Partial<JournalLimits> | undefined;
  /** Held already; otherwise it is acquired before the first write. */
  readonly lock: ConversationLock | undefined;
  readonly acquire: () => Promise<ConversationLock>;
  /** A record was taken that the conversation did not have yet. */
  readonly onAccepted: (record: LogRecord) => void;
  readonly onProblem: (problem: StoreProblem) => void;
  readonly onSolved: (problem: StoreProblem) => void;
  /** Called once, when nothing more will be written, before the lock is given back. */
  readonly onClosing: () => Promise<void>;
  /** Called once, when the lock is given back. */
  readonly onClosed: () => Promise<void>;
}

/**
 * Writes the records of one conversation in the background: one write a batch, one fdatasync for all batches of a
 * moment. What cannot be written waits in memory and is tried again; it is never taken for saved.
 */
export class ConversationJournal implements Journal {
  readonly conversation: string;
  readonly #options: ConversationJournalOptions;
  readonly #limits: JournalLimits;
  readonly #writer: JournalWriter;
  readonly #guard: JournalGuard;
  readonly #changed: Emitter<JournalState>;
  #taken: number;
  #accepted = 0;
  #waitingBytes = 0;
  #lost = 0;
  #ending = false;
  #spillFailed = false;
  #problem: StoreProblem | undefined;
  /** Whether the last attempt failed, so that the next one waits. */
  #failing = false;
  #closing: Promise<void> | undefined;
  #running: Promise<void> | undefined;
  #syncing: Promise<void> | undefined;
  #syncTimer: NodeJS.Timeout | undefined;
  #retryNow: (() => void) | undefined;
  #flushes: { readonly upTo: number; resolve(state: JournalState): void }[] = [];

  constructor(options: ConversationJournalOptions) {
    const { paths, files, live, log, lock, acquire } = options;
    this.#options = options;
    this.conversation = paths.id;
    this.#limits = { ...DEFAULT_JOURNAL_LIMITS, ...options.limits };
    this.#taken = live.index.maxSeq;
    this.#changed = new Emitter((error) => log.error('A listener of a journal failed', error));
    const spill = (record: LogRecord) => spillOrKeep(record, paths, (error) => this.#tellSpillFailure(error));
    this.#writer = new JournalWriter({ files, live, log, spill });
    this.#guard = new JournalGuard({
      files,
      log,
      lock,
      acquire,
      onDisplaced: () => this.#wake(),
      onRestored: () => options.onProblem(problems.restored(paths)),
      onParted: () => options.onProblem(problems.parted(paths)),
    });
  }

  get state(): JournalState {
    return {
      taken: this.#taken,
      durable: this.#writer.durable,
      ...(this.#problem && { problem: inWords(this.#problem) }),
      ...(this.#isFull() && { full: true }),
    };
  }

  get onDidChange(): Event<JournalState> {
    return this.#changed.event;
  }

  append(record: LogRecord): void {
    const { live } = this.#options;
    if (this.#ending || this.#waitingBytes > 2 * this.#limits.waitingBytes) {
      this.#refuse(record);
      return;
    }
    if (!live.push(record)) return;
    const wasFull = this.#isFull();
    this.#accepted++;
    this.#taken = Math.max(this.#taken, record.seq);
    this.#waitingBytes += weightOf(record);
    this.#options.onAccepted(record);
    if (this.#isFull() !== wasFull) this.#changed.fire(this.state);
    live.tellGrowth();
    this.#wake();
  }

  flush(): Promise<JournalState> {
    if (this.#writer.synced >= this.#accepted) return Promise.resolve(this.state);
    return new Promise((resolve) => {
      this.#flushes.push({ upTo: this.#accepted, resolve });
      this.#retryNow?.();
      this.#wake();
      this.#syncNow();
    });
  }

  /** Takes the lock now, so that a store that cannot be written is told before the first record. */
  async prepare(): Promise<void> {
    await this.#guard.ready().catch((error: unknown) => this.#fail(error));
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  #isFull(): boolean {
    return this.#waitingBytes > this.#limits.waitingBytes;
  }

  #wake(): void {
    this.#running ??= this.#run();
  }

  /** Writes until nothing waits; when closing, until an attempt fails. */
  async #run(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#writer.hasWork || this.#guard.displaced) {
      if (this.#failing) await this.#pause();
      try {
        await this.#watched(this.#guard.ready());
        this.#waitingBytes -= await this.#watched(this.#writer.writeNext());
        this.#failing = false;
        this.#syncSoon();
      } catch (error) {
        this.#fail(error);
        if (this.#ending) break;
      }
    }
    this.#running = undefined;
  }

  #syncSoon(): void {
    if (this.#flushes.length > 0) this.#syncNow();
    else this.#syncTimer ??= setTimeout(() => this.#syncNow(), this.#limits.syncMs);
  }

  #syncNow(): void {
    clearTimeout(this.#syncTimer);
    this.#syncTimer = undefined;
    if (this.#writer.mistrusted || this.#guard.displaced || this.#writer.unsynced === 0) return;
    this.#syncing ??= this.#sync();
  }

  async #sync(): Promise<void> {
    try {
      await this.#watched(this.#writer.sync());
      this.#succeed();
    } catch (error) {
      this.#fail(error);
      this.#wake();
    }
    this.#syncing = undefined;
    if (this.#writer.unsynced > 0 && !this.#writer.mistrusted) this.#syncSoon();
  }

  #succeed(): void {
    const solved = this.#problem;
    if (solved && !this.#writer.hasWork) {
      this.#problem = undefined;
      this.#options.onSolved(solved);
    }
    this.#answerFlushes((upTo) => this.#writer.synced >= upTo);
    this.#changed.fire(this.state);
  }

  #fail(error: unknown): void {
    const { paths, live, log } = this.#options;
    this.#failing = true;
    log.warn(`The journal of ${this.conversation} cannot be written`, error);
    const waiting = live.waiting + this.#writer.unsynced;
    this.#raise(writingProblem(error, { conversation: this.conversation, root: paths.root, waiting }));
    this.#answerFlushes(() => true);
  }

  /** Tells a problem, once for each kind. */
  #raise(problem: StoreProblem): void {
    const isNew = this.#problem?.code !== problem.code;
    this.#problem = problem;
    if (isNew) this.#options.onProblem(problem);
    this.#changed.fire(this.state);
  }

  #answerFlushes(isAnswered: (upTo: number) => boolean): void {
    const answered = this.#flushes.filter(({ upTo }) => isAnswered(upTo));
    if (answered.length === 0) return;
    this.#flushes = this.#flushes.filter(({ upTo }) => !isAnswered(upTo));
    const { state } = this;
    for (const flush of answered) flush.resolve(state);
  }

  async #pause(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.#limits.retryMs);
      this.#retryNow = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#retryNow = undefined;
  }

  /** Says so where a disk neither does its work nor fails. */
  async #watched<T>(work: Promise<T>): Promise<T> {
    const timer = setTimeout(() => this.#raise(problems.hanging(this.#options.paths)), HANGING_MS);
    try {
      return await work;
    } finally {
      clearTimeout(timer);
    }
  }

  #tellSpillFailure(error: unknown): void {
    const { log, paths, onProblem } = this.#options;
    log.warn(`A large text of ${this.conversation} could not be moved to its own file`, error);
    if (!this.#spillFailed) onProblem(problems.spill(paths, error));
    this.#spillFailed = true;
  }

  #refuse(record: LogRecord): void {
    const { log, paths, onProblem } = this.#options;
    log.error(
      `Record ${record.seq} of ${this.conversation} came when no more could be taken; it is not kept`,
    );
    if (this.#lost++ === 0) onProblem(problems.refused(paths, this.#ending));
  }

  async #end(): Promise<void> {
    const { files, live, log, paths, onClosing, onClosed, onProblem } = this.#options;
    this.#ending = true;
    await this.flush();
    // A failed attempt may have been one that began before; the second one is ours.
    if (this.#writer.synced < this.#accepted) await this.flush();
    await this.#running;
    await this.#syncing;
    clearTimeout(this.#syncTimer);
    const unsaved = this.#accepted - this.#writer.synced;
    if (unsaved > 0) onProblem(problems.unsaved(paths, unsaved));
    try {
      await onClosing();
      await this.#guard.end();
      await files.close();
      await onClosed();
    } catch (error) {
      log.warn(`The journal of ${this.conversation} could not be closed well`, error);
    }
    live.dispose();
    this.#changed.dispose();
  }
}
