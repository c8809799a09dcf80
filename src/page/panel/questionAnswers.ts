import type { Contract } from '../protocol/protocol.js';
import type { KnownQuestions, QuestionScope, SavedQuestion } from '../protocol/question.js';
import type { RequestHandlers } from '../protocol/requestServer.js';
import type { Question } from '../../query/language/question.js';
import type { QuestionBook } from './ports.js';

/** What a page may ask that keeps questions. */
interface KeepsQuestions extends Contract {
  readonly params: {
    readonly noteQuestion: { readonly question: Question };
    readonly saveQuestion: SavedQuestion;
    readonly removeQuestion: { readonly name: string; readonly scope: QuestionScope };
  };
  readonly answers: {
    readonly noteQuestion: KnownQuestions;
    readonly saveQuestion: KnownQuestions;
    readonly removeQuestion: KnownQuestions;
  };
}

/** Answers what a page asks of the questions that are kept: of a panel and of the search. */
export function answerQuestions(
  handlers: Pick<RequestHandlers<KeepsQuestions>, 'add'>,
  book: QuestionBook,
): void {
  handlers.add('noteQuestion', async ({ question }) => {
    await book.note(question);
    return book.known();
  });
  handlers.add('saveQuestion', async (saved) => {
    await book.save(saved);
    return book.known();
  });
  handlers.add('removeQuestion', async ({ name, scope }) => {
    await book.remove(name, scope);
    return book.known();
  });
}
