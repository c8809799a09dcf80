import { yieldToEventLoop } from '../../core/yieldToEventLoop.js';
import { Emitter, type Event } from '../../core/event.js';
import type { LogRecord, PieceRecord } from '../../core/record.js';
import type { Journal, JournalState } from '../../core/ports/journal.js';
import {
  DEFAULT_JOURNAL_LIMITS,
  type ConversationJournalOptions,
  type JournalLimits,
} from './journalOptions.js';
import { JournalWriter } from './journalWriter.js';
import { PieceFile } from './pieceFile.js';
import { weightOf } from '../format/recordWeight.js';
import { spillOrKeep } from './spillFiles.js';
import { inWords, problems, writingProblem, type StoreProblem } from './storeProblem.js';
import type { Log } from '../../core/ports/log.js';
import { BEAT_MS, type ProcessLock } from '../../node/processLock.js';
import type { JournalFiles } from './journalFiles.js';

/** A longer pause between checks, in milliseconds, means that the process slept and may have lost the lock. */
const LATE_MS = 3 * BEAT_MS;

/** What a guard needs, and whom it notifies. */
interface JournalGuardOptions {
  readonly files: JournalFiles;
  /** How often it is checked besides, in milliseconds. */
  readonly checkMs: number;
  readonly log: Log;
  /** Held already; otherwise it is acquired before the first write. */
  readonly lock: ProcessLock | undefined;
  readonly acquire: () => Promise<ProcessLock>;
  /** Called when the file was deleted or replaced; `ready` will restore it. */
  readonly onDisplaced: () => void;
  readonly onRestored: () => void;
  /** Called when only `size` bytes are left of what was written to the open file; called again as long as that is so. */
  readonly onShrunk: (size: number) => void;
  /** Called when another process has taken over the lock; from now on this journal writes to files of its own. */
  readonly onLockLost: () => void;
}

/** Checks that a journal may keep writing: that it still holds its lock and that its file is still in place. */
class JournalGuard {
  readonly #options: JournalGuardOptions;
  readonly #timer: NodeJS.Timeout;
  #lock: ProcessLock | undefined;
  #lockLost = false;
  #displaced = false;
  #lastCheck = performance.now();
  #checking: Promise<void> | undefined;

  constructor(options: JournalGuardOptions) {
    this.#options = options;
    this.#lock = options.lock;
    this.#timer = setInterval(() => void this.#check(), options.checkMs);
    this.#timer.unref();
  }

  /** Whether the file must be restored. */
  get displaced(): boolean {
    return this.#displaced;
  }

  /** Resolves when the journal may be written; throws where it cannot be. */
  async ready(): Promise<void> {
    const { files, acquire, onRestored, onShrunk } = this.#options;
    if (!this.#lock && !this.#lockLost) this.#lock = await acquire();
    if (performance.now() - this.#lastCheck > LATE_MS) await this.#check();
    // Looked at before each write, so that nothing new gets in front of what is to be written again.
    const size = await files.shrunkTo();
    if (size !== undefined) onShrunk(size);
    if (!this.#displaced) return;
    await files.restore();
    this.#displaced = false;
    onRestored();
    await this.#check();
  }

  /** Stops checking and releases the lock. */
  async end(): Promise<void> {
    clearInterval(this.#timer);
    await this.#checking;
    await this.#lock?.release();
    this.#lock = undefined;
  }

  #check(): Promise<void> {
    this.#checking ??= this.#look().finally(() => {
      this.#checking = undefined;
      this.#lastCheck = performance.now();
    });
    return this.#checking;
  }

  async #look(): Promise<void> {
    const { files, log, onDisplaced, onShrunk, onLockLost } = this.#options;
    try {
      if (this.#displaced) return;
      const condition = await files.condition();
      if (condition.kind === 'displaced') {
        this.#displaced = true;
        onDisplaced();
        return;
      }
      if (condition.kind === 'shrunk') onShrunk(condition.size);
      if (this.#lock && !(await this.#lock.beat())) {
        this.#lock = undefined;
        this.#lockLost = true;
        files.detach();
        onLockLost();
      }
    } catch (error) {
      // Whatever prevents the check prevents writing too, and is reported there.
      log.warn('The place of a journal could not be checked', error);
    }
  }
}

/** A write that takes longer than this, in milliseconds, is reported; a healthy disk needs less than 200. */
const HANGING_MS = 2000;
/** How many bytes per millisecond a slow disk takes: large texts get that much more time. */
const SLOW_BYTES_PER_MS = 5000;

/** How much may wait to be written with what comes later, in bytes. */
const LINGERING_BYTES = 1024 * 1024;

/**
 * How many times more may wait while the disk takes what it gets: then what waits is work (the text of one tool answer may
 * take 100 MiB), not a sign that nothing can be saved.
 */
const HEALTHY_FACTOR = 16;

/**
 * Writes the records of one conversation in the background: one write per batch, one fdatasync for all batches that
 * wait. What cannot be written stays in memory and is retried; it never counts as saved.
 */
export class ConversationJournal implements Journal {
  readonly conversation: string;
  readonly #options: ConversationJournalOptions;
  readonly #limits: JournalLimits;
  readonly #writer: JournalWriter;
  readonly #guard: JournalGuard;
  readonly #pieces: PieceFile;
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
  #writeNow: (() => void) | undefined;
  readonly #flushes = new FlushWaiters();
  #hurried = false;
  #stopWaiting: (() => void) | undefined;

  constructor(options: ConversationJournalOptions) {
    const { paths, files, live, log, lock, acquire } = options;
    this.#options = options;
    this.conversation = paths.id;
    this.#limits = { ...DEFAULT_JOURNAL_LIMITS, ...options.limits };
    this.#taken = live.index.maxSeq;
    this.#changed = new Emitter((error) => log.error('A listener of a journal failed', error));
    const spill = (record: LogRecord) =>
      spillOrKeep(record, paths, (error) => this.#reportSpillFailure(error));
    this.#pieces = new PieceFile(paths, log);
    this.#writer = new JournalWriter({ files, live, log, spill });
    this.#guard = new JournalGuard({
      files,
      checkMs: this.#limits.checkMs,
      log,
      lock,
      acquire,
      onDisplaced: () => this.#wake(),
      onRestored: () => options.onProblem(problems.restored(paths)),
      onShrunk: (size) => this.#writeAgain(size),
      onLockLost: () => options.onProblem(problems.lockLost(paths)),
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
    if (this.#ending || this.#waitingBytes > 2 * this.#mayWait) {
      this.#refuse(record);
      return;
    }
    if (!live.push(record)) return;
    const wasFull = this.#isFull();
    this.#accepted++;
    this.#taken = Math.max(this.#taken, record.seq);
    this.#waitingBytes += weightOf(record);
    this.#options.onAccepted(record);
    this.#pieces.hear(record);
    if (this.#isFull() !== wasFull) this.#changed.fire(this.state);
    if (this.#waitingBytes > LINGERING_BYTES) this.#writeNow?.();
    live.announceGrowth();
    this.#wake();
  }

  say(piece: PieceRecord): void {
    if (!this.#ending) this.#pieces.add(piece);
  }

  flush(): Promise<JournalState> {
    if (this.#writer.synced >= this.#accepted) return Promise.resolve(this.state);
    const flushed = this.#flushes.wait(this.#accepted);
    this.#retryNow?.();
    this.#wake();
    this.#writeNow?.();
    this.#syncNow();
    return flushed;
  }

  /** Takes the lock now, so that a store that cannot be written is reported before the first record. */
  async prepare(): Promise<void> {
    await this.#guard.ready().catch((error: unknown) => this.#fail(error));
  }

  /** Waits while the store cannot be written, because what is in memory is still to be saved. */
  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  /** Like `close`, but what cannot be written now is lost, which is reported. */
  closeNow(): Promise<void> {
    this.#hurried = true;
    this.#stopWaiting?.();
    return this.close();
  }

  /** Whether closing has begun; the last records may still wait for the disk. */
  get isClosing(): boolean {
    return this.#closing !== undefined;
  }

  /** Whether others have cut off records that only the file had. */
  get hasLost(): boolean {
    return this.#writer.hasLost;
  }

  /** The number of records taken that would not survive a power cut yet. */
  get #unsaved(): number {
    return this.#accepted - this.#writer.synced;
  }

  #isFull(): boolean {
    return this.#waitingBytes > this.#mayWait;
  }

  /** How many bytes may wait before runs are asked to stop. */
  get #mayWait(): number {
    return this.#limits.waitingBytes * (this.#problem ? 1 : HEALTHY_FACTOR);
  }

  /** The file lost lines: what memory holds is written to a new one. */
  #writeAgain(size: number): void {
    const { paths, onProblem } = this.#options;
    const again = this.#writer.writeAllAgain(size);
    if (!again) return;
    onProblem(problems.shrunk(paths, again));
    this.#wake();
  }

  #wake(): void {
    this.#running ??= this.#run();
  }

  /** Writes until nothing waits; when closing at once, until an attempt fails. */
  async #run(): Promise<void> {
    await this.#linger();
    while (this.#writer.hasWork || this.#guard.displaced) {
      if (this.#failing) await this.#pause();
      try {
        await this.#watched(this.#guard.ready());
        this.#waitingBytes -= await this.#watched(this.#writer.writeNext(), this.#writer.nextBytes);
        this.#failing = false;
        this.#syncSoon();
      } catch (error) {
        this.#fail(error);
        if (this.#hurried) break;
      }
    }
    this.#running = undefined;
  }

  /** Waits for what may be written together, for the same moment as other journals: that wakes this thread up once. */
  async #linger(): Promise<void> {
    const { lingerMs } = this.#limits;
    if (lingerMs === 0 || this.#flushes.some || this.#ending) {
      await yieldToEventLoop();
      return;
    }
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, lingerMs - (Date.now() % lingerMs));
      this.#writeNow = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#writeNow = undefined;
  }

  #syncSoon(): void {
    if (this.#flushes.some) this.#syncNow();
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
    this.#pieces.settle(this.#writer.durable);
    this.#flushes.answer(this.state, this.#writer.synced);
    if (this.#unsaved === 0) this.#stopWaiting?.();
    this.#changed.fire(this.state);
  }

  #fail(error: unknown): void {
    const { paths, live, log } = this.#options;
    this.#failing = true;
    log.warn(`The journal of ${this.conversation} cannot be written`, error);
    const waiting = live.waiting + this.#writer.unsynced;
    this.#raise(writingProblem(error, { conversation: this.conversation, root: paths.root, waiting }));
  }

  /** Reports a problem, once per kind, and answers those who wait for the disk. */
  #raise(problem: StoreProblem): void {
    const isNew = this.#problem?.code !== problem.code;
    this.#problem = problem;
    if (isNew) this.#options.onProblem(problem);
    this.#flushes.answer(this.state);
    this.#changed.fire(this.state);
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

  /** Reports a disk that neither completes its work nor fails. */
  async #watched<T>(work: Promise<T>, bytes = 0): Promise<T> {
    const patience = HANGING_MS + bytes / SLOW_BYTES_PER_MS;
    const timer = setTimeout(() => this.#raise(problems.hanging(this.#options.paths)), patience);
    try {
      return await work;
    } finally {
      clearTimeout(timer);
    }
  }

  #reportSpillFailure(error: unknown): void {
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
    if (this.#unsaved > 0 && !this.#hurried)
      await new Promise<void>((resolve) => {
        this.#stopWaiting = resolve;
      });
    // The first failed attempt may have started before this call; the second one is ours.
    for (let attempt = 0; attempt < 2 && this.#unsaved > 0; attempt++) await this.flush();
    await this.#running;
    await this.#syncing;
    clearTimeout(this.#syncTimer);
    if (this.#unsaved > 0) onProblem(problems.unsaved(paths, this.#unsaved));
    // Whatever fails, the remaining steps are still taken.
    const steps = [
      onClosing,
      () => this.#pieces.close(),
      () => this.#guard.end(),
      () => files.close(),
      onClosed,
    ];
    for (const step of steps) {
      await step().catch((error: unknown) =>
        log.warn(`The journal of ${this.conversation} could not be closed well`, error),
      );
    }
    live.dispose();
    this.#changed.dispose();
  }
}

/** The callers that wait for their records to be durable. */
class FlushWaiters {
  #waiting: { readonly upTo: number; readonly resolve: (state: JournalState) => void }[] = [];

  /** Whether anybody waits. */
  get some(): boolean {
    return this.#waiting.length > 0;
  }

  /** Resolves when the first `upTo` records are durable, or something prevents that. */
  wait(upTo: number): Promise<JournalState> {
    return new Promise((resolve) => this.#waiting.push({ upTo, resolve }));
  }

  /** Answers the callers that wait for no more than the first `synced` records; without a number, all. */
  answer(state: JournalState, synced = Number.POSITIVE_INFINITY): void {
    const answered = this.#waiting.filter(({ upTo }) => upTo <= synced);
    this.#waiting = this.#waiting.filter(({ upTo }) => upTo > synced);
    for (const { resolve } of answered) resolve(state);
  }
}
