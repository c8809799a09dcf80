import type { Criteria } from '../src/protocol/criteria.js';
import type { Params } from '../src/protocol/requests.js';
import type { RowActions } from './rows/rowContext.js';
import type { Found, Tab } from './state.js';

/** What a person can do on the page. Failures are shown as notices. */
export interface PageActions extends RowActions {
  /** Shows a row among its neighbours, and what a search found in it. */
  readonly showFound: (position: number, found: Omit<Found, 'row'>) => void;
  readonly showTab: (tab: Tab) => void;
  readonly filter: (criteria: Criteria) => void;
  readonly saveFilter: (name: string) => void;
  readonly removeFilter: (name: string) => void;
  readonly expandAll: (expanded: boolean) => void;
  /** Shows the rows of raw events, or hides them. */
  readonly showRaw: (shown: boolean) => void;
  /** Moves the selection down the list by a number of rows; with a filter, these are its matches. */
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
  readonly showKeys: () => void;
  readonly dismissNotice: () => void;
}
