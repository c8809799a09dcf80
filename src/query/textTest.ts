import { codedError } from '../core/errorCode.js';
import { textOf } from '../core/message.js';
import { messageOf } from '../core/text.js';
import { failureTextOf } from './numbers/failures.js';
import {
  containsIgnoringCase,
  containsWord,
  hasOtherForms,
  inEachForm,
  wholeWordSource,
} from './literalSearch.js';
import { messageIn } from './numbers/transcriptItem.js';
import { requiredLiteral } from './requiredTexts.js';
import { restOfText } from './restOfText.js';

/** The criteria that concern text. */
export interface TextCriteria {
  /** Searched for in the text of the content (not in call arguments), ignoring case. */
  readonly content?: string | RegExp | undefined;
  /**
   * Searched for in everything that a view shows of an item, see `allTextOf`: content, reasoning, refusal, the names and
   * arguments of calls; without a message also tasks, reasons, titles and what was approved. '' asks for nothing.
   */
  readonly text?: string | RegExp | undefined;
  /** True: `content` and `text` are ECMAScript patterns with the flag `u`, case-sensitive. */
  readonly regex?: boolean | undefined;
  /** Whether letter case matters; by default only in patterns. */
  readonly matchCase?: boolean | undefined;
  /** True: a match is preceded and followed by something other than a letter, a digit or `_`. */
  readonly wholeWord?: boolean | undefined;
}

/** What a text is searched for. */
export type Needle = string | RegExp;

/** The part of an item's text that is searched: its content, or all of it. */
export type TextPart = 'content' | 'all';

/** Tells whether an item matches, given a way to get its texts; a text is undefined where there is none. */
export type ItemTextTest = (textOfPart: (part: TextPart) => string | undefined) => boolean;

/**
 * The text that `content` is searched for in: of a message its content, of another record the reason of its failure.
 * Undefined for a message without content, which no text and no pattern matches, not even an empty one.
 */
export function contentTextOf(item: unknown): string | undefined {
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

/** The text that `text` is searched for in: that of `contentTextOf`, and on lines of their own whatever else is shown. */
export function allTextOf(item: unknown): string {
  return joinedText(contentTextOf(item) ?? '', restOfText(item));
}

/** All the text of an item, from its content and the rest. */
export function joinedText(content: string, rest: string): string {
  return content === '' || rest === '' ? content + rest : `${content}\n${rest}`;
}

/** Whether criteria ask for a text that may stand anywhere. */
export function asksForText({ text }: TextCriteria): boolean {
  return text !== undefined && text !== '';
}

/** The test for `content`; undefined where criteria ask for none. Throws where `patternOf` does. */
export function textTest(criteria: TextCriteria): ((text: string) => boolean) | undefined {
  return criteria.content === undefined ? undefined : testFor(criteria.content, criteria);
}

/** The test for `text`; undefined where criteria ask for none. Throws where `patternOf` does. */
export function allTextTest(criteria: TextCriteria): ((text: string) => boolean) | undefined {
  const { text } = criteria;
  return text === undefined || text === '' ? undefined : testFor(text, criteria);
}

/** The test for all text that criteria ask for; undefined where they ask for none. Throws where `patternOf` does. */
export function itemTextTest(criteria: TextCriteria): ItemTextTest | undefined {
  const content = textTest(criteria);
  const all = allTextTest(criteria);
  if (!content && !all) return undefined;
  return (textOfPart) => holds(content, textOfPart('content')) && holds(all, textOfPart('all'));
}

function holds(test: ((text: string) => boolean) | undefined, text: string | undefined): boolean {
  return !test || (text !== undefined && test(text));
}

function testFor(needle: Needle, criteria: TextCriteria): (text: string) => boolean {
  const written = typeof needle === 'string' ? needle : needle.source;
  if (!hasOtherForms(written)) return testOf(needle, criteria);
  const composed = written.normalize('NFC');
  return inEachForm(
    testOf(typeof needle === 'string' ? composed : new RegExp(composed, needle.flags), criteria),
  );
}

function testOf(needle: Needle, criteria: TextCriteria): (text: string) => boolean {
  const { matchCase = false, wholeWord = false } = criteria;
  const pattern = patternOf(needle, criteria);
  if (!pattern) {
    const literal = String(needle);
    if (wholeWord) return containsWord(literal, matchCase);
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
 * The pattern that criteria ask for, without the flag `g`, which would make it stateful; undefined for a literal text.
 * Throws an error that starts with `Invalid regex pattern:` for an invalid pattern.
 */
export function patternOf(needle: Needle, { regex, matchCase, wholeWord }: TextCriteria): RegExp | undefined {
  if (typeof needle === 'string' && !regex) return undefined;
  if (needle instanceof RegExp) return new RegExp(needle.source, needle.flags.replace('g', ''));
  const flags = matchCase === false ? 'iu' : 'u';
  try {
    const pattern = new RegExp(needle, flags);
    const whole = wholeWord ? new RegExp(wholeWordSource(needle), flags) : pattern;
    // It is compiled when it is first used, and only then refused where it is too large.
    whole.test('');
    return whole;
  } catch (error) {
    const message = `Invalid regex pattern: '${needle}' - ${messageOf(error)}`;
    throw codedError(Error, message, 'INVALID_PATTERN', error);
  }
}
