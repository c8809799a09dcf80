import { UNKNOWN_COST, type RequestCost } from '../cost.js';
import type { Usage } from '../usage.js';

/** A request whose cost is asked for. */
export interface PricedRequest {
  /** The model as its source spells it; '' where none is named. */
  readonly model: string;
  /** When it was made, in milliseconds since 1970; 0 where that is unknown. Prices are those of that time. */
  readonly time: number;
  readonly usage: Usage;
}

/** What models cost. */
export interface Prices {
  /** Which tables these prices are from, for a person: `genai-prices 0.1.8`, with own prices where there are any. */
  readonly version: string;
  /**
   * What a request cost. A recorded amount is exact; else the recorded tokens are priced as of the request's time. Unknown
   * for a model that is not named or has no price: never zero, never guessed.
   */
  costOf(request: PricedRequest): RequestCost;
  /** How many tokens a model had room for at a time; undefined where that is not known. */
  windowOf?(model: string, time: number): number | undefined;
}

/** No prices: a cost is known where the source recorded it. */
export const NO_PRICES: Prices = {
  version: '',
  costOf: ({ usage }) =>
    usage.cost === undefined ? UNKNOWN_COST : { provenance: 'exact', amount: usage.cost },
};
