import type { Criteria } from '../src/protocol/criteria.js';
import type { Params } from '../src/protocol/requests.js';
import type { RowActions } from './rows/rowContext.js';
import type { Tab } from './state.js';

/** What a person can do on the page. None of it fails visibly but by a notice. */
export interface PageActions extends RowActions {
  readonly showTab: (tab: Tab) => void;
  readonly filter: (criteria: Criteria) => void;
  readonly saveFilter: (name: string) => void;
  readonly removeFilter: (name: string) => void;
  readonly expandAll: (expanded: boolean) => void;
  /** Selects another row, so many further down the list; the filter's matches are the rows of its list. */
  readonly step: (by: number) => void;
  /** Selects a row and brings it into sight. */
  readonly select: (index: number) => void;
  /** Selects a row that the person has just touched: nothing moves under the pointer. */
  readonly touch: (index: number) => void;
  readonly toEnd: () => void;
  readonly stop: () => void;
  /** Resolves to whether the prompt was taken. */
  readonly say: (text: string) => Promise<boolean>;
  /** Has what stands in the chat box kept for the page after this one. */
  readonly keepDraft: (text: string) => void;
  readonly answerApproval: (answer: Params<'answerApproval'>) => void;
  readonly exportAs: (what: Params<'export'>) => void;
  readonly showKeys: () => void;
  readonly dismissNotice: () => void;
}
