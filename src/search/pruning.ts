import { fieldOf } from '../query/language/fields.js';
import type { QueryPlan } from '../query/language/plan.js';
import type { SessionFacts } from '../query/language/sessionFacts.js';
import type { Part, Sequence, Term } from '../query/language/syntax.js';
import { rawTextsOf, type RawText } from './rawText.js';

/** Whether a term may hold for anything in a session, by its shapes; true where they do not tell. */
export function mayHold(term: Term, { terms }: QueryPlan, { info, shapes }: SessionFacts): boolean {
  const compiled = terms.get(term);
  if (compiled?.on === 'session') return compiled.test(info);
  if (!shapes || !compiled) return true;
  switch (compiled.on) {
    case 'measure':
      return true;
    case 'facts': {
      const { mayHold: inTime, isOfUnit, test } = compiled;
      if (inTime) return shapes.span !== undefined && inTime(shapes.span.from, shapes.span.to);
      const isOf = fieldOf(term).ofToolCalls;
      return (
        isOfUnit === true ||
        shapes.examples.some(
          (example) => (isOf || example.kind === 'record') && test(example, () => example.decisions),
        )
      );
    }
    case 'arguments':
      return shapes.hasArguments.includes(true);
    case 'texts':
      return compiled.grams.some((some) => some.length === 0 || shapes.mayHave(some));
  }
}

/** Texts that stand in the bytes of every session in which anything matches: one of each list. */
export function neededTexts(sequence: Sequence): readonly (readonly RawText[])[] {
  const sides = sequence.kind === 'order' ? [sequence.left, sequence.right] : [sequence];
  return sides.flatMap(({ of }) => of.flatMap(neededBy));
}

function neededBy(part: Part): readonly (readonly RawText[])[] {
  if (part.kind === 'term') return listOf(rawTextsOf(part));
  if (part.kind === 'not') return [];
  const [only, ...others] = part.of;
  return only && others.length === 0 ? neededTexts(only) : [];
}

function listOf<T>(value: T | undefined): T[] {
  return value === undefined ? [] : [value];
}
