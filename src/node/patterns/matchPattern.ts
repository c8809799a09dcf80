import { RE2JS } from 're2js';
import { escapeRegExp } from '../../core/escapeRegExp.js';
import { messageOf, preview } from '../../core/text.js';
import type { PatternAnswer, PatternMatch, PatternQuestion } from '../../core/ports/patternMatcher.js';

/** How much of an engine's reason is told, in code points; some repeat the whole pattern. */
const MAX_REASON = 300;

/** Gives the first match in a text from a position on. */
type FindFrom = (text: string, from: number) => PatternMatch | undefined;

/** Looks for a pattern here and now, however long that takes: to be called where that can be stopped from outside. */
export function matchPattern(question: PatternQuestion): PatternAnswer {
  try {
    const find = finderFor(question);
    return { ok: true, matches: question.find === 'all' ? allIn(question, find) : linesIn(question, find) };
  } catch (error) {
    // Engines compile when they are first used, so that a pattern that is too large is refused within the search.
    return { ok: false, why: 'invalid', message: preview(messageOf(error), MAX_REASON) };
  }
}

function finderFor({ pattern, syntax, ignoreCase, flags = '' }: PatternQuestion): FindFrom {
  if (syntax === 're2') return linearFinder(RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0));
  if (syntax === 'text' && !ignoreCase) return literalFinder(pattern);
  const source = syntax === 'text' ? escapeRegExp(pattern) : pattern;
  const compiled = new RegExp(source, `g${ignoreCase ? 'i' : ''}${flags}${flags.includes('v') ? '' : 'u'}`);
  return (text, from) => {
    compiled.lastIndex = from;
    const match = compiled.exec(text);
    return match ? { start: match.index, end: match.index + match[0].length } : undefined;
  };
}

/** Whole characters only, like a pattern: half of an emoji does not stand in one. */
function literalFinder(literal: string): FindFrom {
  return (text, from) => {
    let start = text.indexOf(literal, from);
    while (start >= 0 && (isWithinPair(text, start) || isWithinPair(text, start + literal.length)))
      start = text.indexOf(literal, start + 1);
    return start < 0 ? undefined : { start, end: start + literal.length };
  };
}

const isWithinPair = (text: string, at: number): boolean =>
  at > 0 && (text.codePointAt(at - 1) ?? 0) > 0xffff;

function linearFinder(compiled: RE2JS): FindFrom {
  return (text, from) => {
    const matcher = compiled.matcher(text);
    return matcher.find(from) ? { start: matcher.start(), end: matcher.end() } : undefined;
  };
}

function allIn({ text, limit }: PatternQuestion, find: FindFrom): PatternMatch[] {
  const matches: PatternMatch[] = [];
  let from = 0;
  while (matches.length < limit && from <= text.length) {
    const match = find(text, from);
    if (!match) break;
    if (match.end > match.start) matches.push(match);
    // Within a pair of surrogates, an engine goes back to its beginning, for ever.
    from = match.end > match.start ? match.end : match.end + lengthOfCharacter(text, match.end);
  }
  return matches;
}

const lengthOfCharacter = (text: string, at: number): number =>
  (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;

function linesIn({ text, limit }: PatternQuestion, find: FindFrom): PatternMatch[] {
  const matches: PatternMatch[] = [];
  for (let start = 0; start <= text.length && matches.length < limit;) {
    const next = text.indexOf('\n', start);
    const end = next < 0 ? text.length : next;
    const match = find(text.slice(start, end), 0);
    if (match) matches.push({ start: start + match.start, end: start + match.end });
    start = end + 1;
  }
  return matches;
}
