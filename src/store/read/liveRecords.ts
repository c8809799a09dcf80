import { Emitter, type Event, type ListenerFailure } from '../../core/event.js';
import type { LogRecord } from '../../core/record.js';
import { hashOfText } from '../format/idHash.js';
import type { DamagedLine } from '../../core/ports/transcript.js';
import type { LineIndex, MarkedSpan } from './lineIndex.js';

/** The records of a conversation that this process writes: first those in files, then those only in memory. */
export class LiveRecords {
  readonly index: LineIndex;
  readonly #grown: Emitter<void>;
  #waiting: LogRecord[] = [];
  /** Waiting records before this index are written; the array is cut once half are, so that removal stays cheap. */
  #first = 0;
  /** The highest seq that was pushed: a record above it cannot be a duplicate. */
  #highest: number;

  constructor(index: LineIndex, onListenerFailure: ListenerFailure) {
    this.index = index;
    this.#highest = index.maxSeq;
    this.#grown = new Emitter(onListenerFailure);
  }

  get onDidGrow(): Event<void> {
    return this.#grown.event;
  }

  get damaged(): readonly DamagedLine[] {
    return this.index.damaged;
  }

  get length(): number {
    return this.index.size + this.waiting;
  }

  /** The number of records that are only in memory. */
  get waiting(): number {
    return this.#waiting.length - this.#first;
  }

  /** Adds a record that is not written yet; false where the conversation already has one with its id. */
  push(record: LogRecord): boolean {
    if (record.seq > this.#highest) this.#highest = record.seq;
    else if (this.#has(record.id)) return false;
    this.#waiting.push(record);
    return true;
  }

  announceGrowth(): void {
    this.#grown.fire();
  }

  /** The waiting records from `start` up to, not including, `end`, counted from the first one waiting. */
  peek(start: number, end: number): readonly LogRecord[] {
    return this.#waiting.slice(this.#first + start, this.#first + end);
  }

  /** Moves the first waiting records to the index: they were written at these spans. */
  settle(spans: readonly MarkedSpan[]): void {
    for (const span of spans) {
      const record = this.#waiting[this.#first++];
      if (!record) return;
      this.index.add(span, hashOfText(record.id), record.seq);
    }
    if (this.#first * 2 > this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#first);
      this.#first = 0;
    }
  }

  dispose(): void {
    this.#grown.dispose();
  }

  #has(id: string): boolean {
    if (this.index.find(id) >= 0) return true;
    for (let at = this.#first; at < this.#waiting.length; at++) if (this.#waiting[at]?.id === id) return true;
    return false;
  }
}
