import { problemsOfRows } from './checkRows.js';
import { parseQuery } from './parse.js';
import type { ParsedQuery, QueryProblem, RowKind } from './syntax.js';

/** A question as a person asks it: its text, and the rows that it is asked for. */
export interface Question {
  readonly text: string;
  readonly rows: RowKind;
}

/** What is wrong with a question, in the order of the places; nothing where it can be answered. */
export function problemsOf({ text, rows }: Question): readonly QueryProblem[] {
  return problemsIn(parseQuery(text), rows);
}

/** The same of a text that was read already. */
export function problemsIn(parsed: ParsedQuery, rows: RowKind): readonly QueryProblem[] {
  return parsed.problems.length > 0 ? parsed.problems : problemsOfRows(parsed.query, rows);
}

/** Whether two questions are the same, as they are written. */
export function isSameQuestion(one: Question, other: Question): boolean {
  return one.text === other.text && one.rows === other.rows;
}
