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
 * The ids of one agent's call. Forgetting is done a generation at a time, because a map that loses its oldest entry
 * again and again looks longer and longer for the next.
 */
interface Generations<Call> {
  young: Map<string, OpenCalls<Call>>;
  old: Map<string, OpenCalls<Call>> | undefined;
}

/**
 * Joins tool results to their calls by position, because ids repeat in real conversations: a result answers the
 * latest call before it with its id. Calls of one message that share an id are answered in their order.
 * Ids are looked up inside one call of an agent, so that agents that work at the same time never mix.
 */
export class ToolPairing<Call> {
  readonly #scopes = new Map<string, Generations<Call>>();
  readonly #limit: number;
  /** The scope that was asked for last, because agents say many things in a row. */
  #lastScope: string | undefined;
  #lastIds: Generations<Call> | undefined;

  /** `limit`: at least so many ids of an agent's call are remembered, and at most twice as many. */
  constructor(limit = Number.POSITIVE_INFINITY) {
    this.#limit = limit;
  }

  /** Takes a call in its order; `round` is the position of the message that makes it. */
  open(scope: string, id: string, round: number, call: Call): void {
    const ids = this.#idsOf(scope) ?? this.#newScope(scope);
    const known = ids.young.get(id);
    if (known?.round === round) {
      known.more ??= [];
      known.more.push(call);
      return;
    }
    if (ids.young.size >= this.#limit) {
      ids.old = ids.young;
      ids.young = new Map();
    }
    ids.young.set(id, { round, first: call, more: undefined, answered: 0 });
  }

  /** The latest call with this id, answered or not. */
  latest(scope: string, id: string): Call | undefined {
    const open = this.#find(scope, id);
    return open?.more?.at(-1) ?? open?.first;
  }

  /** Takes a result in its order; undefined where no call before it has its id. */
  answer(scope: string, id: string): PairedCall<Call> | undefined {
    const open = this.#find(scope, id);
    if (!open) return undefined;
    const count = 1 + (open.more?.length ?? 0);
    const again = open.answered >= count;
    const index = again ? count - 1 : open.answered++;
    return { call: open.more?.[index - 1] ?? open.first, again };
  }

  /** Forgets the calls of an agent's call; results that come for them later answer nothing. */
  forget(scope: string): void {
    this.#scopes.delete(scope);
    this.#lastScope = undefined;
    this.#lastIds = undefined;
  }

  #find(scope: string, id: string): OpenCalls<Call> | undefined {
    const ids = this.#idsOf(scope);
    return ids?.young.get(id) ?? ids?.old?.get(id);
  }

  #idsOf(scope: string): Generations<Call> | undefined {
    if (scope !== this.#lastScope) {
      this.#lastScope = scope;
      this.#lastIds = this.#scopes.get(scope);
    }
    return this.#lastIds;
  }

  #newScope(scope: string): Generations<Call> {
    const ids = { young: new Map<string, OpenCalls<Call>>(), old: undefined };
    this.#scopes.set(scope, ids);
    this.#lastIds = ids;
    return ids;
  }
}
