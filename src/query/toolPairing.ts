/** The calls that one message made under one id: nearly always one, more only where a model repeats an id. */
interface OpenCalls<Call> {
  round: number;
  first: Call;
  more: Call[] | undefined;
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
  /** The scope that was asked for last, because agents say many things in a row. */
  #lastScope: string | undefined;
  #lastIds: Map<string, OpenCalls<Call>> | undefined;

  /** `limit`: how many ids of an agent's call are remembered, the oldest forgotten first. */
  constructor(limit = Number.POSITIVE_INFINITY) {
    this.#limit = limit;
  }

  /** Takes a call in its order; `round` is the position of the message that makes it. */
  open(scope: string, id: string, round: number, call: Call): void {
    let ids = this.#idsOf(scope);
    if (!ids) {
      ids = new Map<string, OpenCalls<Call>>();
      this.#scopes.set(scope, ids);
      this.#lastIds = ids;
    }
    const known = ids.get(id);
    if (known?.round === round) {
      known.more ??= [];
      known.more.push(call);
      return;
    }
    // Set again at the end, so that the ids stay in the order in which they were used.
    if (known) ids.delete(id);
    else if (ids.size >= this.#limit) forgetOldest(ids);
    ids.set(id, { round, first: call, more: undefined, answered: 0 });
  }

  /** The latest call with this id, answered or not. */
  latest(scope: string, id: string): Call | undefined {
    const open = this.#idsOf(scope)?.get(id);
    return open?.more?.at(-1) ?? open?.first;
  }

  /** Takes a result in its order; undefined where no call before it has its id. */
  answer(scope: string, id: string): PairedCall<Call> | undefined {
    const open = this.#idsOf(scope)?.get(id);
    if (!open) return undefined;
    const count = 1 + (open.more?.length ?? 0);
    const again = open.answered >= count;
    const index = again ? count - 1 : open.answered++;
    return { call: open.more?.[index - 1] ?? open.first, again };
  }

  #idsOf(scope: string): Map<string, OpenCalls<Call>> | undefined {
    if (scope !== this.#lastScope) {
      this.#lastScope = scope;
      this.#lastIds = this.#scopes.get(scope);
    }
    return this.#lastIds;
  }
}

function forgetOldest(ids: Map<string, unknown>): void {
  const oldest = ids.keys().next();
  if (!oldest.done) ids.delete(oldest.value);
}
