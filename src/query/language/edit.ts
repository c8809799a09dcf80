import { fieldNamed, type Field } from './fields.js';
import { wildcardTest } from './globs.js';
import { parseQuery } from './parse.js';
import { printPart, printQuery } from './print.js';
import { compilePattern, readValue } from './values.js';
import type { All, Part, Range, Sequence, Term, Value } from './syntax.js';

/** The parts that menus and chips show of a question: those that stand side by side in it; of an order, on its left. */
export function partsOf(query: Sequence): readonly Part[] {
  return query.kind === 'all' ? query.of : query.left.of;
}

/** The values that a question asks a field for, outside of brackets and negations; none where it does not. */
export function valuesOf(query: Sequence, field: string): readonly Value[] {
  return partsOf(query).flatMap((part) => (isOf(part, field) ? part.values : []));
}

/** Those of some names that a question asks a field for in this way; none where it does not ask for the field. */
export function namesAskedFor(query: Sequence, field: string, names: readonly string[]): readonly string[] {
  const tests = valuesOf(query, field).map(nameTest);
  return names.filter((name) => tests.some((test) => test(name)));
}

function nameTest(value: Value): (name: string) => boolean {
  if (value.kind === 'pattern') {
    const pattern = compilePattern(value.source, value.flags);
    return (name) => name.length <= MAX_NAME && pattern.test(name);
  }
  if (value.kind !== 'text') return () => false;
  return value.exact ? (name) => name === value.text : wildcardTest(value.text, true);
}

/** Longer names are not tried with a person's pattern where a menu is drawn; in UTF-16 code units. */
const MAX_NAME = 200;

/**
 * Whether a name has to be asked for with `=`: it has a star in it, or another one of all that there are is the same but for
 * its letter case.
 */
export function needsExact(name: string, all: Iterable<string>): boolean {
  if (name.includes('*')) return true;
  const folded = name.toLowerCase();
  for (const other of all) if (other !== name && other.toLowerCase() === folded) return true;
  return false;
}

/**
 * The question in which a field is asked for exactly these values, any of which will do; without one, it is not asked for.
 * Names are written in the shortest way that tells them from all that are `known`.
 * Everything else stays as it is written, blanks and all. Undefined for a question with problems, which nobody but its
 * writer can change, and where nothing would be left of a side of an order; throws for a field that does not exist, and
 * for a value that it does not take.
 */
export function withValues(
  text: string,
  name: string,
  values: readonly string[],
  known: readonly string[] = values,
): string | undefined {
  const { query, problems } = parseQuery(text);
  if (problems.length > 0) return undefined;
  const field = fieldNamed(name);
  if (!field) throw new RangeError(`There is no field '${name}'.`);
  const term = values.length === 0 ? undefined : termOf(field, values, known);
  const parts = partsOf(query);
  const first = parts.findIndex((part) => isOf(part, field.name));
  const of = parts.flatMap((part, at): readonly Part[] => {
    if (!isOf(part, field.name)) return [part];
    return at === first && term ? [term] : [];
  });
  if (first < 0 && term) of.push(term);
  if (query.kind === 'order' && of.length === 0) return undefined;
  const all: All = { kind: 'all', of, range: query.range };
  const wanted: Sequence = query.kind === 'all' ? all : { ...query, left: all };
  const inPlace = edited(text, parts, { field: field.name, written: term ? printPart(term) : '' });
  return [inPlace, printQuery(wanted)].find((each) => asksFor(each, wanted));
}

/** Whether a text asks for exactly this. A word such as `after` is one like any other only among nothing but words. */
function asksFor(text: string, wanted: Sequence): boolean {
  const { query, problems } = parseQuery(text);
  return problems.length === 0 && query.kind === wanted.kind && printQuery(query) === printQuery(wanted);
}

/** A text in which the terms of a field are replaced by what is written, or taken out. */
function edited(
  text: string,
  parts: readonly Part[],
  { field, written }: { readonly field: string; readonly written: string },
): string {
  const [first, ...more] = parts.filter((part) => isOf(part, field)).map(({ range }) => range);
  let changed = text;
  for (const range of more.toReversed()) changed = without(changed, range);
  if (first && written === '') return without(changed, first);
  if (first) return changed.slice(0, first.start) + written + changed.slice(first.end);
  const end = parts.at(-1)?.range.end;
  if (written === '') return changed;
  return end === undefined ? written : `${changed.slice(0, end)} ${written}${changed.slice(end)}`;
}

/** A text without a part of it, and without the blanks before it, or behind it where it is the first. */
function without(text: string, { start, end }: Range): string {
  const before = text.slice(0, start).trimEnd();
  return before === '' ? text.slice(end).trimStart() : before + text.slice(end);
}

function termOf(field: Field, values: readonly string[], all: readonly string[]): Term {
  const range = { start: 0, end: 0 };
  const read = values.map((written) => {
    const operator = field.type === 'name' && needsExact(written, all) ? '=' : '';
    const value = readValue(field, { operator, form: 'quoted', text: written, ...range });
    if (typeof value === 'string') throw new RangeError(value);
    return value;
  });
  return { kind: 'term', field: field.name, path: [], values: read, range };
}

function isOf(part: Part, field: string): part is Term {
  return part.kind === 'term' && part.field === field;
}
