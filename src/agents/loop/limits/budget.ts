import { addCosts, costOf, knownAmount, NO_COST, provenanceOf } from '../../../core/cost.js';
import { formatMoney, type NanoDollars } from '../../../core/money.js';
import type { PricedRequest, Prices } from '../../../core/ports/prices.js';

/** The money that one run may cost, and what it has cost so far by the prices that are also shown. */
export class Budget {
  readonly #limit: NanoDollars | undefined;
  readonly #prices: Prices;
  #spent = NO_COST;

  /** `limit`: undefined for as much as it takes. */
  constructor(limit: NanoDollars | undefined, prices: Prices) {
    this.#limit = limit;
    this.#prices = prices;
  }

  /**
   * Adds one request; why the run must end now, or undefined. A request of unknown cost ends it too: a limit that
   * looks away from what it cannot count would be none.
   */
  add(request: PricedRequest): string | undefined {
    const { model, usage } = request;
    const isFree = usage.cost === undefined && usage.inputTokens + usage.outputTokens === 0;
    if (this.#limit === undefined || isFree) return undefined;
    const cost = this.#prices.costOf(request);
    const limit = formatMoney(this.#limit);
    if (cost.provenance === 'unknown')
      return `The run may cost ${limit}, and what ${model} costs is not known. Give this model a price of your own, or the run no limit of costs.`;
    this.#spent = addCosts(this.#spent, costOf(cost));
    const spent = knownAmount(this.#spent);
    if (spent <= this.#limit) return undefined;
    const about = provenanceOf(this.#spent) === 'estimated' ? 'about ' : '';
    return `The run has cost ${about}${formatMoney(spent)}, more than its limit of ${limit}.`;
  }
}
