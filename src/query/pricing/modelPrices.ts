import { UNKNOWN_COST, type RequestCost } from '../../core/cost.js';
import type { PricedRequest, Prices } from '../../core/ports/prices.js';
import type { OwnPrices } from './ownPrices.js';
import type { PriceTable } from './priceTable.js';
import { priceOf } from './tokenRates.js';

/** The version of the table that is bundled; a test holds it against the lockfile. */
export const TABLE_VERSION = '0.1.8';

/** The prices of the bundled table, and before them a person's own. */
export class ModelPrices implements Prices {
  readonly version: string;
  readonly #table: PriceTable;
  readonly #own: OwnPrices | undefined;

  /** `problem`: why own prices that there are do not count. */
  constructor(table: PriceTable, own?: OwnPrices, problem?: string) {
    this.#table = table;
    this.#own = own;
    const besides = own
      ? ' and own prices'
      : problem === undefined
        ? ''
        : `; own prices are not used: ${problem}`;
    this.version = `genai-prices ${TABLE_VERSION}${besides}`;
  }

  costOf({ model, time, usage }: PricedRequest): RequestCost {
    if (usage.cost !== undefined) return { provenance: 'exact', amount: usage.cost };
    const rates = this.#own?.ratesOf(model, time) ?? this.#table.ratesOf(model, time);
    const price = rates && priceOf(rates, usage);
    if (!price) return UNKNOWN_COST;
    const { amount, isSure } = price;
    return { provenance: usage.estimated || !isSure ? 'estimated' : 'priced', amount };
  }
}
