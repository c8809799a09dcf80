import { BoundedMap } from '../../core/boundedMap.js';
import {
  IdentityGatherer,
  ownedElsewhere,
  type SessionIdentities,
  type SessionOrigin,
  type Verdicts,
} from '../../query/numbers/ownership.js';
import { OwnedSession } from '../../search/sessions/ownedSession.js';
import { OwnedTranscript } from '../../search/sessions/ownedTranscript.js';
import type { NamedSession } from '../stores/namedSessions.js';

/** How many records are read at once. */
const PAGE = 500;

/** Of how many sessions it is remembered by what their records are known again. */
const MAX_REMEMBERED = 2_000;

/** What of some sessions others of them own: which session of a place and an id it is, by the order in which they come. */
export class Owners {
  readonly #elsewhere = new Map<string, (Verdicts | undefined)[]>();

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
    const verdicts = this.#elsewhere.get(keyOf(session))?.shift();
    return verdicts ? countedSession(session, verdicts) : session;
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
    const identities = (await this.#keptOf(session)) ?? (await this.#read(session, session.origin, signal));
    this.#known.set(key, identities);
    return identities;
  }

  /** As it was read before, where that is kept beside its journal. */
  async #keptOf(session: NamedSession): Promise<SessionIdentities | undefined> {
    const kept = await session.session.knownIdentities?.();
    return kept && { ...kept, name: keyOf(session) };
  }

  async #read(session: NamedSession, origin: SessionOrigin, signal: AbortSignal): Promise<SessionIdentities> {
    const gatherer = new IdentityGatherer(origin);
    const transcript = await session.open();
    try {
      for (let from = 0; from < transcript.length; from += PAGE) {
        signal.throwIfAborted();
        for (const record of await transcript.read(from, from + PAGE)) gatherer.add(record);
      }
    } finally {
      await transcript.close();
    }
    return gatherer.finish(keyOf(session));
  }
}

function keyOf({ where, id }: NamedSession): string {
  return `${where}\n${id}`;
}

/** A session without what others own of it. */
function countedSession(session: NamedSession, verdicts: Verdicts): NamedSession {
  const whole = async () => {
    const transcript = await session.open();
    return { transcript, info: await session.info(), damaged: transcript.damaged.length };
  };
  return {
    ...session,
    open: async () => OwnedTranscript.open(await session.open(), verdicts),
    stamp: async () => `${await session.stamp()} ${markOf(verdicts)}`,
    session: new OwnedSession(session.session, verdicts, whole),
  };
}

/** A number that is another one where others own something else. */
function markOf(verdicts: Verdicts): number {
  let sum = verdicts.length;
  for (const verdict of verdicts) sum = (Math.imul(sum, 31) + verdict) | 0;
  return sum;
}
