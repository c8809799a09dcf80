import type { QueryPlan } from './plan.js';
import type { Group, Part, Sequence } from './syntax.js';

/** What has to be read of records and tool calls to settle a question that their facts leave open. */
export interface Needs {
  readonly texts: boolean;
  readonly arguments: boolean;
}

/** What some sequences need; what stands in brackets with a set of its own is settled before. */
export function needsOf(alternatives: readonly Sequence[], { terms }: Pick<QueryPlan, 'terms'>): Needs {
  const needs = { texts: false, arguments: false };
  const visit = (part: Part | Group): void => {
    if (part.kind === 'not') visit(part.of);
    else if (part.kind === 'group')
      for (const sequence of part.of) if (sequence.kind === 'all') sequence.of.forEach(visit);
    if (part.kind !== 'term') return;
    const on = terms.get(part)?.on;
    if (on === 'texts' || on === 'arguments') needs[on] = true;
  };
  for (const sequence of alternatives) if (sequence.kind === 'all') sequence.of.forEach(visit);
  return needs;
}
