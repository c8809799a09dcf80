import type { Event } from '../../core/event.js';
import type { LogRecord } from '../../core/record.js';
import { LineIndex } from './lineIndex.js';
import type { RecordSource } from './storedTranscript.js';

/** Records that are all in memory and never grow: a conversation of the older layout. */
export class MemorySource implements RecordSource {
  readonly index = new LineIndex();
  readonly damaged = [];
  readonly onDidGrow: Event<void> = () => ({ dispose: () => undefined });
  readonly #records: readonly LogRecord[];

  constructor(records: readonly LogRecord[]) {
    this.#records = records;
  }

  get length(): number {
    return this.#records.length;
  }

  peek(start: number, end: number): readonly LogRecord[] {
    return this.#records.slice(start, end);
  }
}
