import type { ReadRecord } from '../../core/ports/transcript.js';
import { widenSpan, type TimeSpan } from './callTree.js';
import { PackedNumbers } from './packedNumbers.js';
import { RecordIdentities, type SessionOrigin } from './recordIdentity.js';
import { knownTime, textOr } from './values.js';

export type { SessionOrigin };

/** By what the records of a session are known again: a number for each record, 0 where nothing makes it unmistakable. */
export interface IdentityColumns {
  readonly rows: ArrayLike<number>;
  readonly requests: ArrayLike<number>;
}

/** The same, with what says whether they are the session's own; plain data. */
export interface SessionIdentities extends IdentityColumns {
  /** In milliseconds since 1970; 0 where no time is known. */
  readonly startedAt: number;
  readonly records: number;
  readonly name: string;
}

/** Gathers by what the records of one session are known again; every record must be given, in order. */
export class IdentityGatherer {
  readonly #identities: RecordIdentities;
  readonly #rows = new PackedNumbers();
  readonly #requests = new PackedNumbers();
  readonly #span: TimeSpan = { startedAt: 0, endedAt: 0 };

  constructor(origin: SessionOrigin) {
    this.#identities = new RecordIdentities(origin);
  }

  add(record: ReadRecord): void {
    const { row, request } = this.#identities.of(record);
    this.#rows.push(row ?? 0);
    this.#requests.push(request ?? 0);
    widenSpan(this.#span, { type: textOr(record.type), time: knownTime(record.time) ?? 0 });
  }

  columns(): IdentityColumns {
    return { rows: numbersOf(this.#rows), requests: numbersOf(this.#requests) };
  }

  /** `name` decides between sessions of which nothing else does, such as two copies of one file. */
  finish(name: string): SessionIdentities {
    const { startedAt } = this.#span;
    return { ...this.columns(), startedAt, records: this.#rows.length, name };
  }
}

function numbersOf(packed: PackedNumbers): Float64Array {
  return Float64Array.from({ length: packed.length }, (_, at) => packed.at(at));
}

/** What is said of a record of a session that is counted with others. */
export const VERDICTS = ['own', 'elsewhere', 'unpaid'] as const;
/** See `VERDICTS`. */
export type Verdict = (typeof VERDICTS)[number];

/** What is said of each record of a session, by its index in `VERDICTS`. */
export type Verdicts = Uint8Array;

/** Whether a record is its session's own, or what of it is told by the session that owns it. */
function verdictOf(told: {
  readonly isRowTold: boolean;
  readonly isRequestTold: boolean;
  readonly isPaidHere: boolean;
}): Verdict {
  // Where another copy of what is said lacks the usage, it must not be lost with it.
  if (told.isRowTold && !told.isPaidHere) return 'elsewhere';
  return told.isRequestTold ? 'unpaid' : 'own';
}

/**
 * Which of some sessions owns what several of them tell: the one that began first, of these the shorter one, which the other
 * goes on from. So whatever their order each request and each row belongs to one, and where that one is gone, to the next.
 * Gives for each session what is said of its records; undefined where all are its own.
 */
export function ownedElsewhere(
  sessions: readonly (SessionIdentities | undefined)[],
): (Verdicts | undefined)[] {
  const order = sessions.flatMap((session, at) => (session ? [{ session, at }] : []));
  order.sort((a, b) => compareOwners(a.session, b.session));
  const found: (Verdicts | undefined)[] = sessions.map(() => undefined);
  if (order.length < 2) return found;
  const inOrder = order.map(({ session }) => session);
  const rows = new Claims(inOrder.map((session) => session.rows));
  const requests = new Claims(inOrder.map((session) => session.requests));
  for (const [owner, { session, at }] of order.entries()) {
    let verdicts: Verdicts | undefined;
    const { rows: rowsOf, requests: requestsOf, records } = session;
    for (let record = 0; record < records; record++) {
      const row = rowsOf[record] ?? 0;
      const request = requestsOf[record] ?? 0;
      const isRowTold = row !== 0 && rows.isOfAnother(row, owner);
      const isRequestTold = request !== 0 && requests.isOfAnother(request, owner);
      // Nearly always, so that nothing is made of a record.
      if (!isRowTold && !isRequestTold) continue;
      const isPaidHere = request !== 0 && !isRequestTold;
      const verdict = VERDICTS.indexOf(verdictOf({ isRowTold, isRequestTold, isPaidHere }));
      if (verdict > 0) (verdicts ??= new Uint8Array(records))[record] = verdict;
    }
    found[at] = verdicts;
  }
  return found;
}

/** One of several places where a row stands: the index of a session, and the position in it. */
export interface Teller {
  readonly session: number;
  readonly position: number;
}

/** Which sessions tell rows that another one owns: by what a row is known again, where it stands in each of them first. */
export function tellersOf(
  sessions: readonly (SessionIdentities | undefined)[],
  found: readonly (Verdicts | undefined)[],
): ReadonlyMap<number, readonly Teller[]> {
  const tellers = new Map<number, Teller[]>();
  for (const [at, verdicts] of found.entries())
    verdicts?.forEach((verdict, position) => {
      const identity = sessions[at]?.rows[position] ?? 0;
      if (VERDICTS[verdict] !== 'elsewhere' || identity === 0) return;
      const known = tellers.get(identity);
      if (!known) tellers.set(identity, [{ session: at, position }]);
      else if (known.at(-1)?.session !== at) known.push({ session: at, position });
    });
  return tellers;
}

/** For so many identities there is a place in which it is noted that several sessions may have them. */
const PLACES = 2 ** 20;

/** Whose an identity is. Most are of one session alone, and these need no room of their own. */
class Claims {
  /** For each place one more than the number of the session that was there last; -1 where several were. */
  readonly #last: Int32Array;
  readonly #owners = new Map<number, number>();

  constructor(columns: readonly ArrayLike<number>[]) {
    const all = columns.reduce((sum, { length }) => sum + length, 0);
    this.#last = new Int32Array(Math.max(PLACES, 2 ** Math.ceil(Math.log2(all + 1) + 2)));
    for (const [session, identities] of columns.entries())
      for (let at = 0; at < identities.length; at++) {
        const identity = identities[at] ?? 0;
        if (identity === 0) continue;
        const place = this.#placeOf(identity);
        const last = this.#last[place] ?? 0;
        if (last === 0) this.#last[place] = session + 1;
        else if (last !== session + 1) this.#last[place] = -1;
      }
  }

  /** Whether a session before this one has an identity; else it is this one's from now on. To be asked in their order. */
  isOfAnother(identity: number, session: number): boolean {
    if (this.#last[this.#placeOf(identity)] !== -1) return false;
    const owner = this.#owners.get(identity);
    if (owner === undefined) this.#owners.set(identity, session);
    return owner !== undefined && owner !== session;
  }

  #placeOf(identity: number): number {
    // There are a power of two of them.
    return (identity >>> 0) & (this.#last.length - 1);
  }
}

function compareOwners(a: SessionIdentities, b: SessionIdentities): number {
  const begun = (session: SessionIdentities) => (session.startedAt === 0 ? Infinity : session.startedAt);
  if (begun(a) !== begun(b)) return begun(a) - begun(b);
  if (a.records !== b.records) return a.records - b.records;
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}
