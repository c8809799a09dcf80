import type { LocatedNote } from '../core/note.js';
import { withKnown, type SessionInfo } from '../query/language/sessionFacts.js';
import { QueriedTranscript, MAX_PATTERN_MS } from '../search/sessions/queriedTranscript.js';
import type { MarkedPrices } from '../search/columns/readSession.js';
import type { RawText } from '../search/bytes/rawText.js';
import type { SessionIdentities } from '../query/numbers/ownership.js';
import { ToldIdentities, type OpenSession, type Session } from '../search/sessions/session.js';
import type { ArchivedConversation, ArchiveReader } from './archiveReader.js';

/** A conversation of the archive that may be asked, by its facts as far as the archive has them. */
export class ArchivedSession implements Session {
  readonly place: Session['place'];
  readonly order: string;
  readonly #conversation: ArchivedConversation;
  readonly #reader: ArchiveReader;
  readonly #identities = new ToldIdentities();

  /** `root`: what its place is called. */
  constructor(root: string, conversation: ArchivedConversation, reader: ArchiveReader) {
    this.place = { kind: 'archive', root, conversation: conversation.id };
    this.order = String(Math.max(0, Math.floor(conversation.beganAt))).padStart(16, '0');
    this.#conversation = conversation;
    this.#reader = reader;
  }

  async known({ mark }: MarkedPrices, needsCosts: boolean): Promise<OpenSession | undefined> {
    const facts = await this.#reader.factsOf(this.#conversation);
    if (!facts || (needsCosts && facts.head.prices !== mark)) return undefined;
    return {
      // What rows cost is told as it was known when they were pushed: at other prices, all of each session would be read for it.
      facts,
      damaged: 0,
      hasOtherPrices: false,
      oddLines: facts.oddLines,
      about: (info) => facts.with(info),
      transcript: () => this.#reader.transcript(this.#conversation),
    };
  }

  async identities(): Promise<SessionIdentities | undefined> {
    return await this.knownIdentities();
  }

  /** What was pushed tells it; of what is still on its way here, it is not known whether others tell it. */
  async knownIdentities(): Promise<SessionIdentities | undefined> {
    if (this.#conversation.source === undefined) return undefined;
    const facts = await this.#reader.factsOf(this.#conversation);
    return facts && this.#identities.of(facts, this.place);
  }

  async mayHave(texts: readonly RawText[]): Promise<boolean> {
    return await this.#reader.mayHave(this.#conversation, texts);
  }

  /** Notes stay with the person who made them. */
  hasNotes(): Promise<boolean> {
    return Promise.resolve(false);
  }

  notes(): Promise<readonly LocatedNote[]> {
    return Promise.resolve([]);
  }

  async read({ prices }: MarkedPrices, signal: AbortSignal | undefined): Promise<OpenSession> {
    const { id, source, project, entry } = this.#conversation;
    const transcript = this.#reader.transcript(this.#conversation);
    const asked = new QueriedTranscript(() => transcript, MAX_PATTERN_MS, signal);
    const facts = await asked.facts({ session: id, source, project, title: entry.title }, prices);
    const about = (info: Partial<SessionInfo>) => ({ ...facts, info: withKnown(facts.info, info) });
    return { facts, about, damaged: 0, transcript: () => transcript };
  }
}
