import { fieldNamed } from './fields.js';
import { parseQuery } from './parse.js';
import { printQuery } from './print.js';
import { readValue } from './values.js';
import type { All, Part, Sequence, Term, Value } from './syntax.js';

/** The parts that menus and chips show of a question: those that stand side by side in it; of an order, on its left. */
export function partsOf(query: Sequence): readonly Part[] {
  return query.kind === 'all' ? query.of : query.left.of;
}

/** The values that a question asks a field for, outside of brackets and negations; none where it does not. */
export function valuesOf(query: Sequence, field: string): readonly Value[] {
  return partsOf(query).flatMap((part) => (isOf(part, field) ? part.values : []));
}

/**
 * The question in which a field is asked for exactly these values, any of which will do; without one, it is not asked for.
 * Everything else stays. Undefined for a question with problems, which nobody but its writer can change; throws for a
 * field that does not exist, and for a value that it does not take.
 */
export function withValues(text: string, name: string, values: readonly string[]): string | undefined {
  const { query, problems } = parseQuery(text);
  if (problems.length > 0) return undefined;
  const field = fieldNamed(name);
  if (!field) throw new RangeError(`There is no field '${name}'.`);
  const range = { start: 0, end: 0 };
  const read = values.map((written) => {
    const isName = field.type === 'name';
    const value = readValue(field, { operator: isName ? '=' : '', form: 'quoted', text: written, ...range });
    if (typeof value === 'string') throw new RangeError(value);
    return value;
  });
  const term: Term = { kind: 'term', field: field.name, path: [], values: read, range };
  const before = partsOf(query);
  const first = before.findIndex((part) => isOf(part, field.name));
  const at = first < 0 ? before.length : first;
  const others = before.filter((part) => !isOf(part, field.name));
  const of = read.length === 0 ? others : [...others.slice(0, at), term, ...others.slice(at)];
  const all: All = { kind: 'all', of, range };
  if (query.kind === 'all') return printQuery(all);
  // An order whose left side is empty would be none.
  return of.length === 0 ? undefined : printQuery({ ...query, left: all });
}

function isOf(part: Part, field: string): part is Term {
  return part.kind === 'term' && part.field === field;
}
