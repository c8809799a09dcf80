import { greatestOf } from '../../../core/lists.js';

/**
 * Whole numbers in proportion to `weights` (finite, not negative) that add up to `total`, a whole number; each is less than
 * one off. All zero where every weight is. The borders between them are rounded, so nothing has to be sorted.
 */
export function apportion(weights: readonly number[], total: number): number[] {
  const greatest = greatestOf(weights, 0);
  if (greatest === 0 || total <= 0) return weights.map(() => 0);
  // Divided first, so that no sum of large weights is infinite.
  const sum = weights.reduce((all, weight) => all + weight / greatest, 0);
  let upTo = 0;
  let border = 0;
  return weights.map((weight) => {
    upTo += weight / greatest;
    const next = Math.round((upTo / sum) * total);
    const part = next - border;
    border = next;
    return part;
  });
}
