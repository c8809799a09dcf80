import type { CatalogEntry, Transcript } from '../../core/ports/transcript.js';
import type { SessionInfo } from '../../query/language/sessionFacts.js';
import type { SessionOrigin } from '../../query/numbers/ownership.js';
import type { Session } from '../../search/sessions/session.js';

/** A session of a source that a person named: what is known of it, and the ways to ask and read it. */
export interface NamedSession {
  /** The id by which it is found in its source. */
  readonly id: string;
  /** Where it is: the path of a file as it was named, or of a store's folder. */
  readonly where: string;
  readonly kind: 'file' | 'stored';
  /** How many other sessions its source holds. */
  readonly others: number;
  /** Present where another tool recorded it, so that other files or sessions may tell the same. */
  readonly origin?: SessionOrigin;
  /** Of several that are counted together: the ids of those that tell a record of this one as well; of a copy of it, its place. */
  readonly alsoIn?: (position: number) => readonly string[];
  /** For questions. */
  readonly session: Session;
  /** What was worked out of it once, and is kept for the next program; left out where nothing is. */
  readonly parts?: SessionParts;
  /** Is another when the session is another. */
  stamp(): Promise<string>;
  /** What is listed of it. Rejects with an error for a person where it cannot be read. */
  entry(): Promise<CatalogEntry>;
  /** Its title, the tool that recorded it and its project. */
  info(): Promise<SessionInfo & { readonly title: string }>;
  /** Its records; whoever opens it closes it. Rejects with an error for a person. */
  open(): Promise<Transcript>;
  /** The records of another conversation of its store, as of one that it goes on from. Rejects where it is not there. */
  readonly openOther?: (conversation: string) => Promise<Transcript>;
}

/** What is worked out of a session once: each under a name, for as long as the session is as it was. Neither method rejects. */
export interface SessionParts {
  load(name: string): Promise<Buffer | undefined>;
  save(name: string, part: Buffer): Promise<void>;
}

/** Something about a source that a person must know. */
export interface SourceProblem {
  /** The source as it was named. */
  readonly source: string;
  readonly message: string;
  /** Whether something of it could not be read. */
  readonly isLoss: boolean;
}
