import { RE2JS } from 're2js';
import type { Criteria } from '../../protocol/criteria.js';
import type { CutText, Row } from '../../protocol/row.js';

/** The most texts to highlight per answer. */
const MOST_MARKS = 100;
/** The longest highlight, in UTF-16 code units. */
const LONGEST_MARK = 200;

/**
 * The texts in rows that match a filter's pattern. The page highlights these literal texts, so that no person's pattern
 * ever runs where it could hang the page; here it runs in linear time.
 */
export function patternMarks(criteria: Criteria, rows: readonly Row[]): string[] {
  const pattern = linearPattern(criteria);
  const found = new Set<string>();
  for (const text of pattern ? rows.flatMap(textsOfRow) : []) {
    const matcher = pattern?.matcher(text);
    while (matcher?.find()) {
      const match = matcher.group() ?? '';
      if (match !== '' && match.length <= LONGEST_MARK) found.add(match);
      if (found.size >= MOST_MARKS) return [...found];
    }
  }
  return [...found];
}

/** Undefined without a pattern, or for one that cannot run in linear time: then nothing is highlighted. */
function linearPattern({ text, regex, matchCase }: Criteria): RE2JS | undefined {
  if (!regex || text === '') return undefined;
  try {
    return RE2JS.compile(text, matchCase ? 0 : RE2JS.CASE_INSENSITIVE);
  } catch {
    // Whether the pattern is valid for filtering, the filter itself reports.
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
