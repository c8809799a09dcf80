import { isLarger } from './checkRows.js';
import { fieldNamed, fieldOf, type Field } from './fields.js';
import { wildcardTest } from './globs.js';
import { parseQuery } from './parse.js';
import { printPart, printQuery } from './print.js';
import { readValue } from './values.js';
import type { All, Group, Part, Range, RowKind, Sequence, Term, Value } from './syntax.js';

/** The parts that menus and chips show of a question: those that stand side by side in it; of an order, on its left. */
export function partsOf(query: Sequence): readonly Part[] {
  return query.kind === 'all' ? query.of : query.left.of;
}

/** Terms in brackets of their own, as what is asked of another message or call in a larger row stands there. */
export function inBrackets(of: readonly Part[]): Group {
  const range = { start: 0, end: 0 };
  return { kind: 'group', of: [{ kind: 'all', of, range }], range };
}

/** The parts that stand in brackets of their own without an alternative; undefined for any other part. */
export function partsInBrackets(part: Part): readonly Part[] | undefined {
  const [only, other] = part.kind === 'group' ? part.of : [];
  return only?.kind === 'all' && !other ? only.of : undefined;
}

/**
 * Whether what is added to some parts has to stand in brackets: beside them, it would be asked of the same message or call
 * of a larger row as they are, and the row may have one for each.
 */
export function needsBrackets(fields: readonly Field[], parts: readonly Part[], rows: RowKind): boolean {
  if (!isLarger(rows) || fields.every(({ reach }) => reach !== 'witness')) return false;
  return parts.some((part) => part.kind !== 'group' && !(part.kind === 'term' && !isOfWitness(part)));
}

function isOfWitness(term: Term): boolean {
  return fieldOf(term).reach === 'witness';
}

/** The values that a question asks a field for, without alternatives and negations; none where it does not. */
export function valuesOf(query: Sequence, field: string): readonly Value[] {
  return partsOf(query).flatMap((part) => termOfPart(part, field)?.values ?? []);
}

/**
 * Those of some names that a question asks a field for in this way; none where it does not ask for the field. A person's
 * patterns are not tried: they may take for ever, and here nobody ends them.
 */
export function namesAskedFor(query: Sequence, field: string, names: readonly string[]): readonly string[] {
  const tests = valuesOf(query, field).map(nameTest);
  return names.filter((name) => tests.some((test) => test(name)));
}

function nameTest(value: Value): (name: string) => boolean {
  if (value.kind !== 'text') return () => false;
  return value.exact ? (name) => name === value.text : wildcardTest(value.text, true);
}

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
 * The question for some rows in which a field is asked for exactly these values, any of which will do; without one, it is
 * not asked for. Names are written in the shortest way that tells them from all that are `known`. Everything else stays as it is written, blanks and all. Undefined for a question with problems, which nobody but its
 * writer can change, and where nothing would be left of a side of an order; throws for a field that does not exist, and
 * for a value that it does not take.
 */
export function withValues(
  text: string,
  name: string,
  values: readonly string[],
  { known = values, rows = 'messages' }: { readonly known?: readonly string[]; readonly rows?: RowKind } = {},
): string | undefined {
  const { query, problems } = parseQuery(text);
  if (problems.length > 0) return undefined;
  const field = fieldNamed(name);
  if (!field) throw new RangeError(`There is no field '${name}'.`);
  const term = values.length === 0 ? undefined : termOf(field, values, known);
  const parts = partsOf(query);
  const first = parts.find((part) => termOfPart(part, field.name));
  const alone = first ? partsInBrackets(first) !== undefined : needsBrackets([field], parts, rows);
  const written = term && (alone ? inBrackets([term]) : term);
  const of = parts.flatMap((part): readonly Part[] => {
    if (!termOfPart(part, field.name)) return [part];
    return part === first && written ? [written] : [];
  });
  if (!first && written) of.push(written);
  if (query.kind === 'order' && of.length === 0) return undefined;
  const all: All = { kind: 'all', of, range: query.range };
  const wanted: Sequence = query.kind === 'all' ? all : { ...query, left: all };
  const inPlace = edited(text, parts, { field: field.name, written: written ? printPart(written) : '' });
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
  const [first, ...more] = parts.filter((part) => termOfPart(part, field)).map(({ range }) => range);
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

/** The term of a field that a part is, by itself or in brackets of its own. */
function termOfPart(part: Part, field: string): Term | undefined {
  const [only = part, other] = partsInBrackets(part) ?? [];
  return only.kind === 'term' && only.field === field && !other ? only : undefined;
}
