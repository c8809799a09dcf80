import { inLanguage, message, t } from './l10n.js';
import { addMoney, formatMoney, NO_MONEY, type NanoDollars } from './money.js';

/**
 * How a cost is known, the surest first. `exact`: the source recorded the money. `priced`: recorded tokens times a dated
 * price. `estimated`: tokens that we counted ourselves, or a price that may not be that of each request. `unknown`: there
 * is no price, or nothing was recorded; it is never zero.
 */
export const PROVENANCES = ['exact', 'priced', 'estimated', 'unknown'] as const;
/** See `PROVENANCES`. */
export type CostProvenance = (typeof PROVENANCES)[number];

/** The ways in which an amount is known. */
export type KnownProvenance = Exclude<CostProvenance, 'unknown'>;

/** What one request cost: an amount and how it is known, or that it is unknown. */
export type RequestCost =
  | { readonly provenance: KnownProvenance; readonly amount: NanoDollars }
  | { readonly provenance: 'unknown'; readonly amount?: never };

/** The cost of a request of which nothing is known. */
export const UNKNOWN_COST: RequestCost = { provenance: 'unknown' };

/** What one kind of provenance contributes to a sum. */
export interface CostShare {
  readonly amount: NanoDollars;
  /** How many requests it is of. */
  readonly requests: number;
}

/** The cost of any number of requests, with the share of each kind of provenance. Plain data. */
export interface Cost {
  readonly exact: CostShare;
  readonly priced: CostShare;
  readonly estimated: CostShare;
  /** How many requests there are of which the cost is unknown. */
  readonly unknown: number;
}

const NO_SHARE: CostShare = { amount: NO_MONEY, requests: 0 };

/** The cost of no requests: where a sum starts. */
export const NO_COST: Cost = { exact: NO_SHARE, priced: NO_SHARE, estimated: NO_SHARE, unknown: 0 };

/** What one request cost as a sum; `requests`: of how many it is the cost, where several were recorded as one. */
export function costOf({ provenance, amount }: RequestCost, requests = 1): Cost {
  if (amount === undefined) return { ...NO_COST, unknown: requests };
  const share = { amount, requests };
  // Written out: one is made for every request of every transcript.
  return {
    exact: provenance === 'exact' ? share : NO_SHARE,
    priced: provenance === 'priced' ? share : NO_SHARE,
    estimated: provenance === 'estimated' ? share : NO_SHARE,
    unknown: 0,
  };
}

/** The sum of two costs; how sure it is never improves. */
export function addCosts(a: Cost, b: Cost): Cost {
  return {
    exact: addShares(a.exact, b.exact),
    priced: addShares(a.priced, b.priced),
    estimated: addShares(a.estimated, b.estimated),
    unknown: a.unknown + b.unknown,
  };
}

function addShares(a: CostShare, b: CostShare): CostShare {
  if (b.requests === 0) return a;
  if (a.requests === 0) return b;
  return { amount: addMoney(a.amount, b.amount), requests: a.requests + b.requests };
}

/** The known money of a cost: at least so much was spent. */
export function knownAmount({ exact, priced, estimated }: Cost): NanoDollars {
  return addMoney(addMoney(exact.amount, priced.amount), estimated.amount);
}

/** How many requests a cost is of. */
export function requestsOf({ exact, priced, estimated, unknown }: Cost): number {
  return exact.requests + priced.requests + estimated.requests + unknown;
}

/** How a cost is known as a whole: the worst kind that contributes; undefined for no requests. */
export function provenanceOf(cost: Cost): CostProvenance | undefined {
  if (cost.unknown > 0) return 'unknown';
  return (['estimated', 'priced', 'exact'] as const).find((kind) => cost[kind].requests > 0);
}

/** Whether anything of a cost is known. */
export function isKnownCost(cost: Cost): boolean {
  return requestsOf(cost) > cost.unknown;
}

/**
 * A cost in words: `$1.20`, `≈ $1.20` where some of it is estimated, `≥ $1.20, 2 of 7 unknown` where parts are unknown,
 * `cost unknown` where all are; '' for no requests.
 */
export function formatCost(cost: Cost): string {
  const provenance = provenanceOf(cost);
  if (provenance === undefined) return '';
  const amount = formatMoney(knownAmount(cost));
  const requests = requestsOf(cost);
  if (provenance !== 'unknown') return provenance === 'estimated' ? `≈ ${amount}` : amount;
  if (cost.unknown === requests) return t`cost unknown`;
  return t`≥ ${amount}, ${count(cost.unknown)} of ${count(requests)} unknown`;
}

/** The same where there is little room: `≥ $1.20` where parts are unknown, without how many. */
export function formatCostShortly(cost: Cost): string {
  const isPartly = cost.unknown > 0 && isKnownCost(cost);
  return isPartly ? `≥ ${formatMoney(knownAmount(cost))}` : formatCost(cost);
}

const MEANINGS = {
  exact: message`recorded by the source`,
  priced: message`recorded tokens times dated prices`,
  estimated: message`estimated`,
} as const;

/**
 * What a cost is made of, a sentence for each kind that contributes, and the version of the prices where it is known;
 * '' for no requests.
 */
export function explainCost(cost: Cost, prices = ''): string {
  const known = (['exact', 'priced', 'estimated'] as const)
    .filter((kind) => cost[kind].requests > 0)
    .map((kind) => {
      const { amount, requests } = cost[kind];
      return t`${formatMoney(amount)} ${inLanguage(MEANINGS[kind])} (${requestsWords(requests)}).`;
    });
  const unknown =
    cost.unknown > 0
      ? [
          t`${requestsWords(cost.unknown)} of unknown cost: no usage was recorded, or there is no price for the model.`,
        ]
      : [];
  const parts = [...known, ...unknown];
  return [...parts, ...(prices !== '' && parts.length > 0 ? [t`Prices: ${prices}.`] : [])].join(' ');
}

function requestsWords(requests: number): string {
  return requests === 1 ? t`1 request` : t`${count(requests)} requests`;
}

function count(value: number): string {
  return value.toLocaleString('en');
}
