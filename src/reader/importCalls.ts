import type { CatalogRow } from '../store/catalog/catalogCache.js';
import type { LogRecord } from '../core/record.js';
import type { GainOptions } from '../import/followFile.js';
import type { Gained, SaidSoFar } from '../import/followedFile.js';
import type { ImportedConversation, ImportResult } from '../import/importResult.js';
import type { Comparison, WriteOptions } from '../store/write/importSession.js';
import type { ReadTarget } from '../store/transcriptStore.js';

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
  /** Whether what it gains is asked for with `more`, and whether something of it waits already. */
  readonly followed?: Waiting;
}

/** What of a file that is followed waits because further lines may change it, as `FollowedFile` tells it. */
export interface Waiting {
  readonly isWaiting: boolean;
  readonly saidSoFar: readonly SaidSoFar[];
}

/** What a file that is followed has gained, as `FollowedFile` gives it. */
export interface GainedBeside extends Gained, Waiting {
  /** Whether what was read of it is no longer what it says: it must be read again. */
  readonly isVoid: boolean;
  readonly title: string;
  readonly problems: ImportResult['problems'];
  readonly readWith: readonly string[];
  /** How much of it was read so far, in bytes. */
  readonly bytes: number;
}

/** Which records are meant: the file, by the number that whoever asks gives it, and the conversation in it. */
export type RecordsOf = readonly [file: number, conversation: number];

/** What the thread that reads other tools' files is asked to do. Several files may be open at a time. */
export interface ImportCalls {
  /** Reads a file, which may be growing; rejects as `openImport` does. */
  read(file: number, path: string, isGrowing: boolean): Promise<ReadFile>;
  compare(records: RecordsOf, target: ReadTarget): Promise<Comparison>;
  /** Writes a new conversation; rejects as `importConversation` does, and where it is cancelled. */
  write(
    records: RecordsOf,
    target: ReadTarget,
    options: Omit<WriteOptions, 'signal'>,
  ): Promise<CatalogRow | undefined>;
  /** The next of the records behind the first `count`, numbered; none where all have been given. */
  behind(records: RecordsOf, count: number, conversation: string): readonly LogRecord[];
  /**
   * What a file that is followed has gained, as `gainedBy` gives it; the records that it had are asked for no more. Rejects
   * with errors of the file system, and where it was replaced.
   */
  more(file: number, options: GainOptions): Promise<GainedBeside>;
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
  log(level: 'debug' | 'info' | 'warn' | 'error', message: string): void;
}
