/** The calls that one message made under one id; several only where a model repeats an id in one message. */
interface OpenCalls<Call> {
  readonly round: number;
  readonly calls: Call[];
  answered: number;
}

/** What a result answers. */
export interface PairedCall<Call> {
  readonly call: Call;
  /** True where the call already had a result: this one is a repetition. */
  readonly again: boolean;
}

/**
 * Joins tool results to their calls by position, because ids repeat in real conversations: a result answers the
 * latest call before it with its id. Calls of one message that share an id are answered in their order.
 * Ids are looked up inside one call of an agent, so that agents that work at the same time never mix.
 */
export class ToolPairing<Call> {
  readonly #scopes = new Map<string, Map<string, OpenCalls<Call>>>();
  readonly #limit: number;

  /** `limit`: how many ids of an agent's call are remembered, the oldest forgotten first. */
  constructor(limit = Number.POSITIVE_INFINITY) {
    this.#limit = limit;
  }

  /** Takes a call in its order; `round` is the position of the message that makes it. */
  open(scope: string, id: string, round: number, call: Call): void {
    const ids = this.#scopes.get(scope) ?? new Map<string, OpenCalls<Call>>();
    if (ids.size === 0) this.#scopes.set(scope, ids);
    const known = ids.get(id);
    if (known?.round === round) {
      known.calls.push(call);
      return;
    }
    if (known) ids.delete(id);
    else if (ids.size >= this.#limit) forgetOldest(ids);
    ids.set(id, { round, calls: [call], answered: 0 });
  }

  /** The latest call with this id, answered or not. */
  latest(scope: string, id: string): Call | undefined {
    return this.#scopes.get(scope)?.get(id)?.calls.at(-1);
  }

  /** Takes a result in its order; undefined where no call before it has its id. */
  answer(scope: string, id: string): PairedCall<Call> | undefined {
    const open = this.#scopes.get(scope)?.get(id);
    if (!open) return undefined;
    const again = open.answered >= open.calls.length;
    const call = open.calls[again ? open.calls.length - 1 : open.answered];
    if (!again) open.answered++;
    return call === undefined ? undefined : { call, again };
  }
}

function forgetOldest(ids: Map<string, unknown>): void {
  const oldest = ids.keys().next();
  if (!oldest.done) ids.delete(oldest.value);
}
