import { textOf } from '../core/message.js';
import { messageOf } from '../core/text.js';
import { failureTextOf } from './failures.js';
import { containsIgnoringCase } from './literalSearch.js';
import { messageIn } from './queryItem.js';
import { requiredLiteral } from './requiredLiteral.js';

/** The part of criteria that asks for text. */
export interface TextCriteria {
  /** Looked for in the text of the content (not in call arguments), ignoring case. */
  readonly content?: string | RegExp | undefined;
  /** True: `content` is an ECMAScript pattern with the flag `u`, case-sensitive. */
  readonly regex?: boolean | undefined;
  /** Whether letter case counts; by default it does in patterns and does not in other texts. */
  readonly matchCase?: boolean | undefined;
}

/** The text in which criteria look: the content of a message; of a record without one what it says of its failure. */
export function searchedTextOf(item: unknown): string {
  const message = messageIn(item);
  return message ? textOf(message.content) : failureTextOf(item);
}

/** Whether a text is one that is asked for; undefined where any is. Throws where `patternIn` does. */
export function textTest(criteria: TextCriteria): ((text: string) => boolean) | undefined {
  const { content, matchCase } = criteria;
  if (content === undefined) return undefined;
  const pattern = patternIn(criteria);
  if (!pattern) {
    const literal = String(content);
    return matchCase ? (text) => text.includes(literal) : containsIgnoringCase(literal);
  }
  // What every match holds is found sooner than a match; where case does not count it may be written in many ways.
  const needed = pattern.ignoreCase ? undefined : requiredLiteral(pattern);
  if (needed !== undefined && !pattern.sticky) return (text) => text.includes(needed) && pattern.test(text);
  if (!pattern.sticky) return (text) => pattern.test(text);
  return (text) => {
    pattern.lastIndex = 0;
    return pattern.test(text);
  };
}

/**
 * The pattern that criteria ask for, without the flag `g`, with which it would remember where it stopped; undefined where
 * they ask for a literal text or none. Throws an error that starts with `Invalid regex pattern:` for such a one.
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
