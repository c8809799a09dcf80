import type { CostSum } from '../query/numbers/costSum.js';
import {
  explainCost,
  formatCost,
  isKnownCost,
  knownAmount,
  provenanceOf,
  requestsOf,
  type Cost,
  type CostProvenance,
} from '../core/cost.js';
import { inDollars } from '../core/money.js';

/** The decimals of a dollar that an amount has: billionths. */
const DECIMALS = 9;

/** A cost for other programs: in dollars, unrounded, null where it is unknown, and how it is known. */
export interface CostFields {
  readonly cost_usd: number | null;
  readonly cost_provenance: CostProvenance;
}

/** A cost for other programs; undefined where there is none. */
export function costFields(cost: Cost | undefined): CostFields | undefined {
  const provenance = cost && provenanceOf(cost);
  if (!cost || !provenance) return undefined;
  return {
    cost_usd: provenance === 'unknown' ? null : inDollars(knownAmount(cost)),
    cost_provenance: provenance,
  };
}

/** Which tables a cost is from; '' where it was recorded or is unknown. */
export function pricesOf(cost: CostFields | undefined, version: string): string {
  const isPriced = cost?.cost_provenance === 'priced' || cost?.cost_provenance === 'estimated';
  return isPriced ? version : '';
}

/** An amount of dollars without an exponent, which not every spreadsheet reads; '' for none. */
export function decimalDollars(amount: number | null | undefined): string {
  return typeof amount === 'number' ? amount.toFixed(DECIMALS).replace(/\.?0+$/, '') : '';
}

/** The cost of a message in words; '' where it is not known. */
export function costWords(cost: Cost | undefined): string {
  return cost && isKnownCost(cost) ? formatCost(cost) : '';
}

/** Whether an export says what all of it cost: there were requests, and somebody said something of money. */
export function tellsCost({ total, version }: Pick<CostSum, 'total' | 'version'>): boolean {
  return requestsOf(total) > 0 && (version !== '' || isKnownCost(total));
}

/** The last line of an export for people: what everything in it cost, how that is known and by which prices. */
export function costLine({ total, version }: Pick<CostSum, 'total' | 'version'>): string {
  return `Cost: ${formatCost(total)}. ${explainCost(total, version)}`;
}
