import { randomBytes } from 'node:crypto';
import { rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConversationSource } from '../../core/ports/transcript.js';
import type { Log } from '../../core/ports/log.js';
import { messageOf } from '../../core/text.js';
import { encodeHeader } from '../format/journalHeader.js';
import { MAX_SEGMENTS } from '../read/lineIndex.js';
import { CREATE, entryAt, makeFolder, openPlainFile, syncFolder } from '../../node/plainFile.js';
import { errorCode } from '../../core/errorCode.js';
import {
  Seal,
  SegmentFile,
  sealHead,
  sealOf,
  syncSeal,
  type FileCondition,
  type SealedEnd,
} from './segmentFile.js';
import { names, segmentName, type ConversationPaths } from '../files/storePaths.js';
import { makeRoot } from '../files/storeRoot.js';
import { TEMPORARY } from '../../node/atomicFile.js';

/** The size at which a journal continues in a new file. */
const DEFAULT_SEGMENT_BYTES = 1024 * 1024 * 1024;

/** What the files of a journal need. */
export interface JournalFilesOptions {
  readonly paths: ConversationPaths;
  /** Milliseconds since 1970, for the headers. */
  readonly created: number;
  readonly segmentBytes?: number | undefined;
  /** Where the conversation was imported from, for the header of the first file. */
  readonly source?: ConversationSource | undefined;
  readonly log: Log;
  /** Whether lines are sealed; yes where nothing is said. */
  readonly seals?: boolean | undefined;
}

/** A sync failed: it is unknown which lines since the last successful one are on disk. */
export class SyncError extends Error {
  constructor(cause: unknown) {
    super(messageOf(cause), { cause });
  }
}

/** Where a batch of lines was written. */
export interface Written {
  readonly segment: number;
  readonly start: number;
}

/**
 * The files of one conversation's journal: `messages.jsonl`, and further ones where that has grown too large or can no
 * longer be trusted. Only the last one is written.
 */
export class JournalFiles {
  readonly #options: JournalFilesOptions;
  #file: SegmentFile | undefined;
  #segment: number;
  /** Whether the open file's directory entry is known to survive a power cut. */
  #named = true;
  #detached = false;
  /** The seal of the file that is written; undefined where it has none. */
  #seal: Seal | undefined;
  /** What the next seal follows. */
  #before: SealedEnd | undefined;
  /** What is to be noted in the seal of the given file, before anything more is written; undefined once it is. */
  #toNote: readonly string[] | undefined;

  /**
   * Continues the given file; without one, the next file is created with the first batch. `repaired`: what was done to its end,
   * in words for its seal.
   */
  constructor(
    options: JournalFilesOptions,
    last?: { readonly file: SegmentFile | undefined; readonly segment: number },
    repaired?: string,
  ) {
    this.#options = options;
    this.#file = last?.file;
    this.#segment = last?.segment ?? -1;
    this.#toNote = last?.file && (repaired === undefined ? [] : [repaired]);
  }

  /** The segment that is written, and its size; undefined before the first batch. */
  get end(): Written | undefined {
    return this.#file && { segment: this.#segment, start: this.#file.size };
  }

  /** Appends lines, each ending in a newline: all of them or, if it throws, none. */
  async append(lines: Uint8Array): Promise<Written> {
    const file = this.#file;
    if (!file) return await this.#appendToNew(lines);
    if (this.#toNote) await this.#resumeSeal(this.#toNote);
    if (this.#detached || file.size >= (this.#options.segmentBytes ?? DEFAULT_SEGMENT_BYTES)) {
      await this.sync();
      const written = await this.#appendToNew(lines);
      this.#detached = false;
      await file.close();
      return written;
    }
    const start = file.size;
    await file.append(lines);
    this.#seal?.add(lines);
    return { segment: this.#segment, start };
  }

  /** Resolves when everything appended so far survives a power cut; throws a `SyncError`. */
  async sync(): Promise<void> {
    const { paths } = this.#options;
    const file = this.#file;
    const seal = this.#seal;
    if (!file) return;
    const entries = seal?.take();
    try {
      await file.sync();
      if (seal && entries) await this.#written(seal.write(entries));
      if (this.#named) return;
      for (const folder of [paths.folder, join(paths.root, names.conversations), paths.root])
        await syncFolder(folder);
    } catch (error) {
      throw new SyncError(error);
    }
    if (file === this.#file) this.#named = true;
  }

  /**
   * Resolves when the file survives a power cut under its name in its folder; the folder's own name may not, which is for
   * whoever renames the folder to see to.
   */
  async syncInFolder(): Promise<void> {
    const seal = this.#seal;
    const entries = seal?.take();
    await this.#file?.sync();
    if (seal && entries) await this.#written(seal.write(entries));
    await syncFolder(this.#options.paths.folder);
  }

  /**
   * Writes lines again, to a new file, because after a failed sync it is unknown which of them the old one contains.
   * A file that was never synced is replaced by the new one.
   */
  async rewrite(lines: Uint8Array): Promise<Written> {
    const old = this.#file;
    const oldSegment = this.#segment;
    const isReplaced = old !== undefined && !this.#named && oldSegment > 0;
    // What goes is followed by nothing.
    if (isReplaced) this.#seal = undefined;
    const written = await this.#appendToNew(lines);
    await old?.close().catch(() => undefined);
    if (isReplaced) await this.#remove(oldSegment);
    return written;
  }

  async #remove(segment: number): Promise<void> {
    const path = this.#options.paths.segment(segment);
    await unlink(path);
    if (await entryAt(sealOf(path))) await this.#written(unlink(sealOf(path)));
  }

  /** To be called when another process writes the open file: what follows goes to a new one. */
  detach(): void {
    this.#detached = true;
    // The other one goes on with its seal, too.
    this.#before = this.#sealed;
    this.#seal = undefined;
  }

  /** What others have done to the open file. */
  async condition(): Promise<FileCondition> {
    return this.#file ? await this.#file.condition() : { kind: 'whole' };
  }

  /** See `SegmentFile.shrunkTo`. */
  async shrunkTo(): Promise<number | undefined> {
    return await this.#file?.shrunkTo();
  }

  /** Restores a copy of the open file under its name, after somebody deleted or replaced it. */
  async restore(): Promise<void> {
    const { paths } = this.#options;
    const old = this.#file;
    if (!old) return;
    await this.#makeFolders();
    const path = paths.segment(this.#segment);
    const temporary = join(
      paths.folder,
      `${TEMPORARY}${segmentName(this.#segment)}-${randomBytes(6).toString('hex')}`,
    );
    const handle = await openPlainFile(temporary, CREATE);
    const copy = new SegmentFile(handle, path, 0);
    try {
      await old.copyTo((bytes) => copy.append(bytes));
      await copy.sync();
      await keepAside(paths, path);
      await rename(temporary, path);
    } catch (error) {
      await handle.close();
      await unlink(temporary).catch(() => undefined);
      throw error;
    }
    this.#file = copy;
    this.#named = false;
    // Whoever removed the journal with its seal has it sealed again from what was written.
    const seal = this.#seal;
    if (seal && (seal.isGone || !(await entryAt(sealOf(paths.segment(this.#segment))))))
      await this.#written(this.#sealAgain(old));
    await old.close();
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }

  async #appendToNew(lines: Uint8Array): Promise<Written> {
    await this.#makeFolders();
    const { paths, created, source } = this.#options;
    for (let segment = this.#segment + 1; segment < MAX_SEGMENTS; segment++) {
      const header = encodeHeader(paths.id, created, segment, segment === 0 ? source : undefined);
      const file = await createFile(paths.segment(segment));
      if (!file) continue;
      try {
        await file.append(Buffer.concat([header, lines]));
      } catch (error) {
        await file.close();
        await unlink(paths.segment(segment)).catch(() => undefined);
        throw error;
      }
      this.#before = this.#sealed ?? this.#before;
      this.#seal = this.#options.seals === false ? undefined : await this.#nextSeal(segment, this.#before);
      this.#seal?.add(Buffer.concat([header, lines]));
      this.#file = file;
      this.#segment = segment;
      this.#named = false;
      return { segment, start: header.length };
    }
    throw new Error(`the conversation has ${MAX_SEGMENTS} files already`);
  }

  /** Begins the seal of a segment: that which it follows is on the disk before anything can name its end. */
  async #nextSeal(segment: number, before: SealedEnd | undefined): Promise<Seal> {
    const { paths } = this.#options;
    if (before) await this.#written(syncSeal(sealOf(paths.segment(before.segment))));
    return Seal.begin(sealOf(paths.segment(segment)), sealHead(paths.id, segment, before));
  }

  /** The segment that is sealed, with the last link that is written. */
  get #sealed(): SealedEnd | undefined {
    const chain = this.#seal?.chain;
    return chain === undefined ? undefined : { segment: this.#segment, chain };
  }

  /** Goes on with the seal of the file that is continued; a journal that has none stays without. */
  async #resumeSeal(notes: readonly string[]): Promise<void> {
    this.#toNote = undefined;
    const { paths, seals } = this.#options;
    if (seals === false) return;
    const resuming = Seal.resume(sealOf(paths.segment(this.#segment)), paths.segment(this.#segment), notes);
    await this.#written(resuming.then((seal) => void (this.#seal = seal)));
  }

  async #sealAgain(file: SegmentFile): Promise<void> {
    const { paths } = this.#options;
    const head = sealHead(paths.id, this.#segment, this.#before);
    const seal = Seal.begin(sealOf(paths.segment(this.#segment)), head);
    let rest = Buffer.alloc(0);
    await file.copyTo((bytes) => {
      rest = Buffer.concat([rest, bytes]);
      const end = rest.lastIndexOf(0x0a) + 1;
      seal.add(rest.subarray(0, end));
      rest = rest.subarray(end);
      return Promise.resolve();
    });
    this.#seal = seal;
  }

  /** Waits for what is done to a seal: where that fails, what is recorded is not sealed, which a check of it says. */
  async #written(work: Promise<void>): Promise<void> {
    await work.catch((error: unknown) =>
      this.#options.log.warn(`The seal of ${this.#options.paths.id} could not be written`, error),
    );
  }

  async #makeFolders(): Promise<void> {
    const { paths } = this.#options;
    await makeRoot(paths.root);
    await makeFolder(paths.root, names.conversations, paths.name);
  }
}

/** Creates a file; undefined where the name is taken. */
async function createFile(path: string): Promise<SegmentFile | undefined> {
  try {
    return new SegmentFile(await openPlainFile(path, CREATE), path, 0);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return undefined;
    throw error;
  }
}

/** Keeps the file that somebody put in the place of ours, because it may contain records too. */
async function keepAside(paths: ConversationPaths, path: string): Promise<void> {
  if (!(await entryAt(path))) return;
  const folder = await makeFolder(paths.root, names.conversations, paths.name, names.quarantine);
  await rename(path, join(folder, `replaced-${Date.now()}.jsonl`));
}
