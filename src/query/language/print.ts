import { fieldOf, ROLES } from './fields.js';
import type { Part, Sequence, Term, Value, Within } from './syntax.js';
import { quoted } from './values.js';

/** A question as text, in one way of all in which it can be written: parsed again, it asks exactly the same. */
export function printQuery(query: Sequence): string {
  if (query.kind === 'all') return query.of.map(printPart).join(' ');
  const { order, left, right, same, within } = query;
  return [
    printQuery(left),
    order,
    printQuery(right),
    ...same.map((each) => `same:${each}`),
    ...(within ? [`within:${printWithin(within)}`] : []),
  ].join(' ');
}

/** One part of a question as text. */
export function printPart(part: Part): string {
  switch (part.kind) {
    case 'not':
      return `-${printPart(part.of)}`;
    case 'group':
      return `(${part.of.map(printQuery).join(' OR ')})`;
    case 'inside':
      return `${part.where}:(${part.of.map(printQuery).join(' OR ')})`;
    case 'term':
      return printTerm(part);
  }
}

/** Milliseconds in the largest unit that is exact. */
export function printDuration(ms: number): string {
  for (const [unit, size] of [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['m', 60_000],
    ['s', 1_000],
  ] as const)
    if (ms > 0 && ms % size === 0) return `${ms / size}${unit}`;
  return `${ms}ms`;
}

/** The value of `within:` as text. */
export function printWithin({ unit, most }: Within): string {
  return unit === 'rows' ? String(most) : printDuration(most);
}

function printTerm(term: Term): string {
  const [only] = term.values;
  const isBare = term.field === 'text' && term.values.length === 1 && only !== undefined;
  if (isBare && only.kind === 'pattern') return printValue(only, true);
  if (isBare && only.kind === 'text' && !only.exact)
    return bareWord.test(only.text) ? only.text : quoted(only.text);
  const keys = [term.field, ...term.path.map((key) => (plainKey.test(key) ? key : quoted(key)))];
  const { type } = fieldOf(term);
  const mayBePath = type === 'path' || type === 'program';
  const values = term.values.map((value) =>
    term.field === 'role' && isMadeUp(value) ? quoted(value.text) : printValue(value, mayBePath),
  );
  return `${keys.join('.')}:${values.length === 1 ? (values[0] ?? '') : `(${values.join(' OR ')})`}`;
}

/** A word that nothing can be taken for but a word; the words of orders and the reserved ones are put into quotes. */
const bareWord =
  /^(?!(?:after|before|OR|AND|NOT|[|&]{1,2})$|args[[.])[\p{L}\p{N}_.,;!?@#$%&*+~^'|[\]{}][\p{L}\p{N}_.,;!?@#$%&*+~^'|[\]{}-]*$/u;

/** The same for a value behind a colon, where it is neither the `OR` of a list nor read as several names, a denied one or a range. */
const plainValue = /^(?!OR$|.*\.\.)[\p{L}\p{N}_.;?@#$%&*+~^'[\]{}][\p{L}\p{N}_.;!?@#$%&*+~^'[\]{}:/-]*$/u;
const plainPath = /^(?!OR$)[\p{L}\p{N}_.,;?@#$%&*+~^'|[\]{}/][\p{L}\p{N}_.,;!?@#$%&*+~^'|[\]{}:/-]*$/u;
const plainKey = /^[\p{L}\p{N}_-]+$/u;

/** Whether a role would be refused as a word. */
function isMadeUp(value: Value): value is Extract<Value, { readonly kind: 'text' }> {
  return value.kind === 'text' && !value.exact && !ROLES.includes(value.text.toLowerCase());
}

function printValue(value: Value, mayBePath: boolean): string {
  switch (value.kind) {
    case 'pattern':
      return `/${value.source}/${value.flags}`;
    case 'range':
      return `${value.from}..${value.to}`;
    case 'compare':
      return `${value.operator === '=' ? '' : value.operator}${value.text}`;
    case 'text': {
      const isPlain = (mayBePath ? plainPath : plainValue).test(value.text);
      return `${value.exact ? '=' : ''}${isPlain ? value.text : quoted(value.text)}`;
    }
  }
}
