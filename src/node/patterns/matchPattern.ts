import { RE2JS } from 're2js';
import { escapeRegExp } from '../../core/escapeRegExp.js';
import { messageOf } from '../../core/text.js';
import type { PatternAnswer, PatternMatch, PatternQuestion } from '../../ports/patternMatcher.js';

/** Gives the first match in a text from a position on. */
type FindFrom = (text: string, from: number) => PatternMatch | undefined;

/** Looks for a pattern here and now, however long that takes: to be called where that can be stopped from outside. */
export function matchPattern(question: PatternQuestion): PatternAnswer {
  let find: FindFrom;
  try {
    find = finderFor(question);
  } catch (error) {
    return { ok: false, why: 'invalid', message: messageOf(error) };
  }
  return { ok: true, matches: question.find === 'all' ? allIn(question, find) : linesIn(question, find) };
}

function finderFor({ pattern, syntax, ignoreCase }: PatternQuestion): FindFrom {
  if (syntax === 're2') return linearFinder(RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0));
  const source = syntax === 'text' ? escapeRegExp(pattern) : pattern;
  const compiled = new RegExp(source, ignoreCase ? 'giu' : 'gu');
  return (text, from) => {
    compiled.lastIndex = from;
    const match = compiled.exec(text);
    return match ? { start: match.index, end: match.index + match[0].length } : undefined;
  };
}

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
    from = match.end > match.start ? match.end : match.end + 1;
  }
  return matches;
}

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
