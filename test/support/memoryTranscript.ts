import { Emitter } from '../../src/core/event.js';
import type { DamagedLine, ReadRecord, Transcript } from '../../src/core/ports/transcript.js';

/** A transcript whose records lie in memory, and that grows when it is told to. */
export class MemoryTranscript implements Transcript {
  readonly #grown = new Emitter<void>((error) => {
    throw error;
  });
  readonly onDidGrow = this.#grown.event;
  readonly records: ReadRecord[] = [];
  readonly spills = new Map<string, string>();
  damaged: readonly DamagedLine[] = [];
  /** How many records were read so far, those read twice counted twice. */
  readCount = 0;
  isClosed = false;

  constructor(
    readonly conversation: string,
    records: readonly ReadRecord[] = [],
  ) {
    this.append(records);
  }

  get length(): number {
    return this.records.length;
  }

  append(records: readonly ReadRecord[]): void {
    for (const record of records) this.records.push(record);
    this.#grown.fire();
  }

  read(start: number, end: number): Promise<readonly ReadRecord[]> {
    const records = this.records.slice(start, end);
    this.readCount += records.length;
    return Promise.resolve(records);
  }

  readSpill(path: string): Promise<string | undefined> {
    return Promise.resolve(this.spills.get(path));
  }

  close(): Promise<void> {
    this.isClosed = true;
    return Promise.resolve();
  }
}
