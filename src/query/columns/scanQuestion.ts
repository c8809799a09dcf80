import { checkCriteria, type FilterCriteria } from '../filterCriteria.js';
import type { TextCriteria } from '../textTest.js';
import { structureTestsOf, type StructureTests } from './structureColumns.js';

/** A question that columns and an index of texts answer alone: all of it must hold for one and the same item. */
export interface ScanQuestion {
  readonly structure: StructureTests;
  readonly texts: readonly TextCriteria[];
}

/** Criteria as such a question. Throws a TypeError that names the criterion for a value of a wrong type. */
export function scanQuestionOf(criteria: FilterCriteria): ScanQuestion {
  checkCriteria(criteria);
  const { content, text, regex, matchCase, wholeWord } = criteria;
  const asksForText = content !== undefined || (text !== undefined && text !== '');
  return {
    structure: structureTestsOf(criteria),
    texts: asksForText ? [{ content, text, regex, matchCase, wholeWord }] : [],
  };
}
