import type { ParsedQuery } from '../../../../src/query/language/syntax.js';
import { parseQuery } from '../../../../src/query/language/parse.js';

/** A parsed question without its places. */
export function withoutRanges(node: unknown): unknown {
  return JSON.parse(
    JSON.stringify(node, (key, value: unknown) => (key === 'range' || key === 'words' ? undefined : value)),
  );
}

/** A question that must be right. */
export function right(text: string): ParsedQuery['query'] {
  const { query, problems } = parseQuery(text);
  if (problems.length > 0) throw new Error(`${text}: ${problems[0]?.message ?? ''}`);
  return query;
}

/** Its problems, each with the text that it marks. */
export function wrong(text: string): string[] {
  return parseQuery(text).problems.map(({ start, end, message }) => `[${text.slice(start, end)}] ${message}`);
}
