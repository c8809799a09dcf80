import * as v from 'valibot';
import { MAX_QUERY_LENGTH } from '../../query/language/parse.js';
import type { Question } from '../../query/language/question.js';
import { questionOfChecked } from '../../query/language/queryOfCriteria.js';
import { ROW_KINDS, type RowKind } from '../../query/language/syntax.js';
import { criteria, isUnfiltered, type Criteria } from './criteria.js';

/** What may be asked for in one transcript, from everything that is recorded on. */
export const TRANSCRIPT_ROWS = [
  'records',
  'messages',
  'toolCalls',
  'agentCalls',
  'runs',
] as const satisfies readonly RowKind[];

/** A question as the page sends and keeps it: it may have problems, and then is not answered. */
export const question = v.object({
  text: v.pipe(v.string(), v.maxLength(MAX_QUERY_LENGTH)),
  rows: v.picklist(ROW_KINDS),
});

/** The question that asks for nothing in particular: everything is shown. */
export const NO_QUESTION: Question = { text: '', rows: 'records' };

/** Whether a question asks for nothing in particular. */
export function isUnasked({ text, rows }: Question): boolean {
  return rows === NO_QUESTION.rows && text.trim() === '';
}

/** Criteria of older versions as a question that finds the same; where they are wrong, one that says so where it is. */
export function questionOfCriteria(given: Criteria): Question {
  if (isUnfiltered(given)) return NO_QUESTION;
  try {
    return questionOfChecked(given);
  } catch {
    // A pattern that cannot be read: the language tells of it, with its place.
    return { text: `/${given.text.replaceAll('/', '\\/')}/`, rows: NO_QUESTION.rows };
  }
}

/** Where a saved question is kept: for all of a person's work, or for that in this workspace. */
export const QUESTION_SCOPES = ['user', 'workspace'] as const;
/** See `QUESTION_SCOPES`. */
export type QuestionScope = (typeof QUESTION_SCOPES)[number];

const questionName = v.pipe(v.string(), v.minLength(1), v.maxLength(100));

/** A question under a name that a person gave. */
export const savedQuestion = v.object({ name: questionName, question, scope: v.picklist(QUESTION_SCOPES) });
/** See `savedQuestion`. */
export type SavedQuestion = v.InferOutput<typeof savedQuestion>;

/** A filter as older versions saved it. */
export const savedFilter = v.object({ name: questionName, criteria });

/** The questions that are at hand in every transcript. */
export interface KnownQuestions {
  readonly saved: readonly SavedQuestion[];
  /** Those that were asked, the latest first. */
  readonly recent: readonly Question[];
}

/** The same without one that was saved, for a page that shows it gone before the host has answered. */
export function withoutSaved(known: KnownQuestions, name: string, scope: QuestionScope): KnownQuestions {
  return { ...known, saved: known.saved.filter((each) => each.name !== name || each.scope !== scope) };
}
