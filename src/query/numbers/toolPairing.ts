import { GenerationMap } from '../../core/generationMap.js';

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

/** The ids of one agent's call. */
type Ids<Call> = GenerationMap<string, OpenCalls<Call>>;

/** For how many ended calls of agents the tool call ids are still remembered, for late results. */
const ENDED_CALLS = 100;

/**
 * Pairs tool results with their calls by id and order, because ids repeat in real conversations: a result answers the
 * latest call before it with its id. Calls of one message that share an id are answered in their order.
 * Ids are scoped to one call of an agent, so that agents working concurrently never mix.
 */
export class ToolPairing<Call> {
  readonly #scopes = new Map<string, Ids<Call>>();
  readonly #limit: number;
  /** The latest agents' calls that have ended, the first one first. */
  readonly #ended: string[] = [];
  /** The scope of the latest lookup, because the items of one call often follow each other. */
  #lastScope: string | undefined;
  #lastIds: Ids<Call> | undefined;
  /** The message that made the latest call. */
  #round: number | undefined;

  /** At least `limit` tool call ids of each agent's call are remembered, and at most twice as many. */
  constructor(limit = Number.POSITIVE_INFINITY) {
    this.#limit = limit;
  }

  /** Adds the next call; `round` is the position of the message that makes it. */
  open(scope: string, id: string, round: number, call: Call): void {
    const ids = this.#idsOf(scope) ?? this.#newScope(scope);
    // Nearly all messages make one call, of which no other can be beside it.
    const known = round === this.#round ? ids.get(id) : undefined;
    this.#round = round;
    if (known?.round === round) {
      known.more ??= [];
      known.more.push(call);
      return;
    }
    ids.set(id, { round, first: call, more: undefined, result: 0, dispatch: 0, approval: 0 });
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
    for (const ids of this.#scopes.values()) size += ids.size;
    return size;
  }

  #find(scope: string, id: string): OpenCalls<Call> | undefined {
    return this.#idsOf(scope)?.get(id);
  }

  #idsOf(scope: string): Ids<Call> | undefined {
    if (scope !== this.#lastScope) {
      this.#lastScope = scope;
      this.#lastIds = this.#scopes.get(scope);
    }
    return this.#lastIds;
  }

  #newScope(scope: string): Ids<Call> {
    const ids: Ids<Call> = new GenerationMap(this.#limit);
    this.#scopes.set(scope, ids);
    this.#lastIds = ids;
    return ids;
  }
}
