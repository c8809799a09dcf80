/** What costs are told by. */
export const COST_KEYS = [
  'model',
  'agent',
  'session',
  'project',
  'source',
  'day',
  'week',
  'month',
  'waste',
] as const;

/** See `COST_KEYS`. */
export type CostKey = (typeof COST_KEYS)[number];

/** What is told of a cost, as the page of the command line says it. */
export const COST_FIELDS =
  'dollars (at least), provenance (exact, priced, estimated, unknown; null for no request), requests, and of exact, priced, estimated and unknown each its dollars and requests';
