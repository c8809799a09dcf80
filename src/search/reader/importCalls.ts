import type { CatalogRow } from '../../store/catalog/catalogCache.js';
import type { LogRecord } from '../../core/record.js';
import type { FileStamp } from '../../import/reading/fileStamp.js';
import type { FollowLook } from '../../import/following/followFile.js';
import type { Gained, TextSoFar } from '../../import/following/followedFile.js';
import type { ImportedConversation, ImportResult } from '../../import/reading/importResult.js';
import type { Comparison, WriteOptions } from '../../store/write/importSession.js';
import type { ReadTarget } from '../../store/transcriptStore.js';

/** What is told of a conversation whose records stay on the thread that read them. */
export interface ReadConversation extends Omit<ImportedConversation, 'records'> {
  /** How many records it has. */
  readonly length: number;
  readonly begins: number | undefined;
  readonly hasMessage: boolean;
  readonly project: string | undefined;
}

/** What is told of a file whose records stay on the thread that read it. */
export interface ReadFile extends Pick<ImportResult, 'format' | 'problems'> {
  readonly conversations: readonly ReadConversation[];
  readonly readWith: readonly string[];
  /** The file that was read: the session's, where one was named that is a part of it. */
  readonly path: string;
  /** Where what it gains is asked for with `look`: whether something of it waits, or is still to be read. */
  readonly followed?: PendingParts;
}

/** What of a file that is followed waits because further lines may change it, as `FollowedFile` tells it. */
export interface PendingParts {
  readonly isWaiting: boolean;
  readonly saidSoFar: readonly TextSoFar[];
  /** Whether more of it can be read at once. */
  readonly isMore: boolean;
}

/** What a file that is followed has told so far, as `FollowedFile` gives it. */
export interface ReportedSoFar extends PendingParts {
  /** Whether what was read of it is no longer what it says: it must be read again. */
  readonly isVoid: boolean;
  readonly title: string;
  readonly problems: ImportResult['problems'];
  readonly readWith: readonly string[];
  /** How much of it was read so far, in bytes. */
  readonly bytes: number;
}

/** What it has gained. */
export interface GainedSidecar extends Gained, ReportedSoFar {}

/** Which file is looked at: where `isQuiet`, it gives what has waited if nothing came. */
export interface LookAsk {
  readonly file: number;
  readonly isQuiet: boolean;
}

/** What became of it, and what it has gained; or why it cannot be followed, in words. */
export type Looked =
  | (Omit<FollowLook, 'gained'> & { readonly gained: GainedSidecar | undefined })
  | { readonly failure: string };

/** Which records are meant: the file, by the number that whoever asks gives it, and the conversation in it. */
export type RecordsOf = readonly [file: number, conversation: number];

/**
 * How the lines of a file that grows are read to follow it. `asItComes`, each once, unless it turns out that later ones say
 * something of earlier ones; `lookedThrough`, with what they say known before; `whole`, it is not followed.
 */
export type ReadWay = 'asItComes' | 'lookedThrough' | 'whole';

/** How a file is read. */
export interface ReadOptions {
  /** Whether it may be growing. */
  readonly isGrowing: boolean;
  /** For one that grows; `asItComes` by default. */
  readonly way?: ReadWay;
  /** Whether the session is read that it is a part of, where it is one: see `wholeOf`. */
  readonly ofWhole?: boolean;
}

/** How a file is read that is stored: a last line that is still being written comes with the next import, as it will be then. */
export const TO_STORE: ReadOptions = { isGrowing: true, way: 'whole', ofWhole: true };

/** What the thread that reads other tools' files is asked to do. Several files may be open at a time. */
export interface ImportCalls {
  /** Reads a file, which may be growing, as `followFile` and else as `openImport` does, and rejects as they do. */
  read(file: number, path: string, options: ReadOptions): Promise<ReadFile>;
  compare(records: RecordsOf, target: ReadTarget): Promise<Comparison>;
  /** Writes a new conversation; rejects as `importConversation` does, and where it is cancelled. */
  write(
    records: RecordsOf,
    target: ReadTarget,
    options: Omit<WriteOptions, 'signal'>,
  ): Promise<CatalogRow | undefined>;
  /** The next of the records behind the first `count`, numbered; none where all have been given. */
  behind(records: RecordsOf, count: number, conversation: string): readonly LogRecord[];
  /** Looks at files that are followed, as `lookAt` does; the records that they had are asked for no more. */
  look(asked: readonly LookAsk[]): Promise<readonly Looked[]>;
  /**
   * Reads the rest of a long file that is followed, and adds it to the conversation that has its first records; tells now and
   * then how far it is. Rejects where that cannot be written, with errors of the file system, and where it is cancelled.
   */
  fill(file: number, target: ReadTarget): Promise<ReportedSoFar & { readonly records: number }>;
  /** How a file is on the disk, as `stampOf` gives it; of a session in a database also whether it is as it was. */
  stamp(path: string, beside: readonly string[], before?: FileStamp): Promise<FileStamp | undefined>;
  /** Ends what is under way with a file, which is open no longer. */
  cancel(file: number): void;
  /** Gives up the records of a file. */
  close(file: number): void;
}

/** What the thread is started with. */
export interface ImportWork {
  /** One number, other than 0 once all is to be given up: a thread that is busy reading hears no calls. */
  readonly cancelled: Int32Array;
  /** See `openImport`. */
  readonly heldBytes: number | undefined;
}

/** What that thread asks of the one that started it. */
export interface ImportHostCalls {
  /** How much of a large file has been read, from 0 to 1. */
  progress(file: number, done: number): void;
  /** How much of a long file was added to its conversation. */
  filled(file: number, told: ReportedSoFar & { readonly records: number }): void;
}
