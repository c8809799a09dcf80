import type { LogRecord } from '../../core/record.js';
import { entryAt } from '../../node/plainFile.js';
import type { ConversationSource } from '../../core/ports/transcript.js';
import type { CatalogRow } from '../catalog/catalogCache.js';
import { addToStored, emptyStored } from '../catalog/conversationSummary.js';
import type { ConversationPaths } from '../files/storePaths.js';
import { isWellFormed } from '../format/readRecord.js';
import type { Written } from './journalFiles.js';

/** The row for the catalog of a conversation that is being written whole, so that it need not be read again. */
export class WrittenRow {
  readonly #paths: ConversationPaths;
  readonly #source: ConversationSource | undefined;
  readonly #summary = emptyStored();
  #maxSeq = 0;
  /** Whether each record is read back as it was given. */
  isPlain = true;

  constructor(paths: ConversationPaths, source: ConversationSource | undefined) {
    this.#paths = paths;
    this.#source = source;
  }

  /** Adds a record as its line has it. */
  add(record: LogRecord): void {
    this.isPlain &&= record.seq > this.#maxSeq && isWellFormed(record, this.#paths.id);
    if (!this.isPlain) return;
    this.#maxSeq = record.seq;
    addToStored(this.#summary, record);
  }

  /**
   * The row, once the files have their names; `end` is where the last of them ends. Undefined where there are several, where
   * somebody else has changed them, and where records are read back in another shape.
   */
  async row(end: Written | undefined): Promise<CatalogRow | undefined> {
    if (!this.isPlain || end?.segment !== 0) return undefined;
    const file = await entryAt(this.#paths.segment(0));
    if (!file?.isFile() || file.size !== end.start) return undefined;
    const { size, mtimeMs, ino } = file;
    return {
      conversation: this.#paths.id,
      stamps: [{ segment: 0, size, mtimeMs, ino, covered: size }],
      damaged: 0,
      maxSeq: this.#maxSeq,
      source: this.#source,
      summary: this.#summary,
    };
  }
}
