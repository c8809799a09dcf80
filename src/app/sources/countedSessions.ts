import { BoundedMap } from '../../core/boundedMap.js';
import {
  IdentityGatherer,
  ownedElsewhere,
  type OwnedElsewhere,
  type SessionIdentities,
  type SessionOrigin,
} from '../../query/numbers/ownership.js';
import { LoadedSession } from '../../search/sessions/loadedSession.js';
import type { Session } from '../../search/sessions/session.js';
import type { NamedSession } from '../stores/namedSessions.js';
import { OwnedTranscript } from './ownedTranscript.js';

/** How many records are read at once. */
const PAGE = 500;

/** Of how many sessions it is remembered by what their records are known again. */
const MAX_REMEMBERED = 2_000;

/** What of some sessions others of them own: which session of a place and an id it is, by the order in which they come. */
export class Owners {
  readonly #elsewhere = new Map<string, (OwnedElsewhere | undefined)[]>();

  constructor(sessions: readonly GatheredSession[]) {
    const found = ownedElsewhere(sessions.map(({ identities }) => identities));
    for (const [at, { key }] of sessions.entries()) {
      const known = this.#elsewhere.get(key) ?? [];
      known.push(found[at]);
      this.#elsewhere.set(key, known);
    }
  }

  /** A session as it counts among the others; asked of each once, in the order in which they were gathered. */
  counted(session: NamedSession): NamedSession {
    const elsewhere = this.#elsewhere.get(keyOf(session))?.shift();
    return elsewhere && session.origin ? countedSession(session, session.origin, elsewhere) : session;
  }
}

interface GatheredSession {
  readonly key: string;
  readonly identities: SessionIdentities | undefined;
}

/** Gathers by what the records of sessions are known again; of one that is as it was, once. */
export class Gathering {
  readonly #known = new BoundedMap<string, SessionIdentities>(MAX_REMEMBERED);

  async ownersOf(sessions: AsyncIterable<NamedSession>, signal: AbortSignal): Promise<Owners> {
    const gathered: GatheredSession[] = [];
    for await (const session of sessions)
      gathered.push({ key: keyOf(session), identities: await this.#identities(session, signal) });
    return new Owners(gathered);
  }

  /** Undefined for a session that was recorded here, which nobody else tells, and for one that cannot be read. */
  async #identities(session: NamedSession, signal: AbortSignal): Promise<SessionIdentities | undefined> {
    if (!session.origin) return undefined;
    const key = `${keyOf(session)}\n${await session.stamp()}`;
    const known = this.#known.get(key);
    if (known) return known;
    const gatherer = new IdentityGatherer(session.origin);
    const transcript = await session.open();
    try {
      for (let from = 0; from < transcript.length; from += PAGE) {
        signal.throwIfAborted();
        for (const record of await transcript.read(from, from + PAGE)) gatherer.add(record);
      }
    } finally {
      await transcript.close();
    }
    const identities = gatherer.finish(keyOf(session));
    this.#known.set(key, identities);
    return identities;
  }
}

function keyOf({ where, id }: NamedSession): string {
  return `${where}\n${id}`;
}

/** A session without what others own of it. */
function countedSession(
  session: NamedSession,
  origin: SessionOrigin,
  elsewhere: OwnedElsewhere,
): NamedSession {
  const open = async () => OwnedTranscript.open(await session.open(), origin, elsewhere);
  return {
    ...session,
    open,
    stamp: async () => `${await session.stamp()} ${markOf(elsewhere)}`,
    session: new CountedSession(session, open),
  };
}

/** A number that is another one where others own something else. */
function markOf({ rows, requests }: OwnedElsewhere): number {
  let sum = rows.size;
  for (const each of [...rows, ...requests]) sum = (sum + each) % Number.MAX_SAFE_INTEGER;
  return sum;
}

/** For questions: nothing of it is known before it is read, because what is kept of it is of all that it tells. */
class CountedSession implements Session {
  readonly #session: NamedSession;
  readonly #open: () => Promise<OwnedTranscript>;

  constructor(session: NamedSession, open: () => Promise<OwnedTranscript>) {
    this.#session = session;
    this.#open = open;
  }

  get place(): Session['place'] {
    return this.#session.session.place;
  }

  get order(): string {
    return this.#session.session.order;
  }

  known(): undefined {
    return undefined;
  }

  mayHave(texts: Parameters<Session['mayHave']>[0]): Promise<boolean> {
    return this.#session.session.mayHave(texts);
  }

  hasNotes(): Promise<boolean> {
    return this.#session.session.hasNotes();
  }

  notes(transcript: Parameters<Session['notes']>[0]): ReturnType<Session['notes']> {
    return this.#session.session.notes(transcript);
  }

  async read(...[prices, signal]: Parameters<Session['read']>): ReturnType<Session['read']> {
    const loaded = new LoadedSession(this.place, await this.#session.info(), await this.#open());
    return await loaded.read(prices, signal);
  }
}
