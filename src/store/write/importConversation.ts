import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { LogRecord } from '../../core/record.js';
import type { Log } from '../../core/ports/log.js';
import type { ConversationSource } from '../../core/ports/transcript.js';
import type { CatalogRow } from '../catalog/catalogCache.js';
import { encodeBatch, releaseBatch } from './journalBatch.js';
import { JournalFiles, type Written } from './journalFiles.js';
import { entryAt, syncFolder } from '../../node/plainFile.js';
import { weightOf } from '../format/recordWeight.js';
import { removeOwnFolder } from './removeOwnFolder.js';
import { spillLargeTexts } from './spillFiles.js';
import { names, pathsOf, SPILL_FOLDERS, type ConversationPaths } from '../files/storePaths.js';
import { addToStored, emptyStored } from '../catalog/conversationSummary.js';
import { isWellFormed } from '../format/readRecord.js';

/** The size of a batch, which is one write, in bytes; encoding it takes milliseconds. */
const BATCH_BYTES = 1024 * 1024;

/** How a conversation is imported. */
export interface ImportOptions {
  /** Milliseconds since 1970, for the header. */
  readonly created: number;
  readonly log: Log;
  readonly signal?: AbortSignal | undefined;
  readonly source?: ConversationSource | undefined;
  /** Whether lines are sealed; yes where nothing is said. */
  readonly seals?: boolean | undefined;
}

/**
 * Writes a conversation under a hidden name and renames it once it is durable, so that it exists completely or not at
 * all. Throws the signal's reason or errors of the file system, and then leaves nothing behind; what a crash leaves is
 * swept later. Gives its row for the catalog, as reading it again would; undefined where only reading it can tell.
 */
export async function importConversation(
  paths: ConversationPaths,
  records: Iterable<LogRecord>,
  { created, log, signal, source, seals }: ImportOptions,
): Promise<CatalogRow | undefined> {
  const { root, name } = paths;
  if (await entryAt(paths.folder)) throw new Error(`The conversation ${paths.id} exists already.`);
  const staged = pathsOf(root, paths.id, `${names.importing}${name}`);
  const files = new JournalFiles({ paths: staged, created, source, log, seals });
  const written = new WrittenRow(paths, source);
  try {
    for (const batch of batchesOf(records, BATCH_BYTES)) {
      signal?.throwIfAborted();
      const lines: LogRecord[] = [];
      for (const record of batch) {
        const line = await spillLargeTexts(record, paths);
        written.add(line);
        lines.push(line);
      }
      const encoded = encodeBatch(lines, log);
      await files.append(encoded.bytes);
      written.isPlain &&= encoded.isWhole;
      releaseBatch(encoded);
    }
    await files.syncInFolder();
    const { end } = files;
    await files.close();
    signal?.throwIfAborted();
    await rename(staged.folder, paths.folder);
    await Promise.all([join(root, names.conversations), root].map(syncFolder));
    return await written.row(end);
  } catch (error) {
    await files.close().catch(() => undefined);
    await discard(staged, name).catch((failure: unknown) =>
      log.warn(`What was left of an import into ${root} could not be removed`, failure),
    );
    throw error;
  }
}

/**
 * Removes an incomplete import. The spilled texts go first, because the staged folder marks that there is something to
 * remove.
 */
export async function discard({ root, name: staged }: ConversationPaths, name: string): Promise<void> {
  const isThere = (await entryAt(pathsOf(root, name, name).folder)) !== undefined;
  if (!isThere) await removeOwnFolder(root, ...SPILL_FOLDERS, name);
  await removeOwnFolder(root, names.conversations, staged);
}

/** Records a few at a time, which together weigh at least so many bytes. */
export function* batchesOf(records: Iterable<LogRecord>, bytes: number): Generator<readonly LogRecord[]> {
  let batch: LogRecord[] = [];
  let weight = 0;
  for (const record of records) {
    batch.push(record);
    weight += weightOf(record);
    if (weight < bytes) continue;
    yield batch;
    batch = [];
    weight = 0;
  }
  if (batch.length > 0) yield batch;
}

/** The row for the catalog of a conversation that is being written whole, so that it need not be read again. */
class WrittenRow {
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
