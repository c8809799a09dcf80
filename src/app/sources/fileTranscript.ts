import type { Event } from '../../core/event.js';
import type { DamagedLine, ReadRecord, Transcript } from '../../core/ports/transcript.js';

/** Records of a file, of which those at some positions are asked for; an array is one. */
export interface FileRecords {
  readonly length: number;
  slice(start: number, end: number): readonly ReadRecord[];
}

/** A conversation of another tool's file, read in place: what an import has made of it, as a transcript that does not grow. */
export class FileTranscript implements Transcript {
  readonly conversation: string;
  readonly damaged: readonly DamagedLine[];
  readonly onDidGrow: Event<void> = () => ({ dispose: () => undefined });
  readonly #records: FileRecords;

  /** `damaged`: what of its file could not be read. */
  constructor(conversation: string, records: FileRecords, damaged: readonly DamagedLine[] = []) {
    this.conversation = conversation;
    this.damaged = damaged;
    this.#records = records;
  }

  get length(): number {
    return this.#records.length;
  }

  read(start: number, end: number): Promise<readonly ReadRecord[]> {
    return Promise.resolve(this.#records.slice(Math.max(0, start), Math.min(end, this.length)));
  }

  /** Imported records hold all of their texts. */
  readSpill(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
