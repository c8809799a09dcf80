import { explainCost, formatCost, type Cost } from '../../core/cost.js';

/** What stands behind the sum of a cost: how it is known, of which one of a single kind says the sum itself, so that it is not said twice. */
export function explainSum(cost: Cost, between: string): string {
  const [sum, explained] = [formatCost(cost), explainCost(cost)];
  return explained.startsWith(sum) ? explained.slice(sum.length) : between + explained;
}
