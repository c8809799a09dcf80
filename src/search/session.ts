import type { SessionPlace } from '../protocol/search.js';
import type { Transcript } from '../ports/transcript.js';
import type { SessionFacts } from '../query/language/sessionFacts.js';
import type { MarkedPrices } from './columns/readSession.js';
import type { RawText } from './rawText.js';

/** A session that may be asked: where it is, and what is known of it. */
export interface Session {
  readonly place: SessionPlace;
  /** A text that sorts sessions by when they began, as far as that is known without reading them. */
  readonly order: string;
  /**
   * What is known of it now, without reading its journal; undefined where that must be read. `needsCosts`: whether its
   * costs must be of these prices. Rejects with an error for a person where the session cannot be read.
   */
  known(prices: MarkedPrices, needsCosts: boolean): Promise<OpenSession | undefined>;
  /** Whether one of some texts may stand in it, by the bytes of its journal, which is faster than reading it. */
  mayHave(texts: readonly RawText[]): Promise<boolean>;
  /** Reads its journal. Rejects like `known`, and where the signal is aborted. */
  read(prices: MarkedPrices, signal: AbortSignal | undefined): Promise<OpenSession>;
}

/** A session that is open. */
export interface OpenSession {
  readonly facts: SessionFacts;
  /** How many places of it are damaged. */
  readonly damaged: number;
  /** Its records; closing it is up to nobody. */
  transcript(): Transcript;
}

/** Where sessions come from: a store, later folders of other tools and opened files. */
export interface SessionSource {
  /** All sessions, in any order. Rejects with an error for a person. */
  sessions(): Promise<readonly Session[]>;
  /** The records of one of them. Rejects with an error for a person where it is not there or cannot be read. */
  transcript(place: SessionPlace): Promise<Transcript>;
}
