import { textOf } from '../core/message.js';
import { messageOf } from '../core/text.js';
import { failureTextOf } from './failures.js';
import { containsIgnoringCase } from './literalSearch.js';
import { messageIn } from './queryItem.js';
import { requiredLiteral } from './requiredLiteral.js';

/** The criteria that concern text. */
export interface TextCriteria {
  /** Searched for in the text of the content (not in call arguments), ignoring case. */
  readonly content?: string | RegExp | undefined;
  /** True: `content` is an ECMAScript pattern with the flag `u`, case-sensitive. */
  readonly regex?: boolean | undefined;
  /** Whether letter case matters; by default only in patterns. */
  readonly matchCase?: boolean | undefined;
}

/**
 * The text that is searched: the content of a message; for a record without a message, the reason of its failure.
 * Undefined for a message without content, which no text and no pattern matches, not even an empty one.
 */
export function searchedTextOf(item: unknown): string | undefined {
  const message = messageIn(item);
  if (!message) return failureTextOf(item);
  return hasText(message.content) ? textOf(message.content) : undefined;
}

/** Whether the content of a message passes a test for text; one without content never does. */
export function matchesContent(content: unknown, matchesText: (text: string) => boolean): boolean {
  return typeof content === 'string'
    ? matchesText(content)
    : hasText(content) && matchesText(textOf(content));
}

function hasText(content: unknown): boolean {
  return typeof content === 'string' || Array.isArray(content);
}

/** The test for the text that criteria ask for; undefined where they ask for none. Throws where `patternIn` does. */
export function textTest(criteria: TextCriteria): ((text: string) => boolean) | undefined {
  const { content, matchCase } = criteria;
  if (content === undefined) return undefined;
  const pattern = patternIn(criteria);
  if (!pattern) {
    const literal = String(content);
    return matchCase ? (text) => text.includes(literal) : containsIgnoringCase(literal);
  }
  // Looking first for a literal that every match contains is faster; ignoring case, it could be written in many ways.
  const needed = pattern.ignoreCase ? undefined : requiredLiteral(pattern);
  if (needed !== undefined && !pattern.sticky) return (text) => text.includes(needed) && pattern.test(text);
  if (!pattern.sticky) return (text) => pattern.test(text);
  return (text) => {
    pattern.lastIndex = 0;
    return pattern.test(text);
  };
}

/**
 * The pattern that criteria ask for, without the flag `g`, which would make it stateful; undefined where they ask for a
 * literal text or none. Throws an error that starts with `Invalid regex pattern:` for an invalid pattern.
 */
export function patternIn({ content, regex, matchCase }: TextCriteria): RegExp | undefined {
  if (content === undefined || (typeof content === 'string' && !regex)) return undefined;
  if (content instanceof RegExp) return new RegExp(content.source, content.flags.replace('g', ''));
  try {
    return new RegExp(content, matchCase === false ? 'iu' : 'u');
  } catch (error) {
    throw new Error(`Invalid regex pattern: '${content}' - ${messageOf(error)}`, { cause: error });
  }
}
