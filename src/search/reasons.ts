import { fieldOf } from '../query/language/fields.js';
import type { QueryPlan } from '../query/language/plan.js';
import type { SessionFacts, UnitFacts } from '../query/language/sessionFacts.js';
import type { Part, Sequence, Term } from '../query/language/syntax.js';
import { decisionsOf } from '../query/language/scopes.js';
import { UnitNotes } from '../query/language/unitNotes.js';
import type { TextsOfUnit } from '../query/language/unitTexts.js';

/**
 * The terms of a question that hold for a record or a tool call itself, as they are written in `text`. Negated ones, and
 * those that ask for other rows, are none; texts are not looked through for them, because their marks show them.
 */
export function reasonsFor(
  unit: UnitFacts,
  { text, plan, facts, texts }: { text: string; plan: QueryPlan; facts: SessionFacts; texts: TextsOfUnit },
): string[] {
  const notes = new UnitNotes(facts);
  const holds = (term: Term): boolean => {
    const compiled = plan.terms.get(term);
    if (!compiled || (unit.kind === 'toolCall' && !fieldOf(term).ofToolCalls)) return false;
    switch (compiled.on) {
      case 'session':
        return compiled.test(facts.info);
      case 'measure':
        return compiled.test(unit);
      case 'facts':
        return compiled.test(
          unit,
          () => decisionsOf(unit, facts),
          () => notes.of(unit),
        );
      case 'arguments':
        return term.values.every(({ kind }) => kind !== 'pattern') && compiled.test(texts);
      case 'texts':
        return false;
    }
  };
  const written = ownTerms(plan.query)
    .filter(holds)
    .map(({ range }) => text.slice(range.start, range.end));
  return [...new Set(written)];
}

function ownTerms(sequence: Sequence): Term[] {
  const { of } = sequence.kind === 'all' ? sequence : sequence.left;
  return of.flatMap(termsOf);
}

function termsOf(part: Part): Term[] {
  if (part.kind === 'term') return [part];
  return part.kind === 'group' ? part.of.flatMap(ownTerms) : [];
}
