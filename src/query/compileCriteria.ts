import type { InEitherCase } from '../core/checkOptions.js';
import { failureTextOf, isFailed } from './numbers/failures.js';
import { readCriteria, type FilterCriteria, type Names } from './filterCriteria.js';
import { envelopeOf, messageIn, originOf, type UntypedMessage } from './numbers/transcriptItem.js';
import { allTextOf, allTextTest, asksForText, matchesContent, textTest } from './textTest.js';
import { callsOneOf, resultNameOf } from './numbers/toolCalls.js';
import { ToolNames } from './numbers/toolNames.js';

/** Tells of one item after another whether it matches. */
export type Scan = (item: unknown) => boolean;

/** Criteria prepared for many items. */
export interface CompiledCriteria {
  /** Whether judging a tool result requires knowing the call that it answers. */
  readonly needsPairing: boolean;
  /** Whether an item matches; `calledTool` is the tool whose call the item answers, where that is known. */
  matches(item: unknown, calledTool?: string): boolean;
  /** Starts a pass over a stream whose items must all be given, in order; the scan pairs results with calls itself. */
  scan(): Scan;
}

/**
 * Prepares criteria. Throws a TypeError that names the criterion for one that is not known and for a value of a wrong type,
 * and an error whose message starts with `Invalid regex pattern:` for an invalid pattern.
 */
export function compileCriteria(given: InEitherCase<FilterCriteria>): CompiledCriteria {
  const criteria = readCriteria(given);
  const roles = setOf(criteria.role);
  const tools = setOf(criteria.toolName);
  const matchesText = textTest(criteria);
  const matchesAll = allTextTest(criteria);
  const matchesPlace = compilePlace(criteria);

  const matches = (item: unknown, calledTool?: string): boolean => {
    if (criteria.errorsOnly && !isFailed(item)) return false;
    if (matchesPlace && !matchesPlace(item)) return false;
    const message = messageIn(item);
    if (!message) return matchesRecord(item);
    if (roles && !(typeof message.role === 'string' && roles.has(message.role))) return false;
    if (tools && !concernsTool(item, message, tools, calledTool)) return false;
    if (matchesText && !matchesContent(message.content, matchesText)) return false;
    return !matchesAll || matchesAll(allTextOf(item));
  };
  const matchesRecord = (item: unknown): boolean => {
    if (roles || tools || !mayFindRecords(criteria)) return false;
    if (matchesText && !matchesText(failureTextOf(item))) return false;
    return !matchesAll || matchesAll(allTextOf(item));
  };
  const needsPairing = tools !== undefined && (!roles || roles.has('tool'));
  const scan = (): Scan => {
    if (tools && needsPairing) return scanWithPairing(matches, tools);
    const isSimple = !tools && !matchesPlace && !criteria.errorsOnly && !matchesAll;
    return (isSimple ? simpleScan(roles, matchesText) : undefined) ?? ((item) => matches(item));
  };
  return { needsPairing, matches, scan };
}

/** Whether criteria may hold for records without a message: where failures are asked for, or a text wherever it is shown. */
export function mayFindRecords(criteria: FilterCriteria): boolean {
  return criteria.errorsOnly === true || (asksForText(criteria) && criteria.content === undefined);
}

/** The most frequent criteria, one role or a text alone, without the checks that they do not need. */
function simpleScan(
  roles: ReadonlySet<string> | undefined,
  matchesText: ((text: string) => boolean) | undefined,
): Scan | undefined {
  if (matchesText) {
    if (roles) return undefined;
    return (item) => {
      // Nearly every item is a chat message and tells at once.
      const loose = item as UntypedMessage | null | undefined;
      const message = loose?.role === undefined ? messageIn(item) : loose;
      return message !== undefined && matchesContent(message.content, matchesText);
    };
  }
  if (roles?.size !== 1) return undefined;
  const [role] = roles;
  return (item) => {
    // Nearly every item is a chat message and tells at once.
    const said = (item as UntypedMessage | null | undefined)?.role;
    return said === undefined ? messageIn(item)?.role === role : said === role;
  };
}

/** Names as a set; undefined where none are given. */
export function setOf(names: Names | undefined): ReadonlySet<string> | undefined {
  if (names === undefined) return undefined;
  return new Set(typeof names === 'string' ? [names] : names);
}

function compilePlace({ agent, depth, run, call }: FilterCriteria): Scan | undefined {
  if (agent === undefined && depth === undefined && run === undefined && call === undefined) return undefined;
  const agents = setOf(agent);
  return (item) => {
    const place = originOf(item);
    return (
      (!agents || (place.agent !== undefined && agents.has(place.agent))) &&
      (depth === undefined || place.depth === depth) &&
      (run === undefined || place.run === run) &&
      (call === undefined || place.call === call)
    );
  };
}

function concernsTool(
  item: unknown,
  message: UntypedMessage,
  tools: ReadonlySet<string>,
  calledTool: string | undefined,
): boolean {
  if (message.role !== 'tool') return callsOneOf(message, tools);
  if (calledTool !== undefined && calledTool !== '' && tools.has(calledTool)) return true;
  const name = resultNameOf(message, envelopeOf(item));
  return name !== '' && tools.has(name);
}

function scanWithPairing(matches: CompiledCriteria['matches'], tools: ReadonlySet<string>): Scan {
  const names = new ToolNames(undefined, tools);
  return (item) => matches(item, names.next(item));
}
