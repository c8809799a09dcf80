import { RE2JS } from 're2js';
import type { PatternMatch } from '../../core/ports/patternMatcher.js';

/**
 * Compiles a pattern of RE2, and gives what finds all its matches in a text, in time that grows with the text alone. Throws
 * an Error with the engine's reason where it is none.
 */
export function linearSpans(pattern: string): (text: string) => PatternMatch[] {
  const compiled = RE2JS.compile(pattern);
  return (text) => {
    const matcher = compiled.matcher(text);
    const spans: PatternMatch[] = [];
    while (matcher.find()) {
      if (matcher.end() > matcher.start()) spans.push({ start: matcher.start(), end: matcher.end() });
    }
    return spans;
  };
}
