import type { Disposable, Event } from '../../core/event.js';
import type { LogRecord } from '../../core/record.js';
import type { Log } from '../../core/ports/log.js';
import { LazyEmitter } from '../../core/lazyEmitter.js';
import type { DamagedLine } from '../../core/ports/transcript.js';
import type { LineIndex } from './lineIndex.js';
import type { FactsVisitor } from './factTaker.js';
import type { RecordVisitor } from './segmentFindings.js';
import type { RecordSource } from './storedTranscript.js';

/** A source that may be replaced by another one of the same records. */
export interface ReplaceableSource extends RecordSource, Partial<Disposable> {}

/**
 * The records of one conversation, shared by all transcripts that are open on it. When this process starts or stops
 * writing the conversation, the underlying source changes and positions stay valid.
 */
export class SharedSource implements RecordSource, Disposable {
  readonly #grown: LazyEmitter<void>;
  #source: ReplaceableSource;
  #subscription: Disposable | undefined;
  /** The number of transcripts that use it. */
  users = 0;

  constructor(source: ReplaceableSource, log: Log) {
    this.#source = source;
    this.#grown = new LazyEmitter<void>((error) => log.error('A listener of a transcript failed', error), {
      start: () => this.#subscribe(),
      stop: () => this.#subscription?.dispose(),
    });
  }

  get index(): LineIndex {
    return this.#source.index;
  }

  get damaged(): readonly DamagedLine[] {
    return this.#source.damaged;
  }

  get length(): number {
    return this.#source.length;
  }

  get expected(): number {
    return this.#source.expected ?? this.length;
  }

  async readOn(visit?: RecordVisitor, take?: FactsVisitor): Promise<void> {
    await this.#source.readOn?.(visit, take);
  }

  get onDidGrow(): Event<void> {
    return this.#grown.event;
  }

  peek(start: number, end: number): readonly LogRecord[] {
    return this.#source.peek(start, end);
  }

  /** Continues with another source, which must start with the same records. */
  replace(source: ReplaceableSource): void {
    if (source === this.#source) return;
    const before = this.length;
    this.#subscription?.dispose();
    this.#source.dispose?.();
    this.#source = source;
    if (this.#grown.hasListeners) this.#subscribe();
    if (source.length > before) this.#grown.fire();
  }

  dispose(): void {
    this.#grown.dispose();
    this.#source.dispose?.();
  }

  #subscribe(): void {
    this.#subscription = this.#source.onDidGrow(() => this.#grown.fire());
  }
}
