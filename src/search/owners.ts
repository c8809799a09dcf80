import { BoundedMap } from '../core/boundedMap.js';
import { ownedElsewhere, type SessionIdentities, type Verdicts } from '../query/numbers/ownership.js';
import type { MarkedPrices } from './columns/readSession.js';
import { OwnedSession } from './sessions/ownedSession.js';
import { keyOf, type Session } from './sessions/session.js';

/** So many sessions that share something with others are remembered as they were read. */
const MAX_REMEMBERED = 200;

/** Which of the sessions of a thread owns what several of them tell; only what has changed is worked out anew. */
export class OwnerIndex {
  #last: readonly (SessionIdentities | undefined)[] = [];
  #verdicts = new Map<string, Verdicts>();
  #remembered = new BoundedMap<string, OwnedSession>(MAX_REMEMBERED);

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

  #judge(keys: readonly string[], found: readonly (SessionIdentities | undefined)[]): void {
    const isSame = found.length === this.#last.length && found.every((each, at) => each === this.#last[at]);
    if (isSame) return;
    this.#last = found;
    this.#remembered = new BoundedMap<string, OwnedSession>(MAX_REMEMBERED);
    this.#verdicts = new Map();
    for (const [at, verdicts] of ownedElsewhere(found).entries())
      if (verdicts) this.#verdicts.set(keys[at] ?? '', verdicts);
  }
}
