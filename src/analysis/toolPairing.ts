/**
 * The calls of one message under one id, nearly always one, more only where a model repeats an id; and how many records of
 * each kind were taken for them.
 */
interface OpenCalls<Call> extends Record<AnswerKind, number> {
  round: number;
  first: Call;
  more: Call[] | undefined;
}

/** What is paired with a call: each call has one of each. */
export type AnswerKind = 'result' | 'dispatch' | 'approval';

/** The call that a result answers. */
export interface PairedCall<Call> {
  readonly call: Call;
  /** True where the call had already been answered. */
  readonly again: boolean;
}

/**
 * The ids of one agent's call. They are forgotten a generation at a time, because deleting a map's oldest entry again and
 * again gets slower and slower.
 */
interface Generations<Call> {
  young: Map<string, OpenCalls<Call>>;
  old: Map<string, OpenCalls<Call>> | undefined;
}

/** For how many ended calls of agents the tool call ids are still remembered, for late results. */
const ENDED_CALLS = 100;

/**
 * Pairs tool results with their calls by id and order, because ids repeat in real conversations: a result answers the
 * latest call before it with its id. Calls of one message that share an id are answered in their order.
 * Ids are scoped to one call of an agent, so that agents working concurrently never mix.
 */
export class ToolPairing<Call> {
  readonly #scopes = new Map<string, Generations<Call>>();
  readonly #limit: number;
  /** The latest agents' calls that have ended, the first one first. */
  readonly #ended: string[] = [];
  /** The scope of the latest lookup, because the items of one call often follow each other. */
  #lastScope: string | undefined;
  #lastIds: Generations<Call> | undefined;

  /** At least `limit` tool call ids of each agent's call are remembered, and at most twice as many. */
  constructor(limit = Number.POSITIVE_INFINITY) {
    this.#limit = limit;
  }

  /** Adds the next call; `round` is the position of the message that makes it. */
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
    ids.young.set(id, { round, first: call, more: undefined, result: 0, dispatch: 0, approval: 0 });
  }

  /** The latest call with this id, answered or not. */
  latest(scope: string, id: string): Call | undefined {
    const open = this.#find(scope, id);
    return open?.more?.at(-1) ?? open?.first;
  }

  /** Takes the next result, or the next record of another kind; undefined where no earlier call has its id. */
  answer(scope: string, id: string, kind: AnswerKind = 'result'): PairedCall<Call> | undefined {
    const open = this.#find(scope, id);
    if (!open) return undefined;
    const count = 1 + (open.more?.length ?? 0);
    const again = open[kind] >= count;
    const index = again ? count - 1 : open[kind]++;
    return { call: open.more?.[index - 1] ?? open.first, again };
  }

  /**
   * Notes that the agent's call has ended. Where a limit is set, its ids are forgotten once many more have ended: later
   * results pair with nothing.
   */
  end(scope: string): void {
    if (!Number.isFinite(this.#limit)) return;
    this.#ended.push(scope);
    if (this.#ended.length <= ENDED_CALLS) return;
    this.#scopes.delete(this.#ended.shift() ?? '');
    this.#lastScope = undefined;
    this.#lastIds = undefined;
  }

  /** The number of ids that are remembered. */
  get size(): number {
    let size = 0;
    for (const { young, old } of this.#scopes.values()) size += young.size + (old?.size ?? 0);
    return size;
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
