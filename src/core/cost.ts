import { inLanguage, message, t } from './l10n.js';
import { addMoney, formatMoney, MAX_MONEY, NO_MONEY, type NanoDollars } from './money.js';

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
  | {
      readonly provenance: KnownProvenance;
      readonly amount: NanoDollars;
      /** Which price it is by: the model of the table that matched, since when it holds, and what it was multiplied by. */
      readonly row?: string;
      readonly why?: never;
    }
  | {
      readonly provenance: 'unknown';
      readonly amount?: never;
      readonly row?: never;
      readonly why?: UnknownWhy;
    };

/** Why a cost is unknown, in words. */
const WHYS = {
  unrecorded: message`no usage was recorded`,
  incomplete: message`only a part of its usage was recorded`,
  implausible: message`the usage that was recorded cannot be true`,
  mixed: message`it is the sum of requests at different terms`,
  model: message`the model is not named`,
  price: message`there is no price for the model`,
  time: message`the price of the model has changed, and the time is not known`,
  window: message`it is longer than the model’s window, so the usual price is not what was paid`,
  parts: message`there is no price for a part of what it used`,
  terms: message`it was served at terms without a published price`,
} as const;

/** See `WHYS`. */
export type UnknownWhy = keyof typeof WHYS;
/** All reasons for which a cost is unknown. */
export const UNKNOWN_WHYS = Object.keys(WHYS) as readonly UnknownWhy[];

/** The cost of a request of which nothing is known. */
export const UNKNOWN_COST: RequestCost = { provenance: 'unknown', why: 'unrecorded' };

const UNKNOWN_BY = new Map(
  UNKNOWN_WHYS.map((why): [UnknownWhy, RequestCost] => [why, { provenance: 'unknown', why }]),
);

/** A cost that is unknown for a reason. */
export function unknownCost(why: UnknownWhy): RequestCost {
  return UNKNOWN_BY.get(why) ?? UNKNOWN_COST;
}

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
  /** Of how many of these it is known why. */
  readonly why?: WhyCounts;
}

/** How many requests there are of unknown cost for each reason. */
export type WhyCounts = Readonly<Partial<Record<UnknownWhy, number>>>;

const NO_SHARE: CostShare = { amount: NO_MONEY, requests: 0 };

/** The cost of no requests: where a sum starts. */
export const NO_COST: Cost = { exact: NO_SHARE, priced: NO_SHARE, estimated: NO_SHARE, unknown: 0 };

/** What one request cost as a sum; `requests`: of how many it is the cost, where several were recorded as one. */
export function costOf({ provenance, amount, why }: RequestCost, requests = 1): Cost {
  if (amount === undefined)
    return { ...NO_COST, unknown: requests, ...(why && { why: { [why]: requests } }) };
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
    ...whyOfBoth(a.why, b.why),
  };
}

function whyOfBoth(a: WhyCounts | undefined, b: WhyCounts | undefined): { readonly why?: WhyCounts } {
  if (!a || !b) {
    const why = a ?? b;
    return why ? { why } : {};
  }
  const why: Partial<Record<UnknownWhy, number>> = {};
  for (const each of UNKNOWN_WHYS) {
    const requests = (a[each] ?? 0) + (b[each] ?? 0);
    if (requests > 0) why[each] = requests;
  }
  return { why };
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

/** Whether a sum is more than money can hold, so that it stands for more than its amount. */
export function isBeyond(cost: Cost): boolean {
  return knownAmount(cost) >= MAX_MONEY;
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
  const isMore = isBeyond(cost);
  if (provenance !== 'unknown') return provenance === 'estimated' && !isMore ? `≈ ${amount}` : amount;
  if (cost.unknown === requests) return t`cost unknown`;
  if (isMore) return t`${amount}, ${count(cost.unknown)} of ${count(requests)} unknown`;
  return t`≥ ${amount}, ${count(cost.unknown)} of ${count(requests)} unknown`;
}

/** The same where there is little room: `≥ $1.20` where parts are unknown, without how many. */
export function formatCostShortly(cost: Cost): string {
  const isPartly = cost.unknown > 0 && isKnownCost(cost);
  if (isPartly && isBeyond(cost)) return formatMoney(knownAmount(cost));
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
    cost.unknown > 0 ? [t`${requestsWords(cost.unknown)} of unknown cost: ${whyWords(cost)}.`] : [];
  const beyond = isBeyond(cost) ? [t`The sum is larger than can be counted.`] : [];
  const parts = [...known, ...beyond, ...unknown];
  return [...parts, ...(prices !== '' && parts.length > 0 ? [t`Prices: ${prices}.`] : [])].join(' ');
}

/** Why the cost of some requests is unknown: the reason, or each with its number. */
function whyWords({ unknown, why }: Cost): string {
  const told = UNKNOWN_WHYS.map((each) => [each, why?.[each] ?? 0] as const).filter(([, of]) => of > 0);
  const left = unknown - told.reduce((sum, [, of]) => sum + of, 0);
  const [first] = told;
  if (!first) return t`no usage was recorded, or there is no price for it`;
  if (told.length === 1 && left <= 0) return inLanguage(WHYS[first[0]]);
  const each = told.map(([name, of]) => `${inLanguage(WHYS[name])} (${count(of)})`);
  return [...each, ...(left > 0 ? [t`not told why (${count(left)})`] : [])].join('; ');
}

function requestsWords(requests: number): string {
  return requests === 1 ? t`1 request` : t`${count(requests)} requests`;
}

function count(value: number): string {
  return value.toLocaleString('en');
}
