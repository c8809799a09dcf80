import type { ScanQuestion } from '../../src/query/columns/scanQuestion.js';
import type { FilterCriteria } from '../../src/query/filterCriteria.js';
import { scanQuestionOfPlan } from '../../src/query/language/lower.js';
import { planQuery } from '../../src/query/language/plan.js';
import { queryOfCriteria } from '../../src/query/language/queryOfCriteria.js';

/** The question that finds the same as criteria, as columns and an index of texts answer it. */
export function scanQuestionOf(criteria: FilterCriteria): ScanQuestion {
  const { text, rows } = queryOfCriteria(criteria);
  const planned = planQuery(text, { rows, now: 0, timeZone: 'UTC' });
  const question = planned.ok ? scanQuestionOfPlan(planned.plan) : undefined;
  if (!question) throw new Error(`Columns do not answer ${text}.`);
  return question;
}
