import { t } from '../../core/l10n.js';
import type { PatternWatch } from './terms.js';
import type { QueryProblem, Range } from './syntax.js';

/** Tells a person why a question without slow patterns was given up. */
export function questionTooSlow(): string {
  return t`This question takes too long on these texts. Ask for less at a time: it has very many terms.`;
}

/** Ends the evaluation of a question of which a step took too long. */
export class TooSlow extends Error {
  constructor(readonly problem: QueryProblem) {
    super(problem.message);
  }
}

/** Where the pattern stands that was being looked for; read anew, because the work has changed it. */
export function watchedRange(watch: PatternWatch): Range | undefined {
  return watch.current;
}
