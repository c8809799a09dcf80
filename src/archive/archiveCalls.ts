import type { SharingPolicy } from '../export/sharing/sharingPolicy.js';
import type { CatalogEntry } from '../core/ports/transcript.js';
import type { ArchiveMode } from './archiveMode.js';
import type { ReportedFacts } from './conversationFold.js';
import type { Pushed } from './pushOne.js';

/** A stored conversation that is to be pushed. */
export interface StoredToPush {
  /** The folder of its store, and its id there. */
  readonly root: string;
  readonly id: string;
  readonly about: ReportedFacts;
  /** See `ToPush`. */
  readonly records?: number | undefined;
}

/** The number of records that a catalog tells of a conversation, see `ToPush`. */
export function knownRecords({
  records,
  damaged,
}: Pick<CatalogEntry, 'records' | 'damaged'>): number | undefined {
  // What is damaged may count for a record, or not.
  return damaged === 0 ? records : undefined;
}

/** A conversation as the catalog of its store lists it. */
export function toPush(root: string, entry: CatalogEntry): StoredToPush {
  const { conversation: id, title, source, project, origin } = entry;
  const about = { title, source, project, session: origin?.session };
  return { root, id, about, records: knownRecords(entry) };
}

/** Where a conversation is, as a text: two stores may have one of the same id. */
export function locationOf({ root, id }: Pick<StoredToPush, 'root' | 'id'>): string {
  return JSON.stringify([root, id]);
}

/** Where to something is pushed, and how; plain data. */
export interface PushTarget {
  readonly address: string;
  /** Undefined for none. */
  readonly password: string | undefined;
  readonly mode: ArchiveMode;
  readonly policy: SharingPolicy;
  /** The absolute path of the file with own prices; '' for none. */
  readonly ownPrices: string;
}

/** What is pushed; plain data. */
export interface PushRequest extends PushTarget {
  readonly conversations: readonly StoredToPush[];
}

/** What came of one conversation; two stores may have one of the same id. */
export interface PushAnswer extends Pushed, Pick<StoredToPush, 'root' | 'id'> {}

/** What a thread that pushes answers. */
export interface ArchiveCalls {
  /**
   * Pushes conversations, some at a time, and tells what came of each. Rejects with words for a person where the archive
   * itself fails, and with its kind as the code, see `ArchiveFailure`; what was pushed until then stays.
   */
  push(request: PushRequest): Promise<void>;
  /** Breaks off what is being pushed. */
  stop(): void;
}

/** What such a thread tells. */
export interface ArchiveHostCalls {
  /** What came of one of the conversations. */
  answered(answer: PushAnswer): void;
}
