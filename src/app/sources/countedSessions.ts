import { createHash } from 'node:crypto';
import { BoundedMap } from '../../core/boundedMap.js';
import {
  IdentityGatherer,
  ownedElsewhere,
  tellersOf,
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
  readonly #elsewhere = new Map<string, { readonly at: number; readonly verdicts: Verdicts | undefined }[]>();
  readonly #sessions: readonly GatheredSession[];
  readonly #tellers: ReturnType<typeof tellersOf>;

  constructor(sessions: readonly GatheredSession[]) {
    const identities = sessions.map((session) => session.identities);
    const found = ownedElsewhere(identities);
    this.#sessions = sessions;
    this.#tellers = tellersOf(identities, found);
    for (const [at, { key }] of sessions.entries()) {
      const known = this.#elsewhere.get(key) ?? [];
      known.push({ at, verdicts: found[at] });
      this.#elsewhere.set(key, known);
    }
  }

  /** A session as it counts among the others; asked of each once, in the order in which they were gathered. */
  counted(session: NamedSession): NamedSession {
    const { at, verdicts } = this.#elsewhere.get(keyOf(session))?.shift() ?? {};
    const own = verdicts ? countedSession(session, verdicts) : session;
    if (at === undefined || this.#tellers.size === 0) return own;
    return { ...own, alsoIn: (position) => this.#alsoIn(at, position) };
  }

  /** The ids of the other sessions that tell a row; of a copy of the same id, where that is. */
  #alsoIn(at: number, position: number): readonly string[] {
    const tellers = this.#tellers.get(this.#sessions[at]?.identities?.rows[position] ?? 0) ?? [];
    const own = this.#sessions[at]?.id;
    const others = tellers.flatMap(({ session }) => (session === at ? [] : (this.#sessions[session] ?? [])));
    return [...new Set(others.map(({ id, where }) => (id === own ? where : id)))];
  }
}

interface GatheredSession {
  readonly id: string;
  readonly where: string;
  readonly key: string;
  readonly identities: SessionIdentities | undefined;
}

/** Gathers by what the records of sessions are known again; of one that is as it was, once. */
export class Gathering {
  readonly #known = new BoundedMap<string, SessionIdentities>(MAX_REMEMBERED);

  async ownersOf(sessions: AsyncIterable<NamedSession>, signal: AbortSignal): Promise<Owners> {
    const gathered: GatheredSession[] = [];
    for await (const session of sessions)
      gathered.push({
        id: session.id,
        where: session.where,
        key: keyOf(session),
        identities: await this.#identities(session, signal),
      });
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
    const identities = gatherer.finish(keyOf(session));
    await session.session.keepIdentities?.(identities);
    return identities;
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
  const { parts } = session;
  const mark = createHash('sha256').update(verdicts).digest('hex');
  return {
    ...session,
    open: async () => OwnedTranscript.open(await session.open(), verdicts),
    stamp: async () => `${await session.stamp()} ${mark}`,
    session: new OwnedSession(session.session, verdicts, whole),
    ...(parts && {
      parts: {
        load: (name) => parts.load(`${name} ${mark}`),
        save: (name, part) => parts.save(`${name} ${mark}`, part),
      },
    }),
  };
}
