import { addCosts, NO_COST, type Cost } from '../../core/cost.js';
import type { CallNode } from './callTree.js';

/** What a call has used of models. */
type Spending = Pick<CallNode, 'costs' | 'tokens'>;

/** What a call cost, without the calls that it dispatched. */
export function ownCostOf({ costs, tokens }: Spending): Cost {
  let all = NO_COST;
  costs.each(tokens.reporter, (_, cost) => (all = addCosts(all, cost)));
  return all;
}

/** What calls cost together, each without those that it dispatched. */
export function costOfCalls(calls: readonly Spending[]): Cost {
  return calls.reduce((sum, call) => addCosts(sum, ownCostOf(call)), NO_COST);
}

/** What a call and all calls below it cost. */
export function wholeCostOf(call: CallNode): Cost {
  let all = NO_COST;
  const below = [call];
  for (let next = below.pop(); next; next = below.pop()) {
    all = addCosts(all, ownCostOf(next));
    for (const child of next.children) below.push(child);
  }
  return all;
}

/** What each call costs with all calls below it, by its index. */
export function wholeCosts(calls: readonly CallNode[]): readonly Cost[] {
  const whole: Cost[] = calls.map(ownCostOf);
  // A call is heard of after the one that dispatched it.
  for (const { index, parent } of calls.toReversed())
    if (parent) whole[parent.index] = addCosts(whole[parent.index] ?? NO_COST, whole[index] ?? NO_COST);
  return whole;
}

/** What the calls of each agent cost with all calls below them, see `wholeCostsBy`. */
export function wholeCostsByAgent(calls: readonly CallNode[]): ReadonlyMap<string, Cost> {
  return wholeCostsBy(calls, ({ agent }) => agent);
}

/** What the calls cost that each tool dispatched, with all calls below them, see `wholeCostsBy`. */
export function wholeCostsByTool(calls: readonly CallNode[]): ReadonlyMap<string, Cost> {
  return wholeCostsBy(calls, ({ dispatcher }) => dispatcher?.tool);
}

/**
 * What the calls of each key cost with all calls below them. A call within another one of the same key is a part of that and
 * is not added again.
 */
function wholeCostsBy(
  calls: readonly CallNode[],
  keyOf: (call: CallNode) => string | undefined,
): ReadonlyMap<string, Cost> {
  const whole = wholeCosts(calls);
  const byKey = new Map<string, Cost>();
  /** How many calls of each key the present one is within. */
  const around = new Map<string, number>();
  const next: { readonly call: CallNode; readonly isLeft: boolean }[] = calls
    .filter(({ parent }) => !parent)
    .map((call) => ({ call, isLeft: false }));
  for (let step = next.pop(); step; step = next.pop()) {
    const { call, isLeft } = step;
    const { index, children } = call;
    const key = keyOf(call);
    const outer = key === undefined ? 0 : (around.get(key) ?? 0);
    if (key !== undefined) around.set(key, isLeft ? outer - 1 : outer + 1);
    if (isLeft) continue;
    if (key !== undefined && outer === 0)
      byKey.set(key, addCosts(byKey.get(key) ?? NO_COST, whole[index] ?? NO_COST));
    next.push({ call, isLeft: true });
    for (const child of children) next.push({ call: child, isLeft: false });
  }
  return byKey;
}
