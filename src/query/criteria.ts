import { textOf } from '../core/message.js';
import { messageOf } from '../core/text.js';
import { containsIgnoringCase } from './literalSearch.js';
import { envelopeOf, messageIn, placeOf, type LooseMessage } from './queryItem.js';
import { callsTool, resultNameOf } from './toolCalls.js';
import { ToolNames } from './toolNames.js';

/** What to look for; everything given must hold, nothing given finds every message. */
export interface FilterCriteria {
  readonly role?: string | undefined;
  /** Finds the assistant messages that call the tool, and the results of those calls. */
  readonly toolName?: string | undefined;
  /** Looked for in the text of the content (not in call arguments), ignoring case. */
  readonly content?: string | RegExp | undefined;
  /** True: `content` is an ECMAScript pattern with the flag `u`, case-sensitive. */
  readonly regex?: boolean | undefined;
  readonly agent?: string | undefined;
  readonly depth?: number | undefined;
  readonly run?: string | undefined;
  readonly call?: string | undefined;
}

/** Says of one item after the other whether it matches. */
export type Scan = (item: unknown) => boolean;

/** Criteria made ready to be asked of many items. */
export interface CompiledCriteria {
  /** Whether a result can only be judged when the call that it answers is known. */
  readonly needsPairing: boolean;
  /** Whether an item matches, where `calledTool` is the tool whose call the item answers, if it is known to. */
  matches(item: unknown, calledTool?: string): boolean;
  /** Begins to read a stream, every item of which must be given in order; the scan itself pairs results with calls. */
  scan(): Scan;
}

/** Makes criteria ready. Throws an error that starts with `Invalid regex pattern:` when the pattern is none. */
export function compileCriteria(criteria: FilterCriteria): CompiledCriteria {
  const { role, toolName } = criteria;
  const matchesText = compileContent(criteria);
  const matchesPlace = compilePlace(criteria);

  const matches = (item: unknown, calledTool?: string): boolean => {
    const message = messageIn(item);
    if (!message) return false;
    if (role !== undefined && message.role !== role) return false;
    if (matchesPlace && !matchesPlace(item)) return false;
    if (toolName !== undefined && !concernsTool(item, message, toolName, calledTool)) return false;
    return !matchesText || matchesText(textOf(message.content));
  };
  const needsPairing = toolName !== undefined && (role === undefined || role === 'tool');
  return { needsPairing, matches, scan: () => (needsPairing ? scanWithPairing(matches) : matches) };
}

function compileContent({ content, regex }: FilterCriteria): ((text: string) => boolean) | undefined {
  if (content === undefined) return undefined;
  if (typeof content === 'string' && !regex) return containsIgnoringCase(content);
  const pattern = compilePattern(content);
  return (text) => {
    pattern.lastIndex = 0;
    return pattern.test(text);
  };
}

/** A pattern of our own, because one with the flag `g` or `y` remembers where it stopped. */
function compilePattern(content: string | RegExp): RegExp {
  if (content instanceof RegExp) return new RegExp(content.source, content.flags.replace('g', ''));
  try {
    return new RegExp(content, 'u');
  } catch (error) {
    throw new Error(`Invalid regex pattern: '${content}' - ${messageOf(error)}`, { cause: error });
  }
}

function compilePlace({ agent, depth, run, call }: FilterCriteria): Scan | undefined {
  if (agent === undefined && depth === undefined && run === undefined && call === undefined) return undefined;
  return (item) => {
    const place = placeOf(item);
    return (
      (agent === undefined || place.agent === agent) &&
      (depth === undefined || place.depth === depth) &&
      (run === undefined || place.run === run) &&
      (call === undefined || place.call === call)
    );
  };
}

function concernsTool(
  item: unknown,
  message: LooseMessage,
  toolName: string,
  calledTool: string | undefined,
): boolean {
  if (toolName === '') return false;
  if (message.role !== 'tool') return callsTool(message, toolName);
  return calledTool === toolName || resultNameOf(message, envelopeOf(item)) === toolName;
}

function scanWithPairing(matches: CompiledCriteria['matches']): Scan {
  const names = new ToolNames();
  return (item) => matches(item, names.next(item));
}
