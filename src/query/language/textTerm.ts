import type { Range, Term } from './syntax.js';

/** A word as the term that asks for it. */
export function textTerm(text: string, range: Range): Term {
  return {
    kind: 'term',
    field: 'text',
    path: [],
    values: [{ kind: 'text', text, exact: false, range }],
    range,
  };
}
