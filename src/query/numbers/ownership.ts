import type { ReadRecord } from '../../core/ports/transcript.js';
import { widenSpan, type TimeSpan } from './callTree.js';
import { RecordIdentities, type RecordIdentity, type SessionOrigin } from './recordIdentity.js';
import { knownTime, textOr } from './values.js';

export type { SessionOrigin };

/** By what the records of a session are known again, and what says whether they are its own; plain data. */
export interface SessionIdentities {
  readonly rows: ReadonlySet<number>;
  readonly requests: ReadonlySet<number>;
  /** In milliseconds since 1970; 0 where no time is known. */
  readonly startedAt: number;
  readonly records: number;
  readonly name: string;
}

/** Gathers by what the records of one session are known again; every record must be given, in order. */
export class IdentityGatherer {
  readonly #identities: RecordIdentities;
  readonly #rows = new Set<number>();
  readonly #requests = new Set<number>();
  readonly #span: TimeSpan = { startedAt: 0, endedAt: 0 };
  #records = 0;

  constructor(origin: SessionOrigin) {
    this.#identities = new RecordIdentities(origin);
  }

  add(record: ReadRecord): void {
    const { row, request } = this.#identities.of(record);
    if (row !== undefined) this.#rows.add(row);
    if (request !== undefined) this.#requests.add(request);
    widenSpan(this.#span, { type: textOr(record.type), time: knownTime(record.time) ?? 0 });
    this.#records++;
  }

  /** `name` decides between sessions of which nothing else does, such as two copies of one file. */
  finish(name: string): SessionIdentities {
    const { startedAt } = this.#span;
    return { rows: this.#rows, requests: this.#requests, startedAt, records: this.#records, name };
  }
}

/** What of a session other sessions own, of those that are counted together. */
export interface OwnedElsewhere {
  readonly rows: ReadonlySet<number>;
  readonly requests: ReadonlySet<number>;
}

/** Whether a record is its session's own, or what of it is told by the session that owns it. */
export function ownershipOf(
  { row, request }: RecordIdentity,
  { rows, requests }: OwnedElsewhere,
): 'own' | 'elsewhere' | 'unpaid' {
  const isPaidElsewhere = request !== undefined && requests.has(request);
  const isPaidHere = request !== undefined && !isPaidElsewhere;
  // Where another copy of what is said lacks the usage, it must not be lost with it.
  if (row !== undefined && rows.has(row) && !isPaidHere) return 'elsewhere';
  return isPaidElsewhere ? 'unpaid' : 'own';
}

/**
 * Which of some sessions owns what several of them tell: the one that began first, of these the shorter one, which the other
 * goes on from. So whatever their order each request and each row belongs to one, and where that one is gone, to the next.
 * Gives for each session what others own of it; undefined where that is nothing.
 */
export function ownedElsewhere(
  sessions: readonly (SessionIdentities | undefined)[],
): (OwnedElsewhere | undefined)[] {
  const order = sessions.flatMap((session, at) => (session ? [{ session, at }] : []));
  order.sort((a, b) => compareOwners(a.session, b.session));
  const [rows, requests] = [new Set<number>(), new Set<number>()];
  const found: (OwnedElsewhere | undefined)[] = sessions.map(() => undefined);
  for (const { session, at } of order) {
    const elsewhere = { rows: claim(session.rows, rows), requests: claim(session.requests, requests) };
    if (elsewhere.rows.size + elsewhere.requests.size > 0) found[at] = elsewhere;
  }
  return found;
}

/** Those of some identities that somebody has claimed before; the others are claimed now. */
function claim(own: ReadonlySet<number>, claimed: Set<number>): ReadonlySet<number> {
  const before = new Set<number>();
  for (const each of own) {
    if (claimed.has(each)) before.add(each);
    else claimed.add(each);
  }
  return before;
}

function compareOwners(a: SessionIdentities, b: SessionIdentities): number {
  const begun = (session: SessionIdentities) => (session.startedAt === 0 ? Infinity : session.startedAt);
  if (begun(a) !== begun(b)) return begun(a) - begun(b);
  if (a.records !== b.records) return a.records - b.records;
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}
