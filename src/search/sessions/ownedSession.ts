import type { Verdicts } from '../../query/numbers/ownership.js';
import { withKnown, type SessionInfo } from '../../query/language/sessionFacts.js';
import type { Transcript } from '../../core/ports/transcript.js';
import type { MarkedPrices } from '../columns/readSession.js';
import { OwnedTranscript } from './ownedTranscript.js';
import { MAX_PATTERN_MS, QueriedTranscript } from './queriedTranscript.js';
import type { OpenSession, Session } from './session.js';

/** What a session is read from. */
export interface ReadFrom {
  readonly transcript: Transcript;
  readonly info: SessionInfo;
  /** How many places of it are damaged. */
  readonly damaged: number;
}

/**
 * A session without what others own of it, see `ownedElsewhere`. What is kept of it is of all that it tells, so that it is read
 * for the first question.
 */
export class OwnedSession implements Session {
  readonly #session: Session;
  readonly #verdicts: Verdicts;
  readonly #from: (prices: MarkedPrices, signal: AbortSignal | undefined) => Promise<ReadFrom>;
  #read: { readonly mark: string; readonly opened: OpenSession } | undefined;

  /** `from`: reads it in another way than the session does. */
  constructor(session: Session, verdicts: Verdicts, from?: () => Promise<ReadFrom>) {
    this.#session = session;
    this.#verdicts = verdicts;
    this.#from = from ?? ((...given) => this.#readWhole(...given));
  }

  get place(): Session['place'] {
    return this.#session.place;
  }

  get order(): string {
    return this.#session.order;
  }

  known({ mark }: MarkedPrices): OpenSession | undefined {
    return this.#read?.mark === mark ? this.#read.opened : undefined;
  }

  /** With those of what others own: of a text that it rules out there is none among its own. */
  knownTexts(): ReturnType<NonNullable<Session['knownTexts']>> {
    return this.#session.knownTexts?.() ?? Promise.resolve(undefined);
  }

  mayHave(texts: Parameters<Session['mayHave']>[0]): Promise<boolean> {
    return this.#session.mayHave(texts);
  }

  hasNotes(): Promise<boolean> {
    return this.#session.hasNotes();
  }

  notes(transcript: Transcript): ReturnType<Session['notes']> {
    return this.#session.notes(transcript);
  }

  async read(prices: MarkedPrices, signal: AbortSignal | undefined): Promise<OpenSession> {
    const { transcript: whole, info, damaged } = await this.#from(prices, signal);
    const transcript = await OwnedTranscript.open(whole, this.#verdicts);
    const asked = new QueriedTranscript(() => transcript, MAX_PATTERN_MS, signal);
    const facts = await asked.facts(info, prices.prices);
    const about = (more: Partial<SessionInfo>) => ({ ...facts, info: withKnown(facts.info, more) });
    const opened: OpenSession = { facts, about, damaged, transcript: () => transcript };
    this.#read = { mark: prices.mark, opened };
    return opened;
  }

  async #readWhole(prices: MarkedPrices, signal: AbortSignal | undefined): Promise<ReadFrom> {
    const opened = (await this.#session.known(prices, false)) ?? (await this.#session.read(prices, signal));
    return { transcript: opened.transcript(), info: opened.facts.info, damaged: opened.damaged };
  }
}
