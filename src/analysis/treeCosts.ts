import { addCosts, NO_COST, type Cost } from '../core/cost.js';
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

/**
 * What the calls of each agent cost with all calls below them. A call within another one of the same agent is a part of
 * that and is not added again.
 */
export function wholeCostsByAgent(calls: readonly CallNode[]): ReadonlyMap<string, Cost> {
  const whole = wholeCosts(calls);
  const byAgent = new Map<string, Cost>();
  /** How many calls of each agent the present one is within. */
  const around = new Map<string, number>();
  const next: { readonly call: CallNode; readonly isLeft: boolean }[] = calls
    .filter(({ parent }) => !parent)
    .map((call) => ({ call, isLeft: false }));
  for (let step = next.pop(); step; step = next.pop()) {
    const { call, isLeft } = step;
    const { agent, index, children } = call;
    const outer = around.get(agent) ?? 0;
    around.set(agent, isLeft ? outer - 1 : outer + 1);
    if (isLeft) continue;
    if (outer === 0) byAgent.set(agent, addCosts(byAgent.get(agent) ?? NO_COST, whole[index] ?? NO_COST));
    next.push({ call, isLeft: true });
    for (const child of children) next.push({ call: child, isLeft: false });
  }
  return byAgent;
}
