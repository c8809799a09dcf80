import type { Translations } from '../core/l10n.js';
import type { SessionIdentities } from '../query/numbers/ownership.js';
import type { ArgumentValues } from './argumentValues.js';
import type { SearchedFile } from './files/fileSession.js';
import type { FindJournals } from './sessions/journalFinder.js';
import type { RemoteStep } from './shards.js';
import type { NearRecord, SearchQuestion, SearchUpdate, SessionLocation } from '../page/protocol/search.js';

/** A store whose conversations are asked. */
export interface SearchedStore {
  /** The absolute path of its folder. */
  readonly root: string;
  /** Whether nothing may be written there, not even a cache. */
  readonly readOnly: boolean;
}

/** The archive of a team that is asked. */
export interface SearchedArchive {
  /** What its places are called. */
  readonly root: string;
  readonly address: string;
  /** Undefined for none. */
  readonly password: string | undefined;
}

/** What is asked besides a question. */
export interface Searched {
  readonly stores: readonly SearchedStore[];
  /** Files of other tools, which are read where they are; nothing is written beside them. */
  readonly files: readonly SearchedFile[];
  /** The path of a file with own prices, '' for none. */
  readonly ownPrices: string;
  /** The archive that is asked; why it cannot be, for a person; or undefined where nobody wants it. */
  readonly archive?: SearchedArchive | { readonly problem: string } | undefined;
}

/** A question that is asked of one session. */
export type SessionQuery = Pick<SearchQuestion, 'text' | 'rows' | 'now' | 'timeZone'>;

/** What a question finds in one session. */
export interface RecordMatches {
  /** How many rows of the kind that was asked for. */
  readonly rows: number;
  /** The positions of the records that these are, or that belong to them; ascending. */
  readonly positions: Uint32Array;
}

/** What a thread that searches is started with. */
export interface SearchThreadData {
  readonly translations: Translations | undefined;
  /** The address of its own script, for further threads. */
  readonly script: string;
  /** How many threads there may be together. */
  readonly threads: number;
  /** The folder in which what is known of files of other tools is kept; '' for none. */
  readonly keptFiles: string;
  /** The file of what a person keeps about sessions of tools; '' for none. */
  readonly keptSessions: string;
  /** The path of ripgrep; '' for none. */
  readonly ripgrep: string;
  /** Whether it searches a share for another such thread. */
  readonly isShard: boolean;
  /** The address of the script of the thread that asks an archive; '' where none is asked. */
  readonly archiveScript: string;
}

/** One of so many shares of the sessions, from 0. */
export interface ShardOf {
  readonly shard: number;
  readonly of: number;
  /** The keys of sessions that are looked at elsewhere. */
  readonly except?: readonly string[];
}

/** What the thread that searches is asked to do. A search is named by a number that whoever begins it gives. */
export interface SearchCalls {
  begin(search: number, question: SearchQuestion, searched: Searched): Promise<void>;
  /** The records of one session that a question finds; ended by `cancel`. Rejects with an error for a person. */
  recordsIn(
    search: number,
    location: SessionLocation,
    question: SessionQuery,
    searched: Searched,
  ): Promise<RecordMatches>;
  /** Works on until there is something to tell; undefined behind the last update. */
  next(search: number): Promise<SearchUpdate | undefined>;
  /** The update that is waited for, or the next one, is the last. */
  cancel(search: number): void;
  /** To be called when no more is asked of a search. */
  end(search: number): void;
  /** Begins to put a question to a share of the sessions, for the thread that merges the shares. */
  beginShard(search: number, question: SearchQuestion, searched: Searched, shard: ShardOf): Promise<void>;
  /** Works on until there is something of the share to tell. Not to be called behind the last step. */
  nextShard(search: number): Promise<RemoteStep>;
  /** Reads the sessions of a share of which nothing is known yet; resolves when it has, or was stopped. */
  readAhead(searched: Searched, shard: ShardOf): Promise<void>;
  stopReading(): void;
  /** See `argumentValues`. */
  argumentValues(searched: Searched): Promise<ArgumentValues>;
  /** `archive`: the one that the place is in, where it is in one. */
  near(
    location: SessionLocation,
    position: number,
    around: number,
    archive: Searched['archive'],
  ): Promise<readonly NearRecord[]>;
}

/** A question to an archive. */
export interface ArchiveQuery {
  readonly archive: SearchedArchive;
  /** The ids of conversations that are asked elsewhere, and are left out. */
  readonly known: readonly string[];
  /** What the sessions of this machine tell, which is not the archive's own. */
  readonly told: SessionIdentities;
  readonly ownPrices: string;
}

/** What the thread that asks an archive is asked to do, as a share of a search; see `SearchCalls`. */
export interface ArchiveSearchCalls extends Pick<SearchCalls, 'cancel' | 'end'> {
  beginArchive(search: number, question: SearchQuestion, asked: ArchiveQuery): Promise<void>;
  nextArchive(search: number): Promise<RemoteStep>;
  nearArchived(
    archive: SearchedArchive,
    location: SessionLocation,
    position: number,
    around: number,
  ): Promise<readonly NearRecord[]>;
}

/** What a thread that searches a share asks of the one that started it. */
export interface ShardHostCalls {
  /** See `FindJournals`: what is found for one share is found for all. */
  findJournals: FindJournals;
}
