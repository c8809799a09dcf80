import type { Event } from '../../core/event.js';
import type { LineIndex } from '../../store/read/lineIndex.js';
import type { RecordSource } from '../../store/read/storedTranscript.js';

/** The records of a conversation whose lines are known, as they were then. */
export class FixedSource implements RecordSource {
  readonly damaged = [];
  readonly onDidGrow: Event<void> = () => ({ dispose: () => undefined });

  constructor(readonly index: LineIndex) {}

  get length(): number {
    return this.index.size;
  }

  peek(): readonly [] {
    return [];
  }
}
