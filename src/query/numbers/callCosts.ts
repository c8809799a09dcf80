import { costOf, UNKNOWN_COST, type Cost, type RequestCost } from '../../core/cost.js';
import { CostTally } from '../../core/costTally.js';
import type { Prices } from '../../core/ports/prices.js';
import type { Facts } from './facts.js';
import { isOutput } from './messageSize.js';
import { entryOfUser, type CallTokens, type TokenUser } from './callTokens.js';
import type { ReportedBy } from './tokens.js';
import { UNKNOWN_ROLE } from './transcriptItem.js';
import { clipName } from './values.js';

type Reporter = keyof ReportedBy<unknown>;

/** What one user spent. */
class Spent extends CostTally implements TokenUser {
  constructor(
    readonly agent: string,
    readonly model: string,
  ) {
    super();
  }
}

function beginSpent({ agent, model }: TokenUser): Spent {
  return new Spent(agent, model);
}

/** More than one request, however many: what a call's end tells is the sum of all. */
const SEVERAL = 2;

/**
 * What one request cost, by the one rule of every view: what the source recorded, else its tokens at the prices of its time;
 * nothing where it used nothing. `model` is that of the call where the record names none.
 */
export function costOfRequest(
  { type, model, time, usage }: Pick<Facts, 'type' | 'model' | 'time' | 'usage'>,
  call: { readonly model: string },
  prices: Prices,
): RequestCost | undefined {
  if (!usage) return UNKNOWN_COST;
  const { inputTokens, outputTokens, webSearches = 0, cost } = usage;
  const isNothing = inputTokens + outputTokens + webSearches === 0 && !usage.terms?.includes('implausible');
  if (cost === undefined && isNothing) return undefined;
  const named = type === 'callEnd' || model === '' ? call.model : model;
  const whole = type === 'callEnd' ? { ...usage, requests: Math.max(usage.requests ?? 0, SEVERAL) } : usage;
  return prices.costOf({ model: named, time, usage: whole });
}

/** The call that a record belongs to, as far as its sums are made of the record. */
interface SpendingCall {
  readonly model: string;
  readonly tokens: CallTokens;
  readonly costs: CallCosts;
}

/** Adds what a record tells of tokens and money to those of its call; gives what it cost, see `costOfRequest`. */
export function addRequest(facts: Facts, call: SpendingCall, prices: Prices): RequestCost | undefined {
  const model = spendingModel(facts, call);
  const cost = facts.usage || facts.type === 'request' ? costOfRequest(facts, call, prices) : undefined;
  call.tokens.add(facts, model);
  call.costs.add(facts, model, cost);
  return cost;
}

/** The model that a record's usage is of; for the end of a call, that of the call. */
export function spendingModel({ type, model }: Facts, call: { readonly model: string }): string {
  return clipName(type === 'callEnd' ? call.model : model) || 'unknown';
}

/**
 * What one call cost, by the agents and models that it was for. Of its requests, its messages and its end those count whose
 * tokens do. Every request of which nothing is reported is one of unknown cost: a recorded request without usage and, where
 * messages report, an answer without usage. What is said in several messages in a row is one answer.
 */
export class CallCosts {
  readonly #spent: ReportedBy<Spent[] | undefined> = {
    requests: undefined,
    messages: undefined,
    end: undefined,
  };
  /** The last answer, whose usage may yet come with a further message of it. */
  #answer: { readonly user: TokenUser; readonly isReported: boolean } | undefined;

  /** Adds a record of the call; `cost` is what it cost, see `costOfRequest`. */
  add({ type, role, usage, place }: Facts, model: string, cost: RequestCost | undefined): void {
    const user = { agent: place.agent ?? '', model };
    if (type === 'request') this.#spend('requests', user, cost, usage?.requests);
    else if (type === 'callEnd') this.#spend('end', user, usage && cost, 1);
    else if (role !== undefined) this.#addMessage(isOutput(role ?? UNKNOWN_ROLE), user, usage && { cost });
  }

  #addMessage(
    isAnswer: boolean,
    user: TokenUser,
    told: { readonly cost: RequestCost | undefined } | undefined,
  ): void {
    if (told) this.#spend('messages', user, told.cost, 1);
    if (isAnswer) {
      const isReported = told !== undefined || this.#answer?.isReported === true;
      this.#answer = { user: this.#answer?.user ?? user, isReported };
      return;
    }
    const last = this.#answer;
    this.#answer = undefined;
    if (last && !last.isReported) this.#spend('messages', last.user, UNKNOWN_COST, 1);
  }

  #spend(by: Reporter, user: TokenUser, cost: RequestCost | undefined, requests: number | undefined): void {
    if (!cost) return;
    const users = this.#spent[by];
    const spent = users ? entryOfUser(users, user, beginSpent) : beginSpent(user);
    if (!users) this.#spent[by] = [spent];
    spent.add(cost, requests ?? 1);
  }

  /** Goes on where the costs of the same call before a point of it end: an answer that goes on there is one. */
  goOn(from: CallCosts): void {
    this.#answer = from.#answer;
    from.#answer = undefined;
  }

  /** Visits what each agent spent on each model; `reporter` is the kind of record whose tokens count, if any does. */
  each(reporter: Reporter | undefined, visit: (user: TokenUser, cost: Cost) => void): void {
    const by = reporter ?? this.reporter;
    for (const spent of (by && this.#spent[by]) ?? []) visit(spent, spent.cost);
    // An answer that nothing follows yet.
    const last = this.#answer;
    if (by === 'messages' && last && !last.isReported) visit(last.user, costOf(UNKNOWN_COST));
  }

  /** Where no tokens are reported: the records that tell of money, else those that there are. */
  get reporter(): Reporter | undefined {
    const kinds = ['requests', 'messages', 'end'] as const;
    const told = kinds.find((kind) => this.#spent[kind]?.some(({ isExact }) => isExact));
    return (
      told ??
      (this.#spent.requests ? 'requests' : this.#spent.messages || this.#answer ? 'messages' : undefined)
    );
  }
}
