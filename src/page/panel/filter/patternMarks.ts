import type { PatternMatcher } from '../../../core/ports/patternMatcher.js';
import type { Value } from '../../../query/language/syntax.js';
import type { CutText, Row } from '../../protocol/row.js';

/** A pattern that stands in a question. */
export type PatternValue = Extract<Value, { kind: 'pattern' }>;

/** The most texts to highlight per answer. */
const MAX_MARKS = 100;
/** The longest highlight, in UTF-16 code units. */
const MAX_MARK_LENGTH = 200;
/** How long rows wait for their highlights, in milliseconds, all texts together. */
const MAX_WAIT_MS = 250;

/**
 * The texts in rows that match the patterns of a question. The page highlights these literal texts, so that no person's pattern
 * ever runs where it could hang the page; nor does it run on the thread of the extension host.
 */
export class PatternMarks {
  readonly #patterns: PatternMatcher;
  /** The patterns that were too slow: they are not tried again for each row that is shown. */
  readonly #given = new Set<string>();

  constructor(patterns: PatternMatcher) {
    this.#patterns = patterns;
  }

  /** The texts to highlight, each once; none for a pattern that takes too long. Never rejects. */
  async in(rows: readonly Row[], patterns: readonly PatternValue[]): Promise<string[]> {
    const found = new Set<string>();
    for (const pattern of patterns)
      if (!this.#given.has(pattern.source)) await this.#add(found, rows, pattern);
    return [...found];
  }

  async #add(found: Set<string>, rows: readonly Row[], { source, flags }: PatternValue): Promise<void> {
    const end = performance.now() + MAX_WAIT_MS;
    for (const text of rows.flatMap(textsOfRow)) {
      const answer = await this.#patterns.find(
        {
          pattern: source,
          syntax: 'ecmascript',
          ignoreCase: flags.includes('i'),
          text,
          flags: flags.replace('i', ''),
          find: 'all',
          limit: 10 * MAX_MARKS,
        },
        { maxMs: Math.max(1, end - performance.now()) },
      );
      if (!answer.ok) {
        this.#given.add(source);
        return;
      }
      for (const { start, end: stop } of answer.matches) {
        if (stop - start <= MAX_MARK_LENGTH) found.add(text.slice(start, stop));
        if (found.size >= MAX_MARKS) return;
      }
    }
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
