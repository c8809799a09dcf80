import { isBeyond, knownAmount, provenanceOf, requestsOf, type Cost, type CostShare } from '../core/cost.js';
import { inDollars } from '../core/money.js';

/** A cost as programs get it, in dollars: what is known of it, how, and of how many requests nothing is known. */
export function costShape(cost: Cost): object {
  const { exact, priced, estimated, unknown, why } = cost;
  return {
    dollars: inDollars(knownAmount(cost)),
    provenance: provenanceOf(cost) ?? null,
    requests: requestsOf(cost),
    exact: shareShape(exact),
    priced: shareShape(priced),
    estimated: shareShape(estimated),
    unknown: { requests: unknown, ...(why && { why }) },
    ...(isBeyond(cost) && { beyond: true }),
  };
}

function shareShape({ amount, requests }: CostShare): object {
  return { dollars: inDollars(amount), requests };
}
