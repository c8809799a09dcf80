import type { All, Inside, Order, Part, Sequence, Term } from './syntax.js';

/** One of the values that a question has for a record or a call, besides 0 and 1: what is known does not tell. */
export const OPEN = 2;

/** What the parts of a question that do not consist of others are for one record or call: 0, 1 or OPEN. */
export interface Leaves {
  term(term: Term): number;
  /** An order, or what stands in `in:`, `under:` and `with:`, on which other records and calls decide. */
  set(part: Order | Inside): number;
}

/** Whether one of some sequences holds: 1, 0, or OPEN where that depends on what is open. */
export function anyOf(alternatives: readonly Sequence[], leaves: Leaves): number {
  let value = 0;
  for (const sequence of alternatives) {
    const one = sequence.kind === 'order' ? leaves.set(sequence) : allOf(sequence, leaves);
    if (one === 1) return 1;
    if (one === OPEN) value = OPEN;
  }
  return value;
}

function allOf({ of }: All, leaves: Leaves): number {
  let value = 1;
  for (const part of of) {
    const one = valueOf(part, leaves);
    if (one === 0) return 0;
    if (one === OPEN) value = OPEN;
  }
  return value;
}

function valueOf(part: Part, leaves: Leaves): number {
  switch (part.kind) {
    case 'not': {
      const value = valueOf(part.of, leaves);
      return value === OPEN ? OPEN : 1 - value;
    }
    case 'group':
      return anyOf(part.of, leaves);
    case 'inside':
      return leaves.set(part);
    case 'term':
      return leaves.term(part);
  }
}

/** What two alternatives come to. */
export function either(one = 0, other = 0): number {
  if (one === 1 || other === 1) return 1;
  return one === OPEN || other === OPEN ? OPEN : 0;
}
