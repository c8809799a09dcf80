import { RE2JS } from 're2js';
import { messageOf } from '../../core/text.js';
import type { Criteria } from '../../protocol/criteria.js';
import { containsIgnoringCase } from '../../query/literalSearch.js';

/** Finds a text or a pattern in texts, in time that grows only with their length. */
export interface TextMatcher {
  matches(text: string): boolean;
  /** For a pattern: different texts that it matches, at most `limit` of them. */
  found(text: string, limit: number): string[];
}

/** How many characters of a match are worth marking. */
const LONGEST_MARK = 200;

/** Makes a matcher; undefined where no text is asked for. Throws with words for a person where the pattern is none. */
export function textMatcher({ text, regex, matchCase }: Criteria): TextMatcher | undefined {
  if (text === '') return undefined;
  if (regex) return patternMatcher(text, matchCase);
  const matches = matchCase ? (each: string) => each.includes(text) : containsIgnoringCase(text);
  return { matches, found: () => [] };
}

function patternMatcher(text: string, matchCase: boolean): TextMatcher {
  const pattern = compiled(text, matchCase);
  return {
    matches: (each) => pattern.matcher(each).find(),
    found: (each, limit) => {
      const texts = new Set<string>();
      const matcher = pattern.matcher(each);
      while (texts.size < limit && matcher.find()) {
        const match = matcher.group() ?? '';
        if (match !== '' && match.length <= LONGEST_MARK) texts.add(match);
      }
      return [...texts];
    },
  };
}

function compiled(text: string, matchCase: boolean): RE2JS {
  try {
    return RE2JS.compile(text, RE2JS.MULTILINE | (matchCase ? 0 : RE2JS.CASE_INSENSITIVE));
  } catch (error) {
    const isUnsupported = /\(\?<?[=!]|\\[1-9]/.test(text);
    const hint = isUnsupported ? ' Look-around and back-references cannot be used here.' : '';
    throw new Error(`This pattern cannot be read: ${messageOf(error)}.${hint}`, { cause: error });
  }
}
