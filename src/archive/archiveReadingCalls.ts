import type { Cost } from '../core/cost.js';
import type { CatalogEntry } from '../core/ports/transcript.js';
import type { ArchiveSearchCalls } from '../search/searchCalls.js';
import type { CatalogRow } from '../store/catalog/catalogCache.js';
import type { ReadTarget } from '../store/transcriptStore.js';
import type { WriteOptions } from '../store/write/importSession.js';
import type { ArchiveLogin } from './cachedConnection.js';

/** A conversation of the archive as a list shows it. Plain data; all of its texts are others'. */
export interface ListedConversation {
  readonly id: string;
  readonly entry: CatalogEntry;
  readonly records: number;
  readonly source: string | undefined;
  readonly project: string | undefined;
  /** The models that answered in it, as far as the archive knows. */
  readonly models: readonly string[];
  /** What it cost, as far as was known when it was pushed; undefined where the archive does not know. */
  readonly cost: Cost | undefined;
}

/** Some of the conversations of an archive, and how many there are. */
export interface ArchivePage {
  readonly conversations: readonly ListedConversation[];
  readonly count: number;
}

/** What is told of a conversation that is opened for reading. */
export interface OpenedConversation {
  /** How many records it has, and how many of them are on its first page. */
  readonly length: number;
  readonly first: number;
  readonly title: string;
  readonly source: string | undefined;
  readonly project: string | undefined;
  /** The first time that one of its first records tells, in milliseconds since 1970; undefined where none does. */
  readonly begins: number | undefined;
}

/** What the thread that reads an archive is asked to do. A reading is named by a number that whoever begins it gives. */
export interface ArchiveReadingCalls extends ArchiveSearchCalls {
  /** So many conversations behind others, the newest first. Rejects with words for a person, and with the kind of the failure as the code. */
  page(login: ArchiveLogin, from: number, count: number): Promise<ArchivePage>;
  /** Opens a conversation and reads its first page; rejects like `page`. */
  open(reading: number, login: ArchiveLogin, id: string): Promise<OpenedConversation>;
  /** Writes that page as a new conversation; gives what `importConversation` gives. */
  write(
    reading: number,
    target: ReadTarget,
    options: Omit<WriteOptions, 'signal'>,
  ): Promise<CatalogRow | undefined>;
  /** Adds the rest to that conversation, page by page, and tells how far it is; rejects like `page`, and where it is closed. */
  fill(reading: number, target: ReadTarget): Promise<void>;
  /** Ends a reading. */
  close(reading: number): void;
}

/** What that thread asks of the one that started it. */
export interface ArchiveReadingHostCalls {
  /** How many records of a conversation have come. */
  filled(reading: number, records: number): void;
}
