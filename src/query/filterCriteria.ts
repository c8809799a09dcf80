import type { TextCriteria } from './textTest.js';

/** One name, or several of which any matches. */
export type Names = string | readonly string[];

/** What to look for. Every criterion given must hold; without any, every message matches. */
export interface FilterCriteria extends TextCriteria {
  readonly role?: Names | undefined;
  /** Matches the assistant messages that call the tool, and the results of those calls. */
  readonly toolName?: Names | undefined;
  /** True: failures only, see `isFailedRecord`, including records without a message. */
  readonly errorsOnly?: boolean | undefined;
  readonly agent?: Names | undefined;
  readonly depth?: number | undefined;
  readonly run?: string | undefined;
  readonly call?: string | undefined;
}
