import type { Log } from '../../core/ports/log.js';
import { BEAT_MS, type ProcessLock } from '../../node/processLock.js';
import type { JournalFiles } from './journalFiles.js';

/** A longer pause between checks, in milliseconds, means that the process slept and may have lost the lock. */
const LATE_MS = 3 * BEAT_MS;

/** What a guard needs, and whom it notifies. */
export interface JournalGuardOptions {
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
export class JournalGuard {
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
