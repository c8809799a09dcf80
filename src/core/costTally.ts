import { requestsOf, type Cost, type RequestCost, type UnknownWhy } from './cost.js';
import { isObject } from './message.js';
import { addMoney, dollars, NO_MONEY, type NanoDollars } from './money.js';

/** A sum of costs in numbers of its own, which each request changes: for sums of which there are many. */
export class CostTally {
  #exact = NO_MONEY;
  #exactRequests = 0;
  #priced = NO_MONEY;
  #pricedRequests = 0;
  #estimated = NO_MONEY;
  #estimatedRequests = 0;
  #unknown = 0;
  #why: Partial<Record<UnknownWhy, number>> | undefined;

  /** Adds what so many requests cost together. */
  add({ provenance, amount = NO_MONEY, why }: RequestCost, requests: number): void {
    switch (provenance) {
      case 'exact':
        this.#exact = addMoney(this.#exact, amount);
        this.#exactRequests += requests;
        break;
      case 'priced':
        this.#priced = addMoney(this.#priced, amount);
        this.#pricedRequests += requests;
        break;
      case 'estimated':
        this.#estimated = addMoney(this.#estimated, amount);
        this.#estimatedRequests += requests;
        break;
      case 'unknown':
        this.#unknown += requests;
        if (why) this.#note(why, requests);
    }
  }

  #note(why: UnknownWhy, requests: number): void {
    this.#why ??= {};
    this.#why[why] = (this.#why[why] ?? 0) + requests;
  }

  /** Adds a sum. */
  addCost(cost: Cost): void {
    for (const provenance of ['exact', 'priced', 'estimated'] as const) {
      const { amount, requests } = cost[provenance];
      if (requests > 0) this.add({ provenance, amount }, requests);
    }
    this.#unknown += cost.unknown;
    for (const [why, requests] of Object.entries(cost.why ?? {})) this.#note(why as UnknownWhy, requests);
  }

  /** Whether a source recorded any of it as money. */
  get isExact(): boolean {
    return this.#exactRequests > 0;
  }

  get cost(): Cost {
    return {
      exact: { amount: this.#exact, requests: this.#exactRequests },
      priced: { amount: this.#priced, requests: this.#pricedRequests },
      estimated: { amount: this.#estimated, requests: this.#estimatedRequests },
      unknown: this.#unknown,
      ...(this.#why && { why: { ...this.#why } }),
    };
  }

  /** The sum; undefined where it is of no requests. */
  get spent(): Cost | undefined {
    const { cost } = this;
    return requestsOf(cost) > 0 ? cost : undefined;
  }
}

/**
 * What a tool itself says that its sessions cost, beside what its requests tell: Claude Code writes it at the end of each process
 * (`cost-state`), with what it asked without telling, such as titles. It is a check of our own sum, and never added to it.
 */
export class ToldCost {
  #before = NO_MONEY;
  #last: NanoDollars | undefined;
  #tokens = 0;

  /** Adds a record. */
  add(record: unknown): void {
    if (!isObject(record) || record.kind !== 'cost-state' || !isObject(record.value)) return;
    const { totalCostUSD, modelUsage } = record.value;
    const told = dollars(totalCostUSD);
    if (told === undefined) return;
    const models = Object.values(isObject(modelUsage) ? modelUsage : {});
    const tokens = models.reduce((sum: number, used) => sum + countIn(used), 0);
    // A process that goes on from another one counts on; one that begins anew tells less.
    if (this.#last !== undefined && (told < this.#last || tokens < this.#tokens))
      this.#before = addMoney(this.#before, this.#last);
    this.#last = told;
    this.#tokens = tokens;
  }

  /** All that was told; undefined where nothing was. */
  get total(): NanoDollars | undefined {
    return this.#last === undefined ? undefined : addMoney(this.#before, this.#last);
  }
}

function countIn(used: unknown): number {
  if (!isObject(used)) return 0;
  const counts = [
    used.inputTokens,
    used.outputTokens,
    used.cacheReadInputTokens,
    used.cacheCreationInputTokens,
  ];
  return counts.reduce((sum: number, count) => sum + (typeof count === 'number' ? count : 0), 0);
}
