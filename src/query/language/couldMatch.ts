import type { Part, Sequence, Term } from './syntax.js';

/**
 * Whether any row of a session can match a question, where `mayHold` tells of a term whether it may hold for anything in
 * the session. What is negated rules nothing out.
 */
export function couldMatch(sequence: Sequence, mayHold: (term: Term) => boolean): boolean {
  const sides = sequence.kind === 'order' ? [sequence.left, sequence.right] : [sequence];
  return sides.every(({ of }) => of.every((part) => couldHold(part, mayHold)));
}

function couldHold(part: Part, mayHold: (term: Term) => boolean): boolean {
  if (part.kind === 'not') return true;
  if (part.kind === 'term') return mayHold(part);
  return part.of.some((sequence) => couldMatch(sequence, mayHold));
}
