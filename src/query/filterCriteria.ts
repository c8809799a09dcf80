import { checkOptions, inCamelCase, type InEitherCase, type KnownOptions } from '../core/checkOptions.js';
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

const criterionKinds: KnownOptions<FilterCriteria> = {
  role: 'names',
  toolName: 'names',
  agent: 'names',
  content: 'pattern',
  text: 'pattern',
  regex: 'flag',
  matchCase: 'flag',
  wholeWord: 'flag',
  errorsOnly: 'flag',
  depth: 'count',
  run: 'text',
  call: 'text',
};

/**
 * Criteria in either spelling (`tool_name` is `toolName`), as they are asked. Throws a TypeError with a code that names a criterion that is not
 * known, and one whose value has a wrong type, and says what it should be.
 */
export function readCriteria(criteria: InEitherCase<FilterCriteria>): FilterCriteria {
  const read = inCamelCase(criteria, criterionKinds);
  checkOptions(read, criterionKinds, { each: 'criterion', all: 'criteria' });
  return read;
}
