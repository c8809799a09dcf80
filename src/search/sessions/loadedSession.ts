import type { LocatedNote } from '../../core/note.js';
import type { Transcript } from '../../core/ports/transcript.js';
import type { SessionLocation } from '../../page/protocol/search.js';
import { withKnown, type SessionInfo } from '../../query/language/sessionFacts.js';
import { QueriedTranscript, MAX_PATTERN_MS } from './queriedTranscript.js';
import type { MarkedPrices } from '../columns/readSession.js';
import type { OpenSession, Session } from './session.js';

/** A session whose records are at hand, such as one of a file: nothing of it is known before it is read. */
export class LoadedSession implements Session {
  readonly place: SessionLocation;
  readonly order: string;
  readonly #info: SessionInfo;
  readonly #transcript: Transcript;

  constructor(location: SessionLocation, info: SessionInfo, transcript: Transcript) {
    this.place = location;
    this.order = location.conversation;
    this.#info = info;
    this.#transcript = transcript;
  }

  known(): undefined {
    return undefined;
  }

  /** Its bytes are not looked through. */
  mayHave(): Promise<boolean> {
    return Promise.resolve(true);
  }

  /** Notes are kept beside the journals of a store. */
  hasNotes(): Promise<boolean> {
    return Promise.resolve(false);
  }

  notes(): Promise<readonly LocatedNote[]> {
    return Promise.resolve([]);
  }

  async read({ prices }: MarkedPrices, signal: AbortSignal | undefined): Promise<OpenSession> {
    const transcript = this.#transcript;
    const asked = new QueriedTranscript(() => transcript, MAX_PATTERN_MS, signal);
    const facts = await asked.facts(this.#info, prices);
    const about = (info: Partial<SessionInfo>) => ({ ...facts, info: withKnown(facts.info, info) });
    return { facts, about, damaged: transcript.damaged.length, transcript: () => transcript };
  }
}
