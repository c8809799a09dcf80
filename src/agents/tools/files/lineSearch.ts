import type { PatternBounds, PatternMatch, PatternMatcher } from '../../../core/ports/patternMatcher.js';

/** What is searched for in the lines of files. */
export interface LineQuestion {
  readonly pattern: string;
  /** True: a regular expression in RE2's syntax, which takes linear time; false: exactly this text. */
  readonly regex: boolean;
  readonly ignoreCase: boolean;
}

/** How long one file may take, in milliseconds; RE2 needs 1.2 s for the worst pattern on 20,000 characters. */
const MAX_FILE_MS = 3_000;

/** Why a question is invalid, for the model; undefined where it is not. */
export async function problemOf(
  question: LineQuestion,
  patterns: PatternMatcher,
): Promise<string | undefined> {
  if (!question.regex) return undefined;
  const answer = await patterns.find({ ...asked(question), text: '', limit: 1 }, { maxMs: MAX_FILE_MS });
  if (answer.ok || answer.why === 'cancelled') return undefined;
  if (answer.why !== 'invalid') return answer.message;
  const hint = 'Look-around and back-references are not possible';
  return `The pattern cannot be used: ${answer.message}. ${hint}.`;
}

/**
 * The first match in each line of a text that has one, at most `limit`; undefined where that takes too long. Only a plain
 * text is searched for right here, everything else by `patterns`.
 */
export async function matchingLines(
  question: LineQuestion,
  text: string,
  limit: number,
  { patterns, maxMs, signal }: PatternBounds & { readonly patterns: PatternMatcher },
): Promise<readonly PatternMatch[] | undefined> {
  if (!question.regex && !question.ignoreCase) return linesWith(question.pattern, text, limit);
  const bounds = { maxMs: Math.min(maxMs, MAX_FILE_MS), signal };
  const answer = await patterns.find({ ...asked(question), text, limit }, bounds);
  return answer.ok ? answer.matches : undefined;
}

function asked({ pattern, regex, ignoreCase }: LineQuestion) {
  return { pattern, syntax: regex ? 're2' : 'text', ignoreCase, find: 'lines' } as const;
}

function linesWith(wanted: string, text: string, limit: number): PatternMatch[] {
  const matches: PatternMatch[] = [];
  if (wanted.includes('\n')) return matches;
  for (let at = text.indexOf(wanted); at >= 0 && matches.length < limit;) {
    matches.push({ start: at, end: at + wanted.length });
    const next = text.indexOf('\n', at);
    at = next < 0 ? -1 : text.indexOf(wanted, next + 1);
  }
  return matches;
}
