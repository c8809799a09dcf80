import type { Criteria } from '../../protocol/criteria.js';
import type { CutText, Row } from '../../protocol/row.js';
import { textMatcher } from './textMatcher.js';

/** The most texts that one answer tells to be marked. */
const MOST_MARKS = 100;

/**
 * Where a filter is a pattern: what it matches in the texts that rows bring. The page marks these very texts, so
 * that no pattern of a person ever runs where it could hang the page.
 */
export function patternMarks(criteria: Criteria, rows: readonly Row[]): string[] {
  if (!criteria.regex) return [];
  const matcher = safeMatcher(criteria);
  const found = new Set<string>();
  for (const row of rows) {
    for (const text of textsOfRow(row)) {
      if (found.size >= MOST_MARKS) return [...found];
      for (const match of matcher?.found(text, MOST_MARKS - found.size) ?? []) found.add(match);
    }
  }
  return [...found];
}

function safeMatcher(criteria: Criteria) {
  try {
    return textMatcher(criteria);
  } catch {
    // The filter itself tells the person what is wrong with the pattern.
    return undefined;
  }
}

function textsOfRow(row: Row): string[] {
  const cuts: (CutText | undefined)[] = [];
  if (row.kind === 'message') cuts.push(row.body, row.reasoning, row.refusal);
  if (row.kind === 'tool') cuts.push(row.arguments, row.result);
  if (row.kind === 'dispatch') cuts.push(row.task, row.result);
  if (row.kind === 'note') cuts.push({ text: row.text, rest: 0 }, row.detail);
  return cuts.flatMap((cut) => (cut ? [cut.text] : []));
}
