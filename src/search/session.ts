import type { SessionPlace } from '../protocol/search.js';
import type { Transcript } from '../ports/transcript.js';
import type { SessionFactsBuilder, SessionInfo } from '../query/language/sessionFacts.js';

/** A session that may be asked: where it is, and how it is opened. */
export interface Session {
  readonly place: SessionPlace;
  /** A text that sorts sessions by when they began, as far as that is known without reading them. */
  readonly order: string;
  /** Rejects with an error for a person where it cannot be read. */
  open(): Promise<OpenSession>;
}

/** A session that is open. */
export interface OpenSession {
  readonly transcript: Transcript;
  /** What is known of it besides its records, once these have been added. */
  info(records: SessionFactsBuilder): SessionInfo;
}

/** Where sessions come from: a store, later folders of other tools and opened files. */
export interface SessionSource {
  /** All sessions, in any order. Rejects with an error for a person. */
  sessions(): Promise<readonly Session[]>;
  /** Opens one of them. Rejects with an error for a person where it is not there or cannot be read. */
  open(place: SessionPlace): Promise<OpenSession>;
}
