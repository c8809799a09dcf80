import type { NearRecord, SearchQuestion, SearchUpdate, SessionPlace } from '../protocol/search.js';

/** A store whose conversations are asked. */
export interface SearchedStore {
  /** The absolute path of its folder. */
  readonly root: string;
  /** Whether nothing may be written there, not even a cache. */
  readonly readOnly: boolean;
}

/** What the thread that searches is asked to do. A search is named by a number that whoever begins it gives. */
export interface SearchCalls {
  /** `ownPrices` is the path of a file with own prices, '' for none. */
  begin(
    search: number,
    stores: readonly SearchedStore[],
    question: SearchQuestion,
    ownPrices: string,
  ): Promise<void>;
  /** Works on until there is something to tell; undefined behind the last update. */
  next(search: number): Promise<SearchUpdate | undefined>;
  /** The update that is waited for, or the next one, is the last. */
  cancel(search: number): void;
  /** To be called when no more is asked of a search. */
  end(search: number): void;
  near(place: SessionPlace, position: number, around: number): Promise<readonly NearRecord[]>;
}

/** What that thread asks of the one that started it. */
export interface SearchHostCalls {
  log(level: 'debug' | 'info' | 'warn' | 'error', message: string): void;
}
