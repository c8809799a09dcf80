import { requestsOf, type Cost, type RequestCost } from './cost.js';
import { addMoney, NO_MONEY } from './money.js';

/** A sum of costs in numbers of its own, which each request changes: for sums of which there are many. */
export class CostTally {
  #exact = NO_MONEY;
  #exactRequests = 0;
  #priced = NO_MONEY;
  #pricedRequests = 0;
  #estimated = NO_MONEY;
  #estimatedRequests = 0;
  #unknown = 0;

  /** Adds what so many requests cost together. */
  add({ provenance, amount = NO_MONEY }: RequestCost, requests: number): void {
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
    }
  }

  /** Adds a sum. */
  addCost(cost: Cost): void {
    for (const provenance of ['exact', 'priced', 'estimated'] as const) {
      const { amount, requests } = cost[provenance];
      if (requests > 0) this.add({ provenance, amount }, requests);
    }
    this.#unknown += cost.unknown;
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
    };
  }

  /** The sum; undefined where it is of no requests. */
  get spent(): Cost | undefined {
    const { cost } = this;
    return requestsOf(cost) > 0 ? cost : undefined;
  }
}
