import { watch, type FSWatcher } from 'node:fs';
import type { Disposable, Event } from '../../core/event.js';
import type { Log } from '../../core/ports/log.js';
import type { LogRecord } from '../../core/record.js';
import { messageOf } from '../../core/text.js';
import { LazyEmitter } from '../../core/lazyEmitter.js';
import type { JournalLines, ReadOnThread } from './journalLines.js';
import type { DamagedLine } from '../../core/ports/transcript.js';
import { unwrittenWords } from './lastWords.js';
import type { LineIndex } from './lineIndex.js';
import type { FactsVisitor } from './factTaker.js';
import type { ScanOnThread } from './scannedParts.js';
import type { RecordVisitor } from './segmentFindings.js';
import type { RecordSource } from './storedTranscript.js';

/** How often a journal is polled, in milliseconds, because notifications of the system are not reliable. */
const POLL_MS = 1000;

/**
 * A journal that another process may be writing. While there are listeners, it is read again when the system reports a
 * change of its folder, and once a second. What was not read when it was opened is read piece by piece by `readOn`.
 */
export class FollowedLines implements RecordSource, Disposable {
  readonly #lines: JournalLines;
  readonly #log: Log;
  readonly #grown: LazyEmitter<void>;
  /** What is still to be read for the first time. */
  #unread: AsyncGenerator<void, void, undefined> | undefined;
  #readingOn: Promise<void> | undefined;
  #visit: RecordVisitor | undefined;
  #take: FactsVisitor | undefined;
  readonly #onRead: () => void;
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  /** What agents said last whose process has ended, until somebody writes it behind the records. */
  #lastWords: readonly LogRecord[] = [];

  /** `onRead` is called once all was read for the first time, by `scan` too where it is given; left out, all was. */
  constructor(lines: JournalLines, log: Log, onRead?: () => void, scan?: ScanOnThread) {
    this.#lines = lines;
    this.#log = log;
    this.#onRead = onRead ?? (() => undefined);
    const beside: ReadOnThread | undefined = scan && {
      scan,
      take: (...facts) => this.#take?.(...facts),
      onFailure: (error) =>
        log.warn(`The conversation ${lines.paths.id} is read on by one thread: ${messageOf(error)}`),
    };
    if (onRead) this.#unread = lines.pieces((...record) => this.#visit?.(...record), beside);
    this.#grown = new LazyEmitter<void>((error) => log.error('A listener of a transcript failed', error), {
      start: () => this.#start(),
      stop: () => this.#stop(),
    });
  }

  get index(): LineIndex {
    return this.#lines.index;
  }

  get damaged(): readonly DamagedLine[] {
    return this.#lines.damaged;
  }

  get length(): number {
    return this.#lines.index.size + this.#lastWords.length;
  }

  get expected(): number {
    return this.#unread ? this.#lines.expected : this.length;
  }

  async readOn(visit?: RecordVisitor, take?: FactsVisitor): Promise<void> {
    if (!this.#unread) return;
    this.#visit = visit;
    this.#take = take;
    await (this.#readingOn ??= this.#readPiece(this.#unread).finally(() => (this.#readingOn = undefined)));
  }

  async #readPiece(unread: AsyncGenerator<void, void, undefined>): Promise<void> {
    const before = this.length;
    const { done } = await unread.next();
    if (done && this.#unread) {
      this.#unread = undefined;
      this.#onRead();
    }
    if (this.length > before) this.#grown.fire();
  }

  peek(start: number, end: number): readonly LogRecord[] {
    return this.#lastWords.slice(start, end);
  }

  /** Finds what agents said last whose process has ended. */
  async hearLastWords(): Promise<void> {
    try {
      this.#lastWords = await unwrittenWords(this.#lines.paths, this.index);
    } catch (error) {
      this.#log.warn(`What was being said last in ${this.#lines.paths.id} cannot be read`, error);
    }
  }

  get onDidGrow(): Event<void> {
    return this.#grown.event;
  }

  /** Reads what was appended since the last time. */
  look(): Promise<void> {
    if (this.#unread) return Promise.resolve();
    this.#looking ??= this.#extend().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  dispose(): void {
    this.#grown.dispose();
    void this.#unread?.return();
    this.#unread = undefined;
  }

  async #extend(): Promise<void> {
    const before = this.length;
    const written = this.index.size;
    try {
      await this.#lines.extend();
      // Whoever goes on writes them first.
      if (this.index.size > written) this.#lastWords = [];
    } catch (error) {
      this.#log.warn(`The conversation ${this.#lines.paths.id} could not be followed`, error);
    }
    if (this.length > before) this.#grown.fire();
  }

  #start(): void {
    this.#timer = setInterval(() => void this.look(), POLL_MS);
    this.#timer.unref();
    try {
      this.#watcher = watch(this.#lines.paths.folder, { persistent: false }, () => void this.look());
      this.#watcher.on('error', () => this.#watcher?.close());
    } catch (error) {
      this.#log.debug(
        `The folder of ${this.#lines.paths.id} cannot be watched; it is polled: ${String(error)}`,
      );
    }
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#watcher?.close();
    this.#watcher = undefined;
  }
}
