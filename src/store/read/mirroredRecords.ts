import { Emitter, type Event, type ListenerFailure } from '../../core/event.js';
import type { LogRecord } from '../../core/record.js';
import type { DamagedLine } from '../../core/ports/transcript.js';
import type { LiveGrowth } from './liveFeed.js';
import { LineIndex } from './lineIndex.js';
import type { ReplaceableSource } from './sharedSource.js';

/** The records of a conversation that another thread writes, as it tells of them. */
export class MirroredRecords implements ReplaceableSource {
  readonly index = new LineIndex();
  readonly #grown: Emitter<void>;
  #damaged: readonly DamagedLine[] = [];
  /** The records that are in no file; the first is at the position `index.size`. */
  #waiting: LogRecord[] = [];

  constructor(first: LiveGrowth, onListenerFailure: ListenerFailure) {
    this.#grown = new Emitter(onListenerFailure);
    this.take(first);
  }

  get length(): number {
    return this.index.size + this.#waiting.length;
  }

  get damaged(): readonly DamagedLine[] {
    return this.#damaged;
  }

  get onDidGrow(): Event<void> {
    return this.#grown.event;
  }

  peek(start: number, end: number): readonly LogRecord[] {
    return this.#waiting.slice(start, end);
  }

  /** Takes what has come since the last time. */
  take({ from, columns, damaged, first, waiting }: LiveGrowth): void {
    const before = this.length;
    const kept = this.#waiting.slice(Math.max(0, from + columns.starts.length - this.index.size));
    this.index.replaceFrom(from, columns);
    const end = this.index.size + kept.length;
    if (waiting.length > 0 && first !== end) throw new Error(`Records from ${first} on follow ${end}.`);
    this.#waiting = [...kept, ...waiting];
    this.#damaged = damaged;
    if (this.length > before) this.#grown.fire();
  }

  dispose(): void {
    this.#grown.dispose();
  }
}
