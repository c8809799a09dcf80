import type { PatternMatcher } from '../../ports/patternMatcher.js';
import type { Criteria } from '../../protocol/criteria.js';
import type { CutText, Row } from '../../protocol/row.js';

/** The most texts to highlight per answer. */
const MAX_MARKS = 100;
/** The longest highlight, in UTF-16 code units. */
const MAX_MARK_LENGTH = 200;
/** How long rows wait for their highlights, in milliseconds, all texts together. */
const MAX_WAIT_MS = 250;

/**
 * The texts in rows that match a filter's pattern. The page highlights these literal texts, so that no person's pattern
 * ever runs where it could hang the page; nor does it run on the thread of the extension host.
 */
export class PatternMarks {
  readonly #patterns: PatternMatcher;
  /** The pattern that was too slow or invalid: it is not tried again for each row that is shown. */
  #given: string | undefined;

  constructor(patterns: PatternMatcher) {
    this.#patterns = patterns;
  }

  /** The texts to highlight, each once; none for a pattern that is invalid or takes too long. Never rejects. */
  async in(rows: readonly Row[], { text: pattern, regex, matchCase }: Criteria): Promise<string[]> {
    if (!regex || pattern === '' || pattern === this.#given) return [];
    const end = performance.now() + MAX_WAIT_MS;
    const found = new Set<string>();
    for (const text of rows.flatMap(textsOfRow)) {
      const answer = await this.#patterns.find(
        { pattern, syntax: 'ecmascript', ignoreCase: !matchCase, text, find: 'all', limit: 10 * MAX_MARKS },
        { maxMs: Math.max(1, end - performance.now()) },
      );
      if (!answer.ok) {
        this.#given = pattern;
        return [...found];
      }
      for (const { start, end: stop } of answer.matches) {
        if (stop - start <= MAX_MARK_LENGTH) found.add(text.slice(start, stop));
        if (found.size >= MAX_MARKS) return [...found];
      }
    }
    return [...found];
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
