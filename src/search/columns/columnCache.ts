import { BoundedMap } from '../../core/boundedMap.js';
import type { FileStamp } from '../../store/read/fileStamp.js';
import type { ColumnFacts } from './columnFacts.js';
import type { SessionReader } from './readSession.js';
import { RecordKindTable } from '../stored/columns/recordKinds.js';

/** What has read a session, and the files of its journal then. */
export interface ReadUntil {
  readonly reader: SessionReader;
  readonly stamps: readonly FileStamp[];
  /** A mark of the prices that it knows costs by. */
  readonly mark: string;
}

/** So many sessions that were read last go on being read where they ended, once they grow. */
const MAX_READERS = 4;

interface Entry {
  readonly facts: ColumnFacts;
  readonly bytes: number;
  /** The last question that asked for them. */
  usedBy: number;
}

/**
 * The columns that are in memory, of the sessions of all stores. Where there is no room for all, those go that were not used
 * for longest; but where one question after the other uses more than there is room for, what is there stays, because
 * whatever took its place would be gone, too, before it is asked for again.
 */
export class ColumnCache {
  readonly recordKinds = new RecordKindTable();
  /** By the sessions that they read. */
  readonly readers = new BoundedMap<object, ReadUntil>(MAX_READERS);
  readonly #maxBytes: number;
  /** Those that were used last are the last. */
  readonly #entries = new Map<object | string, Entry>();
  #bytes = 0;
  #question = 0;

  /** `maxBytes`: the most memory that they take. */
  constructor(maxBytes = Infinity) {
    this.#maxBytes = maxBytes;
  }

  /** To be called when a question is asked. */
  begin(): void {
    this.#question++;
  }

  /** The columns of a session, by whatever stands for it. */
  get(session: object | string): ColumnFacts | undefined {
    const entry = this.#entries.get(session);
    if (entry && entry.usedBy !== this.#question) this.#use(session, entry);
    return entry?.facts;
  }

  set(session: object | string, facts: ColumnFacts, bytes: number): void {
    this.delete(session);
    if (bytes > this.#maxBytes || !this.#makeRoom(bytes)) return;
    this.#use(session, { facts, bytes, usedBy: this.#question });
    this.#bytes += bytes;
  }

  delete(session: object | string): void {
    this.#bytes -= this.#entries.get(session)?.bytes ?? 0;
    this.#entries.delete(session);
  }

  #use(session: object | string, entry: Entry): void {
    entry.usedBy = this.#question;
    this.#entries.delete(session);
    this.#entries.set(session, entry);
  }

  /** Whether there is room for so many bytes once those are gone that neither this question nor the one before has used. */
  #makeRoom(bytes: number): boolean {
    for (const [session, { usedBy }] of this.#entries) {
      if (this.#bytes + bytes <= this.#maxBytes) return true;
      if (usedBy >= this.#question - 1) return false;
      this.delete(session);
    }
    return this.#bytes + bytes <= this.#maxBytes;
  }
}
