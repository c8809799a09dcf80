import { BoundedMap } from '../core/boundedMap.js';
import type { SearchGroup, SearchHit, ToldElsewhere } from '../page/protocol/search.js';
import type { RowKind } from '../query/language/syntax.js';
import {
  ownedElsewhere,
  tellersOf,
  type SessionIdentities,
  type Teller,
  type Verdicts,
} from '../query/numbers/ownership.js';
import type { MarkedPrices } from './columns/readSession.js';
import { OwnedSession } from './sessions/ownedSession.js';
import { keyOf, type Session } from './sessions/session.js';

/** So many sessions that share something with others are remembered as they were read. */
const MAX_REMEMBERED = 200;

/** In so many places at the most it is told that a row stands. */
const MAX_OTHERS = 20;

/** Whether a row is a record or a call, of which it may be told where else it stands; larger ones are told by their session alone. */
export function isOfOneRecord(rows: RowKind): boolean {
  return rows === 'messages' || rows === 'records' || rows === 'toolCalls';
}

/** Which of the sessions of a thread owns what several of them tell; only what has changed is worked out anew. */
export class OwnerIndex {
  #last: readonly (SessionIdentities | undefined)[] = [];
  #sessions: readonly Session[] = [];
  #verdicts = new Map<string, Verdicts>();
  #tellers: ReadonlyMap<number, readonly Teller[]> = new Map();
  /** Where each session stands among them, by its key; of none where no row is told twice. */
  #indexes: ReadonlyMap<string, number> = new Map();
  #remembered = new BoundedMap<string, OwnedSession>(MAX_REMEMBERED);
  readonly #before: SessionIdentities | undefined;

  /** `before`: what sessions elsewhere tell, which is theirs. */
  constructor(before?: SessionIdentities) {
    this.#before = before;
  }

  /**
   * The sessions of a place that tell what others own, as they count among all; by their keys. Those of which it is not known
   * yet by what their records are known again are read for that.
   */
  async among(
    sessions: readonly Session[],
    prices: MarkedPrices,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, OwnedSession>> {
    const all = new Map(sessions.map((session) => [session, keyOf(session.place)]));
    const found: (SessionIdentities | undefined)[] = [];
    for (const session of all.keys()) {
      if (signal.aborted) return new Map();
      // Whoever asks it is told why it cannot be read.
      found.push(await session.identities?.(prices, signal).catch(() => undefined));
      // What a file holds besides is known once it was read.
      if (session.next) all.set(session.next, keyOf(session.next.place));
    }
    this.#sessions = [...all.keys()];
    this.#judge([...all.values()], found);
    const owned = new Map<string, OwnedSession>();
    for (const [session, key] of all) {
      const verdicts = this.#verdicts.get(key);
      if (!verdicts) continue;
      const known = this.#remembered.get(key) ?? new OwnedSession(session, verdicts);
      this.#remembered.set(key, known);
      owned.set(key, known);
    }
    return owned;
  }

  /** All by which records of the sessions that were judged last are known again, as those of one session. */
  get told(): SessionIdentities {
    const sessions = this.#last.filter((session) => session !== undefined);
    const lengthOf = (session: SessionIdentities) => Math.max(session.rows.length, session.requests.length);
    const records = sessions.reduce((sum, session) => sum + lengthOf(session), 0);
    const [rows, requests] = [new Float64Array(records), new Float64Array(records)];
    let at = 0;
    for (const session of sessions) {
      rows.set(session.rows, at);
      requests.set(session.requests, at);
      at += lengthOf(session);
    }
    return { rows, requests, records, startedAt: -Infinity, name: '' };
  }

  /** What was found in a session, its rows with where else they stand among those that were judged last. */
  async withOthers(group: SearchGroup, prices: MarkedPrices): Promise<SearchGroup> {
    if (this.#tellers.size === 0 || group.hits.length === 0) return group;
    const at = this.#indexes.get(keyOf(group.place)) ?? -1;
    const hits: SearchHit[] = [];
    for (const hit of group.hits) {
      const alsoIn = isOfOneRecord(hit.rows) ? await this.#othersOf(at, hit.position, prices) : [];
      hits.push(alsoIn.length > 0 ? { ...hit, alsoIn } : hit);
    }
    return { ...group, hits };
  }

  async #othersOf(at: number, position: number, prices: MarkedPrices): Promise<readonly ToldElsewhere[]> {
    const tellers = this.#tellers.get(this.#last[at]?.rows[position] ?? 0) ?? [];
    const others: ToldElsewhere[] = [];
    for (const teller of tellers) {
      const session = this.#sessions[teller.session];
      if (!session || teller.session === at) continue;
      if (others.length === MAX_OTHERS) break;
      const title = await titleOf(session, prices);
      others.push({ place: session.place, position: teller.position, title });
    }
    return others;
  }

  #judge(keys: readonly string[], found: readonly (SessionIdentities | undefined)[]): void {
    const isSame = found.length === this.#last.length && found.every((each, at) => each === this.#last[at]);
    if (isSame) return;
    this.#last = found;
    this.#remembered = new BoundedMap<string, OwnedSession>(MAX_REMEMBERED);
    const elsewhere = ownedElsewhere([...found, this.#before]);
    this.#tellers = tellersOf(found, elsewhere);
    this.#indexes = new Map(this.#tellers.size === 0 ? [] : keys.map((key, at) => [key, at]));
    this.#verdicts = new Map(
      elsewhere.flatMap((verdicts, at) => (verdicts ? [[keys[at] ?? '', verdicts] as const] : [])),
    );
  }
}

/** The title of a session as far as it is known; '' where it is not there any more, of which whoever opens it is told. */
async function titleOf(session: Session, prices: MarkedPrices): Promise<string> {
  try {
    return (await session.known(prices, false))?.facts.info.title ?? '';
  } catch {
    return '';
  }
}
