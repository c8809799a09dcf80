import { RE2JS } from 're2js';
import type { Criteria } from '../../protocol/criteria.js';
import type { CutText, Row } from '../../protocol/row.js';

/** The most texts that one answer tells to be marked. */
const MOST_MARKS = 100;
/** How many characters of a match are worth marking. */
const LONGEST_MARK = 200;

/**
 * Where a filter is a pattern: what it matches in the texts that rows bring. The page marks these very texts, so
 * that no pattern of a person ever runs where it could hang the page; here it takes time that grows only with them.
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

/** Undefined where there is no pattern, or one that needs more than linear time: then nothing is marked. */
function linearPattern({ text, regex, matchCase }: Criteria): RE2JS | undefined {
  if (!regex || text === '') return undefined;
  try {
    return RE2JS.compile(text, matchCase ? 0 : RE2JS.CASE_INSENSITIVE);
  } catch {
    // Whether it can filter is for the filter to say.
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
