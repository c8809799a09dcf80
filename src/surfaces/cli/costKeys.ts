/** What costs are told by. */
export const COST_KEYS = ['model', 'agent', 'session', 'project', 'source', 'day', 'week', 'month'] as const;

/** See `COST_KEYS`. */
export type CostKey = (typeof COST_KEYS)[number];
