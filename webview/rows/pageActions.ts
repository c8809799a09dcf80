import type { Question } from '../../src/query/language/question.js';
import type { QuestionScope } from '../../src/page/protocol/question.js';
import type { Params } from '../../src/page/protocol/requests.js';
import type { DropActions } from '../fileDrop.js';
import type { NoteActions } from '../notes/noteActions.js';
import type { RowActions } from './rowContext.js';
import type { SearchMatch, Tab } from '../state.js';

/** What a person can do on the page. Failures are shown as notices. */
export interface PageActions extends RowActions, NoteActions, DropActions {
  /** Shows a row among its neighbours, and what a search found in it. */
  readonly showFound: (position: number, found: Omit<SearchMatch, 'row'>) => void;
  readonly showTab: (tab: Tab) => void;
  /**
   * Puts a question into the bar, and has it answered; `asked` is what is answered instead, where it is known to have
   * problems. The one way for text, menus, chips and links.
   */
  readonly ask: (question: Question, asked?: Question) => void;
  /** Asks a field for exactly these values of all that it may be asked for, whatever else is asked. */
  readonly choose: (field: string, values: readonly string[], all?: readonly string[]) => void;
  /** Notes that the person has made use of what is asked. */
  readonly noteQuestion: () => void;
  readonly saveQuestion: (name: string, scope: QuestionScope) => void;
  readonly removeQuestion: (name: string, scope: QuestionScope) => void;
  readonly copyQuestionLink: () => void;
  /** The values of a field that occur in the transcript. */
  readonly occurring: (field: string) => Promise<readonly string[]>;
  readonly expandAll: (expanded: boolean) => void;
  /** Shows the rows of raw events, or hides them. */
  readonly showRaw: (shown: boolean) => void;
  /** Moves the selection down the list by a number of rows; with a question, these are what it finds. */
  readonly step: (by: number) => void;
  /** Selects a row and scrolls it into view. */
  readonly select: (index: number) => void;
  /** Selects a row that the person has just clicked, without scrolling. */
  readonly touch: (index: number) => void;
  readonly toEnd: () => void;
  readonly stop: () => void;
  /** Sends a prompt; resolves to whether it was accepted. */
  readonly say: (text: string) => Promise<boolean>;
  /**
   * Puts a text into the chat box, to be said again; on the clipboard where nothing can be said. `rest`: how many of the
   * chosen messages did not fit into it.
   */
  readonly quote: (text: string, rest: number) => void;
  /** Does what was chosen after a failure. */
  readonly afterFailure: (choice: Params<'afterFailure'>) => void;
  /** Saves the text in the chat box for the next page. */
  readonly keepDraft: (text: string) => void;
  readonly answerApproval: (answer: Params<'answerApproval'>) => void;
  /** Opens the decisions that a filter chooses as a text. */
  readonly exportApprovals: (what: Params<'exportApprovals'>) => void;
  readonly exportAs: (what: Params<'export'>) => void;
  readonly showImportReport: () => void;
  readonly handOver: () => void;
  readonly showKeys: () => void;
  /** Tells that something of the page itself failed. */
  readonly tellFailure: (error: unknown) => void;
  readonly dismissNotice: () => void;
}
